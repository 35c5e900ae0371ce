package main

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	gopher "github.com/oxffaa/gopher-parse-sitemap"
	yterajima "github.com/yterajima/go-sitemap"

	"github.com/decorum-crawler/decorum/sitemap"
)

const entries = 50_000 // as many as one file may have

// A reader is a library that reads the entries of a sitemap served at base. It
// also decodes the three other elements of each.
type reader struct {
	name string
	read func(body []byte, base *url.URL, each func(loc string)) error
}

// home is the URL of the measured sitemap.
var home = &url.URL{Scheme: "https", Host: "farm.example", Path: "/sitemap.xml"}

var readers = []reader{
	{"decorum", readDecorum},
	{"encoding/xml", readEncodingXML},
	{"oxffaa/gopher-parse-sitemap", func(body []byte, _ *url.URL, each func(string)) error {
		return gopher.Parse(bytes.NewReader(body), func(e gopher.Entry) error {
			each(e.GetLocation())
			return nil
		})
	}},
	{"yterajima/go-sitemap", func(body []byte, _ *url.URL, each func(string)) error {
		set, err := yterajima.Parse(body)
		for _, u := range set.URL {
			each(u.Loc)
		}
		return err
	}},
}

func readDecorum(body []byte, base *url.URL, each func(string)) error {
	for entry, err := range sitemap.NewReader(bytes.NewReader(body), base, sitemap.Options{}).Entries() {
		if err != nil {
			return err
		}
		each(entry.Loc)
	}
	return nil
}

// readEncodingXML is the obvious reader with only the standard library.
func readEncodingXML(body []byte, _ *url.URL, each func(string)) error {
	decoder := xml.NewDecoder(bytes.NewReader(body))
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if start, ok := token.(xml.StartElement); ok && start.Name.Local == "url" {
			var e struct {
				Loc        string  `xml:"loc"`
				LastMod    string  `xml:"lastmod"`
				ChangeFreq string  `xml:"changefreq"`
				Priority   float64 `xml:"priority"`
			}
			if err := decoder.DecodeElement(&e, &start); err != nil {
				return err
			}
			each(e.Loc)
		}
	}
}

// countLocs is the minimum work of a reader of entries.
func countLocs(body []byte) int { return bytes.Count(body, []byte("<loc>")) }

// urlset returns a file with the four elements of the protocol in each entry.
func urlset() []byte {
	var b bytes.Buffer
	b.WriteString("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n")
	for i := range entries {
		fmt.Fprintf(&b, "  <url>\n    <loc>https://farm.example/category-%d/product-%d.html</loc>\n    <lastmod>2026-11-%02d</lastmod>\n"+
			"    <changefreq>weekly</changefreq>\n    <priority>0.%d</priority>\n  </url>\n", i%100, i, 1+i%28, i%10)
	}
	b.WriteString("</urlset>\n")
	return b.Bytes()
}

// A vector is a typical file of a site, with the addresses in it.
type vector struct {
	File string `json:"file"`
	Base string `json:"base_url"`
	Kind string `json:"kind"`
	URLs []struct {
		Loc string `json:"loc"`
	} `json:"urls"`
	Count int `json:"count"`
	body  []byte
}

// vectors returns the urlsets with addresses in a folder.
func vectors(folder string) ([]vector, error) {
	data, err := os.ReadFile(filepath.Join(folder, "expected.jsonl"))
	if err != nil {
		return nil, fmt.Errorf("read vectors: %w", err)
	}
	var list []vector
	for line := range strings.Lines(string(data)) {
		var v vector
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			return nil, fmt.Errorf("read vectors: %w", err)
		}
		if v.Kind != "urlset" || len(v.URLs) == 0 || v.Count != 0 {
			continue
		}
		if v.body, err = os.ReadFile(filepath.Join(folder, v.File)); err != nil {
			return nil, fmt.Errorf("read vectors: %w", err)
		}
		list = append(list, v)
	}
	return list, nil
}

// readBy reports whether a reader finds all addresses in order. Anything else it
// reports does not matter.
func (v vector) readBy(r reader) bool {
	base, err := url.Parse(v.Base)
	if err != nil {
		return false
	}
	var want, got []string
	for _, u := range v.URLs {
		want = append(want, u.Loc)
	}
	_ = r.read(v.body, base, func(loc string) { got = append(got, loc) }) // what came before a fault counts
	return slices.Equal(got, want)
}
