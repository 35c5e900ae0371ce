package robots

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRelativeSitemapsAreResolved(t *testing.T) {
	body := "Sitemap: /a.xml\nSitemap: maps/b.xml\nSitemap: //cdn.example/c.xml\nSitemap: https://shop.example/d.xml\n" +
		"Sitemap: see our page\nSitemap: ftp://shop.example/e.xml\nSitemap:\nSitemap: https://shop.example/a.xml\n"
	document := &Document{FinalURL: "https://shop.example/robots.txt", Status: http.StatusOK, Body: []byte(body)}
	want := []Sitemap{
		{"https://shop.example/a.xml", 1, true},
		{"https://shop.example/maps/b.xml", 2, true},
		{"https://cdn.example/c.xml", 3, true},
		{"https://shop.example/d.xml", 4, false},
	}
	if d := cmp.Diff(document.SitemapLines(), want); d != "" {
		t.Errorf("got -, want +:\n%s", d)
	}
	absolute := []string{"https://shop.example/d.xml", "https://shop.example/a.xml"}
	if d := cmp.Diff(document.File().Sitemaps(), absolute); d != "" {
		t.Errorf("of the file: got -, want +:\n%s", d)
	}
	draft := &Document{FinalURL: "draft.txt", Status: http.StatusOK, Body: []byte(body)}
	if d := cmp.Diff(draft.Sitemaps(), absolute); d != "" {
		t.Errorf("of a draft: got -, want +:\n%s", d)
	}
	gone := &Document{FinalURL: "https://shop.example/robots.txt", Status: http.StatusNotFound, Body: []byte(body)}
	if got := gone.Sitemaps(); got != nil {
		t.Errorf("got %q of a robots.txt that is not there, want none", got)
	}
}
