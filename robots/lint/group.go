package lint

import (
	"slices"

	"github.com/decorum-crawler/decorum/robots"
)

// groups judges how the file is divided into groups.
func (l *linter) groups() {
	first := map[string]agent{} // line that names a token first
	places := map[string]*section{}
	for _, s := range l.file.sections {
		l.repeats(first, places, s)
		for _, a := range s.agents {
			if _, ok := first[a.token]; !ok {
				first[a.token], places[a.token] = a, s
			}
		}
	}
	for _, token := range l.file.tokens {
		l.empty(token, first[token].line)
	}
	l.closed()
}

// repeats reports agents of a section that were named before.
func (l *linter) repeats(first map[string]agent, places map[string]*section, s *section) {
	here := map[string]agent{}
	var same *section
	for _, a := range s.agents {
		l.number = a.line
		before, known := first[a.token]
		twin, named := here[a.token]
		if !named {
			here[a.token] = a
		}
		switch {
		case a.token == "" || !isPlainName(a.value):
		case named && isPlainName(twin.value):
			l.say(CodeDuplicateAgent, SeverityInfo, "", "%s is named twice for the same rules", a.token)
			if twin.run == a.run {
				l.last().Fix, l.last().Edit = deleteLine, EditDelete
			}
		case named || !known || !isPlainName(before.value) || places[a.token] == same:
		case sameAgents(places[a.token], s):
			same = places[a.token]
			l.say(CodeDuplicateGroup, SeverityInfo, "move the rules into one group",
				"this group is for the same crawlers as the one on line %d; crawlers merge the two, but some use only the first", before.line)
		default:
			l.say(CodeSplitGroup, SeverityInfo, "move the rules for "+a.token+" into one group",
				"%s also has a group on line %d; crawlers merge the two, but some use only the first", a.token, before.line)
		}
	}
}

func sameAgents(a, b *section) bool {
	return !slices.ContainsFunc(a.agents, func(x agent) bool { return !b.names(x.token) }) &&
		!slices.ContainsFunc(b.agents, func(x agent) bool { return !a.names(x.token) })
}

// empty reports a token none of whose groups has a rule.
func (l *linter) empty(token string, number int) {
	if slices.ContainsFunc(l.file.groups[token], func(s *section) bool { return s.rules > 0 }) {
		return
	}
	l.number = number
	if token == robots.TrainingToken {
		l.say(CodeEmptyTrainingGroup, SeverityWarning, "write Disallow: / below it, or Allow: / to say so explicitly",
			"the group for %s has no rule, which counts as in favor of AI training with all pages", token)
		return
	}
	l.say(CodeEmptyGroup, SeverityInfo, "write Disallow: below it to say so explicitly", "the group for %s has no rule, so everything is allowed", token)
}

// closed reports that the group for all crawlers forbids the whole site. It is
// as commonly an accident as it is meant, unless other groups open the site.
func (l *linter) closed() {
	number := l.closing("*")
	if number == 0 {
		return
	}
	l.number = number
	seen := map[string]bool{l.file.sectionsOf("*"): true, l.file.sectionsOf(robots.TrainingToken): true}
	for _, token := range l.file.tokens {
		key := l.file.sectionsOf(token)
		known := seen[key]
		seen[key] = true
		if !known && l.closing(token) == 0 {
			l.say(CodeSiteClosed, SeverityInfo, "", "the whole site is closed to every crawler that has no group of its own")
			return
		}
	}
	l.say(CodeSiteClosed, SeverityWarning, "write Disallow: if the site is public", "the whole site is closed to everyone, search engines included")
}

// closing returns the line that forbids a token the whole site, or 0 if none
// does or an Allow opens a part of it.
func (l *linter) closing(token string) int {
	number := 0
	for _, i := range l.file.group(token) {
		r := l.file.rules[i]
		switch {
		case !r.matchesSome():
		case r.Allow:
			return 0
		case number == 0 && meaning(r.pattern) == everything:
			number = r.Line
		}
	}
	return number
}

// matchesSome reports whether there is a path that the rule matches.
func (r rule) matchesSome() bool { return r.pattern[0] == '/' || r.pattern[0] == '*' }
