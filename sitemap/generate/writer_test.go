package generate

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/decorum-crawler/decorum/sitemap"
	"github.com/decorum-crawler/decorum/sitemap/validate"
)

// shelf keeps files in memory.
type shelf struct {
	names  []string
	files  map[string]*bytes.Buffer
	closed int
}

type book struct {
	*bytes.Buffer
	shelf *shelf
}

func (b book) Close() error { b.shelf.closed++; return nil }

func (s *shelf) create(name string) (io.WriteCloser, error) {
	if s.files == nil {
		s.files = map[string]*bytes.Buffer{}
	}
	s.names, s.files[name] = append(s.names, name), &bytes.Buffer{}
	return book{s.files[name], s}, nil
}

var farm = &url.URL{Scheme: "https", Host: "farm.example", Path: "/"}

func TestWriterOutput(t *testing.T) {
	var s shelf
	w := NewWriter(farm, s.create, Options{Modified: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)})
	entries := []sitemap.Entry{
		{Loc: "https://farm.example/a?x=1&y='2'"},
		{Loc: "https://farm.example/b", LastMod: time.Date(2026, 1, 2, 3, 4, 5, 6, time.FixedZone("", 3600)), ChangeFreq: "daily", Priority: 1, HasPriority: true},
		{
			Loc: "https://farm.example/café <b>", Priority: 0.25, HasPriority: true,
			Alternates: []sitemap.Alternate{{HrefLang: "de", Href: "https://farm.example/de?a&b"}}, Images: []sitemap.Image{{Loc: "https://cdn.example/1.jpg"}},
		},
	}
	for _, e := range entries {
		if err := w.Add(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"sitemap-1.xml": `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc>https://farm.example/a?x=1&amp;y=&apos;2&apos;</loc></url>
<url><loc>https://farm.example/b</loc><lastmod>2026-01-02T02:04:05Z</lastmod><changefreq>daily</changefreq><priority>1.0</priority></url>
<url xmlns:xhtml="http://www.w3.org/1999/xhtml" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"><loc>https://farm.example/caf%C3%A9%20%3Cb%3E</loc><priority>0.25</priority><xhtml:link rel="alternate" hreflang="de" href="https://farm.example/de?a&amp;b"/><image:image><image:loc>https://cdn.example/1.jpg</image:loc></image:image></url>
</urlset>
`,
		"sitemap.xml": `<?xml version="1.0" encoding="UTF-8"?>
<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<sitemap><loc>https://farm.example/sitemap-1.xml</loc><lastmod>2026-03-01T00:00:00Z</lastmod></sitemap>
</sitemapindex>
`,
	}
	got := map[string]string{}
	for name, file := range s.files {
		got[name] = file.String()
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("got -, want +:\n%s", diff)
	}
	wantFiles := []File{{"sitemap-1.xml", "https://farm.example/sitemap-1.xml", 3, int64(len(want["sitemap-1.xml"]))}}
	if diff := cmp.Diff(w.Files(), wantFiles); diff != "" || w.IndexURL() != "https://farm.example/sitemap.xml" || s.closed != 2 {
		t.Errorf("index %s, %d files closed; got -, want +:\n%s", w.IndexURL(), s.closed, diff)
	}
}

