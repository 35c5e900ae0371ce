package warc

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCaptureBecomesThreeRecords(t *testing.T) {
	a := newArchive(t)
	w := a.open(0, Options{})
	c := capture("https://a.example/?q=ü", "<p>x", "Set-Cookie: a=1", "set-cookie: b=2", "Transfer-Encoding: chunked", "X-Fold: 1", " 2")
	c.Truncated = TruncatedLength
	c.Metadata = append(c.Metadata, Field{"rule", "Disallow: /\r\nWARC-Type: response"})
	add(t, w, c)
	flush(t, w)
	got := a.records()
	if len(got) != 4 {
		t.Fatalf("got %d records, want 4", len(got))
	}
	id := got[1].Fields["WARC-Record-ID"]
	if got, want := got[1].Fields["WARC-Payload-Digest"], digestOf([]byte("<p>x")); got != want {
		t.Errorf("got payload digest %s, want that of the body %s", got, want)
	}
	for _, s := range got {
		delete(s.Fields, "WARC-Record-ID")
		delete(s.Fields, "WARC-Block-Digest")
		delete(s.Fields, "WARC-Payload-Digest")
	}
	delete(got[0].Fields, "WARC-Date")
	for i := range got {
		got[i].Offset = 0
	}
	concurrent := func(kind, contentType, length string) map[string]string {
		return map[string]string{
			"WARC-Type": kind, "WARC-Date": "2026-02-03T04:05:06Z", "WARC-Target-URI": "https://a.example/?q=ü",
			"WARC-Concurrent-To": id, "Content-Type": contentType, "Content-Length": length,
		}
	}
	request := concurrent("request", "application/http; msgtype=request", "35")
	request["WARC-IP-Address"] = "192.0.2.1"
	want := []stored{
		{Fields: map[string]string{
			"WARC-Type": "warcinfo", "WARC-Filename": "00000.warc.gz", "Content-Type": "application/warc-fields", "Content-Length": "16",
		}, Block: "software: test\r\n"},
		{Fields: map[string]string{
			"WARC-Type": "response", "WARC-Date": "2026-02-03T04:05:06Z", "WARC-Target-URI": "https://a.example/?q=ü",
			"WARC-IP-Address": "192.0.2.1", "Content-Type": "application/http; msgtype=response",
			"WARC-Identified-Payload-Type": "text/html", "WARC-Truncated": "length", "Content-Length": "167",
		}, Block: "HTTP/1.1 200 OK\r\nSet-Cookie: a=1\r\nset-cookie: b=2\r\nX-Archive-Orig-Transfer-Encoding: chunked\r\n" +
			"X-Fold: 1\r\n 2\r\nContent-Type: Text/HTML; charset=utf-8\r\n\r\n<p>x"},
		{Fields: request, Block: string(c.Request)},
		{
			Fields: concurrent("metadata", "application/warc-fields", "87"),
			Block:  "via: https://a.example/\r\nfetchTimeMs: 12\r\nrule: Disallow: /  WARC-Type: response\r\n",
		},
	}
	want[1].Fields["Content-Length"] = fmt.Sprint(len(want[1].Block))
	want[3].Fields["Content-Length"] = fmt.Sprint(len(want[3].Block))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
}

