package lint

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/decorum-crawler/decorum/robots"
)

// line judges one line. If it is not what a line of a robots.txt should be, one
// finding tells that, and its value is not judged.
func (l *linter) line(at *line) {
	l.number = at.Number
	l.octets(at.Text)
	if at.written == "" || l.template(at) || l.invisible(at) || l.fullWidth(at) || l.twoFields(at) {
		return
	}
	name, _, colon := strings.Cut(at.written, ":")
	if colon {
		l.name(at, strings.TrimSpace(name))
	} else {
		l.colonless(at)
	}
	l.value(at)
	if hash := strings.IndexByte(at.Text, '#'); at.Value != "" && at.Field != "" && hash > 0 && !strings.ContainsRune(blanks, rune(at.Text[hash-1])) {
		l.say(CodeCommentInValue, SeverityWarning, "write %23 for a # in a URL, or a blank before a comment",
			"the # begins a comment, so the value ends before it: %q", at.Value)
	}
}

func (l *linter) value(at *line) {
	switch at.Field {
	case robots.FieldUserAgent:
		l.userAgent(at.Value)
	case robots.FieldAllow, robots.FieldDisallow:
		l.rule(at)
	case robots.FieldSitemap:
		l.sitemap(at.Value)
	case robots.FieldCrawlDelay:
		l.delay(at)
	case robots.FieldContentUsage:
		l.contentUsage(at.Value)
	case robots.FieldContentSignal:
		l.contentSignal(at.Value)
	}
}

// octets reports octets that should not be in a line, once per file.
func (l *linter) octets(raw string) {
	if !l.nul && strings.IndexByte(raw, 0) >= 0 {
		l.nul = true
		l.say(CodeNUL, SeverityWarning, "delete it", "the line has a NUL octet; crawlers handle it differently")
	}
	if !l.invalid && !utf8.ValidString(raw) {
		l.invalid = true
		l.say(CodeNotUTF8, SeverityWarning, "save the file as UTF-8", "the line is not UTF-8, so its rule is compared with octets that no URL may have")
	}
}

// placeholder is the beginning of what a template replaces.
var placeholder = regexp.MustCompile(`\{\{|\{%|<\?|<%|\$\{`)

func (l *linter) template(at *line) bool {
	found := placeholder.FindString(at.written)
	if found == "" {
		return false
	}
	l.say(CodeTemplate, SeverityError, "write what the template should have put here", "%q begins a placeholder of a template that was not filled in", found)
	return true
}

// invisible reports characters that nobody sees and that no URL or name has.
func (l *linter) invisible(at *line) bool {
	found := ""
	for _, r := range at.written {
		if isInvisible(r) || isWideBlank(r) {
			found = string(r)
			break
		}
	}
	if found == "" {
		return false
	}
	l.say(CodeInvisible, SeverityError, "delete it and write the line by hand", "the line has an invisible character, %+q, which counts like any other", found)
	l.mendInvisible(at)
	return true
}

// mendInvisible offers the line without the characters, unless one is inside a
// value, where a blank may be meant.
func (l *linter) mendInvisible(at *line) {
	name, value, _ := strings.Cut(visible(at.written), ":")
	field := exactField(strings.Trim(name, blanks))
	value = strings.Trim(value, blanks)
	switch {
	case field == "" || !strings.ContainsRune(at.written, ':') || strings.ContainsAny(value, blanks):
	case field != robots.FieldUserAgent:
		l.change(at, field, value)
	case at.Field == field && robots.GroupToken(at.Value) == robots.GroupToken(value):
		l.replace(field, value)
	default:
		l.change(at, field, value)
	}
}

// visible returns the text without characters that have no width, and with
// plain blanks.
func visible(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case isInvisible(r):
			return -1
		case isWideBlank(r):
			return ' '
		}
		return r
	}, text)
}

// isInvisible reports whether a character has no width.
func isInvisible(r rune) bool {
	switch {
	case 0x200b <= r && r <= 0x200f, 0x202a <= r && r <= 0x202e, 0x2060 <= r && r <= 0x2064:
		return true
	}
	return r == 0xad || r == 0x61c || r == 0x180e || r == 0xfeff || 0 < r && r < ' ' && !strings.ContainsRune(blanks, r) || r == 0x7f
}

// isWideBlank reports whether a character is white space beyond ASCII.
func isWideBlank(r rune) bool {
	switch r {
	case 0x85, 0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000:
		return true
	}
	return 0x2000 <= r && r <= 0x200a
}

// fullWidth reports a colon that is none.
func (l *linter) fullWidth(at *line) bool {
	name, value, found := strings.Cut(at.written, "：")
	if !found || strings.Contains(name, ":") {
		return false
	}
	l.say(CodeFullWidthColon, SeverityError, "write a plain colon", "the colon is a full-width one, U+FF1A, so the line is ignored")
	if field := nearestField(strings.TrimSpace(name)); field != "" {
		l.change(at, field, strings.Trim(value, blanks))
	}
	return true
}

// fieldInside is a field that begins in the middle of a line.
var fieldInside = regexp.MustCompile(`(?i)[\s>;,](user-agent|allow|disallow|sitemap|crawl-delay)\s*:`)

func (l *linter) twoFields(at *line) bool {
	found := fieldInside.FindStringSubmatch(at.written)
	word, _, _ := strings.Cut(at.written, " ")
	if found == nil || at.Field == "" && exactField(word) == "" {
		return false
	}
	l.say(CodeTwoFields, SeverityError, "write each on a line of its own", "%s is in the middle of the line, so it is a part of the value before it and has no effect", exactField(found[1]))
	return true
}

// colonless judges a line without a colon.
func (l *linter) colonless(at *line) {
	word, rest, _ := strings.Cut(strings.ReplaceAll(at.written, "\t", " "), " ")
	if at.Field != "" {
		l.say(CodeMissingColon, SeverityWarning, "", "the colon is missing; decorum reads the line anyway, others do not")
		l.replace(at.Field, at.Value)
		return
	}
	l.say(CodeMissingColon, SeverityError, "begin it with # if it is a comment", "the line has no colon, so it is ignored")
	if field := nearestField(word); field != "" && rest != "" {
		l.change(at, field, strings.Trim(rest, blanks))
	}
}

// name judges how the field is written.
func (l *linter) name(at *line, name string) {
	if at.Field != "" {
		if !strings.EqualFold(at.Field, name) {
			l.say(CodeMisspeltField, SeverityWarning, "", "%q is misspelt; decorum reads it as %s, others may not", name, at.Field)
			l.replace(at.Field, at.Value)
		}
		return
	}
	if reader := foreign(name); reader != "" {
		l.say(CodeForeignField, SeverityInfo, "", "%s", reader)
		return
	}
	word, rest, _ := strings.Cut(strings.ReplaceAll(at.written, "\t", " "), " ")
	_, value, _ := strings.Cut(at.written, ":")
	value = strings.Trim(value, blanks)
	if field := exactField(word); field != "" && rest != "" && !strings.HasSuffix(word, ":") && exactField(name) == "" && strings.Trim(rest, blanks)[0] != ':' {
		l.say(CodeMissingColon, SeverityError, "write a colon after "+word, "the colon after %s is missing, so the line is ignored", word)
		l.change(at, field, strings.Trim(rest, blanks))
		return
	}
	if right := nearestField(name); right != "" {
		l.say(CodeMisspeltField, SeverityError, "", "%q is not a field that crawlers know, so the line is ignored", name)
		l.change(at, right, value)
		return
	}
	l.say(CodeUnknownField, SeverityWarning, "", "%q is not a field that crawlers know, so the line is ignored", name)
}
