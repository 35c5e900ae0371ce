package main

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/decorum-crawler/decorum/internal/testsite"
)

// TestRefreshSitemaps refetches the sitemaps of a crawl: by ETag, by Last-Modified,
// and by the lastmod of the index.
func TestRefreshSitemaps(t *testing.T) {
	web := testsite.New()
	defer web.Close()
	site := web.Site("shop")
	site.Robots("User-agent: *\nDisallow:\nSitemap: " + site.URL() + "/index.xml\n")
	for _, path := range []string{"/1", "/2", "/3", "/4"} {
		site.Page(path, "<title>x</title>")
	}
	lastmod := "2026-01-01"
	serve := func(path, tag, modified string, urls ...string) {
		site.Handle(path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/xml")
			if tag != "" {
				w.Header().Set("ETag", tag)
			}
			if modified != "" {
				w.Header().Set("Last-Modified", modified)
			}
			if tag != "" && r.Header.Get("If-None-Match") == tag || modified != "" && r.Header.Get("If-Modified-Since") == modified {
				w.WriteHeader(http.StatusNotModified)
				return
			}
			root, item := "urlset", "url"
			if path == "/index.xml" {
				root, item = "sitemapindex", "sitemap"
			}
			fmt.Fprintf(w, `<%s xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`, root)
			for _, u := range urls {
				fmt.Fprintf(w, "<%s><loc>%s%s</loc><lastmod>%s</lastmod></%s>", item, site.URL(), u, lastmod, item)
			}
			fmt.Fprintf(w, "</%s>", root)
		})
	}
	serve("/index.xml", `"i"`, "", "/a.xml", "/b.xml")
	serve("/a.xml", `"a1"`, "", "/1")
	serve("/b.xml", "", "Thu, 01 Jan 2026 00:00:00 GMT", "/2")
	folder := t.TempDir() + "/crawl"
	again := func(args ...string) string {
		t.Helper()
		code, out, errs := invoke(append([]string{"crawl", "-o", folder, "--delay", "0", "--progress", "none", "--log-format", "text", site.URL() + "/1"}, args...)...)
		if code != exitOK {
			t.Fatalf("got %d, %q, %q", code, out, errs)
		}
		return errs
	}
	again()
	if errs := again("--refresh-sitemaps"); !strings.Contains(errs, "sitemaps: 1 read, 2 unchanged, 0 skipped, 0 failed; 0 new URLs") {
		t.Errorf("got %q, want both files unchanged", errs)
	}
	serve("/a.xml", `"a2"`, "", "/1", "/3")
	if errs := again("--refresh-sitemaps"); !strings.Contains(errs, "sitemaps: 2 read, 1 unchanged, 0 skipped, 0 failed; 1 new URLs") {
		t.Errorf("got %q, want one file read", errs)
	}
	if errs := again("--refresh-sitemaps"); !strings.Contains(errs, "1 read, 2 unchanged") {
		t.Errorf("got %q, want the new version remembered", errs)
	}
	serve("/b.xml", "", "Fri, 02 Jan 2026 00:00:00 GMT", "/2", "/4")
	requests := len(web.Log())
	if errs := again("--refresh-sitemaps", "--refresh-newer"); !strings.Contains(errs, "1 read, 0 unchanged, 2 skipped, 0 failed; 0 new URLs") {
		t.Errorf("got %q, want both files skipped", errs)
	}
	if got := len(web.Log()) - requests; got != 1 {
		t.Errorf("got %d requests, want the index alone", got)
	}
	lastmod = "2999-01-01"
	if errs := again("--refresh-sitemaps", "--refresh-newer"); !strings.Contains(errs, "2 read, 1 unchanged, 0 skipped, 0 failed; 1 new URLs") {
		t.Errorf("got %q, want what is newer read", errs)
	}
	asked := map[string]int{}
	for _, request := range web.Log() {
		asked[request.Path]++
	}
	if asked["/3"] != 1 || asked["/4"] != 1 || asked["/1"] != 1 {
		t.Errorf("got %v asked, want each page once", asked)
	}
	lines, err := os.ReadFile(folder + "/sitemaps.jsonl")
	if err != nil || strings.Count(string(lines), `"status":304`) != 6 || !strings.Contains(string(lines), `"kind":"sitemapindex"`) {
		t.Errorf("got %s, %v, want each request", lines, err)
	}
	if code, out, _ := invoke("state", "verify", folder); code != exitOK {
		t.Errorf("got %d, %q", code, out)
	}
}
