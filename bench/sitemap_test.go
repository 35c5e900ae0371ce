package bench

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/url"
	"testing"

	"github.com/decorum-crawler/decorum/sitemap"
)

const entries = 50_000 // as many as one file may have

// urlset makes a file with the four elements of the protocol in each entry.
func urlset() []byte {
	var b bytes.Buffer
	b.WriteString("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n")
	for i := range entries {
		fmt.Fprintf(&b, "  <url>\n    <loc>https://shop.example/category-%d/product-%d.html</loc>\n    <lastmod>2026-11-%02d</lastmod>\n"+
			"    <changefreq>weekly</changefreq>\n    <priority>0.%d</priority>\n  </url>\n", i%100, i, 1+i%28, i%10)
	}
	b.WriteString("</urlset>\n")
	return b.Bytes()
}

// entry is what the standard library decodes into.
type entry struct {
	Loc        string  `xml:"loc"`
	LastMod    string  `xml:"lastmod"`
	ChangeFreq string  `xml:"changefreq"`
	Priority   float64 `xml:"priority"`
}

func withDecorum(body []byte) (int, error) {
	base := &url.URL{Scheme: "https", Host: "shop.example", Path: "/sitemap.xml"}
	n := 0
	for _, err := range sitemap.NewReader(bytes.NewReader(body), base, sitemap.Options{}).Entries() {
		if err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

func withEncodingXML(body []byte) (int, error) {
	decoder := xml.NewDecoder(bytes.NewReader(body))
	for n := 0; ; {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil {
			return n, err
		}
		if start, ok := token.(xml.StartElement); ok && start.Name.Local == "url" {
			var e entry
			if err := decoder.DecodeElement(&e, &start); err != nil {
				return n, err
			}
			n++
		}
	}
}

func withScan(body []byte) (int, error) { return bytes.Count(body, []byte("<loc>")), nil }

func BenchmarkSitemap(b *testing.B) {
	body := urlset()
	readers := []struct {
		name string
		read func([]byte) (int, error)
	}{{"scan for <loc>", withScan}, {"decorum", withDecorum}, {"encoding/xml", withEncodingXML}}
	for _, reader := range readers {
		b.Run(reader.name, func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				if n, err := reader.read(body); n != entries || err != nil {
					b.Fatalf("got %d entries, %v, want %d", n, err, entries)
				}
			}
		})
	}
}
