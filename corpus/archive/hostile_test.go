package archive_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/decorum-crawler/decorum/corpus/archive"
	"github.com/decorum-crawler/decorum/crawler"
	"github.com/decorum-crawler/decorum/frontier"
	"github.com/decorum-crawler/decorum/robots"
)

// TestRobotsThatIsNotWhole has a robots.txt of which only a part or nothing is in
// the archive: it is unknown what it forbids, so it allows nothing. An older one
// applies only if it was unreachable when it was requested.
func TestRobotsThatIsNotWhole(t *testing.T) {
	const ok, some = "HTTP/1.1 200 OK\r\n", "User-agent: x\nDisallow: /\n"
	for name, test := range map[string]struct {
		kind, block, further string
		unknown              bool
	}{
		"cut off":                         {"response", ok + "\r\n" + some, "WARC-Truncated: disconnect", false},
		"cut by the archiver":             {"response", ok + "\r\n" + some, "WARC-Truncated: length", false},
		"withheld":                        {"response", ok + "\r\n", "WARC-Truncated: unspecified", false},
		"damaged":                         {"response", ok + "\r\n" + some, "WARC-Block-Digest: sha1:AAAA", true},
		"chunks that end early":           {"response", ok + "Transfer-Encoding: chunked\r\n\r\n100\r\n" + some, "X: x", false},
		"broken chunks":                   {"response", ok + "Transfer-Encoding: chunked\r\n\r\n4\r\nUserXX\r\n", "X: x", false},
		"broken gzip":                     {"response", ok + "Content-Encoding: gzip\r\n\r\n" + broken(t, some), "X: x", false},
		"in an unknown coding":            {"response", ok + "Content-Encoding: compress\r\n\r\n\x1f\x9d\x90", "X: x", false},
		"a revisit of nothing":            {"revisit", ok + "\r\n", "WARC-Payload-Digest: sha1:NONE", true},
		"an unnamed revisit":              {"revisit", ok + "\r\n", "X: x", true},
		"an empty revisit":                {"revisit", "", "WARC-Payload-Digest: sha1:NONE", true},
		"a redirect to what is not there": {"response", "HTTP/1.1 301 Moved\r\nLocation: https://www.farm.example/robots.txt\r\n\r\n", "X: x", true},
		"no answer":                       {"response", "", "X: x", false},
	} {
		t.Run(name, func(t *testing.T) {
			var f file
			f.record(test.kind, farm+"/robots.txt", "02T10:00:00", test.block, test.further)
			f.page(farm+"/a", "02T10:00:01", "text")
			page := only(t, &f)
			if page.Verdict.Allowed || page.Unjudged != test.unknown || page.Verdict.Reason != robots.ReasonUnreachable {
				t.Errorf("got %v of %q, unjudged %v; want unreachable", page.Verdict, page.Visit.Robots.Body, page.Unjudged)
			}
			f.robots(farm, "01T10:00:00", "User-agent: *\nDisallow: /a\n")
			if page := only(t, &f); page.Unjudged != test.unknown || (page.Verdict.Rule.Line == 2) == test.unknown {
				t.Errorf("got %v, unjudged %v, with one before", page.Verdict, page.Unjudged)
			}
		})
	}
}

// broken returns a text as gzip whose first block is of no kind.
func broken(t *testing.T, text string) string {
	t.Helper()
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	_, _ = io.WriteString(w, text)
	_ = w.Close()
	zipped.Bytes()[10] = 0xff
	return zipped.String()
}

func TestRobotsRevisitWithoutBlock(t *testing.T) {
	var f file
	const digest = "WARC-Payload-Digest: sha1:SAME"
	f.record("response", farm+"/robots.txt", "01T10:00:00", "HTTP/1.1 200 OK\r\n\r\n# same", digest)
	f.record("response", farm+"/robots.txt", "02T10:00:00", "HTTP/1.1 200 OK\r\n\r\n# other", "WARC-Payload-Digest: sha1:OTHER")
	f.record("revisit", farm+"/robots.txt", "03T10:00:00", "", digest)
	f.page(farm+"/a", "04T10:00:00", "text")
	if d := only(t, &f).Visit.Robots; string(d.Body) != "# same" || d.Status != 200 {
		t.Errorf("got %d %q, want the payload that it refers to", d.Status, d.Body)
	}
}

