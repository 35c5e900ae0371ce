package robots

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"time"
)

// A Group holds what a file says to one agent: all groups that name its token,
// merged, or those for "*" if none does (RFC 9309 §2.2.1).
type Group struct {
	file    *File
	token   string // token in lower case, "*", or "" if the file has neither
	literal index  // rules that match exactly the paths that begin with them, by length
	wild    index  // the others, by the text before the first special character
	ruled   bool   // it has a rule, perhaps one without a value
	delay   time.Duration
	delayed bool
}

// Group returns the group of agent, a product token or a whole User-Agent value.
// The rules of a group are indexed once, at the first call.
func (f *File) Group(agent string) *Group { return f.group(f.tokenFor(agent)) }

// tokenFor returns the token whose lines count for agent: its own if the file
// names it, else "*".
func (f *File) tokenFor(agent string) string {
	token := Token(agent)
	if token == "" || !f.names(token) {
		return "*"
	}
	return token
}

// Agents returns the tokens that the User-agent lines name, "*" included, in
// lower case, in order and without duplicates.
func (f *File) Agents() []string {
	var tokens []string
	seen := map[string]bool{"": true}
	for _, s := range f.sections {
		for _, a := range s.agents {
			if !seen[a.token] {
				seen[a.token] = true
				tokens = append(tokens, a.token)
			}
		}
	}
	return tokens
}

// group returns the merged group of exactly this token.
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
	f.tokens.Do(func() {
		f.tokens.set = map[string]struct{}{}
		for _, s := range f.sections {
			for _, a := range s.agents {
				f.tokens.set[a.token] = struct{}{}
			}
		}
	})
	_, ok := f.tokens.set[token]
	return ok
}

func (f *File) merge(token string) *Group {
	g := &Group{file: f}
	total := 0
	for _, s := range f.sections {
		if s.names(token) {
			g.token, g.ruled = token, g.ruled || s.ruled
			total += s.last - s.first
		}
	}
	for _, d := range f.delays {
		if slices.Contains(d.agents, token) {
			g.delay, g.delayed = max(g.delay, d.value), true
		}
	}
	g.literal.keys = make([]key, 0, total)
	for id := range g.ids() {
		r := f.rules[id]
		pattern := f.pattern(r)
		if pattern[0] != '/' && pattern[0] != '*' {
			continue // it matches no path
		}
		k := key{rule: id, plain: int32(special(pattern))}
		if r.lenient() {
			k.plain = min(k.plain, int32(lenientFrom(pattern)))
		}
		if r.line&(bitLenient|bitPercent) != 0 || int(k.plain) < len(pattern) {
			g.wild.keys = append(g.wild.keys, k)
		} else {
			g.literal.keys = append(g.literal.keys, k)
		}
	}
	g.literal.build(g)
	g.wild.build(g)
	return g
}

// ids yields the rules of the group in file order.
func (g *Group) ids() iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for _, s := range g.file.sections {
			if g.token == "" || !s.names(g.token) {
				continue
			}
			for id := s.first; id < s.last; id++ {
				if !yield(int32(id)) {
					return
				}
			}
		}
	}
}

// special returns the place of the first special character of a pattern, or its
// length if it has none.
func special(pattern string) int {
	if at := strings.IndexByte(pattern, '*'); at >= 0 {
		return at
	}
	return len(strings.TrimSuffix(pattern, "$"))
}

// Token returns the token whose group this is, in lower case: "*" if only the
// group for all agents applies, "" if the file has no group for the agent.
func (g *Group) Token() string { return g.token }

// CrawlDelay returns the largest Crawl-delay of the group and whether it has one.
func (g *Group) CrawlDelay() (time.Duration, bool) { return g.delay, g.delayed }

// Rules returns the rules of the group in file order.
func (g *Group) Rules() []Rule {
	var rules []Rule
	for id := range g.ids() {
		rules = append(rules, g.file.rule(g.file.rules[id]))
	}
	return rules
}

// Lines returns the line numbers of the User-agent lines that name the group's
// token.
func (g *Group) Lines() []int {
	var lines []int
	for _, s := range g.file.sections {
		for _, a := range s.agents {
			if g.token != "" && a.token == g.token {
				lines = append(lines, a.line)
			}
		}
	}
	return lines
}

