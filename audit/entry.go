package audit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/decorum-crawler/decorum/robots"
	"github.com/decorum-crawler/decorum/sitemap"
)

// entry judges a listed URL for all agents.
func (a *auditor) entry(ctx context.Context, site string, item sitemap.Item) error {
	address := item.Loc
	if a.Canonical != nil {
		sent, err := a.Canonical(item.Loc)
		if err != nil {
			a.about(CodeNonCanonical, item, "the URL cannot be requested: "+err.Error())
			return a.failed
		}
		address = sent
	}
	j, err := a.judgeOf(ctx, site, address, item)
	if err != nil || j == nil {
		return errors.Join(err, a.failed)
	}
	first, isNew := a.seen.add(address, a.source(item.Source)) // only now: an entry that does not count here may count elsewhere
	if !isNew {
		message := "the URL is already listed in this file"
		if name := a.sources[first]; name != item.Source {
			message = "the URL is already listed in " + name
		}
		a.about(CodeDuplicate, item, message)
		return a.failed
	}
	if address != item.Loc {
		a.about(CodeNonCanonical, item, "the URL is requested as "+address)
	}
	a.note(item, address)
	blocked := a.verdicts(j, address, item)
	if a.OnURL != nil && a.failed == nil {
		a.failed = a.OnURL(Listed{URL: address, Sitemap: item.Source, Line: item.Line, Blocked: blocked})
	}
	if a.OnProgress != nil && a.report.URLs%1000 == 0 {
		a.OnProgress(len(a.report.Sitemaps), a.report.URLs, a.report.Blocked)
	}
	return a.failed
}

// about reports a finding on an entry.
func (a *auditor) about(code Code, item sitemap.Item, message string) {
	a.say(Finding{Code: code, URL: item.Loc, Sitemap: item.Source, SitemapLine: item.Line, Message: message})
}

// standing tells whether the entries of a file with URLs of one origin count.
type standing struct {
	source, origin string
	judge          *judge // nil if they do not count
	fault          string // why they do not
}

// judgeOf returns the judge of a URL, or nil if the entry does not count.
func (a *auditor) judgeOf(ctx context.Context, site, address string, item sitemap.Item) (*judge, error) {
	rest, ok := strings.CutPrefix(address, a.standing.origin)
	if !ok || a.standing.source != item.Source || rest != "" && rest[0] != '/' && rest[0] != '?' {
		origin, err := originOf(address)
		if err != nil {
			a.about(CodeNonCanonical, item, err.Error())
			return nil, nil
		}
		if a.standing, err = a.stand(ctx, site, origin, item); err != nil {
			return nil, err
		}
	}
	if a.standing.judge == nil {
		a.about(CodeOtherHost, item, "the URL does not count: it is on another host, "+a.standing.fault)
	}
	return a.standing.judge, nil
}

// stand decides whether the entries of a file with URLs of one origin count:
// those of the site's host do, others only if their own robots.txt names the
// sitemap.
func (a *auditor) stand(ctx context.Context, site, origin string, item sitemap.Item) (standing, error) {
	s := standing{source: item.Source, origin: origin}
	own := hostOf(origin) == hostOf(site)
	if !own && !a.mayAsk(origin) {
		s.fault = fmt.Sprintf("and decorum has already asked %d of them, its limit", maxHosts)
		return s, nil
	}
	j, err := a.judge(ctx, origin)
	if err != nil {
		return s, err
	}
	if named := j.document.Sitemaps(); !own && !slices.Contains(named, item.Source) && !slices.Contains(named, item.Root) {
		s.fault = "whose robots.txt does not name the sitemap"
		return s, nil
	}
	s.judge = j
	return s, nil
}

func hostOf(origin string) string {
	_, host, _ := strings.Cut(origin, "://")
	return strings.TrimSuffix(strings.TrimSuffix(host, ":443"), ":80")
}

// verdicts judges a URL for each agent and counts the verdicts. It reports
// whether the URL is blocked for all of them.
func (a *auditor) verdicts(j *judge, address string, item sitemap.Item) bool {
	target, err := robots.Target(address)
	if err != nil {
		a.about(CodeNonCanonical, item, err.Error())
		return false
	}
	path := robots.Normalize(target)
	a.report.URLs++
	example := Example{item.Loc, item.Source, item.Line}
	a.report.Training.add(j.train(path, example))
	var blocks []robots.Verdict
	var groups []int
	blocked := 0
	for group, agents := range j.agents {
		v := j.verdict(group, path)
		for _, at := range agents {
			if v.Allowed {
				a.report.Agents[at].Allowed++
			} else {
				a.report.Agents[at].Blocked++
			}
		}
		if !v.Allowed {
			blocked += len(agents)
			blocks, groups = append(blocks, v), append(groups, group)
		}
	}
	if blocked > 0 {
		a.blocked(j, example, blocks, groups, blocked == len(a.Agents))
	}
	return blocked > 0 && blocked == len(a.Agents)
}

// blocked reports which agents a URL is blocked for: one by one, or all at once.
func (a *auditor) blocked(j *judge, listed Example, blocks []robots.Verdict, groups []int, all bool) {
	a.report.Blocked++
	a.fileOf(listed.Sitemap).Blocked++
	finding := Finding{URL: listed.URL, RobotsURL: j.document.FinalURL, Sitemap: listed.Sitemap, SitemapLine: listed.Line}
	if all {
		a.report.ForAll++
		v := blocks[0]
		finding.Code, finding.Rule, finding.Line = CodeBlockedForAll, ruleText(v), v.Rule.Line
		finding.Message = "blocked for all audited agents, " + by(v)
		if !a.say(finding) {
			return
		}
	}
	a.counted = a.counted[:0]
	for i, v := range blocks {
		for _, at := range j.agents[groups[i]] {
			if !all {
				finding.Code, finding.Agent, finding.Rule, finding.Line = CodeBlocked, a.Agents[at], ruleText(v), v.Rule.Line
				finding.Message = "blocked for " + a.Agents[at] + " " + by(v)
				if !a.say(finding) {
					continue
				}
			}
			j.count(v, a.Agents[at], listed, !slices.Contains(a.counted, v.Rule.Line))
			a.counted = append(a.counted, v.Rule.Line)
		}
	}
}

func (a *auditor) fileOf(source string) *SitemapFile {
	f := a.files[source]
	if f == nil {
		f = &SitemapFile{URL: source}
		a.files[source] = f
	}
	return f
}
