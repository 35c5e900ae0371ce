package frontier

import (
	"fmt"
	"regexp"
	"strings"

	"golang.org/x/net/publicsuffix"
)

// A Reach is how far from its seeds a crawl goes. The values are stable.
type Reach string

// The reaches.
const (
	ReachHost   Reach = "host"   // same host name and port
	ReachDomain Reach = "domain" // same registrable domain, by the public suffix list
	ReachPrefix Reach = "prefix" // same host, and the seed's folder or below
	ReachAny    Reach = "any"
)

// maxExpression bounds an include or exclude expression, in bytes.
const maxExpression = 4 << 10

// A Scope decides which URLs belong to a crawl. Make one with [NewScope]. It is
// safe for concurrent use.
type Scope struct {
	reach   Reach
	within  map[string]bool // hosts or domains
	folders []string        // for ReachPrefix
	include []*regexp.Regexp
	exclude []*regexp.Regexp
}

// NewScope returns the scope around canonical seeds: a URL has to be within reach
// of one of them. include and exclude are RE2 expressions on the whole URL. If
// there are includes, one of them must match; no exclude may.
func NewScope(reach Reach, seeds, include, exclude []string) (*Scope, error) {
	s := &Scope{reach: reach, within: map[string]bool{}}
	switch reach {
	case ReachHost, ReachDomain, ReachPrefix, ReachAny:
	default:
		return nil, fmt.Errorf("read scope %q: want host, domain, prefix or any", reach)
	}
	for _, seed := range seeds {
		s.within[s.unit(seed)] = true
		s.folders = append(s.folders, hostFolder(seed))
	}
	var err error
	if s.include, err = compile(include); err != nil {
		return nil, err
	}
	s.exclude, err = compile(exclude)
	return s, err
}

// Judge returns [SkipOutOfScope] or [SkipExcluded] for a canonical URL that does
// not belong to the crawl, and an empty reason for one that does.
func (s *Scope) Judge(canonical string) Reason {
	if !s.reaches(canonical) {
		return SkipOutOfScope
	}
	if len(s.include) > 0 && !matchAny(s.include, canonical) || matchAny(s.exclude, canonical) {
		return SkipExcluded
	}
	return ""
}

// Excludes reports whether an expression excludes a URL. That applies to sitemaps
// as well, which no other rule of a scope is about.
func (s *Scope) Excludes(canonical string) bool { return matchAny(s.exclude, canonical) }

func (s *Scope) reaches(canonical string) bool {
	switch s.reach {
	case ReachAny:
		return true
	case ReachPrefix:
		_, rest, _ := strings.Cut(canonical, "://")
		for _, folder := range s.folders {
			if strings.HasPrefix(rest, folder) {
				return true
			}
		}
		return false
	}
	return s.within[s.unit(canonical)]
}

// unit returns the host or domain of a URL, whichever the reach is about.
func (s *Scope) unit(canonical string) string {
	host := HostOf(canonical)
	if s.reach != ReachDomain {
		return host
	}
	if colon := strings.LastIndexByte(host, ':'); colon > strings.LastIndexByte(host, ']') {
		host = host[:colon]
	}
	domain, err := publicsuffix.EffectiveTLDPlusOne(host)
	if err != nil {
		return host // an address, or a name of one label
	}
	return domain
}

// hostFolder returns the seed up to its last slash, without scheme and query.
func hostFolder(seed string) string {
	_, rest, _ := strings.Cut(seed, "://")
	rest, _, _ = strings.Cut(rest, "?")
	return rest[:strings.LastIndexByte(rest, '/')+1]
}

func compile(expressions []string) ([]*regexp.Regexp, error) {
	var compiled []*regexp.Regexp
	for _, expression := range expressions {
		if len(expression) > maxExpression {
			return nil, fmt.Errorf("read expression of %d bytes: at most %d", len(expression), maxExpression)
		}
		re, err := regexp.Compile(expression)
		if err != nil {
			return nil, fmt.Errorf("read expression %q: %w", expression, err)
		}
		compiled = append(compiled, re)
	}
	return compiled, nil
}

func matchAny(expressions []*regexp.Regexp, text string) bool {
	for _, re := range expressions {
		if re.MatchString(text) {
			return true
		}
	}
	return false
}