func TestSamePayloadBecomesARevisit(t *testing.T) {
	a := newArchive(t)
	w := a.open(0, Options{})
	cut := capture("https://a.example/cut", "same")
	cut.Truncated = TruncatedTime
	add(t, w, cut, capture("https://a.example/1", "same"), capture("https://a.example/2", "same", "X: other"),
		capture("https://a.example/empty1", ""), capture("https://a.example/empty2", ""))
	flush(t, w)
	types := ""
	var first, second stored
	for _, s := range a.records() {
		types += s.Fields["WARC-Type"] + " "
		switch s.Fields["WARC-Target-URI"] + " " + s.Fields["WARC-Type"] {
		case "https://a.example/1 response":
			first = s
		case "https://a.example/2 revisit":
			second = s
		}
	}
	if want := "warcinfo " + strings.Repeat("response request metadata ", 2) + "revisit request metadata " + strings.Repeat("response request metadata ", 2); types != want {
		t.Errorf("got %s, want %s", types, want)
	}
	for name, want := range map[string]string{
		"WARC-Profile":              "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest",
		"WARC-Refers-To":            first.Fields["WARC-Record-ID"],
		"WARC-Refers-To-Target-URI": "https://a.example/1",
		"WARC-Refers-To-Date":       first.Fields["WARC-Date"],
		"WARC-Payload-Digest":       first.Fields["WARC-Payload-Digest"],
	} {
		if got := second.Fields[name]; got != want || got == "" {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	if want := "HTTP/1.1 200 OK\r\nX: other\r\nContent-Type: Text/HTML; charset=utf-8\r\n\r\n"; second.Block != want {
		t.Errorf("got block %q, want the header of the response itself", second.Block)
	}
}

// TestRecallAcrossRuns writes the second of two equal payloads in another run.
func TestRecallAcrossRuns(t *testing.T) {
	a := newArchive(t)
	w := a.open(0, Options{})
	add(t, w, capture("https://a.example/1", "same"))
	offset := flush(t, w)
	again := a.open(offset, Options{})
	for _, line := range a.lines {
		if err := again.Recall(line); err != nil {
			t.Fatal(err)
		}
	}
	add(t, again, capture("https://a.example/2", "same"))
	flush(t, again)
	all := a.records()
	revisit, original := all[4].Fields, all[1].Fields
	if revisit["WARC-Type"] != "revisit" || revisit["WARC-Refers-To"] != original["WARC-Record-ID"] || revisit["WARC-Refers-To-Date"] != original["WARC-Date"] {
		t.Errorf("got %v, want a revisit of %v", revisit, original)
	}
	if err := again.Recall([]byte("no line")); !errors.Is(err, errLine) {
		t.Errorf("got %v, want %v", err, errLine)
	}
}

func TestDigestsAreBounded(t *testing.T) {
	d := digests{limit: 10}
	for i := range 1000 {
		d.add(fmt.Sprint(i), original{})
		d.find("0") // asked for all the time, so never forgotten
		if n := len(d.young) + len(d.old); n > 20 {
			t.Fatalf("got %d digests, want at most 20", n)
		}
	}
	for digest, want := range map[string]bool{"0": true, "999": true, "500": false} {
		if _, got := d.find(digest); got != want {
			t.Errorf("%s: got known %v, want %v", digest, got, want)
		}
	}
}

// TestOpenTruncatesToTheCommittedOffset opens an archive of several files at each
// offset that a state may have stored.
func TestOpenTruncatesToTheCommittedOffset(t *testing.T) {
	a := newArchive(t)
	w := a.open(0, Options{MaxFileBytes: 4000})
	offsets, files := []int64{0}, []map[string]string{{}}
	for i := range 12 {
		noise := make([]byte, 1000)
		for j := range noise {
			noise[j] = byte(rand.Uint32())
		}
		add(t, w, capture(fmt.Sprintf("https://a.example/%d", i), string(noise)))
		offsets, files = append(offsets, flush(t, w)), append(files, a.files())
	}
	if n := len(files[12]); n < 4 {
		t.Fatalf("got %d files, want at least 4", n)
	}
	for i := 12; i >= 0; i-- {
		// A torn record follows, as after a crash.
		last := filepath.Join(a.dir, "warc", FileName(max(len(files[i])-1, 0)))
		if err := os.WriteFile(last, []byte(files[i][filepath.Base(last)]+"torn"), 0o600); err != nil {
			t.Fatal(err)
		}
		again := a.open(offsets[i], Options{MaxFileBytes: 4000})
		if diff := cmp.Diff(files[i], a.files()); diff != "" {
			t.Fatalf("back to %d (-want +got):\n%s", offsets[i], diff)
		}
		add(t, again, capture("https://a.example/new", "new"))
		if got := flush(t, again); got <= offsets[i] {
			t.Errorf("got offset %d, want more than %d", got, offsets[i])
		}
		for name, data := range a.files() {
			if !strings.HasPrefix(data, files[i][name]) {
				t.Errorf("back to %d: %s does not begin with what it was", offsets[i], name)
			}
			records(t, strings.NewReader(data))
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	a := newArchive(t)
	if _, err := Open(a.root, "warc", 5, Options{}); !errors.Is(err, ErrShort) {
		t.Errorf("got %v, want %v", err, ErrShort)
	}
	victim := filepath.Join(t.TempDir(), "victim")
	if err := os.WriteFile(victim, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(victim, filepath.Join(a.dir, "warc", FileName(0))); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(a.root, "warc", 5, Options{}); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("got %v, want the link refused", err)
	}
	if got, _ := os.ReadFile(victim); string(got) != "precious" {
		t.Errorf("got %q at the target of the link, want it unchanged", got)
	}
	w, err := Open(a.root, "other", 0, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range []string{"", "abc", "\xff\xff\xff\xff{}", "\x00\x00\x00\x02{]", "\x00\x00\x00\x0e{\"response\":9}"} {
		if err := w.Append([]byte(entry)); !errors.Is(err, errEntry) {
			t.Errorf("%q: got %v, want %v", entry, err, errEntry)
		}
	}
}

// page returns HTML of 147 KB. Gzip compresses it to a seventh, and pages of that
// size on real sites to a sixth up to a fourth.
func page() []byte {
	words := strings.Fields(`archive crawl page record harvest library letter river mountain of the and to a in evidence
		winter answer yellow question paper window travel coffee market music garden station number kitchen bridge`)
	random := rand.New(rand.NewPCG(1, 2))
	var out bytes.Buffer
	for out.Len() < 147<<10 {
		fmt.Fprintf(&out, "<li class=\"card card--%d\"><a class=\"card__link\" href=\"https://shop.example/product/%x\"><h3>",
			random.IntN(5), random.Uint32())
		for range 14 {
			out.WriteString(words[random.IntN(len(words))] + " ")
		}
		fmt.Fprintf(&out, "</h3><span class=\"price\">%d.99</span></a></li>\n", random.IntN(1000))
	}
	return out.Bytes()
}

// BenchmarkWrite encodes and appends a page of 147 KB, its request and its
// metadata, to files on disk.
func BenchmarkWrite(b *testing.B) {
	root, err := os.OpenRoot(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	defer root.Close()
	w, err := Open(root, "warc", 0, Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer w.Close()
	c := capture("https://a.example/", "")
	c.Body = page()
	var encoder Encoder
	b.SetBytes(int64(len(c.Body)))
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		c.Body[0] = byte(i)
		c.Body[1] = byte(i >> 8)
		entry, err := encoder.Encode(c)
		if err != nil {
			b.Fatal(err)
		}
		if err := w.Append(entry); err != nil {
			b.Fatal(err)
		}
	}
}
