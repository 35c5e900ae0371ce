package record

import (
	"slices"
	"strings"
	"time"

	"github.com/decorum-crawler/decorum/crawler/content"
	"github.com/decorum-crawler/decorum/frontier"
	"github.com/decorum-crawler/decorum/robots"
)

// Indexable returns why a search engine does not index the page, so that a
// sitemap should not list it, and "" when the page may be listed. The reasons
// are stable: no-answer, redirected, status-not-200, robots-disallow, noindex,
// canonical-elsewhere and content-type.
func (p Page) Indexable() (reason string) {
	switch {
	case p.Error != "" && p.Status == 0:
		return "no-answer"
	case p.Status/100 == 3:
		return "redirected"
	case p.RefreshTo != "" && p.RefreshTo != p.URL:
		return "refreshed"
	case p.Status != 200:
		return "status-not-200"
	case p.Robots.Reason == robots.ReasonDisallowedByRule:
		return string(frontier.SkipRobotsDisallow)
	case p.NoIndex:
		return "noindex"
	case p.Canonical != "" && p.Canonical != p.URL:
		return "canonical-elsewhere"
	case !content.MayBeHTML(p.ContentType) && !isDocument(p.ContentType):
		return string(frontier.SkipContentType)
	}
	return ""
}

// isDocument reports whether search engines list documents of a Content-Type other
// than that of HTML.
func isDocument(contentType string) bool {
	media, _, _ := strings.Cut(strings.ToLower(contentType), ";")
	return slices.Contains([]string{"", "application/pdf", "text/plain", "text/markdown"}, strings.TrimSpace(media))
}

// LastChange returns the server's Last-Modified date, and the zero time when
// there is none or when it lay in the future at the time of the fetch
// (RFC 9110 §8.8.2.1).
func (p Page) LastChange() time.Time {
	date, err := time.Parse(time.RFC3339, p.LastModified)
	if err != nil || date.After(p.FetchedAt) {
		return time.Time{}
	}
	return date
}
