package robots

import (
	"slices"
	"strconv"
	"strings"
)

// groups judges how the file is divided into groups.
func (l *linter) groups() {
	first := map[string]int{} // section of the first line that names a token
	for i, s := range l.file.sections {
		l.repeats(first, s)
		for _, a := range s.agents {
			if _, ok := first[a.token]; !ok {
				first[a.token] = i
			}
		}
	}
	for _, token := range l.file.Agents() {
		l.empty(token)
	}
}

// repeats reports agents of a section that were named before.
func (l *linter) repeats(first map[string]int, s section) {
	here := map[string]bool{}
	duplicate := -1
	for _, a := range s.agents {
		at, known := first[a.token]
		l.number = a.line
		switch {
		case a.token == "":
		case here[a.token]:
			l.say(CodeDuplicateAgent, SeverityInfo, "delete the line", "%s is named twice for the same rules", a.token)
		case known && at == duplicate:
		case known && sameAgents(l.file.sections[at], s):
			duplicate = at
			l.say(CodeDuplicateGroup, SeverityWarning, "move the rules into one group",
				"this group is for the same crawlers as the one on line %d; crawlers merge the two, but some use only the first", l.lineOf(at, a.token))
		case known:
			l.say(CodeSplitGroup, SeverityWarning, "move the rules for "+a.token+" into one group",
				"%s also has a group on line %d; crawlers merge the two, but some use only the first", a.token, l.lineOf(at, a.token))
		}
		here[a.token] = true
	}
}

// lineOf returns the line on which a section names a token.
func (l *linter) lineOf(section int, token string) int {
	for _, a := range l.file.sections[section].agents {
		if a.token == token {
			return a.line
		}
	}
	return 0
}

func sameAgents(a, b section) bool {
	return !slices.ContainsFunc(a.agents, func(x agent) bool { return !b.names(x.token) }) &&
		!slices.ContainsFunc(b.agents, func(x agent) bool { return !a.names(x.token) })
}

// empty reports a token none of whose groups has a rule.
func (l *linter) empty(token string) {
	l.number = 0
	for i, s := range l.file.sections {
		if !s.names(token) {
			continue
		}
		if s.ruled {
			return
		}
		if l.number == 0 {
			l.number = l.lineOf(i, token)
		}
	}
	if token == TrainingToken {
		l.say(CodeEmptyTrainingGroup, SeverityWarning, "write Disallow: / below it, or Allow: / to say so explicitly",
			"the group for %s has no rule, which counts as in favor of AI training with all pages", token)
		return
	}
	l.say(CodeEmptyGroup, SeverityInfo, "write Disallow: below it to say so explicitly", "the group for %s has no rule, so everything is allowed", token)
}

// budget bounds the comparisons of rules with each other, in octets. What is
// beyond it is not reported.
const budget = 20_000_000

// rules reports rules without effect. A rule applies to all agents of its
// section, so it must be idle for each of them.
func (l *linter) rules() {
	s := shadows{file: l.file, left: budget, doomed: map[int32]int32{}, idle: map[int32]bool{}, open: map[int32]bool{}, useful: map[int32]bool{}}
	seen := map[string]bool{}
	for _, token := range l.file.Agents() {
		if key := l.sectionsOf(token); !seen[key] {
			seen[key] = true
			s.findShadowed(l.file.group(token))
		}
	}
	for id, r := range l.file.rules {
		l.number = r.number()
		if winner, ok := s.doomed[int32(id)]; ok && !s.open[int32(id)] {
			l.doomed(r, l.file.rules[winner])
		} else if s.idle[int32(id)] && !s.useful[int32(id)] {
			l.say(CodeIdleAllow, SeverityInfo, "delete the line", "no Disallow of the group is overridden by this Allow; URLs that no rule matches are allowed anyway")
		}
	}
}

