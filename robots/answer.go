package robots

import (
	"mime"
	"net/http"
)

// The codes of findings about how a robots.txt is served.
const (
	CodeStatus      Code = "status"
	CodeRedirected  Code = "redirected"
	CodeContentType Code = "content-type"
)

// Lint returns what the author of a document should look at: first how the
// site serves it, then what [Lint] finds in its lines. A document without an
// Origin was not fetched, so only its lines are judged. An unreachable document
// has no findings.
func (d *Document) Lint() []Finding {
	if d.Class() == ClassUnreachable {
		return nil
	}
	l := &linter{}
	if d.Origin != "" {
		l.answer(d)
	}
	if d.Class() == ClassUnavailable {
		return l.findings
	}
	l.text(d.Body)
	if d.Truncated {
		l.tooLong(d.Body)
	}
	l.sort()
	return l.findings
}

// answer judges status, address and type of a document that was fetched.
func (l *linter) answer(d *Document) {
	if d.FinalURL != d.Origin+"/robots.txt" {
		l.say(CodeRedirected, SeverityInfo, "", "%s/robots.txt redirects here; crawlers follow at most %d redirects", d.Origin, MaxRedirects)
	}
	if d.Class() == ClassUnavailable {
		l.say(CodeStatus, SeverityInfo, "", "the server answers %d %s, so everything is allowed", d.Status, http.StatusText(d.Status))
		return
	}
	served := d.Header.Get("Content-Type")
	if media, _, err := mime.ParseMediaType(served); err != nil || media != "text/plain" {
		l.say(CodeContentType, SeverityWarning, "Content-Type: text/plain; charset=utf-8", "the type is %q, not text/plain", served)
	}
}

// tooLong reports that what follows the lines of read does not count.
func (l *linter) tooLong(read []byte) {
	l.number = 0
	eachLine(string(read), func(number, _, _ int) { l.number = number })
	l.number++
	l.say(CodeTooLong, SeverityError, "shorten the file; patterns with * replace many rules",
		"the file is longer than %d KiB, which is all that crawlers must read; nothing counts from this line on", MaxBytes>>10)
}
