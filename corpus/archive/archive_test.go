package archive_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha1"
	"encoding/base32"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/decorum-crawler/decorum/corpus/archive"
	"github.com/decorum-crawler/decorum/crawler/fetch"
	"github.com/decorum-crawler/decorum/robots"
	"github.com/decorum-crawler/decorum/storage/warc"
)

// file is an archive as other tools write it: WARC/1.0, SHA-1 in base32, URLs
// in angle brackets.
type file struct {
	bytes.Buffer

	zip *gzip.Writer // made once, because it is large
}

// record appends a record; further holds more header lines.
func (f *file) record(kind, address, at, block string, further ...string) {
	sum := sha1.Sum([]byte(block))
	var out strings.Builder
	fmt.Fprintf(&out, "WARC/1.0\r\nWARC-Type: %s\r\nWARC-Target-URI: <%s>\r\nWARC-Date: 2026-03-%sZ\r\nWARC-Record-ID: <urn:x:%d>\r\n",
		kind, address, at, f.Len())
	for _, line := range further {
		out.WriteString(line + "\r\n")
	}
	fmt.Fprintf(&out, "WARC-Block-Digest: sha1:%s\r\nContent-Length: %d\r\n", base32.StdEncoding.EncodeToString(sum[:]), len(block))
	if f.zip == nil {
		f.zip = gzip.NewWriter(f)
	}
	f.zip.Reset(f)
	_, _ = io.WriteString(f.zip, out.String()+"\r\n"+block+"\r\n\r\n")
	_ = f.zip.Close()
}

// damaged appends a response that does not match its digest.
func (f *file) damaged(address, at, block string) {
	w := gzip.NewWriter(f)
	fmt.Fprintf(w, "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: %s\r\nWARC-Date: 2026-03-%sZ\r\nWARC-Block-Digest: sha256:%064d\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n",
		address, at, 0, len(block), block)
	_ = w.Close()
}

func (f *file) robots(origin, at, body string) {
	f.record("response", origin+"/robots.txt", at, "HTTP/1.1 200 OK\r\n\r\n"+body)
}