func TestWriterSplits(t *testing.T) {
	long := strings.Repeat("x", 1990)
	tests := []struct {
		name    string
		entries int
		path    string
		options Options
		want    []int // entries of each file
	}{
		{"nothing", 0, "", Options{}, nil},
		{"by number", 7, "", Options{MaxURLs: 3}, []int{3, 3, 1}},
		{"by number, exactly", 6, "", Options{MaxURLs: 3, Gzip: true}, []int{3, 3}},
		{"by size", 5, long, Options{MaxBytes: 5000}, []int{2, 2, 1}},
		{"the protocol's number", 50_001, "", Options{MaxURLs: 1 << 30, Gzip: true}, []int{50_000, 1}},
		{"the protocol's size", 26_000, long, Options{}, []int{25_712, 288}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if testing.Short() && test.entries > 1000 {
				t.Skip("writes 50 MiB")
			}
			var s shelf
			w := NewWriter(farm, s.create, test.options)
			for i := range test.entries {
				if err := w.Add(sitemap.Entry{Loc: fmt.Sprintf("https://farm.example/%05d%s", i, test.path)}); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			var got []int
			var v validate.Validator
			for _, f := range w.Files() {
				got = append(got, f.Entries)
				served, _ := url.Parse(f.URL)
				if valid := v.File(s.files[f.Name], served, sitemap.Served{}); !valid.Valid() || valid.Entries != f.Entries || f.Bytes > sitemap.MaxBytes {
					t.Errorf("%s of %d bytes: got %+v, want %d valid entries", f.Name, f.Bytes, valid, f.Entries)
				}
			}
			if diff := cmp.Diff(got, test.want); diff != "" {
				t.Errorf("got -, want +:\n%s", diff)
			}
			if index := s.files[indexName]; index != nil {
				if valid := v.File(index, farm, sitemap.Served{}); !valid.Valid() || valid.Entries != len(got) {
					t.Errorf("index: got %+v, want %d valid entries", valid, len(got))
				}
			}
		})
	}
}

func TestWriterRefuses(t *testing.T) {
	tests := []struct {
		entry sitemap.Entry
		want  string
	}{
		{sitemap.Entry{}, "missing-loc"},
		{sitemap.Entry{Loc: "/a"}, "relative-loc"},
		{sitemap.Entry{Loc: "ftp://farm.example/maps/a"}, "bad-scheme"},
		{sitemap.Entry{Loc: "https://barn.example/maps/a"}, "other-host"},
		{sitemap.Entry{Loc: "https://farm.example:8443/maps/a"}, "other-host"},
		{sitemap.Entry{Loc: "http://farm.example/maps/a"}, "other-scheme"},
		{sitemap.Entry{Loc: "https://farm.example/a"}, "above-folder"},
		{sitemap.Entry{Loc: "https://me@farm.example/maps/a"}, "userinfo"},
		{sitemap.Entry{Loc: "https://farm.example/maps/a#b"}, "fragment"},
		{sitemap.Entry{Loc: "https://farm.example/maps/" + strings.Repeat("a", 2048-26)}, "loc-too-long"},
		{sitemap.Entry{Loc: "https://farm.example/maps/" + strings.Repeat("é", 400)}, "loc-too-long"},
		{sitemap.Entry{Loc: "https://farm.example/maps/a", ChangeFreq: "Daily"}, "bad-changefreq"},
		{sitemap.Entry{Loc: "https://farm.example/maps/a", Priority: 1.1, HasPriority: true}, "bad-priority"},
		{sitemap.Entry{Loc: "https://farm.example/maps/a", Priority: math.NaN(), HasPriority: true}, "bad-priority"},
		{sitemap.Entry{Loc: "https://farm.example/maps/a", LastMod: time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC)}, "bad-date"},
		{sitemap.Entry{Loc: "https://farm.example/maps/a", Images: []sitemap.Image{{Loc: strings.Repeat("a", sitemap.MaxBytes)}}}, "too-large"},
		{sitemap.Entry{Loc: "https://farm.example/maps/" + strings.Repeat("a", 2047-26)}, ""},
		{sitemap.Entry{Loc: "https://farm.example:443/maps/a"}, ""},
	}
	for _, test := range tests {
		var s shelf
		w := NewWriter(&url.URL{Scheme: "https", Host: "farm.example", Path: "/maps"}, s.create, Options{})
		err := w.Add(test.entry)
		refused, ok := errors.AsType[*sitemap.EntryError](err)
		got := ""
		if ok {
			got = refused.Code
		}
		if got != test.want || err != nil && (!ok || refused.Message == "") {
			t.Errorf("%.80s: got %v, want %q", test.entry.Loc, err, test.want)
		}
		if err := w.Close(); err != nil || (len(s.files) == 2) != (test.want == "") {
			t.Errorf("%.80s: got %v and %v", test.entry.Loc, err, s.names)
		}
	}
}

// full is a file on a full disk.
type full struct{ left int }

var errFull = errors.New("disk is full")

func (f *full) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, errFull
	}
	return len(p), nil
}
func (f *full) Close() error { return nil }

