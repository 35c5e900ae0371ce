package audit

import (
	"time"

	"github.com/decorum-crawler/decorum/robots"
)

// A Report is a decorum.report/1 object: what an audit found, in counts.
type Report struct {
	Schema     string         `json:"schema"`
	StartedAt  time.Time      `json:"started_at"`
	FinishedAt time.Time      `json:"finished_at"`
	Sites      []string       `json:"sites"`
	Own        []string       `json:"own"` // hosts whose sitemaps were read as their owner
	URLs       int            `json:"urls"`
	Blocked    int            `json:"blocked"`         // URLs blocked for some agent
	ForAll     int            `json:"blocked_for_all"` // for each of them
	Agents     []AgentCount   `json:"agents"`
	Training   TrainingCount  `json:"training"`
	Robots     []RobotsFile   `json:"robots"`
	Sitemaps   []SitemapFile  `json:"sitemaps"`
	Rules      []RuleCount    `json:"rules"`      // that block, without what the baseline knows; the one that blocks most first
	Findings   map[Code]int   `json:"counts"`     // of findings by code, without those that the baseline knows
	Examples   []CodeExamples `json:"examples"`   // of findings other than blocked URLs
	Known      int            `json:"known"`      // findings that the baseline knows
	NewBlocks  int            `json:"new_blocks"` // findings of blocked URLs and sitemaps
	NewErrors  int            `json:"new_errors"` // findings of the severity error, NewBlocks among them

	DuplicatesPartial bool `json:"duplicates_partial"` // there were more distinct URLs than Options.MaxURLs; the later ones were not compared
}

// Readable reports whether some sitemap could be read at all.
func (r *Report) Readable() bool {
	for _, s := range r.Sitemaps {
		if s.Error == "" {
			return true
		}
	}
	return false
}

// AgentCount is the column of one agent.
type AgentCount struct {
	Agent   string `json:"agent"`
	Group   string `json:"group"` // token of the group on the first site; "" without one
	Allowed int    `json:"allowed"`
	Blocked int    `json:"blocked"`
}

// TrainingCount is the column of the training preference.
type TrainingCount struct {
	InFavor int         `json:"in_favor"`
	Against int         `json:"against"`
	None    int         `json:"none"`
	Rules   []RuleCount `json:"rules"` // that state against, the one with most URLs first
}

func (t *TrainingCount) add(p robots.Preference) {
	switch p {
	case robots.PreferenceInFavor:
		t.InFavor++
	case robots.PreferenceAgainst:
		t.Against++
	default:
		t.None++
	}
}

// RobotsFile is a robots.txt by which URLs were judged.
type RobotsFile struct {
	URL       string       `json:"url"`
	Origin    string       `json:"origin"`
	Status    int          `json:"status"`
	Class     robots.Class `json:"class"`
	Digest    string       `json:"digest"` // SHA-256 in hex
	FetchedAt time.Time    `json:"fetched_at"`
	Error     string       `json:"error"`
}

// SitemapFile is a file that was read, or could not be.
type SitemapFile struct {
	URL      string `json:"url"`
	Parent   string `json:"parent"` // the index that names it
	Kind     string `json:"kind"`
	Entries  int    `json:"entries"`
	Blocked  int    `json:"blocked"` // URLs of it that are blocked for some agent
	Problems int    `json:"problems"`
	Error    string `json:"error"`
}

// RuleCount is a rule of a robots.txt and what it blocks, or keeps from
// training.
type RuleCount struct {
	RobotsURL string    `json:"robots_url"`
	Line      int       `json:"line"` // 0: robots.txt could not be had
	Rule      string    `json:"rule"`
	Agents    []string  `json:"agents"` // in the order asked
	URLs      int       `json:"urls"`
	Examples  []Example `json:"examples"` // at most three
}

// Example is a listed URL and where it is listed.
type Example struct {
	URL     string `json:"url"`
	Sitemap string `json:"sitemap"`
	Line    int    `json:"line"`
}

// CodeExamples are the first findings of a kind.
type CodeExamples struct {
	Code     Code      `json:"code"`
	Findings []Finding `json:"findings"` // at most three
}

// maxExamples is how many stand for all of their kind.
const maxExamples = 3
