package sitemap

import (
	"bytes"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// reading is all that is read of a file.
type reading struct {
	Kind     Kind
	Entries  []Entry
	Problems []Problem
	Err      string
}

func readAll(r *Reader) (all reading) {
	for entry, err := range r.Entries() {
		if err != nil {
			all.Err = err.Error()
			break
		}
		all.Entries = append(all.Entries, entry)
	}
	all.Kind, all.Problems = r.Kind(), r.Problems()
	return all
}

func compareWays(t *testing.T, data []byte, served *url.URL) {
	t.Helper()
	slow := NewReader(bytes.NewReader(data), served, Options{})
	slow.slow = true
	want := readAll(slow)
	got := readAll(NewReader(bytes.NewReader(data), served, Options{}))
	if diff := cmp.Diff(got, want); diff != "" {
		t.Fatalf("the fast way (-) is not the slow one (+) on %.2000q:\n%s", data, diff)
	}
}

func TestOrdinaryAgreesOnVectors(t *testing.T) {
	files, err := filepath.Glob("testdata/*.*")
	if err != nil || len(files) < 40 {
		t.Fatalf("got %d vectors, %v", len(files), err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		compareWays(t, data, base)
	}
}

func TestOrdinaryAgreesAtEveryCut(t *testing.T) {
	text := `<urlset xmlns="` + Namespace + `">` + "\n" +
		`<url><loc>https://farm.example/a</loc><lastmod>2024-02-29T23:30:00-01:00</lastmod></url>` + "\n" +
		`<url> <priority>0.85</priority><loc>https://farm.example/b?x</loc><changefreq>daily</changefreq></url>` +
		`<url><loc>https://farm.example/c&amp;d</loc></url><url><loc>https://farm.example/e</loc><lastmod>2023-02-29</lastmod></url></urlset>`
	for n := range len(text) + 1 {
		compareWays(t, []byte(text[:n]), base)
		if n > 40 {
			compareWays(t, []byte(text[:n-1]+text[n:]), base)
		}
	}
}

func TestSmallReadsGiveTheSame(t *testing.T) {
	data, err := io.ReadAll(&urlset{n: 2000})
	if err != nil {
		t.Fatal(err)
	}
	want := readAll(NewReader(bytes.NewReader(data), base, Options{}))
	got := readAll(NewReader(iotest.OneByteReader(bytes.NewReader(data)), base, Options{}))
	if diff := cmp.Diff(got, want); diff != "" || len(got.Entries) != 2000 {
		t.Errorf("got - for %d entries, want +:\n%s", len(got.Entries), diff)
	}
}

func FuzzOrdinary(f *testing.F) {
	f.Add("https://farm.example/a", "2025-01-01", "daily", "0.8", " ")
	f.Add("https://farm.example/a#b", "2025-01-01T10:00:00Z", "Daily", "1.0", "<!-- x -->")
	f.Add("https://barn.example/a&amp;", "", "", "2", "</url><url>")
	f.Fuzz(func(t *testing.T, loc, date, frequency, priority, between string) {
		text := fmt.Sprintf("<urlset xmlns=%q>%s<url><loc>%s</loc>%s<lastmod>%s</lastmod><changefreq>%s</changefreq><priority>%s</priority></url>%[3]s"+
			"<url><loc>https://farm.example/z</loc></url></urlset>", Namespace, between, loc, between, date, frequency, priority)
		compareWays(t, []byte(text), base)
		compareWays(t, []byte(strings.ReplaceAll(strings.ReplaceAll(text, "urlset", "sitemapindex"), "url>", "sitemap>")), base)
	})
}

// BenchmarkTagByTag is BenchmarkReader without the fast way.
func BenchmarkTagByTag(b *testing.B) {
	data, err := io.ReadAll(&urlset{n: 50_000})
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		r := NewReader(bytes.NewReader(data), base, Options{})
		r.slow = true
		if n, err := read(r); n != 50_000 || err != nil {
			b.Fatal(n, err)
		}
	}
}