func TestWriterStopsOnAFullDisk(t *testing.T) {
	for _, zipped := range []bool{false, true} {
		for _, left := range []int{0, 1000, 100_000} { // of each file
			w := NewWriter(farm, func(string) (io.WriteCloser, error) { return &full{left}, nil }, Options{MaxURLs: 1000, Gzip: zipped})
			for i := range 5000 {
				if w.Add(sitemap.Entry{Loc: fmt.Sprintf("https://farm.example/%d-%x", i, i*i*7919)}) != nil {
					break
				}
			}
			if err := w.Close(); errors.Is(err, errFull) != (left < 10_000) {
				t.Errorf("gzip %v, %d bytes left: got %v", zipped, left, err)
			}
		}
	}
	refuse := errors.New("no")
	w := NewWriter(farm, func(string) (io.WriteCloser, error) { return nil, refuse }, Options{})
	if err := errors.Join(w.Add(sitemap.Entry{Loc: "https://farm.example/"}), w.Close()); !errors.Is(err, refuse) {
		t.Errorf("got %v, want the error of create", err)
	}
}

// TestWriterAgreesWithTheSchema holds what is written to the protocol as XML
// schema, by a reader of other makers.
func TestWriterAgreesWithTheSchema(t *testing.T) {
	xmllint := tool(t, "xmllint", "libxml2-utils")
	dir := t.TempDir()
	create := func(name string) (io.WriteCloser, error) { return os.Create(filepath.Join(dir, name)) }
	w := NewWriter(farm, create, Options{MaxURLs: 500, Modified: time.Now()})
	for i := range 1200 {
		e := sitemap.Entry{Loc: fmt.Sprintf("https://farm.example/%d?a=<&b='\"é %c", i, 0x21+i%0x5e)}
		if i%0x5e == 2 { // "#"
			e.Loc = "https://farm.example/" + strings.Repeat("x", 2047-len("https://farm.example/"))
		}
		if i%2 == 0 {
			e.LastMod = time.Unix(int64(i)*1e6, 0)
		}
		if i%3 == 0 {
			e.ChangeFreq, e.Priority, e.HasPriority = "weekly", float64(i%101)/100, true
		}
		if i%5 == 0 {
			e.Alternates, e.Images = []sitemap.Alternate{{HrefLang: "x-default", Href: e.Loc}}, []sitemap.Image{{Loc: e.Loc + "\x00\ufffe"}}
		}
		if err := w.Add(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	checkSchema(t, xmllint, dir, true, "sitemap-1.xml", "sitemap-2.xml", "sitemap-3.xml", "sitemap.xml")
}

// TestSchemaAndValidatorAgree shows that the schema is not a blank cheque.
func TestSchemaAndValidatorAgree(t *testing.T) {
	xmllint := tool(t, "xmllint", "libxml2-utils")
	for name, inside := range map[string]string{
		"relative":   "<url><loc>/a</loc></url>",
		"no loc":     "<url><lastmod>2026-01-02</lastmod></url>",
		"two":        "<url><loc>https://farm.example/</loc><loc>https://farm.example/</loc></url>",
		"date":       "<url><loc>https://farm.example/</loc><lastmod>yesterday</lastmod></url>",
		"no zone":    "<url><loc>https://farm.example/</loc><lastmod>2026-01-02T03:04:05</lastmod></url>",
		"frequency":  "<url><loc>https://farm.example/</loc><changefreq>often</changefreq></url>",
		"priority":   "<url><loc>https://farm.example/</loc><priority>1.5</priority></url>",
		"element":    "<url><loc>https://farm.example/</loc><author>x</author></url>",
		"entry":      "<page><loc>https://farm.example/</loc></page>",
		"nothing":    "",
		"overlong":   "<url><loc>https://farm.example/" + strings.Repeat("x", 2048) + "</loc></url>",
		"in between": "<url><loc>https://farm.example/</loc></url><sitemap><loc>https://farm.example/s</loc></sitemap>",
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			text := `<urlset xmlns="` + sitemap.Namespace + `">` + inside + `</urlset>`
			if err := os.WriteFile(filepath.Join(dir, "s.xml"), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			checkSchema(t, xmllint, dir, false, "s.xml")
			if got := new(validate.Validator).File(strings.NewReader(text), farm, sitemap.Served{}); got.Valid() {
				t.Errorf("got valid from the Validator, want what the schema says of %s", text)
			}
		})
	}
}

func checkSchema(t *testing.T, xmllint, dir string, valid bool, names ...string) {
	t.Helper()
	for _, name := range names {
		out, err := exec.CommandContext(t.Context(), xmllint, "--noout", "--nonet", "--schema", "testdata/protocol.xsd", filepath.Join(dir, name)).CombinedOutput()
		if (err == nil) != valid || !valid && !strings.Contains(string(out), "fails to validate") {
			t.Errorf("%s: got %v, want valid %v: %.1000s", name, err, valid, out)
		}
	}
}

func tool(t *testing.T, name, from string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		if os.Getenv("DECORUM_CI") != "" {
			t.Fatalf("%s is missing: install %s", name, from)
		}
		t.Skipf("%s is missing: install %s", name, from)
	}
	return path
}

