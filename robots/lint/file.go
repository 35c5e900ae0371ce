package lint

import (
	"slices"
	"strings"

	"github.com/decorum-crawler/decorum/robots"
)

// file is a robots.txt divided into lines and groups as [robots.Parse] does.
type file struct {
	lines    []line
	sections []*section
	rules    []rule                // with a value, in file order
	tokens   []string              // that the file names, in order, without duplicates
	groups   map[string][]*section // of each token
}

// line is a line without its comment.
type line struct {
	robots.Line

	written string   // without comment and surrounding blanks
	section *section // that the line is in; nil before the first one
	splits  bool     // a rule here would take the agents above it out of their group
}

// section is a list of agents with the rules that follow it.
type section struct {
	agents      []agent
	rules       int // lines, also those without a value
	left        int // of these, how many no edit deletes
	first, last int // of the file's rules, last excluded
}

// agent is a User-agent line.
type agent struct {
	token string // in lower case, "*" for all, "" if the value names none
	value string
	line  int
	run   int // of User-agent lines without another line that counts between them
}

// rule is an Allow or Disallow line with a value.
type rule struct {
	robots.Rule

	pattern string
	octets  int
	lenient bool
	section *section
}

const blanks = " \t\v\f\x00"

func newFile(data []byte) *file {
	f := &file{groups: map[string][]*section{}}
	run, paused := 0, true
	for one := range robots.Lines(data) {
		written, _, _ := strings.Cut(one.Text, "#")
		at := line{Line: one, written: strings.Trim(written, blanks)}
		switch one.Field {
		case robots.FieldUserAgent:
			if paused {
				run++
			}
			paused = false
			f.agent(one, run)
		case robots.FieldAllow, robots.FieldDisallow:
			paused = true
			f.rule(one)
		case robots.FieldSitemap, "":
		default:
			paused = true
		}
		at.section = f.current()
		at.splits = at.section != nil && at.section.rules == 0
		f.lines = append(f.lines, at)
	}
	f.findSplits()
	for _, s := range f.sections {
		s.left = s.rules
	}
	return f
}

func (f *file) current() *section {
	if len(f.sections) == 0 {
		return nil
	}
	return f.sections[len(f.sections)-1]
}

func (f *file) agent(one robots.Line, run int) {
	if s := f.current(); s == nil || s.rules > 0 {
		f.sections = append(f.sections, &section{first: len(f.rules), last: len(f.rules)})
	}
	s, token := f.current(), robots.GroupToken(one.Value)
	s.agents = append(s.agents, agent{token, one.Value, one.Number, run})
	named := f.groups[token]
	switch {
	case token == "":
		return
	case named == nil:
		f.tokens = append(f.tokens, token)
	case named[len(named)-1] == s:
		return
	}
	f.groups[token] = append(named, s)
}

func (f *file) rule(one robots.Line) {
	s := f.current()
	if s == nil {
		return
	}
	s.rules++
	if one.Value == "" {
		return
	}
	r := robots.Rule{Allow: one.Field == robots.FieldAllow, Line: one.Number, Value: one.Value}
	f.rules = append(f.rules, rule{r, r.Pattern(), r.Octets(), r.Lenient(), s})
	s.last = len(f.rules)
}

// findSplits keeps the mark of lines after which the list of agents goes on.
func (f *file) findSplits() {
	next := "" // field of the next line that is a rule or names an agent
	for i := len(f.lines) - 1; i >= 0; i-- {
		at := &f.lines[i]
		at.splits = at.splits && next == robots.FieldUserAgent
		switch at.Field {
		case robots.FieldUserAgent, robots.FieldAllow, robots.FieldDisallow:
			next = at.Field
		}
	}
}

// group returns the rules that count for a token, as indexes.
func (f *file) group(token string) []int {
	var rules []int
	for _, s := range f.groups[token] {
		for i := s.first; i < s.last; i++ {
			rules = append(rules, i)
		}
	}
	return rules
}

func (s *section) names(token string) bool {
	return slices.ContainsFunc(s.agents, func(a agent) bool { return a.token == token })
}
