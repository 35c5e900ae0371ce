package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nlnwa/gowarc/v3"

	"github.com/decorum-crawler/decorum/storage/warc"
)

// webPage returns 147 KB of HTML with the markup and the words of a shop. Gzip
// compresses it to a seventh; real pages of that size to a sixth to a fourth.
func webPage() []byte {
	words := strings.Fields(`archive crawl page record harvest library letter river mountain of the and to a in evidence
		winter answer yellow question paper window travel coffee market music garden station number kitchen bridge`)
	var out []byte
	for i := 0; len(out) < 147<<10; i++ {
		out = fmt.Appendf(out, "<li class=\"card card--%d\"><a class=\"card__link\" href=\"https://shop.example/product/%x\"><h3>", i%5, hash(i))
		for j := range 14 {
			out = append(out, words[hash(i*14+j)%uint32(len(words))]+" "...)
		}
		out = fmt.Appendf(out, "</h3><span class=\"price\">%d.99</span></a></li>\n", hash(i)%1000)
	}
	return out
}

// hash scatters a number (Knuth's multiplicative hashing, twice).
func hash(n int) uint32 {
	h := uint32(n) * 2654435769
	return (h ^ h>>15) * 2246822519
}

func pageCapture(i int, body []byte) warc.Capture {
	return warc.Capture{
		URL: fmt.Sprintf("https://shop.example/%d", i), At: time.Unix(1_770_000_000, 0), IP: "192.0.2.1", PayloadType: "text/html",
		Request:  []byte("GET / HTTP/1.1\r\nHost: shop.example\r\nUser-Agent: decorum/0.1\r\nAccept-Encoding: gzip\r\n\r\n"),
		Head:     []byte("HTTP/1.1 200 OK\r\nDate: Mon, 02 Feb 2026 02:40:00 GMT\r\nContent-Type: text/html; charset=utf-8\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n\r\n"),
		Body:     body,
		Metadata: []warc.Field{{Name: "via", Value: "https://shop.example/"}, {Name: "fetchTimeMs", Value: "81"}},
	}
}

// ours writes n captures of a page to a directory. different is how many of them
// have a body of their own; the others are revisits.
func ours(tb testing.TB, dir string, n, different int, body []byte) {
	tb.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		tb.Fatal(err)
	}
	defer root.Close()
	w, err := warc.Open(root, "warc", 0, warc.Options{MaxFileBytes: 1 << 20, Info: []warc.Field{{Name: "software", Value: "decorum"}}})
	if err != nil {
		tb.Fatal(err)
	}
	defer w.Close()
	var encoder warc.Encoder
	for i := range n {
		copy(body, fmt.Sprintf("<!-- %8d -->", i%different))
		entry, err := encoder.Encode(pageCapture(i, body))
		if err == nil {
			err = w.Append(entry)
		}
		if err != nil {
			tb.Fatal(err)
		}
	}
	if _, err := w.Flush(); err != nil {
		tb.Fatal(err)
	}
}

// theirs does the same with gowarc, which leaves revisits to the caller.
func theirs(tb testing.TB, dir string, n, different int, body []byte) {
	tb.Helper()
	w := gowarc.NewWarcFileWriter(gowarc.WithFileNameGenerator(&gowarc.PatternNameGenerator{Directory: dir}), gowarc.WithCompressionLevel(6))
	defer w.Close()
	for i := range n {
		copy(body, fmt.Sprintf("<!-- %8d -->", i%different))
		c := pageCapture(i, body)
		metadata := fmt.Sprintf("via: %s\r\nfetchTimeMs: %s\r\n", c.Metadata[0].Value, c.Metadata[1].Value)
		answers := w.Write(
			built(tb, c, gowarc.Response, "application/http; msgtype=response", string(c.Head)+string(c.Body)),
			built(tb, c, gowarc.Request, "application/http; msgtype=request", string(c.Request)),
			built(tb, c, gowarc.Metadata, "application/warc-fields", metadata))
		for _, a := range answers {
			if a.Err != nil {
				tb.Fatal(a.Err)
			}
		}
	}
}