// TestFaultsOfOnePage has invalid pages: the others must still be read.
func TestFaultsOfOnePage(t *testing.T) {
	const head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
	for name, test := range map[string]struct {
		kind, block string
		want        archive.Fault
	}{
		"broken chunks":      {"response", head + "Transfer-Encoding: chunked\r\n\r\n4\r\ntextXX\r\n", archive.FaultDamaged},
		"broken gzip":        {"response", head + "Content-Encoding: gzip\r\n\r\n" + broken(t, "text"), archive.FaultDamaged},
		"no brotli":          {"response", head + "Content-Encoding: br\r\n\r\n\x00\xff\xff\xff\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d", archive.FaultDamaged},
		"no zstd":            {"response", head + "Content-Encoding: zstd\r\n\r\n\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d", archive.FaultDamaged},
		"a revisit, no head": {"revisit", "", archive.FaultNoPayload},
		"an empty response":  {"response", "", "none"},
	} {
		t.Run(name, func(t *testing.T) {
			var f file
			f.robots(farm, "01T10:00:00", "")
			f.record(test.kind, farm+"/a", "01T10:00:00", test.block, "WARC-Payload-Digest: sha1:NONE")
			f.page(farm+"/b", "01T10:00:00", "text")
			all := pages(t, open(t, &f))
			if test.want != "none" {
				if all[0].Fault != test.want {
					t.Errorf("got fault %q, want %q", all[0].Fault, test.want)
				}
				all = all[1:]
			}
			if len(all) != 1 || all[0].Visit.Item.URL != farm+"/b" || all[0].Fault != "" {
				t.Errorf("got %v, want the page behind it", all)
			}
		})
	}
}

func TestLongMetadata(t *testing.T) {
	var f file
	f.robots(farm, "01T10:00:00", "")
	f.page(farm+"/a", "01T10:00:00", "text")
	f.record("metadata", farm+"/a", "01T10:00:00", strings.Repeat("x", 1<<17),
		fmt.Sprintf("WARC-Concurrent-To: <urn:x:%d>", lastRecord(&f)))
	if page := only(t, &f); page.Fault != "" {
		t.Errorf("got fault %q, want the page as it is", page.Fault)
	}
}

// TestRevisitInOneMember has an archive that is one gzip member: the offset of the
// payload is unknown, and no other payload may be used.
func TestRevisitInOneMember(t *testing.T) {
	var f file
	f.robots(farm, "01T10:00:00", "")
	f.page(farm+"/x", "01T10:00:00", "not this", "WARC-Payload-Digest: sha1:XXXX")
	f.page(farm+"/a", "01T10:00:00", "the text", "WARC-Payload-Digest: sha1:AAAA")
	f.record("revisit", farm+"/b", "01T10:00:01", "HTTP/1.1 200 OK\r\n\r\n", "WARC-Payload-Digest: sha1:AAAA")
	var whole file
	w := gzip.NewWriter(&whole)
	_, _ = w.Write(plain(t, &f))
	_ = w.Close()
	all := pages(t, open(t, &whole))
	if len(all) != 3 || all[2].Fault != archive.FaultNoPayload || all[2].Visit.Body != nil {
		t.Errorf("got %v, want no payload", all)
	}
}

// TestRevisitInFrames has an archive with one Zstandard frame per record.
func TestRevisitInFrames(t *testing.T) {
	var f file
	f.robots(farm, "01T10:00:00", "")
	f.page(farm+"/a", "01T10:00:00", "the text", "WARC-Payload-Digest: sha1:AAAA")
	f.record("revisit", farm+"/b", "01T10:00:01", "HTTP/1.1 200 OK\r\n\r\n", "WARC-Payload-Digest: sha1:AAAA")
	all := pages(t, open(t, framed(t, &f)))
	if len(all) != 2 || string(all[1].Visit.Body) != "the text" || all[1].Visit.Offset <= all[0].Visit.Offset {
		t.Errorf("got %v, want the payload of the first page", all)
	}
}

