package lint

import (
	"mime"
	"net/http"
	"net/url"

	"github.com/decorum-crawler/decorum/robots"
)

// Document returns what the author of a document should look at: first how the
// site serves it, then what [Text] finds in its lines. A document without an
// Origin was not fetched, so only its lines are judged. An unreachable document
// has no findings.
func Document(d *robots.Document) []Finding {
	if d.Class() == robots.ClassUnreachable {
		return nil
	}
	l := &linter{}
	if d.Origin != "" {
		l.answer(d)
		l.base, _ = url.Parse(d.FinalURL)
	}
	if d.Class() == robots.ClassUnavailable {
		return l.findings
	}
	l.text(d.Body)
	if d.Truncated {
		l.tooLong(d.Body)
	}
	return l.sorted()
}

// answer judges status, address and type of a document that was fetched.
func (l *linter) answer(d *robots.Document) {
	if d.FinalURL != d.Origin+"/robots.txt" {
		l.say(CodeRedirected, SeverityInfo, "", "%s/robots.txt redirects here; crawlers follow at most %d redirects", d.Origin, robots.MaxRedirects)
	}
	if d.Class() == robots.ClassUnavailable {
		l.say(CodeStatus, SeverityInfo, "", "the server answers %d %s, so everything is allowed", d.Status, http.StatusText(d.Status))
		return
	}
	served := d.Header.Get("Content-Type")
	if media, _, err := mime.ParseMediaType(served); err != nil || media != "text/plain" {
		l.say(CodeContentType, SeverityWarning, "Content-Type: text/plain; charset=utf-8", "the type is %q, not text/plain", served)
	}
}
