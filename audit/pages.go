package audit

import (
	"fmt"
	"hash/maphash"
	"net/http"
	"slices"
	"strings"

	"github.com/decorum-crawler/decorum/robots"
)

// A Listed is a URL that some sitemap lists, as it is sent.
type Listed struct {
	URL     string
	Sitemap string
	Line    int
	Blocked bool // for every audited agent
}

// A Page is the result of a crawl for one URL.
type Page struct {
	URL        string
	Status     int    // 0: no answer
	Error      string // why there is no answer
	RedirectTo string
	NoIndex    bool
	Directives []string // of X-Robots-Tag and meta robots, for every agent
	// Scoped are the directives for single agents, by product token.
	Scoped    map[string][]string
	Canonical string // empty if the page names none
	HTML      bool
	Listable  bool // found by a link or as a seed rather than in a sitemap
}

// Pages compares the URLs that sitemaps list with the pages of a crawl. It keeps
// every listed URL in memory. Use [NewPages] to make one. It is not safe for
// concurrent use.
type Pages struct {
	agents []string
	seed   maphash.Seed
	index  map[uint64]int
	listed []Listed
	met    []bool
}

// NewPages returns a comparison without URLs. agents are those for whom a page's
// directives count, besides the directives for everyone.
func NewPages(agents ...string) *Pages {
	return &Pages{agents: agents, seed: maphash.MakeSeed(), index: map[uint64]int{}}
}

// List adds a listed URL.
func (p *Pages) List(l Listed) {
	p.index[maphash.String(p.seed, l.URL)] = len(p.listed)
	p.listed = append(p.listed, l)
	p.met = append(p.met, l.Blocked)
}

// Judge returns what is wrong with a crawled page: for a listed page whatever
// prevents its indexing, for an indexable one whether no sitemap lists it.
func (p *Pages) Judge(page Page) []Finding {
	at, ok := p.index[maphash.String(p.seed, page.URL)]
	if !ok {
		if page.Listable && page.HTML && page.Status == http.StatusOK && !page.NoIndex && (page.Canonical == "" || page.Canonical == page.URL) {
			return []Finding{{Code: CodeMissing, URL: page.URL, Message: "the page can be indexed but is in no sitemap"}}
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
		say(CodePageStatus, "the page could not be fetched: %s", page.Error)
	case page.Status != http.StatusOK:
		say(CodePageStatus, "the page answers with status %d %s", page.Status, http.StatusText(page.Status))
	}
	if page.NoIndex {
		say(CodePageNoIndex, "the page asks not to be indexed: %s", strings.Join(page.Directives, ", "))
	} else {
		for _, agent := range p.agents {
			directives := page.Scoped[robots.Token(agent)]
			if slices.Contains(directives, "noindex") || slices.Contains(directives, "none") {
				say(CodePageNoIndex, "the page asks %s not to index it: %s", agent, strings.Join(directives, ", "))
				found[len(found)-1].Agent = agent
			}
		}
	}
	if page.Canonical != "" && page.Canonical != page.URL {
		say(CodePageCanonical, "the page names %s as canonical", page.Canonical)
	}
	return found
}

// Skip returns a finding for a listed URL that the crawl did not fetch, with the
// reason. URLs that robots.txt blocks have findings of their own.
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

// Orphans calls say with a finding for each listed URL that the crawl did not
// reach, unless it is blocked.
func (p *Pages) Orphans(say func(Finding) error) error {
	for i, l := range p.listed {
		if p.met[i] {
			continue
		}
		err := say(Finding{Code: CodeOrphan, URL: l.URL, Sitemap: l.Sitemap, SitemapLine: l.Line, Message: "no link of the crawl leads to the page, or the crawl is not finished"})
		if err != nil {
			return err
		}
	}
	return nil
}
