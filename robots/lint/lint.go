package lint

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/decorum-crawler/decorum/robots"
)

// Text returns what the author of a robots.txt should look at, by line. It
// reads lines exactly as [robots.Parse] does. An empty result means that nothing
// was found; a file may still block more or less than its author wants, which
// [robots.Group.Matches] shows.
func Text(data []byte) []Finding {
	l := &linter{}
	l.text(data)
	if len(data) > robots.MaxBytes {
		l.tooLong(data)
	}
	return l.sorted()
}

// linter collects the findings of one file.
type linter struct {
	base     *url.URL // of the robots.txt; nil if it is not known
	file     *file
	findings []Finding
	number   int  // of the current line
	nul      bool // a NUL has been reported
	invalid  bool // a line that is not UTF-8 has been reported
	forbids  bool // an edit adds a Disallow, so other rules may get an effect
}

func (l *linter) text(data []byte) {
	if !l.readable(data) {
		return
	}
	l.file = newFile(data)
	if l.nothing(data) {
		return
	}
	for i := range l.file.lines {
		l.line(&l.file.lines[i])
	}
	l.groups()
	l.rules()
}

func (l *linter) sorted() []Finding {
	slices.SortStableFunc(l.findings, func(a, b Finding) int { return cmp.Compare(a.Line, b.Line) })
	return l.findings
}

// say reports a finding with a fix that is advice, or none.
func (l *linter) say(code Code, severity Severity, fix, format string, args ...any) {
	l.findings = append(l.findings, Finding{Code: code, Severity: severity, Line: l.number, Message: fmt.Sprintf(format, args...), Fix: fix})
}

// last returns the finding reported last.
func (l *linter) last() *Finding { return &l.findings[len(l.findings)-1] }

// replace turns the fix of the last finding into an edit that changes nothing.
func (l *linter) replace(field, value string) {
	f := l.last()
	f.Fix, f.Edit = strings.TrimSpace(field+": "+value), EditReplace
}

// remove sets the fix of the last finding to delete its line, if its group then
// still has a rule: without one, its User-agent lines would join the next group.
func (l *linter) remove(s *section) {
	if s.left < 2 || l.forbids {
		return
	}
	s.left--
	f := l.last()
	f.Fix, f.Edit = deleteLine, EditDelete
}

// change sets the fix of the last finding to replace its line by a rule or a
// Sitemap that differs from what counts now. A rule that closes the whole site
// is not offered, nor one that divides a list of agents.
func (l *linter) change(at *line, field, value string) {
	f := l.last()
	text := strings.TrimSpace(field + ": " + value)
	rule := robots.Rule{Allow: field == robots.FieldAllow, Value: value}
	switch {
	case field == robots.FieldSitemap:
		f.Fix, f.Edit = text, EditReplace
	case field != robots.FieldAllow && field != robots.FieldDisallow:
		f.Fix = "write it as " + text
	case !strings.HasPrefix(value, "/") && !strings.HasPrefix(value, "*"): // it would match nothing
	case meaning(rule.Pattern()) == everything:
		f.Fix = "write " + text + ", if it is meant for the whole site"
	case at.splits:
		f.Fix = "write " + text + " below the User-agent lines"
	default:
		f.Fix, f.Edit, f.Changes = text, EditReplace, true
		l.forbids = l.forbids || !rule.Allow
	}
}