func FuzzWriter(f *testing.F) {
	f.Add("https://farm.example/a?b&c=<d>#e", "de", "https://farm.example/'", int64(1), 0.5)
	f.Add("https://farm.example/caf\xe9\x00\ufffe", "\"", "\x1b", int64(-62135596801), -1.0)
	f.Fuzz(func(t *testing.T, loc, language, href string, date int64, priority float64) {
		var s shelf
		w := NewWriter(farm, s.create, Options{Gzip: date%2 == 0})
		entry := sitemap.Entry{Loc: loc, LastMod: time.Unix(date, 0), Priority: priority, HasPriority: priority != 0}
		if language != "" {
			entry.Alternates, entry.Images = []sitemap.Alternate{{HrefLang: language, Href: href}}, []sitemap.Image{{Loc: href}}
		}
		if err := w.Add(entry); err != nil {
			if _, ok := errors.AsType[*sitemap.EntryError](err); !ok {
				t.Fatal(err)
			}
			return
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		served, err := url.Parse(w.Files()[0].URL)
		if err != nil {
			t.Fatal(err)
		}
		v := validate.Validator{Now: time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC)}
		v.OnEntry = func(_ sitemap.Kind, got sitemap.Entry) {
			if !got.LastMod.Equal(entry.LastMod) || got.Priority != entry.Priority {
				t.Errorf("got %+v, want %+v", got, entry)
			}
		}
		text := s.files[w.Files()[0].Name].String()
		if got := v.File(strings.NewReader(text), served, sitemap.Served{}); !got.Valid() || got.Entries != 1 {
			t.Errorf("got %+v from %q, want one valid entry", got, text)
		}
	})
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// drop is a file that keeps nothing.
type drop struct{ io.Writer }

func (drop) Close() error { return nil }

func TestWriterMemoryIsConstant(t *testing.T) {
	entries := 1_200_000
	if testing.Short() {
		entries = 100_000
	}
	before := heap()
	w := NewWriter(farm, func(string) (io.WriteCloser, error) { return drop{io.Discard}, nil }, Options{})
	var most uint64
	for i := range entries {
		if err := w.Add(sitemap.Entry{Loc: fmt.Sprintf("https://farm.example/products/category-%d/item-%d.html", i%97, i)}); err != nil {
			t.Fatal(err)
		}
		if i%(entries/4) == entries/8 {
			most = max(most, heap())
		}
	}
	if err := w.Close(); err != nil || len(w.Files()) != entries/50_000 {
		t.Errorf("got %v, %d files", err, len(w.Files()))
	}
	if most > before+16<<20 {
		t.Errorf("got %d bytes more of heap, want under 16 MiB", most-before)
	}
}

func BenchmarkWriter(b *testing.B) {
	entry := sitemap.Entry{Loc: "https://farm.example/products/category-1/item-1.html", LastMod: time.Unix(1e9, 0), ChangeFreq: "weekly", Priority: 0.5, HasPriority: true}
	w := NewWriter(farm, func(string) (io.WriteCloser, error) { return drop{io.Discard}, nil }, Options{})
	b.ReportAllocs()
	for b.Loop() {
		if err := w.Add(entry); err != nil {
			b.Fatal(err)
		}
		b.SetBytes(int64(len(w.entry)))
	}
}
