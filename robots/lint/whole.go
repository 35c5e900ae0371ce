package lint

import (
	"bytes"
	"strings"

	"github.com/decorum-crawler/decorum/robots"
)

// readable judges the file as bytes and reports whether its lines are worth
// reading.
func (l *linter) readable(data []byte) bool {
	switch {
	case isUTF16(data):
		l.say(CodeUTF16, SeverityError, "save the file as UTF-8", "the file is UTF-16; decorum reads it, but other crawlers find no rule in it")
		return false
	case isHTML(data):
		l.say(CodeHTML, SeverityError, "answer with the rules as text/plain, or with status 404", "the file is an HTML page, not a robots.txt")
		return len(robots.Parse(data).Agents()) > 0
	case bytes.HasPrefix(data, []byte("\xef\xbb\xbf")):
		l.number = 1
		l.say(CodeBOM, SeverityWarning, "save the file without a byte order mark", "a byte order mark precedes the first line, which some crawlers then do not read")
	}
	return true
}

func isUTF16(data []byte) bool {
	if bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) {
		return true
	}
	head := data[:min(len(data), 512)]
	return len(head) >= 8 && bytes.Count(head, []byte{0})*5 > len(head)*2
}

func isHTML(data []byte) bool {
	head := strings.ToLower(beginning(data))
	for _, start := range []string{"<!doctype html", "<html", "<head", "<body", "<?xml", "<!--"} {
		if strings.HasPrefix(head, start) {
			return true
		}
	}
	return false
}

func beginning(data []byte) string {
	return string(bytes.TrimLeft(data[:min(len(data), 512)], "\ufeff \t\r\n"))
}

// nothing reports a file with text in which no line is one of a robots.txt, such
// as an error page.
func (l *linter) nothing(data []byte) bool {
	written := 0
	for _, at := range l.file.lines {
		if at.written == "" {
			continue
		}
		if at.looksRight() {
			return false
		}
		written++
	}
	if written == 0 {
		return false
	}
	kind := "no line of the file is one of a robots.txt"
	if start := beginning(data); strings.HasPrefix(start, "{") || strings.HasPrefix(start, "[") {
		kind = "the file is JSON, not a robots.txt"
	}
	l.number = 0
	l.say(CodeNoRules, SeverityError, "answer with the rules as text/plain, or with status 404", "%s, so everything is allowed", kind)
	return true
}

// looksRight reports whether a line is, or is meant to be, one of a robots.txt.
func (at *line) looksRight() bool {
	if at.Field != "" {
		return true
	}
	name, _, colon := strings.Cut(visible(at.written), ":")
	name = strings.TrimSpace(name)
	word, _, _ := strings.Cut(name, " ")
	return colon && (foreign(name) != "" || nearestField(name) != "") || exactField(word) != ""
}

// tooLong reports that what follows the lines that count does not.
func (l *linter) tooLong(data []byte) {
	l.number = 1
	for one := range robots.Lines(data) {
		l.number = one.Number + 1
	}
	l.say(CodeTooLong, SeverityError, "shorten the file; patterns with * replace many rules",
		"the file is longer than %d KiB, which is all that crawlers must read; nothing counts from this line on", robots.MaxBytes>>10)
}
