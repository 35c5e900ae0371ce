package crawler

import (
	"net/http"

	"github.com/decorum-crawler/decorum/crawler/content"
	"github.com/decorum-crawler/decorum/crawler/fetch"
	"github.com/decorum-crawler/decorum/crawler/record"
	"github.com/decorum-crawler/decorum/frontier"
)

// Recall returns what a page names that was fetched by an earlier run, as a crawl
// with these options finds it. item tells how the page was found; header and body
// are those of its response. Nothing is requested.
func (c *Crawl) Recall(item frontier.Item, status int, header http.Header, body []byte) []frontier.Candidate {
	got := &fetch.Response{Status: status, Header: header, Body: body}
	page := record.Page{URL: item.URL, ContentType: content.TypeOf(header)}
	return c.read(item, &page, got)
}

// RecallTargets returns where the redirect or refresh of a page leads, of which
// only the record is left. Whether a refresh was instant is not recorded.
func (c *Crawl) RecallTargets(item frontier.Item, p record.Page) []frontier.Candidate {
	var found []frontier.Candidate
	base := frontier.NewBase(item.URL)
	if p.RedirectTo != "" {
		found = append(found, c.candidate(base, p.RedirectTo, redirectItem(item)))
	}
	if p.RefreshTo != "" && !p.NoFollow {
		found = append(found, c.candidate(base, p.RefreshTo, redirectItem(item)))
	}
	return found
}