func (f *file) page(address, at, body string, further ...string) {
	f.record("response", address, at, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"+body, further...)
}

// written writes files and returns their names.
func written(t *testing.T, files ...*file) (names []string) {
	t.Helper()
	dir := t.TempDir()
	for i, f := range files {
		name := filepath.Join(dir, fmt.Sprintf("%d.warc.gz", i))
		if err := os.WriteFile(name, f.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	return names
}

// open writes files and opens them.
func open(t *testing.T, files ...*file) *archive.Source {
	t.Helper()
	source, err := archive.Open(t.Context(), written(t, files...), archive.Options{MaxBytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	return source
}

func pages(t *testing.T, source *archive.Source) []archive.Page {
	t.Helper()
	var all []archive.Page
	for page, err := range source.Pages(t.Context(), "decorum") {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, page)
	}
	return all
}

// only returns the only page of files.
func only(t *testing.T, files ...*file) archive.Page {
	t.Helper()
	all := pages(t, open(t, files...))
	if len(all) != 1 {
		t.Fatalf("got %d pages, want one", len(all))
	}
	return all[0]
}

const farm = "https://farm.example"

func TestRobotsInForce(t *testing.T) {
	for name, test := range map[string]struct {
		fill func(f *file)
		want string // the body that applies
		none bool
	}{
		"the last one before the page": {func(f *file) {
			f.robots(farm, "01T10:00:00", "# first")
			f.robots(farm, "02T10:00:00", "# second")
			f.robots(farm, "04T10:00:00", "# third")
		}, "# second", false},
		"the first one after, when there is none before": {func(f *file) {
			f.robots(farm, "05T10:00:00", "# later")
			f.robots(farm, "04T10:00:00", "# soon")
		}, "# soon", false},
		"an older one, when the last one was an error": {func(f *file) {
			f.robots(farm, "01T10:00:00", "# good")
			f.record("response", farm+"/robots.txt", "02T10:00:00", "HTTP/1.1 503 Busy\r\n\r\n")
		}, "# good", false},
		"what a redirect leads to": {func(f *file) {
			f.record("response", farm+"/robots.txt", "02T10:00:00", "HTTP/1.1 301 Moved\r\nLocation: https://www.farm.example/robots.txt\r\n\r\n")
			f.robots("https://www.farm.example", "02T10:00:01", "# led to")
		}, "# led to", false},
		"a redirect to another name": {func(f *file) {
			f.record("response", farm+"/robots.txt", "02T10:00:00", "HTTP/1.1 301 Moved\r\nLocation: /bots\r\n\r\n")
			f.record("response", farm+"/bots", "02T10:00:01", "HTTP/1.1 200 OK\r\n\r\n# bots")
		}, "# bots", false},
		"a revisit of one before": {func(f *file) {
			f.record("response", farm+"/robots.txt", "01T10:00:00", "HTTP/1.1 200 OK\r\n\r\n# same", "WARC-Payload-Digest: sha1:SAME")
			f.record("revisit", farm+"/robots.txt", "02T10:00:00", "HTTP/1.1 200 OK\r\n\r\n", "WARC-Payload-Digest: sha1:SAME")
		}, "# same", false},
		"none, when the last one is a revisit of what is not there": {func(f *file) {
			f.robots(farm, "01T10:00:00", "# old")
			f.record("revisit", farm+"/robots.txt", "02T10:00:00", "HTTP/1.1 200 OK\r\n\r\n", "WARC-Payload-Digest: sha1:GONE")
		}, "", true},
		"an older one, when the last one broke off": {func(f *file) {
			f.robots(farm, "01T10:00:00", "# good")
			f.record("response", farm+"/robots.txt", "02T10:00:00", "HTTP/1.1 200 OK\r\n\r\n# ba", "WARC-Truncated: disconnect")
		}, "# good", false},
		"none, when the last one is damaged": {func(f *file) {
			f.robots(farm, "01T10:00:00", "# old")
			f.damaged(farm+"/robots.txt", "02T10:00:00", "HTTP/1.1 200 OK\r\n\r\n# new")
		}, "", true},
		"a revisit of that of another origin": {func(f *file) {
			f.record("response", "https://other.example/robots.txt", "01T10:00:00", "HTTP/1.1 200 OK\r\n\r\n# shared", "WARC-Payload-Digest: sha1:SAME")
			f.record("revisit", farm+"/robots.txt", "02T10:00:00", "HTTP/1.1 200 OK\r\n\r\n", "WARC-Payload-Digest: sha1:SAME")
		}, "# shared", false},
		"none of another origin": {func(f *file) { f.robots("https://other.example", "02T10:00:00", "# other") }, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			var f file
			test.fill(&f)
			f.page(farm+"/a", "03T10:00:00", "text")
			page := only(t, &f)
			d := page.Visit.Robots
			if string(d.Body) != test.want || page.Unjudged != test.none || d.Origin != farm {
				t.Errorf("got %q, unjudged %v, of %s; want %q, %v", d.Body, page.Unjudged, d.Origin, test.want, test.none)
			}
		})
	}
}

func TestLastRobots(t *testing.T) {
	lead := func(f *file) {
		f.record("response", farm+"/robots.txt", "01T10:00:00", "HTTP/1.1 301 Moved\r\nLocation: /bots\r\n\r\n")
	}
	bots := func(f *file, at, body string) {
		f.record("response", farm+"/bots", at, "HTTP/1.1 200 OK\r\n\r\n"+body)
	}
	for name, test := range map[string]struct {
		fill     func(f *file)
		want     string
		restated bool
	}{
		"one":      {func(f *file) { f.robots(farm, "01T10:00:00", "# one") }, "# one", false},
		"the last": {func(f *file) { f.robots(farm, "04T10:00:00", "# last"); f.robots(farm, "02T10:00:00", "# first") }, "# last", true},
		"the last that a redirect leads to": {func(f *file) {
			lead(f)
			bots(f, "01T10:00:01", "# first")
			bots(f, "05T10:00:00", "# last")
		}, "# last", true},
		"a loop": {func(f *file) {
			f.record("response", farm+"/robots.txt", "01T10:00:00", "HTTP/1.1 301 Moved\r\nLocation: /robots.txt\r\n\r\n")
		}, "", false},
		"none": {func(*file) {}, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			var f file
			test.fill(&f)
			f.page(farm+"/a", "03T10:00:00", "text")
			source := open(t, &f)
			if got := string(source.LastRobots(farm).Body); got != test.want || source.Restated() != test.restated {
				t.Errorf("got %q, restated %v; want %q, %v", got, source.Restated(), test.want, test.restated)
			}
		})
	}
}

func TestRobotsVerdict(t *testing.T) {
	var f file
	f.robots(farm, "01T10:00:00", "User-agent: *\nDisallow: /a\n")
	f.page(farm+"/a", "01T10:00:00", "text")
	page := only(t, &f)
	if page.Verdict.Allowed || page.Verdict.Rule.Line != 2 || page.Visit.Page.Robots.Rule != "Disallow: /a" {
		t.Errorf("got %v, %v, want line 2 to block it", page.Verdict, page.Visit.Page.Robots)
	}
	var errs file
	errs.record("response", farm+"/robots.txt", "02T10:00:00", "HTTP/1.1 503 Busy\r\n\r\n")
	errs.page(farm+"/a", "03T10:00:00", "text")
	if page := only(t, &errs); page.Unjudged || page.Verdict.Reason != robots.ReasonUnreachable {
		t.Errorf("got %v, unjudged %v, want unreachable by its record", page.Verdict, page.Unjudged)
	}
}

func TestBodies(t *testing.T) {
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	_, _ = io.WriteString(w, "packed")
	_ = w.Close()
	long := strings.Repeat("x", 1<<20+5)
	const head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
	for name, test := range map[string]struct {
		block     string
		further   string
		want      string
		truncated bool
		fault     archive.Fault
	}{
		"plain":                           {head + "\r\ntext", "", "text", false, ""},
		"in chunks":                       {head + "Transfer-Encoding: chunked\r\n\r\n4\r\ntext\r\n0\r\n\r\n", "", "text", false, ""},
		"gzip":                            {head + "Content-Encoding: gzip\r\n\r\n" + zipped.String(), "", "packed", false, ""},
		"gzip that was taken off":         {head + "Content-Encoding: gzip\r\n\r\ntext", "", "text", false, ""},
		"gzip that is cut":                {head + "Content-Encoding: gzip\r\n\r\n" + zipped.String()[:zipped.Len()-6], "WARC-Truncated: length", "packed", true, ""},
		"longer than is kept":             {head + "\r\n" + long, "", long[:1<<20], true, ""},
		"cut by the archiver":             {head + "\r\ntex", "WARC-Truncated: length", "tex", true, ""},
		"a connection that broke":         {head + "\r\nte", "WARC-Truncated: disconnect", "te", false, archive.FaultIncomplete},
		"withheld":                        {head + "\r\n", "WARC-Truncated: unspecified", "", false, archive.FaultIncomplete},
		"a coding that is a name only":    {head + "Content-Encoding: none\r\n\r\ntext", "", "text", false, ""},
		"a coding that nobody can decode": {head + "Content-Encoding: compress\r\n\r\n\x1f\x9d\x90", "", "", false, archive.FaultDamaged},
	} {
		t.Run(name, func(t *testing.T) {
			var f file
			f.robots(farm, "01T10:00:00", "")
			var further []string
			if test.further != "" {
				further = append(further, test.further)
			}
			f.record("response", farm+"/a", "01T10:00:00", test.block, further...)
			page := only(t, &f)
			e := page.Visit
			if string(e.Body) != test.want || e.Truncated != test.truncated || page.Fault != test.fault {
				t.Errorf("got %.40q, truncated %v, fault %q; want %.40q, %v, %q", e.Body, e.Truncated, page.Fault, test.want, test.truncated, test.fault)
			}
		})
	}
}

func TestDamagedPage(t *testing.T) {
	var f file
	f.robots(farm, "01T10:00:00", "")
	f.damaged(farm+"/a", "01T10:00:00", "HTTP/1.1 200 OK\r\n\r\ntext")
	if page := only(t, &f); page.Fault != archive.FaultDamaged || page.Visit.Page.Error != "damaged" {
		t.Errorf("got fault %q, want damaged", page.Fault)
	}
}

func TestRevisits(t *testing.T) {
	var f file
	f.robots(farm, "01T10:00:00", "")
	const digest = "WARC-Payload-Digest: sha1:AAAA"
	f.page(farm+"/a", "01T10:00:00", "the text", digest)
	f.record("revisit", farm+"/b", "01T10:00:01", "HTTP/1.1 200 OK\r\nX-Robots-Tag: noai\r\n\r\n", digest)
	f.record("revisit", farm+"/c", "01T10:00:02", "HTTP/1.1 200 OK\r\n\r\n", "WARC-Payload-Digest: sha1:BBBB")
	all := pages(t, open(t, &f))
	if len(all) != 3 || string(all[1].Visit.Body) != "the text" || all[1].Visit.Header.Get("X-Robots-Tag") != "noai" || all[1].Fault != "" {
		t.Fatalf("got %v, want the payload with the header of the revisit", all)
	}
	if all[2].Fault != archive.FaultNoPayload {
		t.Errorf("got fault %q of a payload that is not there", all[2].Fault)
	}
}

func TestFilesOfSites(t *testing.T) {
	var f file
	f.robots(farm, "01T10:00:00", "License: "+farm+"/license.xml\n")
	f.record("response", farm+"/.well-known/tdmrep.json", "01T10:00:00", "HTTP/1.1 200 OK\r\n\r\n[]")
	f.record("response", farm+"/.well-known/tdmrep.json", "02T10:00:00", "HTTP/1.1 200 OK\r\n\r\n[1]")
	f.record("response", farm+"/license.xml", "01T10:00:00", "HTTP/1.1 200 OK\r\n\r\n<rsl xmlns=\"x\"/>")
	f.page(farm+"/a", "03T10:00:00", "text")
	source := open(t, &f)
	all := pages(t, source)
	var urls []string
	for _, page := range all {
		urls = append(urls, page.Visit.Item.URL)
	}
	if diff := cmp.Diff([]string{farm + "/license.xml", farm + "/a"}, urls); diff != "" {
		t.Errorf("pages: %s", diff)
	}
	file := func(address string) fetch.SiteFile { return all[1].Visit.Fetch(t.Context(), address) }
	if a := file(farm + "/.well-known/tdmrep.json"); string(a.Body) != "[1]" || a.Status != 200 {
		t.Errorf("got %v, want the last one", a)
	}
	if a := file(farm + "/license.xml"); !bytes.Contains(a.Body, []byte("<rsl")) {
		t.Errorf("got %v, want the license", a)
	}
	file(farm + "/ai.txt")
	file(farm + "/ai.txt")
	if diff := cmp.Diff(map[string]int64{"ai.txt": 1}, source.Missing()); diff != "" {
		t.Errorf("missing: %s", diff)
	}
}

// TestFileThatIsARevisit has a missing tdmrep.json whose response is a revisit of
// that for another URL.
func TestFileThatIsARevisit(t *testing.T) {
	var f file
	f.robots(farm, "01T10:00:00", "")
	f.record("revisit", farm+"/.well-known/tdmrep.json", "01T10:00:00", "HTTP/1.1 404 Not Found\r\n\r\n", "WARC-Payload-Digest: sha1:NONE")
	f.page(farm+"/a", "03T10:00:00", "text")
	if a := only(t, &f).Visit.Fetch(t.Context(), farm+"/.well-known/tdmrep.json"); a.Status != 404 || a.Err != nil {
		t.Errorf("got %v, want that it was not there", a)
	}
}

// TestMetadata reads the metadata that decorum writes: how a page was found, its
// exact time, and whether a record is a page or a file.
func TestMetadata(t *testing.T) {
	var f file
	f.robots(farm, "01T10:00:00", "")
	f.record("response", farm+"/old", "01T10:00:00", "HTTP/1.1 302 Found\r\nLocation: /a\r\n\r\n")
	about := func(text string) {
		f.record("metadata", farm+"/a", "01T10:00:00", text, fmt.Sprintf("WARC-Concurrent-To: <urn:x:%d>", lastRecord(&f)))
	}
	f.page(farm+"/a", "01T10:00:00", "text")
	about("via: " + farm + "/list\r\nfetchTimeMs: 12\r\ndecorum-source: link\r\ndecorum-depth: 3\r\ndecorum-fetched-at: 2026-03-01T10:00:00.123456789Z\r\n")
	f.page(farm+"/sitemap.xml", "01T10:00:00", "<urlset/>")
	about("decorum-kind: file\r\n")
	f.page(farm+"/b", "01T10:00:00", "text")
	all := pages(t, open(t, &f))
	if len(all) != 3 {
		t.Fatalf("got %d pages, want three: the file is none", len(all))
	}
	e := all[1].Visit
	if e.Item.Source != "link" || e.Item.Depth != 3 || e.Elapsed != 12*time.Millisecond || e.StartedAt.Nanosecond() != 123456789 {
		t.Errorf("got %v, %v, %v, want what the metadata say", e.Item, e.Elapsed, e.StartedAt)
	}
}

// lastRecord returns the offset of the last member of a file.
func lastRecord(f *file) int {
	reader, at := warc.NewReader(bytes.NewReader(f.Bytes())), int64(0)
	for {
		record, err := reader.Next()
		if err != nil {
			return int(at)
		}
		at = record.Offset
	}
}

func TestRedirectsWithoutMetadata(t *testing.T) {
	var f file
	f.robots(farm, "01T10:00:00", "")
	f.record("response", farm+"/old", "01T10:00:00", "HTTP/1.1 302 Found\r\nLocation: /a\r\n\r\n")
	f.page(farm+"/a", "01T10:00:01", "text")
	all := pages(t, open(t, &f))
	if len(all) != 2 || all[0].Visit.Page.RedirectTo != farm+"/a" || all[1].Visit.Item.Via != farm+"/old" || all[1].Visit.Item.Source != "redirect" {
		t.Errorf("got %v, want the page to be found by the redirect", all)
	}
}

// TestRedirectThatIsMissing reads an archive with only the target of a redirect.
func TestRedirectThatIsMissing(t *testing.T) {
	var f file
	f.robots(farm, "01T10:00:00", "")
	f.page(farm+"/a", "01T10:00:01", "text")
	f.record("metadata", farm+"/a", "01T10:00:01", "via: https://first.example/a\r\ndecorum-source: redirect\r\n",
		fmt.Sprintf("WARC-Concurrent-To: <urn:x:%d>", lastRecord(&f)))
	if page := only(t, &f); page.Fault != archive.FaultNoRedirect {
		t.Errorf("got fault %q, want that its way is not known", page.Fault)
	}
}

func TestOtherRecords(t *testing.T) {
	var f file
	f.robots(farm, "01T10:00:00", "")
	f.record("response", "dns:farm.example", "01T10:00:00", "20260301100000\nfarm.example. 60 IN A 192.0.2.1\n")
	f.record("response", farm+"/a", "01T10:00:00", "not HTTP at all")
	f.record("response", farm+"/b", "bad", "HTTP/1.1 200 OK\r\n\r\n")
	f.record("resource", "urn:log", "01T10:00:00", "log")
	source := open(t, &f)
	if all := pages(t, source); len(all) != 0 {
		t.Errorf("got pages %v, want none", all)
	}
	want := map[string]int64{"not an HTTP URL": 1, "not an HTTP response": 1, "no valid date": 1, "resource": 1}
	if diff := cmp.Diff(want, source.Others()); diff != "" {
		t.Error(diff)
	}
}

func TestOpenNamesTheFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.warc.gz")
	if err := os.WriteFile(name, []byte("no archive"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := archive.Open(t.Context(), []string{name}, archive.Options{}); !errors.Is(err, warc.ErrSyntax) || !strings.Contains(err.Error(), name) {
		t.Errorf("got %v, want a fault of %s", err, name)
	}
	if _, err := archive.Open(t.Context(), []string{name + ".no"}, archive.Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v, want no such file", err)
	}
}

// FuzzPages reads any bytes as an archive: it must end without a panic, and each
// page must have a robots.txt and a record.
func FuzzPages(f *testing.F) {
	var one file
	one.robots(farm, "01T10:00:00", "User-agent: *\nDisallow: /b\n")
	one.record("response", farm+"/old", "01T10:00:00", "HTTP/1.1 302 Found\r\nLocation: /a\r\n\r\n")
	one.page(farm+"/a", "01T10:00:01", "text", "WARC-Payload-Digest: sha1:AAAA")
	one.record("revisit", farm+"/b", "01T10:00:01", "HTTP/1.1 200 OK\r\n\r\n", "WARC-Payload-Digest: sha1:AAAA")
	plain, err := gzip.NewReader(bytes.NewReader(one.Bytes()))
	if err != nil {
		f.Fatal(err)
	}
	text, err := io.ReadAll(plain)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add(bytes.ReplaceAll(text, []byte("response"), []byte("metadata")))
	f.Add(bytes.ReplaceAll(text, []byte("200 OK"), []byte("301 No\r\nLocation: /robots.txt")))
	name := filepath.Join(f.TempDir(), "x.warc")
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
		source, err := archive.Open(t.Context(), []string{name}, archive.Options{MaxBytes: 1 << 16})
		if err != nil {
			return
		}
		for page, err := range source.Pages(t.Context(), "decorum") {
			if err != nil {
				return
			}
			e := page.Visit
			if e.Robots == nil || e.Page.URL != e.Item.URL || len(e.Body) > 1<<16 {
				t.Fatalf("got page %v", page)
			}
		}
	})
}