func built(tb testing.TB, c warc.Capture, kind gowarc.RecordType, contentType, block string) gowarc.WarcRecord {
	tb.Helper()
	b := gowarc.NewRecordBuilder(kind, gowarc.WithDefaultDigestAlgorithm("sha256"))
	_, err := b.WriteString(block)
	b.AddWarcHeaderTime(gowarc.WarcDate, c.At)
	b.AddWarcHeader(gowarc.WarcTargetURI, c.URL)
	b.AddWarcHeader(gowarc.ContentType, contentType)
	record, _, buildErr := b.Build()
	if err = errors.Join(err, buildErr); err != nil {
		tb.Fatal(err)
	}
	return record
}

// TestGowarcReadsOurArchives reads our files with gowarc in strict mode, which
// checks fields, lengths, digests and the ends of records.
func TestGowarcReadsOurArchives(t *testing.T) {
	dir, body := t.TempDir(), webPage()
	ours(t, dir, 120, 108, body)
	files, err := filepath.Glob(filepath.Join(dir, "warc/*.warc.gz"))
	if err != nil || len(files) < 2 {
		t.Fatalf("got files %v, %v, want several", files, err)
	}
	count := map[string]int{}
	for _, name := range files {
		for _, record := range readStrictly(t, name) {
			count[record.Type().String()]++
		}
	}
	if count["response"] != 108 || count["revisit"] != 12 || count["request"] != 120 || count["metadata"] != 120 || count["warcinfo"] != len(files) {
		t.Errorf("got %v in %d files, want 120 captures", count, len(files))
	}
}

// readStrictly returns the records of a file and fails the test if gowarc finds a
// fault.
func readStrictly(t *testing.T, name string) []gowarc.WarcRecord {
	t.Helper()
	reader, err := gowarc.NewWarcFileReader(name, 0, gowarc.WithStrictValidation())
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	var all []gowarc.WarcRecord
	for {
		record, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		faults, err := record.WarcRecord.ValidateDigest()
		if err != nil || len(faults)+len(record.Validation) > 0 {
			t.Errorf("%s at %d: %v, %v, %v", name, record.Offset, err, faults, record.Validation)
		}
		all = append(all, record.WarcRecord)
	}
}

// TestGowarcReadsWithdrawn reads archives in which a large record, a short one, a
// revisit and the last of a file were withdrawn.
func TestGowarcReadsWithdrawn(t *testing.T) {
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	var lines [][]byte
	w, err := warc.Open(root, "warc", 0, warc.Options{Index: func(line []byte) error {
		lines = append(lines, line)
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	short := warc.Capture{URL: "https://shop.example/short", At: time.Unix(1_770_000_000, 0), Head: []byte("HTTP/1.1 511 \r\n\r\n"), Body: []byte("no")}
	var encoder warc.Encoder
	page := webPage()
	for _, c := range []warc.Capture{pageCapture(0, page), pageCapture(1, page[1:]), short, pageCapture(2, page), {URL: short.URL, At: short.At, Head: short.Head}} {
		entry, err := encoder.Encode(c)
		if err == nil {
			err = w.Append(entry)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	_, err = w.Flush()
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(root.Name(), "warc", warc.FileName(0))
	want := len(readStrictly(t, name))
	gone := append(lines[:1:1], lines[2:]...)
	for _, line := range gone {
		if _, err := warc.Withdraw(root, "warc", line); err != nil {
			t.Fatal(err)
		}
	}
	cut := map[string]bool{}
	all := readStrictly(t, name)
	for _, record := range all {
		if record.WarcHeader().Get(gowarc.WarcTruncated) == warc.TruncatedUnspecified {
			cut[record.WarcHeader().Get(gowarc.WarcRecordID)] = true
		}
	}
	if len(all) != want || len(cut) != len(gone) {
		t.Errorf("got %d records, %d of them withdrawn, want %d and %d", len(all), len(cut), want, len(gone))
	}
}

// BenchmarkWARC writes a page of 147 KB with request and metadata at gzip
// level 6.
func BenchmarkWARC(b *testing.B) {
	for name, write := range map[string]func(testing.TB, string, int, int, []byte){"decorum": ours, "gowarc": theirs} {
		b.Run(name, func(b *testing.B) {
			body := webPage()
			b.ReportAllocs()
			before := processorTime()
			write(b, b.TempDir(), b.N, b.N, body)
			b.ReportMetric(float64((processorTime()-before).Microseconds())/float64(b.N)/1000, "cpu-ms/op")
		})
	}
}
