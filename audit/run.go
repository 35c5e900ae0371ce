package audit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/decorum-crawler/decorum/robots"
	"github.com/decorum-crawler/decorum/sitemap"
)

// DefaultAgents returns the agents to audit for by default, in addition to the
// crawler itself: all others, two search engines and three AI crawlers.
func DefaultAgents() []string {
	return []string{"*", "Googlebot", "Bingbot", "GPTBot", "ClaudeBot", "CCBot"}
}

// Options of an audit. Robots and Open must be set.
type Options struct {
	// Agents are the product tokens to judge for, in this order. The training
	// token is ignored, since its preference is always counted.
	Agents []string
	// Robots returns the robots.txt of an origin, scheme://host[:port], and a
	// document of its class if it is unavailable or unreachable.
	Robots func(ctx context.Context, origin string) (*robots.Document, error)
	// Open returns the content of a sitemap. A [*BlockedError] means that
	// robots.txt forbids it.
	Open func(ctx context.Context, address string) (sitemap.Body, error)
	// Sitemaps, if any, are read for each site instead of those that robots.txt
	// names.
	Sitemaps []string
	// Canonical returns the form in which a URL is requested; nil means as
	// listed.
	Canonical func(address string) (string, error)
	// Own are the hosts whose sitemaps are read on behalf of their owner.
	Own []string
	// Known reports whether an earlier audit has the finding; nil means never.
	Known func(Finding) bool
	// OnFinding is called for each finding that is not known. Its error ends the
	// audit.
	OnFinding func(Finding) error
	// OnURL, if set, is called once for each URL that counts. Its error ends the
	// audit.
	OnURL func(Listed) error
	// Then, if set, is called after all sitemaps are read. The findings that it
	// passes to say are reported like others. Its error ends the audit.
	Then func(ctx context.Context, say func(Finding) error) error
	// OnProgress, if set, is called after each file and each thousand URLs.
	OnProgress func(files, urls, blocked int)
	// Sitemap limits the reading of each file. A MaxBytes of zero means 200 MiB,
	// four times what the protocol allows.
	Sitemap sitemap.Options
	// MaxURLs is the number of distinct URLs that are kept, at 12 to 24 bytes
	// each, to find duplicates; zero means 4,000,000.
	MaxURLs int
}

// BlockedError means that robots.txt forbids decorum a sitemap.
type BlockedError struct {
	Err     error
	Verdict robots.Verdict
}

// Error returns the text of the cause.
func (e *BlockedError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *BlockedError) Unwrap() error { return e.Err }

// maxHosts limits the requests to origins on other hosts than the site.
const maxHosts = 100

// Run audits sites, each given by any of its URLs. It returns errors of ctx and
// of the functions in options only; what is wrong with a site is a finding.
func Run(ctx context.Context, sites []string, options Options) (*Report, error) {
	a := &auditor{
		Options: options, seen: newSeen(options.MaxURLs), judges: map[string]*judge{}, files: map[string]*SitemapFile{}, traits: map[string]*traits{},
		examples: map[Code]int{}, asked: map[string]bool{},
		report: &Report{
			Schema: "decorum.report/1", StartedAt: time.Now().UTC().Truncate(time.Second), Sites: sites, Own: append([]string{}, options.Own...),
			Agents: []AgentCount{}, Robots: []RobotsFile{}, Sitemaps: []SitemapFile{}, Rules: []RuleCount{}, Findings: map[Code]int{}, Examples: []CodeExamples{}, Training: TrainingCount{Rules: []RuleCount{}},
		},
	}
	if a.Sitemap.MaxBytes == 0 {
		a.Sitemap.MaxBytes = maxBytes
	}
	a.Agents = slices.DeleteFunc(slices.Clone(options.Agents), func(agent string) bool { return robots.Token(agent) == robots.TrainingToken })
	for _, agent := range a.Agents {
		a.report.Agents = append(a.report.Agents, AgentCount{Agent: agent})
	}
	for _, host := range options.Own {
		a.say(Finding{Code: CodeOwn, URL: host, Message: "sitemaps of this host are read on behalf of its owner, whatever robots.txt says"})
	}
	for _, site := range sites {
		if err := a.site(ctx, site); err != nil {
			return nil, err
		}
	}
	if a.Then != nil {
		err := a.Then(ctx, func(f Finding) error {
			a.say(f)
			return a.failed
		})
		if err != nil {
			return nil, err
		}
	}
	a.finish()
	return a.report, nil
}

