package main

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/decorum-crawler/decorum/internal/testsite"
)

// serveSitemap serves a urlset of one path, with the header given as names and
// values.
func serveSitemap(t *testing.T, site *testsite.Site, path string, body []byte, header ...string) {
	t.Helper()
	site.Handle(path, func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		_, _ = w.Write(body)
	})
}

func urlsetOf(addresses ...string) []byte {
	text := `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`
	for _, address := range addresses {
		text += "<url><loc>" + address + "</loc></url>"
	}
	return []byte(text + "</urlset>")
}

func TestSitemapCharsetOfTheHeader(t *testing.T) {
	web := testsite.New()
	defer web.Close()
	site := web.Site("shop")
	site.Robots("Sitemap: " + site.URL() + "/s.xml\n")
	serveSitemap(t, site, "/s.xml", urlsetOf(site.URL()+"/f\xfcr"), "Content-Type", "text/xml; charset=iso-8859-1")
	site.Page("/f%C3%BCr", "<title>x</title>")
	want := site.URL() + "/f%C3%BCr"
	for _, follow := range []string{"--no-follow", "--no-follow=false"} {
		if code, out, errs := invoke("sitemap", "list", "--delay", "0", follow, site.URL()+"/s.xml"); code != exitOK || out != want+"\n" {
			t.Errorf("got %d, %q, %q, want %s", code, out, errs, want)
		}
	}
	if _, out, _ := invoke("sitemap", "validate", "--delay", "0", site.URL()+"/s.xml"); !strings.Contains(out, "[encoding]") || strings.Contains(out, "[bad-utf8]") {
		t.Errorf("got %q, want encoding only", out)
	}
	folder := filepath.Join(t.TempDir(), "crawl")
	if code, _, errs := invoke("crawl", "-o", folder, "--delay", "0", "--progress", "none", site.URL()); code != exitOK {
		t.Fatalf("got %d, %q", code, errs)
	}
	if pages, err := os.ReadFile(filepath.Join(folder, "pages.jsonl")); err != nil || !bytes.Contains(pages, []byte(`"url":"`+want+`","status":200`)) {
		t.Errorf("got %s, %v, want %s", pages, err, want)
	}
}

func TestSitemapCompressedByItsCoding(t *testing.T) {
	web := testsite.New()
	defer web.Close()
	site := web.Site("shop")
	site.Robots("Sitemap: " + site.URL() + "/s.xml.gz\n")
	site.Page("/a", "<title>x</title>")
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	_, _ = z.Write(urlsetOf(site.URL() + "/a"))
	z.Close()
	for _, coding := range []string{"gzip", "x-gzip", "GZIP"} {
		serveSitemap(t, site, "/s.xml.gz", zipped.Bytes(), "Content-Type", "application/x-gzip", "Content-Encoding", coding)
		if code, out, errs := invoke("sitemap", "validate", "--delay", "0", site.URL()+"/s.xml.gz"); code != exitOK {
			t.Errorf("%s: got %d, %q, %q", coding, code, out, errs)
		}
		if code, out, errs := invoke("audit", "--delay", "0", "--progress", "none", site.URL()); code != exitOK || strings.Contains(out, "sitemap-invalid") {
			t.Errorf("%s: got %d, %q, %q", coding, code, out, errs)
		}
	}
}

func TestSitemapNamedByRobotsMayListAnyPath(t *testing.T) {
	web := testsite.New()
	defer web.Close()
	site := web.Site("shop")
	site.Robots("Sitemap: " + site.URL() + "/maps/index.xml\n")
	site.SitemapIndex("/maps/index.xml", "/maps/one.xml")
	serveSitemap(t, site, "/maps/one.xml", urlsetOf(site.URL()+"/a"))
	serveSitemap(t, site, "/maps/two.xml", urlsetOf(site.URL()+"/a"))
	for path, code := range map[string]int{"": exitOK, "/maps/index.xml": exitOK, "/maps/two.xml": exitFindings} {
		if got, out, errs := invoke("sitemap", "validate", "--delay", "0", site.URL()+path); got != code || strings.Contains(out, "[above-folder]") != (code == exitFindings) {
			t.Errorf("%q: got %d, %q, %q, want %d", path, got, out, errs, code)
		}
		if _, _, errs := invoke("sitemap", "list", "--delay", "0", site.URL()+path); strings.Contains(errs, "(above-folder)") != (code == exitFindings) {
			t.Errorf("%q: got %q", path, errs)
		}
	}
}

func TestSitemapListOfAnIndexThatNamesItself(t *testing.T) {
	web := testsite.New()
	defer web.Close()
	site := web.Site("shop")
	site.Robots("Sitemap: " + site.URL() + "/i.xml\n")
	site.SitemapIndex("/i.xml", "/i.xml", "/one.xml", "/i.xml", "/one.xml")
	site.Sitemap("/one.xml", "/a")
	for _, test := range []struct{ flag, want string }{{"--no-follow=false", "/a"}, {"--no-follow", "/one.xml"}} {
		code, out, errs := invoke("sitemap", "list", "--delay", "0", test.flag, site.URL()+"/i.xml")
		if code != exitOK || out != site.URL()+test.want+"\n" || !strings.Contains(errs, "the index names itself") {
			t.Errorf("%s: got %d, %q, %q, want %s once", test.flag, code, out, errs, test.want)
		}
	}
	if code, out, _ := invoke("sitemap", "validate", "--delay", "0", site.URL()+"/i.xml"); code != exitFindings || !strings.Contains(out, "[self-listed]") {
		t.Errorf("got %d, %q", code, out)
	}
}
