package page

import (
	"crypto/sha256"
	_ "embed" // for the template, its style and its script
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"slices"

	"github.com/decorum-crawler/decorum/audit"
	"github.com/decorum-crawler/decorum/robots"
)

//go:embed page.html
var layout string

//go:embed page.css
var style string

//go:embed page.js
var script string

// A Page is an audit to be shown. Write does not change it.
type Page struct {
	Version  string // of the program
	Verdict  string // the answer in a sentence
	Report   *audit.Report
	Findings []audit.Finding
	LeftOut  string // which findings are missing; "" if none are
}

// MaxRows bounds the tables of rules, sitemaps, robots.txt files and rules on
// AI training each, so that a browser can show them.
const MaxRows = 5_000

// view is a Page in the form that the template needs.
type view struct {
	Page

	Style  template.CSS
	Script template.JS
	Policy string // content security policy
	Tone   string // "bad", "good" or "unknown"

	ByRule, BySitemap, ByAgent chart
	Training                   []share
	Token                      string

	Codes, Agents []string // of the findings, sorted

	Rules, TrainingRules []audit.RuleCount
	Sitemaps             []audit.SitemapFile
	Robots               []audit.RobotsFile
}

// Write writes the page as UTF-8.
func (p Page) Write(w io.Writer) error {
	t, err := template.New("page").Funcs(template.FuncMap{
		"shown": shown, "web": isWeb, "number": number, "count": count, "percent": percent, "rank": rank, "more": more,
	}).Parse(layout)
	if err != nil {
		return fmt.Errorf("read template of the page: %w", err)
	}
	return t.Execute(w, p.view())
}

func (p Page) view() view {
	r := p.Report
	v := view{
		Page: p, Style: template.CSS(style), Script: template.JS(script), Policy: policy(), Tone: tone(r), Token: robots.TrainingToken,
		ByRule: byRule(r), BySitemap: bySitemap(r), ByAgent: byAgent(r), Training: shares(r.Training),
		Rules: first(r.Rules), TrainingRules: first(r.Training.Rules), Sitemaps: first(r.Sitemaps), Robots: first(r.Robots),
	}
	codes, agents := map[string]bool{}, map[string]bool{}
	for _, f := range p.Findings {
		codes[string(f.Code)] = true
		agents[f.Agent] = true
	}
	delete(agents, "")
	v.Codes, v.Agents = sorted(codes), sorted(agents)
	return v
}

// policy returns the content security policy: it allows the style and the script
// of the page and nothing else.
func policy() string {
	return fmt.Sprintf("default-src 'none'; style-src '%s'; script-src '%s'; base-uri 'none'; form-action 'none'", hash(style), hash(script))
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

func tone(r *audit.Report) string {
	switch {
	case r.URLs == 0 || !r.Readable():
		return "unknown"
	case r.Blocked > 0 || r.NewErrors > 0:
		return "bad"
	default:
		return "good"
	}
}

func first[T any](rows []T) []T { return rows[:min(len(rows), MaxRows)] }

func sorted(set map[string]bool) []string {
	names := make([]string, 0, len(set))
	for name := range set {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
