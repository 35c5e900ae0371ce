package crawler

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"time"

	"github.com/decorum-crawler/decorum/frontier"
	"github.com/decorum-crawler/decorum/robots"
)

// The names of the outputs in the records of a crawl.
const (
	OutputPages   = "pages"
	OutputSkipped = "skipped"
)

// Page is a decorum.page/1 object: a requested URL in its final state.
type Page struct {
	Schema       string          `json:"schema"`
	URL          string          `json:"url"`
	Status       int             `json:"status"` // 0 when there was no response
	FetchedAt    time.Time       `json:"fetched_at"`
	LastModified string          `json:"last_modified"` // RFC 3339 in UTC (RFC 9110 §8.8.2); empty when the server gives none that can be read
	ElapsedMS    int64           `json:"elapsed_ms"`
	Bytes        int64           `json:"bytes"` // decoded
	ContentType  string          `json:"content_type"`
	Digest       string          `json:"digest"` // "sha256:" and hex, of the decoded body
	Title        string          `json:"title"`
	Depth        int             `json:"depth"`
	Origin       frontier.Source `json:"origin"`
	Via          string          `json:"via"`
	RedirectTo   string          `json:"redirect_to"`
	Truncated    bool            `json:"truncated"`
	Attempts     int             `json:"attempts"`
	Robots       RobotsRecord    `json:"robots"`
	Training     TrainingRecord  `json:"training"`
	Signals      Signals         `json:"signals"`
	NoIndex      bool            `json:"noindex"`
	NoFollow     bool            `json:"nofollow"`
	Canonical    string          `json:"canonical"`
	Links        int             `json:"links"`
	Error        string          `json:"error"`
}

// RobotsRecord says by what a URL was let through.
type RobotsRecord struct {
	Reason robots.Reason `json:"reason"`
	Rule   string        `json:"rule"`
	Line   int           `json:"line"`
	Digest string        `json:"digest"` // of the robots.txt, SHA-256 in hex
}

// TrainingRecord is the wish on AI training that robots.txt states for a URL.
type TrainingRecord struct {
	Preference robots.Preference `json:"preference"`
	Rule       string            `json:"rule"`
	Line       int               `json:"line"`
}

// Signals are the directives of the page itself.
type Signals struct {
	Directives []string `json:"directives"` // of X-Robots-Tag and meta robots
}

// Skip is a decorum.skip/1 object: a URL that was seen and never fetched.
type Skip struct {
	Schema string          `json:"schema"`
	URL    string          `json:"url"`
	Reason frontier.Reason `json:"reason"`
	Rule   string          `json:"rule"`
	Line   int             `json:"line"`
	Origin frontier.Source `json:"origin"`
	Via    string          `json:"via"`
	Depth  int             `json:"depth"`
}

// SkipRecord gives the line of a URL that was skipped without a verdict.
func SkipRecord(c frontier.Candidate) []byte {
	return line(Skip{
		Schema: "decorum.skip/1", URL: c.URL, Reason: c.Skip, Origin: c.Source, Via: c.Via, Depth: c.Depth,
	})
}

// RuledSkipRecord gives the record of a URL that was skipped, with the rule that
// says so, if there is one.
func RuledSkipRecord(item frontier.Item, reason frontier.Reason, rule robots.Rule) frontier.Record {
	return frontier.Record{Output: OutputSkipped, Data: line(Skip{
		Schema: "decorum.skip/1", URL: item.URL, Reason: reason, Rule: ruleText(rule), Line: rule.Line,
		Origin: item.Source, Via: item.Via, Depth: item.Depth,
	})}
}

// PageRecord gives the record of a page.
func PageRecord(p Page) frontier.Record {
	return frontier.Record{Output: OutputPages, Data: line(p)}
}

func ruleText(rule robots.Rule) string {
	if rule.Line == 0 {
		return ""
	}
	return rule.String()
}

// RobotsRecordOf gives the record of a verdict by a robots.txt of that digest.
func RobotsRecordOf(v robots.Verdict, digest string) RobotsRecord {
	return RobotsRecord{Reason: v.Reason, Rule: ruleText(v.Rule), Line: v.Rule.Line, Digest: digest}
}

// TrainingRecordOf gives the record of a wish on AI training.
func TrainingRecordOf(t robots.Training) TrainingRecord {
	return TrainingRecord{Preference: t.Preference, Rule: ruleText(t.Rule), Line: t.Rule.Line}
}

// LastModified gives the server's date of a page as records have it: RFC 3339 in
// UTC, empty when there is none that can be read.
func LastModified(header http.Header) string {
	date, err := http.ParseTime(header.Get("Last-Modified"))
	if err != nil {
		return ""
	}
	return date.UTC().Format(time.RFC3339)
}

// DigestOf gives the digest of a decoded body as records have it.
func DigestOf(body []byte) string {
	sum := sha256.Sum256(body)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// line gives one JSON object with its line end. Our own types always encode.
func line(v any) []byte {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		panic("crawler: encode a record: " + err.Error())
	}
	return buffer.Bytes()
}
