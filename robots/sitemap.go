package robots

import (
	"net/url"
	"slices"
	"strings"
)

// A Sitemap is a Sitemap line together with the URL that it names.
type Sitemap struct {
	URL      string // absolute
	Line     int    // 1-based
	Relative bool   // the line has a relative URL, which most crawlers ignore
}

// sitemap is a Sitemap line; its value may be no URL.
type sitemap struct {
	value string
	line  int
}

// Sitemaps returns the absolute URLs of the Sitemap lines, in order and without
// duplicates. [Document.Sitemaps] has the relative ones as well.
func (f *File) Sitemaps() []string { return urlsOf(f.resolve(nil)) }

// Sitemaps returns the URLs of the Sitemap lines, in order and without
// duplicates; relative ones are resolved against FinalURL. They are nil if the
// document has no rules that count.
func (d *Document) Sitemaps() []string {
	d.File()
	return urlsOf(d.parse.sitemaps)
}

// SitemapLines returns the Sitemap lines that name a URL, in order and without
// duplicates. The protocol of sitemaps demands absolute URLs; relative ones are
// resolved against FinalURL, if that is an http or https URL.
func (d *Document) SitemapLines() []Sitemap {
	d.File()
	return slices.Clone(d.parse.sitemaps)
}

// resolve returns the Sitemap lines with the URLs that they name. base may be
// nil: then there are no relative ones.
func (f *File) resolve(base *url.URL) []Sitemap {
	var named []Sitemap
	seen := map[string]bool{"": true}
	for _, s := range f.sitemaps {
		one := Sitemap{URL: s.value, Line: s.line}
		if _, err := afterAuthority(s.value); err != nil {
			one = Sitemap{URL: resolve(base, s.value), Line: s.line, Relative: true}
		}
		if !seen[one.URL] {
			seen[one.URL] = true
			named = append(named, one)
		}
	}
	return named
}

// resolve returns the absolute http or https URL of a relative one, or "" if
// value is none.
func resolve(base *url.URL, value string) string {
	if base == nil || strings.ContainsAny(value, " \t<>\"") {
		return ""
	}
	reference, err := url.Parse(value)
	if err != nil || reference.Scheme != "" {
		return ""
	}
	resolved := base.ResolveReference(reference).String()
	if _, err := afterAuthority(resolved); err != nil {
		return ""
	}
	return resolved
}

func urlsOf(lines []Sitemap) []string {
	var urls []string
	for _, line := range lines {
		urls = append(urls, line.URL)
	}
	return urls
}