// A Match is a rule that matches a path.
type Match struct {
	Rule   Rule
	Octets int // length of its normal form, which decides
}

// Matches returns every rule of the group that matches pathQuery, the deciding
// one first. It is for explanations: [Group.Check] finds the first of them
// faster.
func (g *Group) Matches(pathQuery string) []Match {
	path := Normalize(pathQuery)
	ids := slices.Collect(g.ids())
	ids = slices.DeleteFunc(ids, func(id int32) bool { return !g.matches(id, path) })
	slices.SortFunc(ids, g.byWeight)
	matches := make([]Match, len(ids))
	for i, id := range ids {
		r := g.file.rules[id]
		matches[i] = Match{g.file.rule(r), g.file.octets(r)}
	}
	return matches
}

// decide returns the rule that wins for a path in normal form: the longest, and
// Allow among equals (RFC 9309 §2.2.2). It is negative if none matches.
func (g *Group) decide(path string) int32 {
	best := int32(-1)
	for at := g.literal.find(g, path); at >= 0; at = g.literal.keys[at].parent {
		if id := g.literal.keys[at].rule; strings.HasPrefix(path, g.file.pattern(g.file.rules[id])) {
			best = id // the longest and first; all others are shorter or lose
			break
		}
	}
	for at := g.wild.find(g, path); at >= 0; at = g.wild.keys[at].parent {
		id := g.wild.keys[at].rule
		if g.beats(id, best) && g.matches(id, path) {
			best = id
		}
	}
	return best
}

// matches reports whether a rule matches a path in normal form.
func (g *Group) matches(id int32, path string) bool {
	r := g.file.rules[id]
	if r.lenient() {
		return matchLenient(g.file.pattern(r), path)
	}
	return matchPattern(g.file.pattern(r), path)
}

// beats reports whether rule a wins over b if both match.
func (g *Group) beats(a, b int32) bool { return b < 0 || g.byWeight(a, b) < 0 }

// byWeight orders rules by which one wins: by length, then Allow. Of equal ones
// the first in the file wins, so that the named line is stable.
func (g *Group) byWeight(a, b int32) int {
	x, y := g.file.rules[a], g.file.rules[b]
	if c := cmp.Compare(g.file.octets(y), g.file.octets(x)); c != 0 {
		return c
	}
	if x.allow() != y.allow() {
		if x.allow() {
			return -1
		}
		return 1
	}
	return cmp.Compare(a, b)
}

// octets is [Rule.Octets].
func (f *File) octets(r rule) int {
	length := r.count
	if length == 0 {
		length = r.size
	}
	if r.line&bitPercent != 0 {
		return int(length) + 2*lonePercents(f.pattern(r))
	}
	return int(length)
}

// index finds all rules whose plain beginning is a prefix of a path: they are
// sorted by it, and each points to the longest other one that is a prefix of
// its own. Among equal ones the winner is last and points to the next.
type index struct {
	keys []key
}

type key struct {
	rule, parent int32
	plain        int32 // octets before the first that may match others
}

func (x *index) build(g *Group) {
	slices.SortFunc(x.keys, func(a, b key) int {
		if c := strings.Compare(g.prefix(a), g.prefix(b)); c != 0 {
			return c
		}
		return g.byWeight(b.rule, a.rule)
	})
	for i := range x.keys {
		own := g.prefix(x.keys[i])
		parent := int32(i) - 1
		for parent >= 0 && !strings.HasPrefix(own, g.prefix(x.keys[parent])) {
			parent = x.keys[parent].parent
		}
		x.keys[i].parent = parent
	}
}

// prefix returns the text with which every path begins that the rule matches.
func (g *Group) prefix(k key) string {
	return g.file.pattern(g.file.rules[k.rule])[:k.plain]
}

// find returns the last key that is not greater than path, or -1. Every key that
// is a prefix of path is that one or one of its ancestors.
func (x *index) find(g *Group, path string) int32 {
	low, high := 0, len(x.keys)
	for low < high {
		middle := int(uint(low+high) >> 1)
		if g.prefix(x.keys[middle]) > path {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return int32(low) - 1
}
