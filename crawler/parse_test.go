package crawler

import (
	"bytes"
	"strings"
	"testing"

	"github.com/decorum-crawler/decorum/crawler/content"
)

func TestParseHTMLIsBounded(t *testing.T) {
	page := parseHTML(bytes.Repeat([]byte("<div>"), 1_000_000), "decorum", 10)
	if len(page.links) != 0 || page.cut {
		t.Errorf("got %d links, cut %v, want the page read to its end", len(page.links), page.cut)
	}
	page = parseHTML(bytes.Repeat([]byte(`<a href=x>`), 1000), "decorum", 10)
	if len(page.links) != 10 || !page.cut {
		t.Errorf("got %d links, cut %v, want 10 and cut", len(page.links), page.cut)
	}
	page = parseHTML([]byte(`<a href="`+strings.Repeat("x", 2<<20)+`"><a href=y>`), "decorum", 10)
	if !page.cut {
		t.Error("got an endless tag read, want the page cut")
	}
}

func FuzzParseHTML(f *testing.F) {
	f.Add([]byte(`<a href="x" rel=nofollow><base href=y><title>t</title>`))
	f.Fuzz(func(t *testing.T, body []byte) {
		text, _ := content.Decode(body, "text/html")
		if page := parseHTML(text, "decorum", 100); len(page.links) > 100 || len(page.title) > maxTitle+8 {
			t.Fatalf("got %d links, a title of %d bytes", len(page.links), len(page.title))
		}
	})
}
