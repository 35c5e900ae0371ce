package crawler

import (
	"errors"
	"strings"

	"github.com/decorum-crawler/decorum/crawler/fetch"
	"github.com/decorum-crawler/decorum/frontier"
)

// Priorities within a host; lower comes first.
const (
	prioritySeed     = 1
	prioritySitemap  = 10 // and up to 50 more, by the priority of the entry
	priorityRedirect = 80
	priorityLink     = 100
)

// candidate brings an address that something named into the form in which the
// frontier takes it, with a reason to skip it where there is one. How it was
// named stands in item; item.URL is what it was resolved to.
func (c *Crawl) candidate(base frontier.Base, href string, item frontier.Item) frontier.Candidate {
	canonical, err := base.Resolve(href, c.limits.MaxURLLength)
	if err != nil {
		item.URL = cutText(href, c.limits.MaxURLLength)
		return frontier.Candidate{Item: item, Skip: skipOf(err)}
	}
	item.URL = canonical
	found := frontier.Candidate{Item: item}
	if c.options.Scope != nil {
		found.Skip = c.options.Scope.Judge(canonical)
	}
	switch {
	case found.Skip != "":
	case c.foreign(canonical):
		found.Skip = frontier.SkipOutOfScope
	case isTrap(canonical):
		found.Skip = frontier.SkipTrap
	case item.Redirects > max(c.limits.MaxRedirects, 0):
		found.Skip = frontier.SkipRedirectLimit
	case item.Depth > max(c.options.MaxDepth, 0):
		found.Skip = frontier.SkipDepth
	}
	return found
}

// foreign reports whether a URL is on a public host while the crawl, which was
// allowed to begin on local ones, names nobody to turn to.
func (c *Crawl) foreign(canonical string) bool {
	return c.limits.Contact == "" && errors.Is(c.limits.Validate(canonical), fetch.ErrNoContact)
}

// skipOf returns the skip reason of an address that cannot be a URL of a crawl.
func skipOf(err error) frontier.Reason {
	switch {
	case errors.Is(err, frontier.ErrScheme):
		return frontier.SkipScheme
	case errors.Is(err, frontier.ErrTooLong):
		return frontier.SkipTooLong
	default:
		return frontier.SkipBadURL
	}
}

// Bounds beyond which a URL looks made by a mistake that feeds itself.
const (
	maxSegments      = 20
	maxSegmentRepeat = 3
	maxParameters    = 100
	maxParamRepeat   = 5
)

// isTrap reports whether a URL shows the signs of an endless site: too many
// path segments, one that comes back again and again, a query that grows.
func isTrap(canonical string) bool {
	_, rest, _ := strings.Cut(canonical, "://")
	path, query, _ := strings.Cut(rest, "?")
	_, path, _ = strings.Cut(path, "/")
	if strings.Count(path, "/") >= maxSegmentRepeat {
		seen := map[string]int{}
		segments := 0
		for segment := range strings.SplitSeq(path, "/") {
			segments++
			if segment != "" {
				seen[segment]++
			}
			if segments > maxSegments || seen[segment] > maxSegmentRepeat {
				return true
			}
		}
	}
	if strings.Count(query, "&") < maxParamRepeat {
		return false
	}
	seen := map[string]int{}
	parameters := 0
	for parameter := range strings.SplitSeq(query, "&") {
		name, _, _ := strings.Cut(parameter, "=")
		seen[name]++
		parameters++
		if parameters > maxParameters || seen[name] > maxParamRepeat {
			return true
		}
	}
	return false
}