// auditor runs one audit.
type auditor struct {
	Options

	report   *Report
	seen     *seen
	judges   map[string]*judge // by origin
	order    []string          // of the origins
	files    map[string]*SitemapFile
	traits   map[string]*traits
	sources  []string        // files with entries, in the order read
	standing standing        // of the previous entry
	asked    map[string]bool // other origins that were asked
	examples map[Code]int
	counted  []int // lines of the rules that have counted the current URL
	failed   error // of OnFinding
}

func (a *auditor) site(ctx context.Context, site string) error {
	origin, err := originOf(site)
	if err != nil {
		return err
	}
	j, err := a.judge(ctx, origin)
	if err != nil {
		return err
	}
	if a.order[0] == origin {
		for i, agent := range a.Agents {
			a.report.Agents[i].Group = j.file.Group(agent).Token()
		}
	}
	a.relative(j)
	roots, named := a.roots(origin, j)
	if j.document.Class() == robots.ClassUnreachable {
		a.say(Finding{Code: CodeRobotsUnreachable, RobotsURL: j.document.FinalURL, Message: "robots.txt could not be fetched, so crawlers must assume that nothing is allowed: " + j.document.Failure()})
		if len(a.Sitemaps) == 0 {
			return a.failed // the sitemaps are unknown
		}
	}
	a.standing = standing{} // another site's URLs must not pass as this one's
	before := a.report.Training
	if err := a.walk(ctx, origin, j, roots, named); err != nil {
		return err
	}
	a.split(site, before)
	return a.failed
}

// relative reports Sitemap lines that most crawlers ignore.
func (a *auditor) relative(j *judge) {
	for _, s := range j.document.SitemapLines() {
		if s.Relative {
			a.say(Finding{
				Code: CodeSitemapRelative, Line: s.Line, RobotsURL: j.document.FinalURL, Sitemap: s.URL,
				Message: "robots.txt names the sitemap by a relative URL, which other crawlers ignore; write Sitemap: " + s.URL,
			})
		}
	}
}

// roots returns the sitemaps to begin with and whether they were named, by
// robots.txt or by the user.
func (a *auditor) roots(origin string, j *judge) (roots []string, named bool) {
	if len(a.Sitemaps) > 0 {
		return a.Sitemaps, true
	}
	if listed := j.document.Sitemaps(); len(listed) > 0 {
		return listed, true
	}
	return []string{origin + "/sitemap.xml", origin + "/sitemap_index.xml"}, false
}

func (a *auditor) walk(ctx context.Context, origin string, j *judge, roots []string, named bool) error {
	found := 0
	walker := sitemap.Walker{
		Options: a.Sitemap,
		Open:    func(ctx context.Context, address string) (sitemap.Body, error) { return a.open(ctx, origin, address) },
		Named:   a.names,
		OnFile: func(f sitemap.File) {
			if f.Err == nil {
				found++
			}
			a.file(ctx, f, named)
		},
		OnProblem: a.problem,
	}
	for item, err := range walker.Walk(ctx, roots) {
		if err == nil {
			err = a.entry(ctx, origin, item)
		}
		if err != nil {
			return err
		}
	}
	switch {
	case found == 0 && !named:
		a.say(Finding{Code: CodeNoSitemap, URL: origin + "/", Message: "robots.txt names no sitemap, and there is none at the well-known places"})
	case found > 0 && len(j.document.Sitemaps()) == 0 && j.document.Class() != robots.ClassUnreachable:
		a.say(Finding{Code: CodeSitemapNotNamed, URL: origin + "/", RobotsURL: j.document.FinalURL, Message: "robots.txt names no sitemap, so other crawlers may not find it"})
	}
	return nil
}

// names reports whether the robots.txt of its own origin, as far as it is known,
// names a sitemap.
func (a *auditor) names(address string) bool {
	origin, err := originOf(address)
	if err != nil {
		return false
	}
	for judged, j := range a.judges {
		if hostOf(judged) == hostOf(origin) && slices.Contains(j.file.Sitemaps(), address) {
			return true
		}
	}
	return false
}

