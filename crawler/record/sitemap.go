package record

import (
	"time"

	"github.com/decorum-crawler/decorum/frontier"
	"github.com/decorum-crawler/decorum/robots"
	"github.com/decorum-crawler/decorum/storage/jsonl"
)

// Sitemap is a decorum.sitemap/1 object: a sitemap that was requested, or skipped
// for a reason. A sitemap that is requested again by a refresh has a line each time.
type Sitemap struct {
	Schema     string          `json:"schema"`
	URL        string          `json:"url"`
	Status     int             `json:"status"` // 0 when there was no response
	FetchedAt  time.Time       `json:"fetched_at,omitzero"`
	ElapsedMS  int64           `json:"elapsed_ms"`
	Kind       string          `json:"kind"` // "urlset", "index", "rss", "atom" or "text"; empty when it was not read
	Entries    int             `json:"entries"`
	Problems   int             `json:"problems"`
	RedirectTo string          `json:"redirect_to,omitempty"`
	Depth      int             `json:"depth"` // indexes above it
	Via        string          `json:"via"`   // the robots.txt or index that names it
	Attempts   int             `json:"attempts"`
	Error      string          `json:"error"`            // failure class, or why the file could not be read to its end
	Reason     frontier.Reason `json:"reason,omitempty"` // why it was never requested
	Rule       string          `json:"rule,omitempty"`
	Line       int             `json:"line,omitempty"` // of the rule
}

// NewSkippedSitemap returns the record of a sitemap that was skipped. rule is the
// one that decided it, or the zero Rule.
func NewSkippedSitemap(item frontier.Item, reason frontier.Reason, rule robots.Rule) Sitemap {
	return Sitemap{
		Schema: SitemapSchema, URL: item.URL, Depth: item.Depth, Via: item.Via, Attempts: item.Attempts,
		Reason: reason, Rule: RuleText(rule), Line: rule.Line,
	}
}

// Record returns the line of the sitemap for [OutputSitemaps].
func (s Sitemap) Record() frontier.Record {
	return frontier.Record{Output: OutputSitemaps, Data: jsonl.Line(s)}
}
