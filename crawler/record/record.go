package record

import (
	"net/http"
	"time"

	"github.com/decorum-crawler/decorum/crawler/content"
	"github.com/decorum-crawler/decorum/frontier"
	"github.com/decorum-crawler/decorum/robots"
	"github.com/decorum-crawler/decorum/storage/jsonl"
)

// The names of the outputs in the records of a crawl.
const (
	OutputPages    = "pages"
	OutputSkipped  = "skipped"
	OutputSitemaps = "sitemaps"
)

// The schemas of the records.
const (
	PageSchema    = "decorum.page/1"
	SkipSchema    = "decorum.skip/1"
	SitemapSchema = "decorum.sitemap/1"
)

// Page is a decorum.page/1 object: a requested URL in its final state.
type Page struct {
	Schema       string          `json:"schema"`
	URL          string          `json:"url"`
	Status       int             `json:"status"` // 0 when there was no response
	FetchedAt    time.Time       `json:"fetched_at"`
	LastModified string          `json:"last_modified"` // RFC 3339 in UTC (RFC 9110 §8.8.2); empty when the server sent no valid date
	ElapsedMS    int64           `json:"elapsed_ms"`
	Bytes        int64           `json:"bytes"` // decoded
	ContentType  string          `json:"content_type"`
	Digest       string          `json:"digest"` // "sha256:" and hex, of the decoded body
	Title        string          `json:"title"`
	Depth        int             `json:"depth"`
	Source       frontier.Source `json:"source"`
	Via          string          `json:"via"`
	RedirectTo   string          `json:"redirect_to"`
	RefreshTo    string          `json:"refresh_to,omitempty"` // of a meta refresh or a Refresh header
	Truncated    bool            `json:"truncated"`
	Attempts     int             `json:"attempts"`
	Robots       Robots          `json:"robots"`
	Training     Training        `json:"training"`
	Signals      Signals         `json:"signals"`
	NoIndex      bool            `json:"noindex"`
	NoFollow     bool            `json:"nofollow"`
	Canonical    string          `json:"canonical"`
	Links        int             `json:"links"`
	LinksIgnored int             `json:"links_ignored,omitempty"` // beyond the limit on links per page
	Error        string          `json:"error"`                   // failure class
	Cause        string          `json:"cause,omitempty"`         // of the failure, in words
}

// Robots tells why robots.txt allowed a URL.
type Robots struct {
	Reason robots.Reason `json:"reason"`
	Rule   string        `json:"rule"`
	Line   int           `json:"line"`
	Digest string        `json:"digest"` // SHA-256 of the robots.txt, in hex
}

// Training is the preference on AI training that robots.txt states for a URL.
type Training struct {
	Preference robots.Preference `json:"preference"`
	Rule       string            `json:"rule"`
	Line       int               `json:"line"`
}

// Signals are the directives of the page itself.
type Signals struct {
	Directives []string            `json:"directives"`       // from X-Robots-Tag and meta robots, for us
	Scoped     map[string][]string `json:"scoped,omitempty"` // directives for single bots, by product token
}

// Record returns the line of the page for [OutputPages].
func (p Page) Record() frontier.Record {
	return frontier.Record{Output: OutputPages, Data: jsonl.Line(p)}
}

// Skip is a decorum.skip/1 object: a URL that was seen and never fetched.
type Skip struct {
	Schema string          `json:"schema"`
	URL    string          `json:"url"`
	Reason frontier.Reason `json:"reason"`
	Rule   string          `json:"rule"`
	Line   int             `json:"line"`
	Source frontier.Source `json:"source"`
	Via    string          `json:"via"`
	Depth  int             `json:"depth"`
	Error  string          `json:"error,omitempty"` // why robots.txt is unreachable
	// Pattern is the closed pattern of URLs that the URL is part of, if it is a trap.
	Pattern string `json:"pattern,omitempty"`
}

// NewSkip returns the record of an item that was skipped. rule is the one that
// decided it, or the zero Rule.
func NewSkip(item frontier.Item, reason frontier.Reason, rule robots.Rule) Skip {
	return Skip{
		Schema: SkipSchema, URL: item.URL, Reason: reason, Rule: RuleText(rule), Line: rule.Line,
		Source: item.Source, Via: item.Via, Depth: item.Depth,
	}
}

// Record returns the line of the skip for [OutputSkipped].
func (s Skip) Record() frontier.Record {
	return frontier.Record{Output: OutputSkipped, Data: jsonl.Line(s)}
}

// Skipped returns the record of a candidate that was skipped without a verdict.
// It fits frontier.Options.Skipped.
func Skipped(c frontier.Candidate) frontier.Record {
	if c.Kind == frontier.KindSitemap {
		return NewSkippedSitemap(c.Item, c.Skip, robots.Rule{}).Record()
	}
	skip := NewSkip(c.Item, c.Skip, robots.Rule{})
	skip.Pattern = c.Pattern
	return skip.Record()
}

// RuleText returns a rule as written in robots.txt, or "" for the zero Rule.
func RuleText(rule robots.Rule) string {
	if rule.Line == 0 {
		return ""
	}
	return rule.String()
}

// RobotsOf returns the record of a verdict by the robots.txt with that digest.
func RobotsOf(v robots.Verdict, digest string) Robots {
	return Robots{Reason: v.Reason, Rule: RuleText(v.Rule), Line: v.Rule.Line, Digest: digest}
}

// TrainingOf returns the record of a preference on AI training.
func TrainingOf(t robots.Training) Training {
	return Training{Preference: t.Preference, Rule: RuleText(t.Rule), Line: t.Rule.Line}
}

// LastModified returns the Last-Modified date of a page in the form of records:
// RFC 3339 in UTC, or "" when the header has no valid date.
func LastModified(header http.Header) string {
	date, err := http.ParseTime(header.Get("Last-Modified"))
	if err != nil {
		return ""
	}
	return date.UTC().Format(time.RFC3339)
}

// Digest returns the digest of a decoded body in the form of records: "sha256:"
// and hex.
func Digest(body []byte) string {
	return "sha256:" + content.SHA256(body)
}
