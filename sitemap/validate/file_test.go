package validate

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/decorum-crawler/decorum/sitemap"
)

func TestValidate(t *testing.T) {
	const head, tail = `<?xml version="1.0" encoding="UTF-8"?>` + "\n" + `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + "\n", "\n</urlset>"
	entry := func(path, more string) string {
		return "<url><loc>https://h.example" + path + "</loc>" + more + "</url>"
	}
	many := func(n int) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(entry(fmt.Sprintf("/%d", i), "") + "\n")
		}
		return b.String()
	}
	zip := func(text string) string {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		_, _ = w.Write([]byte(text))
		w.Close()
		return b.String()
	}
	damaged := func(zipped string) string { // in its checksum
		data := []byte(zipped)
		data[len(data)-8] ^= 1
		return string(data)
	}
	tests := []struct {
		name, body, served string
		want               []string // "line code"
		failed             bool
	}{
		{name: "valid", body: head + entry("/a", "<lastmod>2026-01-02</lastmod><changefreq>weekly</changefreq><priority>0.5</priority>") + tail},
		{name: "valid with extensions", body: strings.Replace(head, " xmlns=", ` xmlns:image="http://www.google.com/schemas/sitemap-image/1.1" xmlns=`, 1) + entry("/a", "<image:image><image:loc>https://h.example/i.png</image:loc></image:image>") + tail},
		{name: "valid index", body: `<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><sitemap><loc>https://h.example/a.xml</loc><lastmod>2026-01-02T03:04:05Z</lastmod></sitemap></sitemapindex>`},
		{name: "valid gzip", body: zip(head + entry("/a", "") + tail), served: "https://h.example/s.xml.gz"},
		{name: "valid list", body: "https://h.example/a\nhttps://h.example/b\n", served: "https://h.example/s.txt"},
		{name: "nothing listed", body: head + tail, want: []string{"1 no-entries"}},
		{name: "too many", body: head + many(50_001) + tail, want: []string{"50003 too-many-urls"}},
		{name: "too large", body: head + "<!--" + strings.Repeat("x", sitemap.MaxBytes) + "-->\n" + entry("/a", "") + tail, want: []string{"1 too-large"}},
		{name: "no loc", body: head + "<url></url>" + tail, want: []string{"1 no-entries", "3 missing-loc"}},
		{name: "long loc", body: head + entry("/"+strings.Repeat("x", 2048), "") + tail, want: []string{"1 no-entries", "3 loc-too-long"}},
		{name: "relative loc", body: head + "<url><loc>/a</loc></url>" + tail, want: []string{"3 relative-loc"}},
		{name: "another host", body: head + "<url><loc>https://other.example/</loc></url>" + tail, want: []string{"3 other-host"}},
		{name: "above the folder", body: head + entry("/a", "") + tail, served: "https://h.example/maps/s.xml", want: []string{"3 above-folder"}},
		{name: "raw ampersand", body: head + entry("/a?x=1&y=2", "") + tail, want: []string{"3 raw-ampersand"}},
		{name: "not escaped", body: head + entry("/caf\u00e9", "") + tail, want: []string{"3 unescaped-loc"}},
		{name: "not escaped, ASCII", body: head + entry("/a?x[]=1", "") + tail, want: []string{"3 unescaped-loc"}},
		{name: "IPv6", body: head + "<url><loc>https://[2001:db8::1]/%5B1%5D</loc></url>" + tail, served: "https://[2001:db8::1]/s.xml"},
		{name: "stray percent", body: head + entry("/100%", "") + tail, want: []string{"3 unescaped-loc"}},
		{name: "another scheme", body: head + "<url><loc>http://h.example/</loc></url>" + tail, want: []string{"3 other-scheme"}},
		{name: "bad date", body: head + entry("/a", "<lastmod>yesterday</lastmod>") + tail, want: []string{"3 bad-date"}},
		{name: "odd date", body: head + entry("/a", "<lastmod>2026/01/02</lastmod>") + tail, want: []string{"3 date-form"}},
		{name: "date to come", body: head + entry("/a", "<lastmod>2099-01-02</lastmod>") + tail, want: []string{"3 lastmod-future"}},
		{name: "bad changefreq", body: head + entry("/a", "<changefreq>often</changefreq>") + tail, want: []string{"3 bad-changefreq"}},
		{name: "bad priority", body: head + entry("/a", "<priority>2</priority>") + tail, want: []string{"3 bad-priority"}},
		{name: "no namespace", body: "<urlset>" + entry("/a", "") + "</urlset>", want: []string{"1 namespace"}},
		{name: "not UTF-8", body: strings.Replace(head, "UTF-8", "ISO-8859-1", 1) + entry("/a", "") + tail, want: []string{"1 encoding"}},
		{name: "unknown element", body: head + entry("/a", "<author>x</author>") + tail, want: []string{"3 unknown-element"}},
		{name: "unknown beside entries", body: head + "<page/>" + entry("/a", "") + tail, want: []string{"3 unknown-element"}},
		{name: "changefreq in an index", body: `<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><sitemap><loc>https://h.example/a.xml</loc><changefreq>daily</changefreq></sitemap></sitemapindex>`, want: []string{"1 unknown-element"}},
		{name: "lastmod twice", body: head + entry("/a", "<lastmod>2026-01-02</lastmod><lastmod>2026-01-03</lastmod>") + tail, want: []string{"3 repeated-element"}},
		{name: "loc twice", body: head + entry("/a", "<loc>https://h.example/b</loc>") + tail, want: []string{"3 second-loc"}},
		{name: "index in a urlset", body: head + entry("/a", "") + "<sitemap><loc>https://h.example/x.xml</loc></sitemap>" + tail, want: []string{"3 misplaced-sitemap"}},
		{name: "duplicate", body: head + entry("/a", "") + "\n" + entry("/a", "") + tail, want: []string{"4 duplicate"}},
		{name: "cut short", body: head + entry("/a", "") + "\n<url><loc>https://h", want: []string{"4 truncated"}},
		{name: "longest loc", body: head + entry("/"+strings.Repeat("x", 2047-len("https://h.example/")), "") + tail},
		{name: "loc longer by one", body: head + entry("/"+strings.Repeat("x", 2048-len("https://h.example/")), "") + tail, want: []string{"1 no-entries", "3 loc-too-long"}},
		{name: "large behind the document", body: head + entry("/a", "") + tail + strings.Repeat(" ", sitemap.MaxBytes), want: []string{"1 too-large"}},
		{name: "comment behind", body: head + entry("/a", "") + tail + "\n<!-- made by hand -->\n<?x?>\n"},
		{name: "text behind", body: head + entry("/a", "") + tail + "\n<script>x</script>", want: []string{"5 trailing-junk"}},
		{name: "second document", body: head + entry("/a", "") + tail + head + entry("/b", "") + tail, want: []string{"5 trailing-junk"}},
		{name: "cut gzip", body: zip(head + entry("/a", "") + tail)[:120], served: "https://h.example/s.xml.gz", want: []string{"1 no-entries", "3 truncated", "3 damaged-gzip"}},
		{name: "gzip checksum", body: damaged(zip(head + entry("/a", "") + tail)), served: "https://h.example/s.xml.gz", want: []string{"4 damaged-gzip"}},
		{name: "padding behind gzip", body: zip(head+entry("/a", "")+tail) + "\x00\x00", served: "https://h.example/s.xml.gz", want: []string{"4 damaged-gzip"}},
		{name: "gzip bomb", body: zip(head + entry("/a", "") + "<!--" + strings.Repeat(" ", 8<<20) + "-->" + tail), served: "https://h.example/s.xml.gz", want: []string{"3 truncated", "3 gzip-bomb"}},
		{name: "not gzip", body: head + entry("/a", "") + tail, served: "https://h.example/s.xml.gz", want: []string{"1 not-gzip"}},
		{name: "HTML", body: "<!doctype html><title>x</title>", failed: true},
		{name: "empty", body: "", failed: true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			served := test.served
			if served == "" {
				served = "https://h.example/s.xml"
			}
			base, err := url.Parse(served)
			if err != nil {
				t.Fatal(err)
			}
			validator := Validator{Now: time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)}
			got := validator.File(strings.NewReader(test.body), base, sitemap.Served{})
			var problems []string
			for _, p := range got.Problems {
				problems = append(problems, fmt.Sprintf("%d %s", p.Line, p.Code))
				if p.Message == "" {
					t.Errorf("got %+v, want a message", p)
				}
			}
			if found, want := strings.Join(problems, "; "), strings.Join(test.want, "; "); found != want {
				t.Errorf("got %q, want %q", found, want)
			}
			if failed := got.Err != nil; failed != test.failed || got.Valid() != (len(test.want) == 0 && !test.failed) {
				t.Errorf("got %+v, want failed %v", got, test.failed)
			}
		})
	}
}

func TestValidateFindsDuplicatesAcrossFiles(t *testing.T) {
	var v Validator
	if got := v.File(strings.NewReader("https://h.example/a\n"), nil, sitemap.Served{}); !got.Valid() {
		t.Fatalf("got %+v", got)
	}
	if got := v.File(strings.NewReader("https://h.example/a\n"), nil, sitemap.Served{}); got.Count != 1 || got.Problems[0].Code != "duplicate" {
		t.Errorf("got %+v, want a duplicate", got)
	}
}
