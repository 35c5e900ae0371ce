package audit

import (
	"slices"
	"time"

	"github.com/decorum-crawler/decorum/robots"
)

// A Report is a decorum.report/1 object: the findings of an audit in counts.
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
	Rules      []RuleCount    `json:"rules"`      // that block, without known findings; the one that blocks most first
	Findings   map[Code]int   `json:"counts"`     // of findings by code, without known ones
	Examples   []CodeExamples `json:"examples"`   // of findings other than blocked URLs
	Known      int            `json:"known"`      // findings that the baseline has
	NewBlocks  int            `json:"new_blocks"` // findings of blocked URLs and sitemaps
	NewErrors  int            `json:"new_errors"` // findings of severity error, including NewBlocks

	DuplicatesPartial bool `json:"duplicates_partial"` // there were more distinct URLs than Options.MaxURLs; later ones were not compared
}

// Readable reports whether at least one sitemap could be read.
func (r *Report) Readable() bool {
	for _, s := range r.Sitemaps {
		if s.Error == "" {
			return true
		}
	}
	return false
}

// RenameSitemaps replaces the URL of each sitemap in the report by what name
// returns for it: for files that were read from another place than their URL.
func (r *Report) RenameSitemaps(name func(address string) string) {
	for i := range r.Sitemaps {
		f := &r.Sitemaps[i]
		f.URL, f.Parent = name(f.URL), name(f.Parent)
	}
	for _, rule := range slices.Concat(r.Rules, r.Training.Rules) {
		for i := range rule.Examples {
			rule.Examples[i].Sitemap = name(rule.Examples[i].Sitemap)
		}
	}
	for _, kind := range r.Examples {
		for i := range kind.Findings {
			kind.Findings[i].Sitemap = name(kind.Findings[i].Sitemap)
		}
	}
}

// AgentCount has the counts of one agent.
type AgentCount struct {
	Agent   string `json:"agent"`
	Group   string `json:"group"` // token of the group on the first site; "" if there is none
	Allowed int    `json:"allowed"`
	Blocked int    `json:"blocked"`
}

// TrainingCount has the counts of the training preference.
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

// SitemapFile is a file that was read or could not be read.
type SitemapFile struct {
	URL      string `json:"url"`
	Parent   string `json:"parent"` // the index that names it
	Kind     string `json:"kind"`
	Entries  int    `json:"entries"`
	Blocked  int    `json:"blocked"` // its URLs that are blocked for some agent
	Problems int    `json:"problems"`
	Error    string `json:"error"`
}

// RuleCount is a rule of a robots.txt with the number of URLs that it blocks, or
// that it states are not for training.
type RuleCount struct {
	RobotsURL string    `json:"robots_url"`
	Line      int       `json:"line"` // 0 if robots.txt could not be fetched
	Rule      string    `json:"rule"`
	Agents    []string  `json:"agents"` // in the order of Options.Agents
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

// maxExamples is the number of examples of a kind.
const maxExamples = 3