// TestRevisitOfATornRecord has frames that do not start with records, as made by
// tools that compress in parallel.
func TestRevisitOfATornRecord(t *testing.T) {
	var f file
	f.robots(farm, "01T10:00:00", "")
	f.page(farm+"/a", "01T10:00:00", "the text", "WARC-Payload-Digest: sha1:AAAA")
	f.record("revisit", farm+"/b", "01T10:00:01", "HTTP/1.1 200 OK\r\n\r\n", "WARC-Payload-Digest: sha1:AAAA")
	whole := plain(t, &f)
	encoder, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	var torn file
	torn.Write(encoder.EncodeAll(whole[:50], nil))
	torn.Write(encoder.EncodeAll(whole[50:], nil))
	all := pages(t, open(t, &torn))
	if len(all) != 2 || string(all[0].Visit.Body) != "the text" || all[1].Fault != archive.FaultNoPayload {
		t.Errorf("got %v, want the second page without payload", all)
	}
}

// plain returns a file without its compression.
func plain(t *testing.T, f *file) []byte {
	t.Helper()
	members, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(members)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// framed returns the records of a file with gzip members in Zstandard frames.
func framed(t *testing.T, f *file) *file {
	t.Helper()
	members := bufio.NewReader(f)
	plain, err := gzip.NewReader(members)
	if err != nil {
		t.Fatal(err)
	}
	encoder, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	var out file
	for err == nil {
		plain.Multistream(false)
		record, readErr := io.ReadAll(plain)
		if readErr != nil {
			t.Fatal(readErr)
		}
		out.Write(encoder.EncodeAll(record, nil))
		err = plain.Reset(members)
	}
	if !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	return &out
}

// TestRobotsLeadsToAPage has a site that redirects every unknown URL to its home
// page, which must still be read as a page.
func TestRobotsLeadsToAPage(t *testing.T) {
	var f file
	f.record("response", farm+"/robots.txt", "01T10:00:00", "HTTP/1.1 302 Found\r\nLocation: /\r\n\r\n")
	f.page(farm+"/", "01T10:00:01", "<html>text")
	if page := only(t, &f); page.Visit.Item.URL != farm+"/" {
		t.Errorf("got %v", page)
	}
}

// TestFilesThatFail has a failed response after a valid one for a file of a site.
func TestFilesThatFail(t *testing.T) {
	const file1 = farm + "/.well-known/tdmrep.json"
	for name, block := range map[string]string{
		"an error":   "HTTP/1.1 503 Busy\r\n\r\n",
		"not whole":  "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n100\r\n[",
		"no answer":  "",
		"bad chunks": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n[XX\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			var f file
			f.robots(farm, "01T10:00:00", "")
			f.record("response", file1, "01T10:00:00", "HTTP/1.1 200 OK\r\n\r\n[1]")
			f.record("response", file1, "02T10:00:00", block)
			f.page(farm+"/a", "03T10:00:00", "text")
			if a := only(t, &f).Visit.Fetch(t.Context(), file1); string(a.Body) != "[1]" {
				t.Errorf("got %v, want the one before", a)
			}
		})
	}
}

// TestTheSameAnswerTwice has a page in two files, as when archives are merged: a
// document is identified by URL and time, so there must be one.
func TestTheSameAnswerTwice(t *testing.T) {
	var f file
	f.robots(farm, "01T10:00:00", "")
	f.record("response", farm+"/a", "01T10:00:00", "HTTP/1.1 302 Found\r\nLocation: /a\r\nSet-Cookie: seen\r\n\r\n")
	f.page(farm+"/a", "01T10:00:00", "text")
	f.page(farm+"/a", "01T10:00:01", "text")
	source := open(t, &f, &f)
	documents := 0
	for _, page := range pages(t, source) {
		if page.Visit.Status == 200 {
			documents++
		}
	}
	if documents != 2 || source.Others()["duplicate URL and time"] != 2 {
		t.Errorf("got %d pages, others %v, want two, and two told of", documents, source.Others())
	}
}