func (l *linter) doomed(r, winner rule) {
	one, other := l.file.rule(r), l.file.rule(winner)
	if one.Allow == other.Allow && l.file.pattern(r) == l.file.pattern(winner) {
		l.say(CodeDuplicateRule, SeverityInfo, "delete the line", "line %d says the same", other.Line)
		return
	}
	severity := SeverityWarning
	if one.Allow == other.Allow {
		severity = SeverityInfo
	}
	l.say(CodeShadowedRule, severity, "delete one of the two", "the rule never decides: line %d, %s, wins for every URL that this one matches", other.Line, other)
}

// sectionsOf returns a name for the sections of a token; equal names mean equal
// rules.
func (l *linter) sectionsOf(token string) string {
	var b strings.Builder
	for i, s := range l.file.sections {
		if s.names(token) {
			b.WriteString(strconv.Itoa(i) + " ")
		}
	}
	return b.String()
}

// shadows finds the rules of groups that never decide.
type shadows struct {
	file   *File
	left   int             // of the budget
	doomed map[int32]int32 // rule to one that wins whenever it matches
	open   map[int32]bool  // rules that decide for some agent
	idle   map[int32]bool  // Allow rules that override nothing
	useful map[int32]bool  // those that do, for some agent
}

func (s *shadows) findShadowed(g *Group) {
	ids := slices.DeleteFunc(slices.Collect(g.ids()), func(id int32) bool {
		first := g.file.pattern(g.file.rules[id])[0]
		return first != '/' && first != '*' // matches nothing, and has been reported
	})
	best := map[string]int32{} // by what they match
	var forbidding []int32
	for _, id := range ids {
		form := g.meaning(id)
		if other, ok := best[form]; !ok || g.byWeight(id, other) < 0 {
			best[form] = id
		}
		if !g.file.rules[id].allow() {
			forbidding = append(forbidding, id)
		}
	}
	for _, id := range ids {
		r := g.file.rules[id]
		winner := best[g.meaning(id)]
		if winner == id && !r.lenient() { // what is covered by text may match more, if lenient
			winner = s.wider(g, id)
		}
		if winner >= 0 && winner != id {
			s.doomed[id] = winner
		} else {
			s.open[id] = true
		}
		if r.allow() && !s.overrides(g, id, forbidding) {
			s.idle[id] = true
		} else {
			s.useful[id] = true
		}
	}
}

// meaning returns the same text for rules that match the same paths and whose
// patterns differ only in repeated stars or stars at the end.
func (g *Group) meaning(id int32) string {
	r := g.file.rules[id]
	form := closed(g.file.pattern(r))
	if r.lenient() {
		form = "lenient " + form
	}
	for strings.Contains(form, "**") {
		form = strings.ReplaceAll(form, "**", "*")
	}
	return form
}

// wider returns a rule with special characters that beats rule id and matches
// every path that it matches, or -1.
func (s *shadows) wider(g *Group, id int32) int32 {
	pattern := g.file.pattern(g.file.rules[id])
	for at := g.wild.find(g, pattern); at >= 0; at = g.wild.keys[at].parent {
		other := g.wild.keys[at].rule
		if other == id || g.byWeight(other, id) > 0 {
			continue
		}
		text := g.file.pattern(g.file.rules[other])
		if !s.spend(len(text) * len(pattern)) {
			return -1
		}
		if covers(text, pattern) {
			return other
		}
	}
	return -1
}

// overrides reports whether an Allow decides a path against a Disallow.
func (s *shadows) overrides(g *Group, id int32, forbidding []int32) bool {
	pattern := g.file.pattern(g.file.rules[id])
	for _, other := range forbidding {
		if g.byWeight(other, id) < 0 {
			continue
		}
		text := g.file.pattern(g.file.rules[other])
		if !s.spend(1) {
			return true
		}
		if g.file.rules[other].lenient() {
			if prefixesAgree(text[:lenientFrom(text)], pattern) {
				return true // it may match more than its text
			}
			continue
		}
		if !prefixesAgree(text, pattern) {
			continue
		}
		if !s.spend(len(text)*len(pattern)) || overlaps(text, pattern) {
			return true
		}
	}
	return false
}

// spend subtracts from the budget and reports whether it was enough.
func (s *shadows) spend(octets int) bool {
	s.left -= octets
	return s.left >= 0
}
