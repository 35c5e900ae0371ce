package crawler

import (
	"errors"
	"strings"

	"github.com/decorum-crawler/decorum/frontier"
	"github.com/decorum-crawler/decorum/internal/secret"
)

// Priorities within a host; lower comes first.
const (
	prioritySeed     = 1
	prioritySitemap  = 10 // and up to 50 more, by the priority of the entry
	priorityRedirect = 80
	priorityLink     = 100
)

// candidate resolves an address and returns it as a candidate for the frontier,
// with a reason to skip it if there is one. item tells how the address was
// found; its URL is set to the resolved one.
func (c *Crawl) candidate(base frontier.Base, href string, item frontier.Item) frontier.Candidate {
	canonical, err := base.Resolve(href, c.limits.MaxURLLength)
	if err != nil {
		item.URL = cutText(secret.Address(href), c.limits.MaxURLLength)
		return frontier.Candidate{Item: item, Skip: skipOf(err)}
	}
	item.URL = canonical
	found := frontier.Candidate{Item: item}
	if c.options.Scope != nil {
		found.Skip = c.options.Scope.Judge(canonical)
	}
	switch {
	case found.Skip != "":
	case c.limits.LacksContact(canonical): // the crawl could start on local hosts without one
		found.Skip = frontier.SkipOutOfScope
	case c.traps.looped(canonical), c.traps.repeats(canonical):
		found.Skip = frontier.SkipTrap
	case c.quota.spent(canonical):
		found.Skip = frontier.SkipLimit
	case item.Redirects > max(c.limits.MaxRedirects, 0):
		found.Skip = frontier.SkipRedirectLimit
	case item.Depth > max(c.options.MaxDepth, 0):
		found.Skip = frontier.SkipDepth
	default:
		if found.Pattern = c.traps.closed(item); found.Pattern != "" {
			found.Skip = frontier.SkipTrap
		}
	}
	if found.Skip != "" && !found.Skip.Tentative() {
		found.URL = secret.Address(canonical) // it is written, but never requested
	}
	return found
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

// Bounds beyond which a URL is taken for part of a crawler trap.
const (
	maxSegments      = 20
	maxSegmentRepeat = 3
	maxParameters    = 100
	maxParamRepeat   = 5
)

// isTrap reports whether a URL looks like part of an endless site: too many path
// segments, a segment that repeats, or a query that grows.
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
