package warc

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var at = time.Date(2026, 2, 3, 4, 5, 6, 789, time.UTC)

func capture(url, body string, header ...string) Capture {
	return Capture{
		URL: url, At: at, IP: "192.0.2.1", Body: []byte(body), PayloadType: "text/html",
		Request:  []byte("GET / HTTP/1.1\r\nHost: a.example\r\n\r\n"),
		Head:     []byte("HTTP/1.1 200 OK\r\n" + strings.Join(append(header, "Content-Type: Text/HTML; charset=utf-8"), "\r\n") + "\r\n\r\n"),
		Metadata: []Field{{"via", "https://a.example/"}, {"fetchTimeMs", "12"}},
	}
}

// archive is a directory of files and the index lines written beside.
type archive struct {
	t     *testing.T
	root  *os.Root
	dir   string
	lines [][]byte
}

func newArchive(t *testing.T) *archive {
	t.Helper()
	a := &archive{t: t, dir: t.TempDir()}
	root, err := os.OpenRoot(a.dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	a.root = root
	return a
}

func (a *archive) open(offset int64, options Options) *Writer {
	a.t.Helper()
	options.Index = func(line []byte) error {
		a.lines = append(a.lines, line)
		return nil
	}
	options.Info = []Field{{"software", "test"}, {"robots", ""}}
	w, err := Open(a.root, "warc", offset, options)
	if err != nil {
		a.t.Fatal(err)
	}
	a.t.Cleanup(func() { _ = w.Close() })
	return w
}

func add(t *testing.T, w *Writer, captures ...Capture) {
	t.Helper()
	var encoder Encoder
	for _, c := range captures {
		entry, err := encoder.Encode(c)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Append(entry); err != nil {
			t.Fatal(err)
		}
	}
}

func flush(t *testing.T, w *Writer) int64 {
	t.Helper()
	offset, err := w.Flush()
	if err != nil {
		t.Fatal(err)
	}
	return offset
}

// whole gives the bytes of all files of the archive, by name.
func (a *archive) whole() map[string]string {
	a.t.Helper()
	files := map[string]string{}
	names, err := filepath.Glob(filepath.Join(a.dir, "warc/*"))
	if err != nil {
		a.t.Fatal(err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			a.t.Fatal(err)
		}
		files[filepath.Base(name)] = string(data)
	}
	return files
}

// stored is a record as a test compares it.
type stored struct {
	Offset int64
	Fields map[string]string
	Block  string
}

func records(t *testing.T, file io.Reader) []stored {
	t.Helper()
	var all []stored
	reader := NewReader(file)
	for {
		r, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		block, err := io.ReadAll(r.Block)
		if err != nil {
			t.Fatal(err)
		}
		s := stored{Offset: r.Offset, Fields: map[string]string{}, Block: string(block)}
		for _, f := range r.Fields {
			s.Fields[f.Name] = f.Value
		}
		if got := digestOf(block); s.Fields["WARC-Block-Digest"] != got {
			t.Errorf("%s at %d: got digest %s of the block, want %s", r.Type(), r.Offset, got, s.Fields["WARC-Block-Digest"])
		}
		all = append(all, s)
	}
}

// records gives those of the first file.
func (a *archive) records() []stored {
	a.t.Helper()
	return records(a.t, strings.NewReader(a.whole()[FileName(0)]))
}

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
	beside := func(kind, contentType, length string) map[string]string {
		return map[string]string{
			"WARC-Type": kind, "WARC-Date": "2026-02-03T04:05:06Z", "WARC-Target-URI": "https://a.example/?q=ü",
			"WARC-Concurrent-To": id, "Content-Type": contentType, "Content-Length": length,
		}
	}
	request := beside("request", "application/http; msgtype=request", "35")
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
			Fields: beside("metadata", "application/warc-fields", "87"),
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
		t.Errorf("got block %q, want the answer's own header", second.Block)
	}
}

// TestRecallAcrossRuns writes the second of two same payloads in another run.
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

