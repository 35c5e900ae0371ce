package sitemap

import (
	"bytes"
	"compress/gzip"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/decorum-crawler/decorum/sitemap/internal/address"
)

var base = &url.URL{Scheme: "https", Host: "farm.example", Path: "/sitemap.xml"}

// urlset makes a file of n entries as it streams.
type urlset struct {
	n, at int
	rest  []byte
}

func (u *urlset) Read(p []byte) (int, error) {
	if len(u.rest) == 0 {
		switch {
		case u.at == 0:
			u.rest = []byte(`<?xml version="1.0" encoding="UTF-8"?>` + "\n" + `<urlset xmlns="` + Namespace + `">` + "\n")
		case u.at <= u.n:
			u.rest = fmt.Appendf(nil, "<url><loc>https://farm.example/products/category-%d/item-%d.html</loc>"+
				"<lastmod>2025-03-%02d</lastmod><changefreq>weekly</changefreq><priority>0.%d</priority></url>\n", u.at%97, u.at, u.at%31+1, u.at%10)
		case u.at == u.n+1:
			u.rest = []byte("</urlset>\n")
		default:
			return 0, io.EOF
		}
		u.at++
	}
	n := copy(p, u.rest)
	u.rest = u.rest[n:]
	return n, nil
}

func read(r *Reader) (n int, err error) {
	for _, err := range r.Entries() {
		if err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func TestMemoryIsConstant(t *testing.T) {
	entries := 1_200_000 // 200 MiB
	if testing.Short() {
		entries = 100_000
	}
	before := heap()
	r := NewReader(&urlset{n: entries}, base, Options{MaxBytes: -1})
	n := 0
	var most uint64
	for _, err := range r.Entries() {
		if err != nil {
			t.Fatal(err)
		}
		if n++; n%(entries/4) == 0 {
			most = max(most, heap())
		}
	}
	if n != entries {
		t.Errorf("got %d entries, want %d", n, entries)
	}
	if most > before+16<<20 {
		t.Errorf("got %d bytes more of heap, want under 16 MiB", most-before)
	}
}

func TestBombs(t *testing.T) {
	noLimit := Options{MaxBytes: -1}
	deep := io.MultiReader(strings.NewReader("<urlset>"), repeat("<a>", 5_000_000))
	if _, err := read(NewReader(deep, base, noLimit)); !errors.Is(err, ErrTooDeep) {
		t.Errorf("got %v, want too deep", err)
	}
	long := io.MultiReader(strings.NewReader("<urlset><url><loc>https://farm.example/"), repeat("aaaaaaaa", 8<<20),
		strings.NewReader("</loc></url><url><loc>https://farm.example/ok</loc></url></urlset>"))
	if n, err := read(NewReader(long, base, noLimit)); n != 1 || err != nil {
		t.Errorf("got %d entries, %v, want the one after the long loc", n, err)
	}
	laughs := `<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><urlset><url><loc>https://farm.example/&b;</loc></url></urlset>`
	if n, err := read(NewReader(strings.NewReader(laughs), base, Options{})); n != 0 || err != nil {
		t.Errorf("got %d entries, %v, want none", n, err)
	}
}

// TestGzipBombKeepsMemory reads blanks, compressed a thousandfold, where text, a
// tag, a comment and a loc may stand.
func TestGzipBombKeepsMemory(t *testing.T) {
	size := 64 << 20
	if testing.Short() {
		size = 16 << 20
	}
	for _, place := range [][2]string{
		{"<urlset><url>", "</url>" + closing},
		{"<urlset><url x='", "'></url>" + closing},
		{"<urlset><!--", "-->" + closing},
		{"<urlset><url><loc>", "</loc></url>" + closing},
	} {
		zipped := bomb(t, place[0], size, place[1])
		for _, ratio := range []int{0, -1} {
			before := heap()
			r := NewReader(bytes.NewReader(zipped), base, Options{MaxBytes: -1, MaxRatio: ratio})
			var most uint64
			n := 0
			for _, err := range r.Entries() {
				if err != nil {
					t.Fatal(err)
				}
				n++
				most = max(most, heap())
			}
			most = max(most, heap())
			if most > before+16<<20 {
				t.Errorf("%s, ratio %d: got %d bytes more of heap, want under 16 MiB", place[0], ratio, most-before)
			}
			told := codes(r.Problems())
			if slices.Contains(told, "gzip-bomb") != (ratio == 0) || slices.Contains(told, "truncated") != (ratio == 0) || n != map[int]int{0: 0, -1: 1}[ratio] {
				t.Errorf("%s, ratio %d: got %d entries and %v", place[0], ratio, n, told)
			}
		}
	}
}

const closing = "<url><loc>https://farm.example/a</loc></url></urlset>"

func bomb(t *testing.T, head string, blanks int, tail string) []byte {
	t.Helper()
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []io.Reader{strings.NewReader(head), repeat(strings.Repeat(" ", 1<<10), blanks>>10), strings.NewReader(tail)} {
		if _, err := io.Copy(z, part); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestRepetitiveFileIsNoBomb shows that the guard leaves the files of sites
// alone: few are as repetitive as one whose entries have 40 alternates each.
func TestRepetitiveFileIsNoBomb(t *testing.T) {
	var file, zipped bytes.Buffer
	file.WriteString(`<urlset xmlns="` + Namespace + `">`)
	for i := range 3000 {
		file.WriteString("<url><loc>https://farm.example/aa/products/some-product.html</loc>\n")
		for language := range 40 {
			fmt.Fprintf(&file, "<xhtml:link rel=\"alternate\" hreflang=\"a%d\" href=\"https://farm.example/a%[1]d/products/some-product-%d.html\"/>\n", language, i/40)
		}
		file.WriteString("</url>\n")
	}
	file.WriteString("</urlset>")
	z := gzip.NewWriter(&zipped)
	if _, err := z.Write(file.Bytes()); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	ratio := file.Len() / zipped.Len()
	r := NewReader(&zipped, base, Options{})
	if n, err := read(r); n != 3000 || err != nil || r.ProblemCount() > 0 || ratio < 50 {
		t.Errorf("got %d entries, %v, %v, ratio %d", n, err, r.Problems(), ratio)
	}
}

// repeat reads as n times the text without keeping it.
func repeat(text string, n int) io.Reader {
	return io.LimitReader(&cycle{text: text}, int64(len(text)*n))
}

type cycle struct {
	text string
	at   int
}

func (c *cycle) Read(p []byte) (int, error) {
	for n := 0; n < len(p); {
		copied := copy(p[n:], c.text[c.at:])
		n += copied
		c.at = (c.at + copied) % len(c.text)
	}
	return len(p), nil
}

func TestCutGzipKeepsWhatCameBefore(t *testing.T) {
	var whole bytes.Buffer
	z := gzip.NewWriter(&whole)
	if _, err := io.Copy(z, &urlset{n: 5000}); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	r := NewReader(bytes.NewReader(whole.Bytes()[:whole.Len()/2]), base, Options{})
	n, err := read(r)
	if err != nil || n < 1000 || !strings.Contains(fmt.Sprint(codes(r.Problems())), "truncated") {
		t.Errorf("got %d entries, %v, problems %v, want about half and truncated", n, err, r.Problems())
	}
}

func TestErrorOfTheStreamIsNotOfTheFile(t *testing.T) {
	broken := errors.New("connection lost")
	r := NewReader(io.MultiReader(&urlset{n: 3}, &failing{broken}), base, Options{})
	if _, err := read(r); err != nil {
		t.Errorf("got %v behind the end of the document, want nothing", err)
	}
	r = NewReader(io.MultiReader(strings.NewReader("<urlset><url><loc>https://farm.example/a</loc></url>"), &failing{broken}), base, Options{})
	if n, err := read(r); n != 1 || !errors.Is(err, broken) || errors.Is(err, ErrSyntax) {
		t.Errorf("got %d entries, %v, want one and the stream's error", n, err)
	}
}

type failing struct{ err error }

func (f *failing) Read([]byte) (int, error) { return 0, f.err }

func TestRules(t *testing.T) {
	set := func(inside string) string { return `<urlset xmlns="` + Namespace + `">` + inside + `</urlset>` }
	tests := []struct{ name, text, locs, warnings string }{
		{"fragment", set("<url><loc>https://farm.example/a#b</loc></url>"), "https://farm.example/a#b", "fragment"},
		{"scheme", set("<url><loc>ftp://farm.example/a</loc></url>"), "", "bad-scheme"},
		{"javascript", set("<url><loc>javascript:alert(1)</loc></url>"), "", "bad-scheme"},
		{"other host", set("<url><loc>https://barn.example/a</loc></url>"), "https://barn.example/a", "other-host"},
		{"second loc", set("<url><loc>https://farm.example/a</loc><loc>https://farm.example/b</loc></url>"), "https://farm.example/a", "second-loc"},
		{"prefix", `<s:urlset xmlns:s="` + Namespace + `"><s:url><s:loc>https://farm.example/a</s:loc></s:url></s:urlset>`, "https://farm.example/a", ""},
		{"quoted >", set(`<url x="a>b"><loc>https://farm.example/a</loc></url>`), "https://farm.example/a", ""},
		{"misplaced sitemap", set("<sitemap><loc>https://farm.example/s</loc></sitemap>"), "", "misplaced-sitemap"},
		{"changefreq", set("<url><loc>https://farm.example/a</loc><changefreq>often</changefreq></url>"), "https://farm.example/a", "bad-changefreq"},
		{"leading junk", "Notice: x\n<?xml version='1.0'?>" + set("<url><loc>https://farm.example/a</loc></url>"), "https://farm.example/a", "leading-junk"},
		{"NUL", set("<url><loc>https://farm.example/a\x00b</loc></url>"), "https://farm.example/ab", "bad-char"},
		{"wrong end", set("<url><loc>https://farm.example/a</lok></loc></url>"), "https://farm.example/a", "malformed"},
		{"atom", `<feed xmlns="http://www.w3.org/2005/Atom"><link href="https://farm.example/"/><entry><link rel="edit" href="/x"/><link href="https://farm.example/a"/></entry></feed>`, "https://farm.example/a", ""},
		{"bad line", "https://farm.example/a\nnot a url\n", "https://farm.example/a", "bad-line"},
		{"not gzip", set("<url><loc>https://farm.example/a</loc></url>"), "https://farm.example/a", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := NewReader(strings.NewReader(test.text), base, Options{})
			var locs []string
			for entry, err := range r.Entries() {
				if err != nil {
					t.Fatal(err)
				}
				locs = append(locs, entry.Loc)
			}
			if got := strings.Join(locs, " "); got != test.locs || strings.Join(codes(r.Problems()), " ") != test.warnings {
				t.Errorf("got %q, %v, want %q, %q", got, codes(r.Problems()), test.locs, test.warnings)
			}
		})
	}
}

func FuzzReader(f *testing.F) {
	f.Add([]byte(`<urlset><url><loc>https://farm.example/a</loc></url></urlset>`))
	f.Add([]byte("https://farm.example/a\r\nx"))
	f.Add([]byte("\x1f\x8b\x08"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r := NewReader(bytes.NewReader(data), base, Options{})
		for entry, err := range r.Entries() {
			if err == nil && !address.IsAbsolute(entry.Loc) {
				t.Fatalf("got loc %q, want an absolute URL", entry.Loc)
			}
		}
	})
}

// FuzzAgainstEncodingXML holds the reader against a slow, well-known one on
// documents that are well-formed.
func FuzzAgainstEncodingXML(f *testing.F) {
	f.Add("https://farm.example/a?x=1&amp;y=2", "<lastmod>2025-01-01</lastmod>")
	f.Add("<![CDATA[https://farm.example/a]]>", "<!-- <loc>x</loc> -->")
	f.Fuzz(func(t *testing.T, loc, extra string) {
		text := `<urlset xmlns="` + Namespace + `"><url><loc>` + loc + `</loc>` + extra + `</url></urlset>`
		var want struct {
			URLs []struct {
				Locs []struct {
					Text  string `xml:",chardata"`
					Inner string `xml:",innerxml"`
				} `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 loc"`
			} `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 url"`
		}
		if xml.Unmarshal([]byte(text), &want) != nil || len(want.URLs) != 1 || len(want.URLs[0].Locs) != 1 {
			t.Skip("not well-formed, or not one entry")
		}
		first := want.URLs[0].Locs[0]
		listed := strings.TrimSpace(first.Text)
		if strings.ContainsAny(first.Inner, "<\x00") || !address.IsAbsolute(listed) || len(listed) > 2048 || strings.ContainsAny(listed, "@\\") {
			t.Skip("elements inside listed, or an address that is changed on purpose")
		}
		for i := range len(listed) {
			if listed[i] <= ' ' || listed[i] >= 0x7f {
				t.Skip("escaped on purpose")
			}
		}
		for entry, err := range NewReader(strings.NewReader(text), base, Options{}).Entries() {
			if err != nil || entry.Loc != listed {
				t.Fatalf("got %q, %v, want %q in %s", entry.Loc, err, listed, text)
			}
		}
	})
}

func BenchmarkReader(b *testing.B) {
	data, err := io.ReadAll(&urlset{n: 50_000})
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if n, err := read(NewReader(bytes.NewReader(data), base, Options{})); n != 50_000 || err != nil {
			b.Fatal(n, err)
		}
	}
}

// BenchmarkExtensions is of entries that are read tag by tag.
func BenchmarkExtensions(b *testing.B) {
	entry := `<url><loc>https://farm.example/en/?a=1&amp;b=2</loc><xhtml:link rel="alternate" hreflang="de" href="https://farm.example/de/"/>` +
		`<xhtml:link rel="alternate" hreflang="fr" href="https://farm.example/fr/"/><image:image><image:loc>https://cdn.example/1.jpg</image:loc></image:image></url>` + "\n"
	data := `<urlset xmlns="` + Namespace + `">` + strings.Repeat(entry, 10_000) + "</urlset>"
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if n, err := read(NewReader(strings.NewReader(data), base, Options{})); n != 10_000 || err != nil {
			b.Fatal(n, err)
		}
	}
}

func TestDublinCoreDateOfRSS(t *testing.T) {
	rdf := func(item string) string {
		return `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/">` +
			`<item><link>https://farm.example/a</link>` + item + `</item></rdf:RDF>`
	}
	for _, test := range []struct{ item, want string }{
		{"<dc:date>2026-01-02T03:04:05+01:00</dc:date>", "2026-01-02T02:04:05Z "},
		{"<dc:date>2026-01-02</dc:date><pubDate>Sat, 03 Jan 2026 00:00:00 GMT</pubDate>", "2026-01-03T00:00:00Z "},
		{"<pubDate>Sat, 03 Jan 2026 00:00:00 GMT</pubDate><dc:date>2026-01-02</dc:date>", "2026-01-03T00:00:00Z "},
		{"<date>2026-01-02</date><x:date>2026-01-02</x:date>", "0001-01-01T00:00:00Z "},
		{"<dc:date>soon</dc:date>", "0001-01-01T00:00:00Z bad-date"},
	} {
		r := NewReader(strings.NewReader(rdf(test.item)), base, Options{})
		got := ""
		for entry, err := range r.Entries() {
			if err != nil {
				t.Fatal(err)
			}
			got += entry.LastMod.Format(time.RFC3339) + " "
		}
		if got += strings.Join(codes(r.Problems()), " "); got != test.want {
			t.Errorf("got %q, want %q of %s", got, test.want, test.item)
		}
	}
}
