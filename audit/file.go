package audit

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/decorum-crawler/decorum/robots"
	"github.com/decorum-crawler/decorum/sitemap"
)

const (
	// fewestDates is the number of entries from which equal dates are suspicious.
	fewestDates = 10
	// maxBytes is how much of a sitemap is read, beyond what the protocol allows.
	maxBytes = 200 << 20
)

// traits describe the entries of a file as a whole.
type traits struct {
	date          time.Time // the first lastmod
	dated         int
	mixed         bool // another lastmod differs from it
	large         bool // it has been reported
	plain, secure scheme
}

// scheme counts the entries of a file that are http, or those that are https.
type scheme struct {
	count int
	first sitemap.Item
}

func (a *auditor) traitsOf(source string) *traits {
	t := a.traits[source]
	if t == nil {
		t = &traits{}
		a.traits[source] = t
	}
	return t
}

// note adds an entry to the traits of its file.
func (a *auditor) note(item sitemap.Item, address string) {
	t := a.traitsOf(item.Source)
	s := &t.secure
	if strings.HasPrefix(address, "http://") {
		s = &t.plain
	}
	if s.count++; s.count == 1 {
		s.first = item
	}
	if item.Offset > sitemap.MaxBytes {
		a.large(item.Source, item.Line)
	}
	if item.LastMod.IsZero() {
		return
	}
	if item.LastMod.After(a.report.StartedAt.Add(24 * time.Hour)) {
		a.about(CodeLastModFuture, item, "lastmod is "+item.LastMod.Format(time.RFC3339)+", which is in the future")
	}
	if t.dated++; t.dated == 1 {
		t.date = item.LastMod
	}
	t.mixed = t.mixed || !t.date.Equal(item.LastMod)
}

// large reports, once, a file with more bytes than the protocol allows.
func (a *auditor) large(source string, line int) {
	if t := a.traitsOf(source); !t.large {
		t.large = true
		a.say(Finding{Code: CodeTooLarge, Sitemap: source, SitemapLine: line, Message: "the file has more than 50 MiB; crawlers stop reading at this line, or reject the file"})
	}
}

// file reports on a file that was read or could not be read.
func (a *auditor) file(ctx context.Context, f sitemap.File, named bool) {
	blocked, _ := errors.AsType[*BlockedError](f.Err)
	if f.Err != nil && !named && f.Parent == "" && blocked == nil {
		return // nothing is at a well-known place
	}
	a.sitemapBlocked(ctx, f.URL, blocked)
	entry := SitemapFile{URL: f.URL, Parent: f.Parent, Kind: string(f.Kind), Entries: f.Entries, Problems: f.Problems}
	if f.Err != nil {
		entry.Error = f.Err.Error()
	}
	switch {
	case f.Err == nil, blocked != nil:
	case errors.Is(f.Err, sitemap.ErrSyntax):
		a.say(Finding{Code: CodeNotASitemap, Sitemap: f.URL, Message: "the file is not a sitemap: " + f.Err.Error()})
	default:
		a.say(Finding{Code: CodeSitemapUnreachable, Sitemap: f.URL, Message: f.Err.Error()})
	}
	a.report.Sitemaps = append(a.report.Sitemaps, entry)
	a.finishFile(f)
	if a.OnProgress != nil {
		a.OnProgress(len(a.report.Sitemaps), a.report.URLs, a.report.Blocked)
	}
}

// sitemapBlocked reports who may not fetch a file: decorum, if ours is set, and
// the audited agents, one by one or all at once. Agents that may not even fetch
// the home page are left out: they are unwelcome and need no sitemap.
func (a *auditor) sitemapBlocked(ctx context.Context, address string, ours *BlockedError) {
	origin, err := originOf(address)
	if err != nil || !a.mayAsk(origin) {
		return
	}
	j, err := a.judge(ctx, origin) // already fetched for the file itself
	target, wrong := robots.Target(address)
	if err != nil || wrong != nil {
		return
	}
	say := func(agent, message string, v robots.Verdict) {
		a.say(Finding{
			Code: CodeSitemapBlocked, Agent: agent, Rule: ruleText(v), Line: v.Rule.Line, RobotsURL: j.document.FinalURL,
			Sitemap: address, Message: message + " " + by(v),
		})
	}
	kept, all := j.kept(target)
	if ours != nil {
		say("", "robots.txt does not let decorum fetch the sitemap, so it was not read: blocked", ours.Verdict)
		if all {
			return
		}
	}
	if all && len(a.Agents) > 1 {
		say("", "the sitemap itself is blocked for all audited agents,", kept[0].verdict)
		return
	}
	for _, k := range kept {
		say(a.Agents[k.agent], "the sitemap itself is blocked for "+a.Agents[k.agent], k.verdict)
	}
}

// finishFile reports what is wrong with a file as a whole.
func (a *auditor) finishFile(f sitemap.File) {
	t := a.traitsOf(f.URL)
	delete(a.traits, f.URL)
	if t.dated >= fewestDates && !t.mixed {
		a.say(Finding{Code: CodeLastModAllSame, Sitemap: f.URL, Message: fmt.Sprintf("all %d lastmods are %s, so they are useless to crawlers", t.dated, t.date.Format(time.RFC3339))})
	}
	if t.plain.count > 0 && t.secure.count > 0 {
		fewer, name := t.plain, "http"
		if t.secure.count < t.plain.count {
			fewer, name = t.secure, "https"
		}
		a.about(CodeSchemeMix, fewer.first, fmt.Sprintf("%d of the %d URLs in the file are %s, the others are not; this is the first", fewer.count, t.plain.count+t.secure.count, name))
	}
	if f.Problems > 0 {
		a.say(Finding{Code: CodeSitemapInvalid, Sitemap: f.URL, Message: fmt.Sprintf("problems in the file: %d; decorum sitemap validate lists them", f.Problems)})
	}
}

// problem reports those problems of files that have a code of their own here.
func (a *auditor) problem(source string, p sitemap.Problem) {
	switch {
	case p.Code == "too-many-urls" || p.Code == "too-many-files":
		a.say(Finding{Code: CodeTooLarge, Sitemap: source, SitemapLine: p.Line, Message: p.Message})
	case p.Code == "truncated" && p.Offset >= sitemap.MaxBytes:
		a.large(source, p.Line)
	}
}

// open opens a file of a site, unless it is on yet another host beyond the
// limit.
func (a *auditor) open(ctx context.Context, site, address string) (sitemap.Body, error) {
	origin, err := originOf(address)
	if err != nil {
		return sitemap.Body{}, err
	}
	if hostOf(origin) != hostOf(site) && !a.mayAsk(origin) {
		return sitemap.Body{}, fmt.Errorf("open %s: %w", address, errHosts)
	}
	return a.Open(ctx, address)
}

var errHosts = fmt.Errorf("not fetched: it is on another host, and decorum has already asked %d of them, its limit", maxHosts)
