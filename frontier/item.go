package frontier

import (
	"strings"
	"time"
)

// A Source is how a URL was found. The values are stable.
type Source string

// The sources.
const (
	SourceSeed     Source = "seed"
	SourceSitemap  Source = "sitemap"
	SourceLink     Source = "link"
	SourceRedirect Source = "redirect"
)

// A Kind is what a URL is expected to be. The same URL may be known as each.
type Kind uint8

// The kinds.
const (
	KindPage Kind = iota
	KindSitemap
)

// An Item is a URL to be fetched.
type Item struct {
	URL       string // canonical
	Kind      Kind
	Source    Source
	Via       string    // URL of the page or sitemap that names it; empty for seeds
	Depth     int       // links from the nearest seed or sitemap
	Priority  uint8     // lower comes first within a host
	Attempts  int       // requests sent for it so far
	Redirects int       // hops that led here
	NotBefore time.Time // zero means as soon as the host is due
}

// Host returns the politeness key of the item: host name and port.
func (i Item) Host() string { return HostOf(i.URL) }

// Rank orders the items of a host: sitemaps come first, then pages by priority,
// and items that were tried before come last.
func (i Item) Rank() uint8 {
	switch {
	case i.Attempts > 0:
		return 255
	case i.Kind == KindSitemap:
		return 0
	default:
		return min(max(i.Priority, 1), 254)
	}
}

// HostOf returns the politeness key of a canonical URL: host name, and port
// unless it is the default of the scheme.
func HostOf(canonical string) string {
	_, rest, ok := strings.Cut(canonical, "://")
	if !ok {
		return ""
	}
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		rest = rest[:end]
	}
	return rest
}

// OriginOf returns the origin of a canonical URL: scheme, host and port (RFC 6454
// §4), as in "https://farm.example:8443".
func OriginOf(canonical string) string {
	scheme, _, _ := strings.Cut(canonical, "://")
	return scheme + "://" + HostOf(canonical)
}

// A Reason is why a URL was never fetched. The values are stable and the list is
// closed.
type Reason string

// The reasons of skipped.jsonl.
const (
	SkipRobotsDisallow    Reason = "robots-disallow"
	SkipRobotsUnreachable Reason = "robots-unreachable"
	SkipOutOfScope        Reason = "out-of-scope"
	SkipExcluded          Reason = "excluded"
	SkipDepth             Reason = "depth"
	SkipTooLong           Reason = "url-too-long"
	SkipBadURL            Reason = "bad-url"
	SkipScheme            Reason = "scheme"
	SkipPrivateAddress    Reason = "private-address"
	SkipTrap              Reason = "trap"
	SkipContentType       Reason = "content-type"
	SkipLimit             Reason = "limit" // a sitemap or page beyond the number that a crawl reads of a site or host
	SkipNofollow          Reason = "nofollow"
	SkipRedirectLimit     Reason = "redirect-limit"
	SkipNoConsent         Reason = "no-consent" // robots.txt opts out of the purpose of the crawl
)

// Tentative reports whether a better path to the URL may still turn up: a link to
// be followed, or a shorter path. Such a skip is final only at the end.
func (r Reason) Tentative() bool { return r == SkipNofollow || r == SkipDepth }

// A Candidate is a URL offered to the frontier. With a Skip reason it is not
// fetched, only remembered, and written to the skip output if it is new.
type Candidate struct {
	Item
	Skip    Reason
	Pattern string // with SkipTrap: the closed pattern of URLs that it is part of, or ""
}

// A State is the progress of a URL.
type State uint8

// The states. A tentative URL is skipped unless a better path to it turns up.
const (
	StateUnknown State = iota
	StatePending
	StateDone
	StateSkipped
	StateTentative
)

// String returns the stable name of the state.
func (s State) String() string {
	switch s {
	case StatePending:
		return "pending"
	case StateDone:
		return "done"
	case StateSkipped:
		return "skipped"
	case StateTentative:
		return "tentative"
	}
	return "unknown"
}
