package audit

import (
	"fmt"
	"hash/maphash"
	"net/http"
	"strings"
)

// A Listed is a URL that some sitemap lists, as it is sent.
type Listed struct {
	URL     string
	Sitemap string
	Line    int
	Blocked bool // for every agent asked
}

// A Page is what a crawl found at a URL.
type Page struct {
	URL        string
	Status     int    // 0: no answer
	Error      string // why there is none
	RedirectTo string
	NoIndex    bool
	Directives []string // of X-Robots-Tag and meta robots
	Canonical  string   // empty: none named
	HTML       bool
	Listable   bool // found by links or as a seed, so that a sitemap may lack it
}

// Pages holds what is listed against what was crawled. It keeps every listed
// URL in memory. It is not safe for concurrent use; make one with [NewPages].
type Pages struct {
	seed   maphash.Seed
	index  map[uint64]int
	listed []Listed
	met    []bool
}

// NewPages makes an empty one.
func NewPages() *Pages {
	return &Pages{seed: maphash.MakeSeed(), index: map[uint64]int{}}
}

// List notes a listed URL.
func (p *Pages) List(l Listed) {
	p.index[maphash.String(p.seed, l.URL)] = len(p.listed)
	p.listed = append(p.listed, l)
	p.met = append(p.met, l.Blocked)
}

// Judge gives what is wrong with a crawled page: of a listed one whatever
// keeps it from being indexed, of another one that no sitemap lists it.
func (p *Pages) Judge(page Page) []Finding {
	at, ok := p.index[maphash.String(p.seed, page.URL)]
	if !ok {
		if page.Listable && page.HTML && page.Status == http.StatusOK && !page.NoIndex && (page.Canonical == "" || page.Canonical == page.URL) {
			return []Finding{{Code: CodeMissing, URL: page.URL, Message: "the page can be indexed and is in no sitemap"}}
		}
		return nil
	}
	p.met[at] = true
	l := p.listed[at]
	var found []Finding
	say := func(code Code, format string, args ...any) {
		found = append(found, Finding{Code: code, URL: page.URL, Sitemap: l.Sitemap, SitemapLine: l.Line, Message: fmt.Sprintf(format, args...)})
	}
	switch {
	case page.Status/100 == 3 && page.RedirectTo != "":
		say(CodePageRedirect, "the page redirects to %s (status %d)", page.RedirectTo, page.Status)
	case page.Status == 0:
		say(CodePageStatus, "the page gives no answer: %s", page.Error)
	case page.Status != http.StatusOK:
		say(CodePageStatus, "the page answers %d %s", page.Status, http.StatusText(page.Status))
	}
	if page.NoIndex {
		say(CodePageNoIndex, "the page asks not to be indexed: %s", strings.Join(page.Directives, ", "))
	}
	if page.Canonical != "" && page.Canonical != page.URL {
		say(CodePageCanonical, "the page names %s as canonical", page.Canonical)
	}
	return found
}

// Skip notes that a listed URL was seen and not fetched, and why. What robots.txt
// blocks has findings of its own.
func (p *Pages) Skip(address, reason string) []Finding {
	at, ok := p.index[maphash.String(p.seed, address)]
	if !ok || p.met[at] {
		return nil
	}
	p.met[at] = true
	if strings.HasPrefix(reason, "robots-") {
		return nil
	}
	l := p.listed[at]
	return []Finding{{Code: CodePageUnfetched, URL: address, Sitemap: l.Sitemap, SitemapLine: l.Line, Message: "the page was not fetched: " + reason}}
}

// Orphans hands over a finding for each listed URL that was not met, unless it
// is blocked.
func (p *Pages) Orphans(say func(Finding) error) error {
	for i, l := range p.listed {
		if p.met[i] {
			continue
		}
		err := say(Finding{Code: CodeOrphan, URL: l.URL, Sitemap: l.Sitemap, SitemapLine: l.Line, Message: "no link of the crawl leads to the page, or the crawl has not ended"})
		if err != nil {
			return err
		}
	}
	return nil
}
