package lint

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// budget bounds the comparisons of rules with each other, in octets. What is
// beyond it is not reported.
const budget = 20_000_000

// everything is the meaning of a pattern that matches every path.
const everything = "/*"

// rules reports rules without effect. A rule applies to all agents of its
// section, so it must be idle for each of them.
func (l *linter) rules() {
	s := shadows{file: l.file, left: budget, doomed: map[int]int{}, idle: map[int]bool{}, open: map[int]bool{}, useful: map[int]bool{}}
	seen := map[string]bool{}
	for _, token := range l.file.tokens {
		if key := l.file.sectionsOf(token); !seen[key] {
			seen[key] = true
			s.find(l.file.group(token))
		}
	}
	for id, r := range l.file.rules {
		l.number = r.Line
		if winner, ok := s.doomed[id]; ok && !s.open[id] {
			l.doomed(r, l.file.rules[winner])
		} else if s.idle[id] && !s.useful[id] {
			l.say(CodeIdleAllow, SeverityInfo, "", "no Disallow of the group is overridden by this Allow; URLs that no rule matches are allowed anyway")
			l.remove(r.section)
		}
	}
}

func (l *linter) doomed(r, winner rule) {
	if r.Allow == winner.Allow && r.pattern == winner.pattern {
		l.say(CodeDuplicateRule, SeverityInfo, "", "line %d says the same", winner.Line)
		l.remove(r.section)
		return
	}
	severity := SeverityWarning
	if r.Allow == winner.Allow {
		severity = SeverityInfo
	}
	l.say(CodeShadowedRule, severity, "delete one of the two", "the rule never decides: line %d, %s, wins for every URL that this one matches", winner.Line, winner.Rule)
}

// sectionsOf returns a name for the sections of a token; equal names mean equal
// rules.
func (f *file) sectionsOf(token string) string {
	var b strings.Builder
	for _, s := range f.groups[token] {
		b.WriteString(strconv.Itoa(s.agents[0].line) + " ")
	}
	return b.String()
}

// shadows finds the rules of groups that never decide. Rules are indexes into
// those of the file.
type shadows struct {
	file   *file
	left   int          // of the budget
	doomed map[int]int  // rule to one that wins whenever it matches
	open   map[int]bool // rules that decide for some agent
	idle   map[int]bool // Allow rules that override nothing
	useful map[int]bool // those that do, for some agent
	wild   wild         // of the group
}

// wild has the rules of a group with special characters, by the text before the
// first one.
type wild struct {
	rules   map[string][]int
	lengths []int // of the texts, ascending
}

func (s *shadows) find(group []int) {
	group = slices.DeleteFunc(group, func(id int) bool { return !s.file.rules[id].matchesSome() })
	best := map[string]int{} // by what they match
	var forbidding []int
	for _, id := range group {
		form := s.meaning(id)
		if other, ok := best[form]; !ok || s.beats(id, other) {
			best[form] = id
		}
		if !s.file.rules[id].Allow {
			forbidding = append(forbidding, id)
		}
	}
	s.index(group)
	for _, id := range group {
		winner := best[s.meaning(id)]
		if winner == id && !s.file.rules[id].lenient { // what is covered by text may match more, if lenient
			winner = s.wider(id)
		}
		if winner >= 0 && winner != id {
			s.doomed[id] = winner
		} else {
			s.open[id] = true
		}
		// With nothing to override, an Allow states what is meant.
		if s.file.rules[id].Allow && len(forbidding) > 0 && !s.overrides(id, forbidding) {
			s.idle[id] = true
		} else {
			s.useful[id] = true
		}
	}
}

func (s *shadows) index(group []int) {
	s.wild = wild{rules: map[string][]int{}}
	for _, id := range group {
		pattern := s.file.rules[id].pattern
		end := special(pattern)
		if end == len(pattern) {
			continue
		}
		if _, ok := s.wild.rules[pattern[:end]]; !ok {
			s.wild.lengths = append(s.wild.lengths, end)
		}
		s.wild.rules[pattern[:end]] = append(s.wild.rules[pattern[:end]], id)
	}
	slices.Sort(s.wild.lengths)
	s.wild.lengths = slices.Compact(s.wild.lengths)
}

// beats reports whether rule a wins over b if both match: the longer, then the
// Allow, then the first in the file.
func (s *shadows) beats(a, b int) bool {
	x, y := s.file.rules[a], s.file.rules[b]
	if c := cmp.Compare(x.octets, y.octets); c != 0 {
		return c > 0
	}
	if x.Allow != y.Allow {
		return x.Allow
	}
	return a < b
}

// meaning is the function of that name, but tells lenient rules from others.
func (s *shadows) meaning(id int) string {
	r := s.file.rules[id]
	if r.lenient {
		return "lenient " + meaning(r.pattern)
	}
	return meaning(r.pattern)
}

// meaning returns the same text for patterns that match the same paths and
// differ only in repeated stars, stars at the end, or a star in place of
// the slash that every path begins with.
func meaning(pattern string) string {
	form := closed(pattern)
	for strings.Contains(form, "**") {
		form = strings.ReplaceAll(form, "**", "*")
	}
	if form == "*" {
		return everything
	}
	return form
}

// wider returns a rule with special characters that beats rule id and matches
// every path that it matches, or -1.
func (s *shadows) wider(id int) int {
	pattern := s.file.rules[id].pattern
	plain := pattern[:special(pattern)]
	for _, length := range s.wild.lengths {
		if length > len(plain) {
			break
		}
		for _, other := range s.wild.rules[plain[:length]] {
			if other == id || !s.beats(other, id) {
				continue
			}
			text := s.file.rules[other].pattern
			if !s.spend(len(text) * len(pattern)) {
				return -1
			}
			if covers(text, pattern) {
				return other
			}
		}
	}
	return -1
}

// overrides reports whether an Allow decides a path against a Disallow.
func (s *shadows) overrides(id int, forbidding []int) bool {
	pattern := s.file.rules[id].pattern
	for _, other := range forbidding {
		r := s.file.rules[other]
		if s.beats(other, id) {
			continue
		}
		switch {
		case !s.spend(1):
			return true
		case r.lenient:
			if prefixesAgree(strict(r.pattern), pattern) {
				return true // it may match more than its text
			}
		case !prefixesAgree(r.pattern, pattern):
		case !s.spend(len(r.pattern) * len(pattern)), overlaps(r.pattern, pattern):
			return true
		}
	}
	return false
}

// strict returns the beginning of a lenient pattern that matches only itself.
func strict(pattern string) string {
	if end := strings.IndexAny(pattern, "?%*$"); end >= 0 {
		return pattern[:end]
	}
	return pattern
}

// spend subtracts from the budget and reports whether it was enough.
func (s *shadows) spend(octets int) bool {
	s.left -= octets
	return s.left >= 0
}
