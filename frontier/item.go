package frontier

import (
	"strings"
	"time"
)

// A Source says how a URL came to be known. The values are stable.
type Source string

// The sources.
const (
	SourceSeed     Source = "seed"
	SourceSitemap  Source = "sitemap"
	SourceLink     Source = "link"
	SourceRedirect Source = "redirect"
)

// A Kind says what is expected behind a URL. A URL may be known once as each.
type Kind uint8

// The kinds.
const (
	KindPage Kind = iota
	KindSitemap
)

// An Item is a URL that waits or is being fetched.
type Item struct {
	URL       string // canonical
	Kind      Kind
	Source    Source
	Via       string    // URL of the page or sitemap that named it; empty for seeds
	Depth     int       // links from the nearest seed or sitemap
	Priority  uint8     // lower comes first, within a host
	Attempts  int       // requests sent for it so far
	Redirects int       // hops that led here
	NotBefore time.Time // zero: as soon as the host is due
}

// Host gives the politeness key of the item: host name and port.
func (i Item) Host() string { return HostOf(i.URL) }

// Rank orders the items of a host: sitemaps first, then by priority, and what
// has been tried before comes last.
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

// HostOf gives the politeness key of a canonical URL: host name and port, the
// port written out only where it is not the scheme's own.
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

// OriginOf gives the origin of a canonical URL: scheme, host and port (RFC 6454
// §4), as in "https://farm.example:8443".
func OriginOf(canonical string) string {
	scheme, _, _ := strings.Cut(canonical, "://")
	return scheme + "://" + HostOf(canonical)
}

// A Reason says why a URL was never fetched. The values are stable and the
// list is closed.
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
	SkipNofollow          Reason = "nofollow"
	SkipRedirectLimit     Reason = "redirect-limit"
	SkipNoConsent         Reason = "no-consent" // robots.txt is against what the pages are for
)

// Tentative reports whether a better way to the URL may still turn up: a
// followed link, a shorter path. Such a skip is final only at the end.
func (r Reason) Tentative() bool { return r == SkipNofollow || r == SkipDepth }

// A Candidate is a URL offered to the frontier. With a Skip reason it is only
// remembered, and written to the skip output if it is new.
type Candidate struct {
	Item
	Skip Reason
}

// A State is where a URL stands.
type State uint8

// The states. Tentative is skipped unless a better way turns up.
const (
	StateUnknown State = iota
	StatePending
	StateDone
	StateSkipped
	StateTentative
)

// String gives the stable name of the state.
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