// TestOpenCutsBackToTheCommittedOffset goes back to each offset that a state
// may have kept, from an archive of several files.
func TestOpenCutsBackToTheCommittedOffset(t *testing.T) {
	a := newArchive(t)
	w := a.open(0, Options{MaxFileBytes: 4000})
	offsets, files := []int64{0}, []map[string]string{{}}
	for i := range 12 {
		noise := make([]byte, 1000)
		for j := range noise {
			noise[j] = byte(rand.Uint32())
		}
		add(t, w, capture(fmt.Sprintf("https://a.example/%d", i), string(noise)))
		offsets, files = append(offsets, flush(t, w)), append(files, a.whole())
	}
	if n := len(files[12]); n < 4 {
		t.Fatalf("got %d files, want at least 4", n)
	}
	for i := 12; i >= 0; i-- {
		// A torn record stands behind, as after a crash.
		last := filepath.Join(a.dir, "warc", FileName(max(len(files[i])-1, 0)))
		if err := os.WriteFile(last, []byte(files[i][filepath.Base(last)]+"torn"), 0o600); err != nil {
			t.Fatal(err)
		}
		again := a.open(offsets[i], Options{MaxFileBytes: 4000})
		if diff := cmp.Diff(files[i], a.whole()); diff != "" {
			t.Fatalf("back to %d (-want +got):\n%s", offsets[i], diff)
		}
		add(t, again, capture("https://a.example/new", "new"))
		if got := flush(t, again); got <= offsets[i] {
			t.Errorf("got offset %d, want more than %d", got, offsets[i])
		}
		for name, data := range a.whole() {
			if !strings.HasPrefix(data, files[i][name]) {
				t.Errorf("back to %d: %s is not what it was, with more behind", offsets[i], name)
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
		t.Errorf("got %v, want no link followed", err)
	}
	if got, _ := os.ReadFile(victim); string(got) != "precious" {
		t.Errorf("got %q behind the link, want it untouched", got)
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

func TestIndexPointsAtRecords(t *testing.T) {
	a := newArchive(t)
	w := a.open(0, Options{MaxFileBytes: 3000})
	for i := range 20 {
		add(t, w, capture(fmt.Sprintf("http://www.b.example:8080/%d?z&a", 19-i), fmt.Sprint(i%15)))
	}
	flush(t, w)
	var sorted bytes.Buffer
	if err := sortLines(&sorted, bytes.NewReader(bytes.Join(a.lines, nil)), t.TempDir(), 700); err != nil {
		t.Fatal(err)
	}
	before, files, revisits := "", a.whole(), 0
	for text := range strings.Lines(sorted.String()) {
		if text <= before {
			t.Errorf("%q stands behind %q", text, before)
		}
		before = text
		l, err := parseLine([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		var offset, length int
		fmt.Sscan(l.Offset+" "+l.Length, &offset, &length)
		got := records(t, strings.NewReader(files[l.Filename][offset:offset+length]))
		if len(got) != 1 || got[0].Fields["WARC-Target-URI"] != l.URL || got[0].Fields["WARC-Record-ID"] != l.ID || got[0].Fields["WARC-Payload-Digest"] != l.Digest {
			t.Errorf("%s: got %v", text, got)
		}
		if l.MIME == revisitMIME {
			revisits++
		}
	}
	if n := strings.Count(sorted.String(), "\n"); n != 20 || revisits != 5 {
		t.Errorf("got %d lines, %d of revisits, want 20 and 5", n, revisits)
	}
	want := `example,b:8080)/19?a&z 20260203040506 {"url":"http://www.b.example:8080/19?z&a","mime":"text/html","status":"200","digest":"`
	if got := string(a.lines[0]); !strings.HasPrefix(got, want) {
		t.Errorf("got %s, want %s...", got, want)
	}
}

func TestSortIndex(t *testing.T) {
	for name, test := range map[string]struct{ in, want string }{
		"empty":       {"", ""},
		"one":         {"b\n", "b\n"},
		"no end":      {"b\na", "a\nb\n"},
		"equal":       {"a\nb\na\n", "a\na\nb\n"},
		"bytes":       {"a,b)/\na)/\na:80)/\nA\n", "A\na)/\na,b)/\na:80)/\n"},
		"blank lines": {"b\n\na\n", "\na\nb\n"},
	} {
		for _, memory := range []int{1, 60, sortBytes} {
			var got bytes.Buffer
			if err := sortLines(&got, strings.NewReader(test.in), t.TempDir(), memory); err != nil || got.String() != test.want {
				t.Errorf("%s in %d bytes: got %q, %v, want %q", name, memory, got.String(), err, test.want)
			}
		}
	}
	if err := SortIndex(io.Discard, strings.NewReader(strings.Repeat("x", maxLine+1)), ""); err == nil {
		t.Error("got no error for a line without end")
	}
}

func TestSURT(t *testing.T) {
	for address, want := range map[string]string{
		"https://example.com":                      "com,example)/",
		"http://example.com:80/":                   "com,example)/",
		"https://example.com:443/a":                "com,example)/a",
		"http://example.com:443/a":                 "com,example:443)/a",
		"https://www.Example.COM/A/b%2Fc?B=2&a=1":  "com,example)/a/b%2fc?a=1&b=2",
		"https://www2.a.example/":                  "example,a)/",
		"https://wwwa.example/":                    "example,wwwa)/",
		"http://[2001:db8::1]:8080/x":              "[2001:db8::1]:8080)/x",
		"http://127.0.0.1:81/x/":                   "1,0,0,127:81)/x/",
		"urn:uuid:1 2":                             "urn:uuid:1%202",
		"https://example.com/a b":                  "com,example)/a%20b",
		"https://example.com/?":                    "com,example)/",
		"https://xn--bcher-kva.example/?a=%C3%BC&": "example,xn--bcher-kva)/?&a=%c3%bc",
	} {
		if got := SURT(address); got != want {
			t.Errorf("%s: got %s, want %s", address, got, want)
		}
	}
}

func gzipped(parts ...string) string {
	var out bytes.Buffer
	for _, part := range parts {
		w := gzip.NewWriter(&out)
		_, _ = io.WriteString(w, part)
		_ = w.Close()
	}
	return out.String()
}

func record(fields, block string) string {
	return fmt.Sprintf("WARC/1.0\r\n%sContent-Length: %d\r\n\r\n%s\r\n\r\n", fields, len(block), block)
}

func TestReaderTakesEachForm(t *testing.T) {
	one, two := record("WARC-Type: warcinfo\r\n", ""), record("WARC-Type: response\r\nwarc-target-uri: <http://a/>\r\nX: 1\r\n  2\r\nnonsense\r\n", "b\r\n\r\nc")
	bare := strings.ReplaceAll(two, "\r\n", "\n")
	bare = strings.Replace(bare, "Content-Length: 6", "Content-Length: 4", 1)
	for name, test := range map[string]struct {
		file string
		want []int64
	}{
		"plain":             {one + two, []int64{0, int64(len(one))}},
		"a member a record": {gzipped(one, two), []int64{0, int64(len(gzipped(one)))}},
		"one member":        {gzipped(one + two), []int64{0, 0}},
		"torn over members": {gzipped(one+two[:40], two[40:]), []int64{0, 0}},
		"LF alone":          {one + bare, []int64{0, int64(len(one))}},
		"blank lines":       {"\r\n\r\n" + one + "\n\n\n" + two, []int64{4, int64(len(one)) + 7}},
	} {
		t.Run(name, func(t *testing.T) {
			reader := NewReader(strings.NewReader(test.file))
			var got []int64
			var last *Record
			for {
				r, err := reader.Next()
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				last, got = r, append(got, r.Offset)
			}
			if !cmp.Equal(got, test.want) {
				t.Errorf("got offsets %v, want %v", got, test.want)
			}
			if last.Type() != "response" || last.URL() != "http://a/" || last.Field("x") != "1 2" {
				t.Errorf("got %+v", last.Fields)
			}
		})
	}
}

func TestReaderTellsDamage(t *testing.T) {
	good := record("WARC-Type: response\r\n", "block")
	broken := []byte(gzipped(good))
	broken[len(broken)-6] ^= 1 // the sum
	for name, test := range map[string]struct {
		file string
		want error
	}{
		"empty":           {"", io.EOF},
		"no archive":      {"<html>", ErrSyntax},
		"no length":       {"WARC/1.0\r\nA: b\r\n\r\n", ErrSyntax},
		"negative length": {"WARC/1.0\r\nContent-Length: -1\r\n\r\n", ErrSyntax},
		"cut head":        {"WARC/1.0\r\nContent-", io.ErrUnexpectedEOF},
		"cut block":       {good[:len(good)-6], io.ErrUnexpectedEOF},
		"cut gzip":        {gzipped(good)[:30], io.ErrUnexpectedEOF},
		"cut gzip head":   {gzipped(good)[:5], ErrSyntax},
		"wrong sum":       {string(broken), ErrSyntax},
		"endless head":    {"WARC/1.0\r\n" + strings.Repeat("a", maxHead), ErrSyntax},
		"junk behind":     {gzipped(good) + "junk", ErrSyntax},
	} {
		reader := NewReader(strings.NewReader(test.file))
		var err error
		for err == nil {
			_, err = reader.Next()
		}
		if !errors.Is(err, test.want) {
			t.Errorf("%s: got %v, want %v", name, err, test.want)
		}
		if _, again := reader.Next(); !errors.Is(again, err) {
			t.Errorf("%s: got %v the second time, want %v", name, again, err)
		}
	}
}

func TestAnswer(t *testing.T) {
	for name, test := range map[string]struct {
		block  string
		status int
		body   string
		err    error
	}{
		"plain":                  {"HTTP/1.1 200 OK\r\nA: b\r\n\r\nbody", 200, "body", nil},
		"chunks":                 {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nbod\r\n1;x\r\ny\r\n0\r\n\r\n", 200, "body", nil},
		"chunks told, not there": {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nbody\r\n", 200, "body\r\n", nil},
		"head alone":             {"HTTP/1.1 301\r\nLocation: /\r\n", 301, "", nil},
		"head cut in a line":     {"HTTP/1.1 301\r\nA: b\r\nLocation: /", 301, "", nil},
		"HTTP/2":                 {"HTTP/2 404\r\n\r\n", 404, "", nil},
		"no status line":         {"dns:a", 0, "", ErrSyntax},
		"no number":              {"HTTP/1.1 OK\r\n\r\n", 0, "", ErrSyntax},
		"empty":                  {"", 0, "", ErrSyntax},
	} {
		r, err := NewReader(strings.NewReader(record("WARC-Type: response\r\n", test.block))).Next()
		if err != nil {
			t.Fatal(err)
		}
		a, err := r.Answer()
		if !errors.Is(err, test.err) {
			t.Errorf("%s: got %v, want %v", name, err, test.err)
		}
		if err != nil {
			continue
		}
		body, err := io.ReadAll(a.Body)
		if want := fieldNamed(test.block, "Location"); a.Header().Get("Location") != want {
			t.Errorf("%s: got %v, want Location %q", name, a.Fields, want)
		}
		if err != nil || string(body) != test.body || a.Status != test.status {
			t.Errorf("%s: got %d %q, %v, want %d %q", name, a.Status, body, err, test.status, test.body)
		}
	}
}

// fieldNamed gives the value of a line of a block.
func fieldNamed(block, name string) string {
	_, value, _ := strings.Cut(block, name+": ")
	value, _, _ = strings.Cut(value, "\r\n")
	return value
}

func FuzzReader(f *testing.F) {
	one := record("WARC-Type: response\r\nWARC-Target-URI: http://a/\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n")
	f.Add([]byte(one + one))
	f.Add([]byte(gzipped(one, one)))
	f.Add([]byte(gzipped(one + one)))
	f.Add([]byte(gzipped(one)[:50]))
	f.Add([]byte(framed(f, nil, one, one)))
	f.Add([]byte(skippable("\x50\x2a\x4d\x18", "note") + framed(f, nil, one+one)))
	f.Fuzz(func(t *testing.T, file []byte) {
		reader := NewReader(bytes.NewReader(file))
		for before := int64(-1); ; {
			r, err := reader.Next()
			if err != nil {
				return
			}
			if r.Offset < before || r.Offset > int64(len(file)) {
				t.Fatalf("got offset %d behind %d in %d bytes", r.Offset, before, len(file))
			}
			before = r.Offset
			if a, err := r.Answer(); err == nil {
				_, _ = io.Copy(io.Discard, a.Body)
			}
			_ = SURT(r.URL())
		}
	})
}

func FuzzSURT(f *testing.F) {
	f.Add("https://www.example.com:8080/a b?b&a")
	f.Fuzz(func(t *testing.T, address string) {
		if key := SURT(address); strings.ContainsAny(key, " \t\r\n") {
			t.Errorf("%q: got %q, want no blank", address, key)
		}
	})
}

// page gives HTML of 147 KB. Gzip makes a seventh of it; pages of real sites of
// that size become a sixth to a fourth.
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