func TestCaseOfScheme(t *testing.T) {
	var f file
	f.robots("HTTPS://Farm.example:443", "01T10:00:00", "User-agent: *\nDisallow: /a\n")
	f.page(farm+"/a", "01T10:00:01", "text")
	if page := only(t, &f); page.Verdict.Rule.Line != 2 {
		t.Errorf("got %v, want it forbidden", page.Verdict)
	}
}

// TestManyRobots has one origin with many captures, one of which each page needs.
func TestManyRobots(t *testing.T) {
	var f file
	start := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	const n = 2000
	for i := range n {
		f.record("response", farm+"/robots.txt", start.Add(time.Duration(i)*time.Second).Format("02T15:04:05"), "HTTP/1.1 503 Busy\r\n\r\n")
	}
	for i := range n {
		f.page(fmt.Sprintf("%s/%d", farm, i), "02T10:00:00", "text")
	}
	allocated := testing.AllocsPerRun(1, func() {
		if all := pages(t, open(t, &f)); len(all) != n {
			t.Fatalf("got %d pages", len(all))
		}
	})
	if allocated > 1000*n {
		t.Errorf("got %.0f allocations for %d pages, want no square", allocated, n)
	}
}

// TestTooMuchIsStated has more robots.txt files than the memory limit allows.
func TestTooMuchIsStated(t *testing.T) {
	var f file
	for i := range 8 {
		f.robots(fmt.Sprintf("https://%d.example", i), "01T10:00:00", strings.Repeat("#", 100<<10)+fmt.Sprint(i))
	}
	_, err := archive.Open(t.Context(), written(t, &f), archive.Options{MaxBytes: 1 << 20, MaxStated: 512 << 10})
	if !errors.Is(err, archive.ErrStated) {
		t.Errorf("got %v, want ErrStated", err)
	}
	for range 100 { // equal ones are kept once
		f.robots("https://0.example", "01T10:00:00", strings.Repeat("#", 100<<10)+"0")
	}
	if _, err := archive.Open(t.Context(), written(t, &f), archive.Options{MaxBytes: 1 << 20, MaxStated: 1 << 20}); err != nil {
		t.Error(err)
	}
}

// TestRedirectAgain has a redirect that was captured twice. A sink keeps the last
// one of a URL, so the records of the page that the first led to must be made
// before.
func TestRedirectAgain(t *testing.T) {
	var f file
	f.robots(farm, "01T10:00:00", "")
	f.record("response", farm+"/old", "01T10:00:00", "HTTP/1.1 302 Found\r\nLocation: /a\r\n\r\n")
	f.page(farm+"/a", "01T10:00:01", "text")
	f.record("response", farm+"/old", "01T10:00:02", "HTTP/1.1 302 Found\r\nLocation: /a\r\n\r\n")
	var order []string
	redirected := make(chan struct{}, 2)
	b := archive.Build{
		Source: open(t, &f), Agent: "decorum",
		Judge:    func(string) frontier.Reason { return "" },
		Evidence: func(*robots.Document) error { return nil },
		Record:   func(context.Context, []frontier.Record) error { return nil },
		Sink: crawler.Sink{
			Wants: func(string, *robots.Document) string { return "" },
			Keep: func(_ context.Context, e *crawler.Visit) ([]frontier.Record, error) {
				if e.Page.RedirectTo != "" {
					redirected <- struct{}{}
				} else {
					<-redirected
					select { // the second, if it does not wait
					case <-redirected:
						order = append(order, "second redirect")
					case <-time.After(30 * time.Millisecond):
					}
					order = append(order, "page")
				}
				return nil, nil
			},
		},
	}
	if _, err := b.Run(t.Context(), t.Context()); err != nil || len(order) != 1 {
		t.Errorf("got %v, %v, want the page before the second redirect", order, err)
	}
}
