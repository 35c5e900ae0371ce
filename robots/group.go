package robots

import (
	"cmp"
	"slices"
	"sort"
	"strings"
	"time"
)

// A Group is what a file says to one agent: all groups that name its token,
// merged, or those for "*" when none does (RFC 9309 §2.2.1).
type Group struct {
	token   string // token in lower case, "*", or "" when the file has neither
	rules   []Rule // all, in file order
	literal index  // rules without special characters
	wild    index  // the others, by what stands before the first one
	delay   time.Duration
	delayed bool
}

// Group gives the group of agent, a product token or a whole User-Agent value.
// Keep it when many URLs are to be judged for one agent.
func (f *File) Group(agent string) *Group {
	token := Token(agent)
	if token == "" || !f.names(token) {
		token = "*"
	}
	return f.group(token)
}

// group gives the merged group of exactly this token.
func (f *File) group(token string) *Group {
	f.mu.Lock()
	defer f.mu.Unlock()
	g, ok := f.groups[token]
	if !ok {
		g = f.merge(token)
		f.groups[token] = g
	}
	return g
}

// names reports whether a User-agent line of the file names the token.
func (f *File) names(token string) bool {
	return slices.ContainsFunc(f.sections, func(s section) bool { return slices.Contains(s.agents, token) })
}

func (f *File) merge(token string) *Group {
	g := &Group{}
	for _, s := range f.sections {
		if slices.Contains(s.agents, token) {
			g.token = token
			g.rules = append(g.rules, s.rules...)
		}
	}
	for _, d := range f.delays {
		if slices.Contains(d.agents, token) {
			g.delay, g.delayed = max(g.delay, d.value), true
		}
	}
	for i := range g.rules {
		pattern := g.rules[i].pattern
		special := strings.IndexByte(pattern, '*')
		if special < 0 && strings.HasSuffix(pattern, "$") {
			special = len(pattern) - 1
		}
		if special < 0 {
			g.literal.add(pattern, &g.rules[i])
		} else {
			g.wild.add(pattern[:special], &g.rules[i])
		}
	}
	g.literal.build()
	g.wild.build()
	return g
}

// Token gives the token whose group this is, in lower case: "*" when only the
// group for all applies, empty when the file has no group for the agent at all.
func (g *Group) Token() string { return g.token }

// CrawlDelay gives the largest Crawl-delay of the group and whether it has one.
func (g *Group) CrawlDelay() (time.Duration, bool) { return g.delay, g.delayed }

// Rules gives the rules of the group in file order.
func (g *Group) Rules() []Rule { return slices.Clone(g.rules) }

// decide gives the rule that wins for a path in normal form: the longest, and
// Allow among equals (RFC 9309 §2.2.2). Nil when none matches.
func (g *Group) decide(path string) *Rule {
	var best *Rule
	for at := g.literal.find(path); at >= 0; at = g.literal.parent(at) {
		if strings.HasPrefix(path, g.literal.keys[at].prefix) {
			best = g.literal.keys[at].rules[0]
			break
		}
	}
	for at := g.wild.find(path); at >= 0; at = g.wild.parent(at) {
		key := &g.wild.keys[at]
		if !strings.HasPrefix(path, key.prefix) {
			continue
		}
		for _, rule := range key.rules {
			if !beats(rule, best) {
				break
			}
			if matchPattern(rule.pattern, path) {
				best = rule
			}
		}
	}
	return best
}

// beats reports whether rule a wins over b when both match.
func beats(a, b *Rule) bool { return b == nil || byWeight(a, b) < 0 }

// byWeight orders rules by who wins: length, then Allow. Equal ones keep the
// first in the file, so that the named line is stable.
func byWeight(a, b *Rule) int {
	if c := cmp.Compare(len(b.pattern), len(a.pattern)); c != 0 {
		return c
	}
	if a.Allow != b.Allow {
		if a.Allow {
			return -1
		}
		return 1
	}
	return cmp.Compare(a.Line, b.Line)
}

// index finds all keys that are a prefix of a path: the keys are sorted, and
// each points to the longest other key that is a prefix of it.
type index struct {
	keys []indexKey
}

type indexKey struct {
	prefix string
	parent int
	rules  []*Rule // the winners first
}

func (x *index) add(prefix string, rule *Rule) {
	if prefix != "" && prefix[0] != '/' {
		return // no path begins so
	}
	x.keys = append(x.keys, indexKey{prefix: prefix, rules: []*Rule{rule}})
}

func (x *index) build() {
	slices.SortStableFunc(x.keys, func(a, b indexKey) int { return strings.Compare(a.prefix, b.prefix) })
	merged := x.keys[:0]
	for _, key := range x.keys {
		if n := len(merged); n > 0 && merged[n-1].prefix == key.prefix {
			merged[n-1].rules = append(merged[n-1].rules, key.rules...)
			continue
		}
		merged = append(merged, key)
	}
	x.keys = merged
	for i := range x.keys {
		slices.SortFunc(x.keys[i].rules, byWeight)
		parent := i - 1
		for parent >= 0 && !strings.HasPrefix(x.keys[i].prefix, x.keys[parent].prefix) {
			parent = x.keys[parent].parent
		}
		x.keys[i].parent = parent
	}
}

// find gives the last key that is not greater than path, or -1. Every key that
// is a prefix of path is that one or one of its ancestors.
func (x *index) find(path string) int {
	return sort.Search(len(x.keys), func(i int) bool { return x.keys[i].prefix > path }) - 1
}

func (x *index) parent(at int) int { return x.keys[at].parent }