// say counts and reports a finding, unless the baseline has it, and returns
// whether it is new.
func (a *auditor) say(f Finding) bool {
	f.Schema, f.Severity = "decorum.finding/1", SeverityOf(f.Code)
	if a.Known != nil && a.Known(f) {
		a.report.Known++
		return false
	}
	a.report.Findings[f.Code]++
	if f.Severity == SeverityError {
		a.report.NewErrors++
	}
	if f.Blocks() || f.Code == CodeSitemapBlocked {
		a.report.NewBlocks++
	}
	if n := a.examples[f.Code]; !f.Blocks() && n < maxExamples {
		a.examples[f.Code] = n + 1
		at := slices.IndexFunc(a.report.Examples, func(e CodeExamples) bool { return e.Code == f.Code })
		if at < 0 {
			at = len(a.report.Examples)
			a.report.Examples = append(a.report.Examples, CodeExamples{Code: f.Code})
		}
		a.report.Examples[at].Findings = append(a.report.Examples[at].Findings, f)
	}
	if a.OnFinding != nil && a.failed == nil {
		a.failed = a.OnFinding(f)
	}
	return true
}

// judge returns the judge of an origin, whose robots.txt is requested once.
func (a *auditor) judge(ctx context.Context, origin string) (*judge, error) {
	if j, ok := a.judges[origin]; ok {
		return j, nil
	}
	document, err := a.Robots(ctx, origin)
	if err != nil {
		return nil, fmt.Errorf("judge by robots.txt of %s: %w", origin, err)
	}
	j := newJudge(document, a.Agents)
	a.judges[origin] = j
	a.order = append(a.order, origin)
	a.report.Robots = append(a.report.Robots, RobotsFile{
		URL: document.FinalURL, Origin: origin, Status: document.Status, Class: document.Class(),
		Digest: document.Digest(), FetchedAt: document.FetchedAt.UTC(), Error: document.Cause(),
	})
	return j, nil
}

// mayAsk reports whether an origin on another host may be asked for something,
// and counts it.
func (a *auditor) mayAsk(origin string) bool {
	if a.asked[origin] || a.judges[origin] != nil {
		return true
	}
	if len(a.asked) >= maxHosts {
		return false
	}
	a.asked[origin] = true
	return true
}

// source returns the index of a file in sources.
func (a *auditor) source(name string) uint32 {
	if n := len(a.sources); n == 0 || a.sources[n-1] != name {
		a.sources = append(a.sources, name)
	}
	return uint32(len(a.sources) - 1)
}

// finish completes and sorts the counts.
func (a *auditor) finish() {
	r := a.report
	r.DuplicatesPartial = a.seen.full
	r.FinishedAt = time.Now().UTC().Truncate(time.Second)
	for i, s := range r.Sitemaps {
		if f := a.files[s.URL]; f != nil {
			r.Sitemaps[i].Blocked = f.Blocked
		}
	}
	for _, origin := range a.order {
		for _, rule := range a.judges[origin].rules {
			slices.SortFunc(rule.Agents, func(x, y string) int {
				return cmp.Compare(slices.Index(a.Agents, x), slices.Index(a.Agents, y))
			})
			r.Rules = append(r.Rules, *rule)
		}
		for _, rule := range a.judges[origin].against {
			r.Training.Rules = append(r.Training.Rules, *rule)
		}
	}
	slices.SortFunc(r.Rules, byURLs)
	slices.SortFunc(r.Training.Rules, byURLs)
}

// byURLs orders rules by their URLs, the most first.
func byURLs(x, y RuleCount) int {
	return cmp.Or(-cmp.Compare(x.URLs, y.URLs), cmp.Compare(x.RobotsURL, y.RobotsURL), cmp.Compare(x.Line, y.Line))
}

// split reports a site whose URLs do not all have the same preference.
func (a *auditor) split(site string, before TrainingCount) {
	favor, against, none := a.report.Training.InFavor-before.InFavor, a.report.Training.Against-before.Against, a.report.Training.None-before.None
	if favor > 0 && against > 0 || none > 0 && favor+against > 0 {
		a.say(Finding{
			Code: CodeTrainingSplit, URL: site, Agent: robots.TrainingToken,
			Message: fmt.Sprintf("the training preference is in favor for %d URLs, against for %d, not stated for %d", favor, against, none),
		})
	}
}

// originOf returns scheme, host and port of a URL (RFC 6454 §4).
func originOf(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return "", fmt.Errorf("find origin of %q: %w", address, cmp.Or(err, errNoHost))
	}
	return strings.ToLower(u.Scheme + "://" + u.Host), nil
}

var errNoHost = errors.New("no host")
