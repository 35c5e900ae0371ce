package crawler

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/decorum-crawler/decorum/crawler/content"
	"github.com/decorum-crawler/decorum/crawler/fetch"
	"github.com/decorum-crawler/decorum/crawler/record"
	"github.com/decorum-crawler/decorum/crawler/trap"
	"github.com/decorum-crawler/decorum/frontier"
	"github.com/decorum-crawler/decorum/internal/secret"
	"github.com/decorum-crawler/decorum/robots"
)

// page fetches a page that robots.txt allows.
func (c *Crawl) page(ctx context.Context, item frontier.Item, site *fetch.Site, verdict robots.Verdict) (frontier.Outcome, error) {
	if !c.reserve() {
		return c.giveBack(item), nil
	}
	got, fault := c.client.Get(ctx, fetch.Request{URL: item.URL, Readable: true, Admit: c.admits(item, site)})
	if outcome, ok := c.unsent(ctx, item, fault); ok {
		c.pages.Add(-1)
		return outcome, nil
	}
	failed := fetch.Classify(got.Status, fault)
	if outcome, ok := c.park(item, got, failed); ok {
		c.pages.Add(-1)
		return outcome, nil
	}
	item.Attempts++
	if outcome, ok := c.again(item, got, failed, fault); ok {
		c.pages.Add(-1)
		return outcome, nil
	}
	if reason := skippedByResponse(got, failed); reason != "" {
		c.pages.Add(-1)
		return c.skip(item, reason, robots.Rule{}), nil
	}
	c.count(int64(len(got.Body)))
	page := c.describe(item, site, verdict, got, failed)
	page.Cause = causeOf(fault)
	var found []frontier.Candidate
	cut := fault != nil && got.Status/100 == 2 && len(got.Body) > 0 // read the part that arrived, as browsers do
	if fault == nil || cut {
		page.Truncated = page.Truncated || cut
		found = c.read(item, &page, got)
		if got.Status == http.StatusOK && len(got.Body) > 0 {
			c.traps.fetched(item.URL, got.Body)
		}
		if !got.Refused {
			page.Digest = record.Digest(got.Body)
		}
	}
	more, err := c.keep(ctx, item, site, got, page)
	if err != nil {
		return frontier.Outcome{}, err
	}
	if ctx.Err() != nil {
		c.pages.Add(-1)
		return c.giveBack(item), nil //nolint:nilerr // a sink may have been cut short
	}
	c.tally.page(item, page)
	c.quota.page(item.URL)
	return frontier.Outcome{
		Verb: frontier.VerbDone, Item: item, Found: found, NextAt: got.Next, Gap: got.Gap,
		Records: append([]frontier.Record{page.Record()}, more...),
	}, nil
}

// unsent returns the outcome of an item whose request was not sent or was
// dropped on purpose; ok is false for any other item.
func (c *Crawl) unsent(ctx context.Context, item frontier.Item, err error) (frontier.Outcome, bool) {
	switch {
	case dropped(ctx, err), errors.Is(err, fetch.ErrWait):
		return c.giveBack(item), true
	case err == nil:
		return frontier.Outcome{}, false
	}
	// The cached robots.txt expired since it was checked, and the new one forbids
	// the URL.
	if blocked, ok := errors.AsType[*fetch.BlockedError](err); ok {
		if blocked.Verdict.Rule.Line > 0 {
			return c.skip(item, frontier.SkipRobotsDisallow, blocked.Verdict.Rule), true
		}
		return c.giveBack(item), true
	}
	return frontier.Outcome{}, false
}

// reserve counts a page toward the limit and reports whether it may be requested.
func (c *Crawl) reserve() bool {
	if n := c.pages.Add(1); c.options.MaxPages > 0 && n > c.options.MaxPages {
		c.pages.Add(-1)
		c.reachLimit()
		return false
	}
	return true
}

func (c *Crawl) count(bytes int64) {
	if total := c.bytes.Add(bytes); c.options.MaxBytes > 0 && total >= c.options.MaxBytes {
		c.reachLimit()
	}
}

// again returns the outcome of a request that will be retried later.
func (c *Crawl) again(item frontier.Item, got *fetch.Response, failed fetch.Failure, err error) (frontier.Outcome, bool) {
	wait, ok := failed.Retries(item.Attempts, c.limits.MaxRetries)
	if !ok {
		return frontier.Outcome{}, false
	}
	now := time.Now()
	item.NotBefore = now.Add(wait)
	if until, ok := fetch.RetryAfter(got.Header, now); ok && until.After(item.NotBefore) {
		item.NotBefore = until
	}
	c.options.Logger.Info("request will be retried", "url", item.URL, "status", got.Status, "reason", failed,
		"attempt", item.Attempts, "wait", item.NotBefore.Sub(now), "err", err)
	return frontier.Outcome{Verb: frontier.VerbRetry, Item: item, NextAt: got.Next, Gap: got.Gap}, true
}

// skippedByResponse returns the reason to skip a URL because of its response, or "".
func skippedByResponse(got *fetch.Response, failed fetch.Failure) frontier.Reason {
	switch {
	case failed == fetch.FailPrivate:
		return frontier.SkipPrivateAddress
	case got.Unwanted:
		return frontier.SkipContentType
	}
	return ""
}

// describe returns the record of a request.
func (c *Crawl) describe(item frontier.Item, site *fetch.Site, verdict robots.Verdict, got *fetch.Response, failed fetch.Failure) record.Page {
	p := record.Page{
		Schema: record.PageSchema, URL: item.URL, Status: got.Status,
		FetchedAt: got.StartedAt.UTC(), LastModified: record.LastModified(got.Header), ElapsedMS: got.Elapsed.Milliseconds(),
		Bytes: int64(len(got.Body)), ContentType: content.TypeOf(got.Header),
		Depth: item.Depth, Source: item.Source, Via: item.Via,
		Truncated: got.Truncated, Attempts: item.Attempts,
		Robots:   record.RobotsOf(verdict, site.Document.Digest()),
		Training: record.TrainingOf(site.Training(item.URL)),
		Signals:  record.Signals{Directives: []string{}},
		Error:    string(failed),
	}
	return p
}

// causeOf returns in words why a request failed, for the record.
func causeOf(fault error) string {
	if fault == nil {
		return ""
	}
	return secret.Text(fault.Error())
}

// read fills the record from the page itself and returns the candidates it names.
func (c *Crawl) read(item frontier.Item, p *record.Page, got *fetch.Response) []frontier.Candidate {
	var page markup
	if content.IsHTML(p.ContentType, got.Body) {
		text, charset := content.Decode(got.Body, p.ContentType)
		news := c.news(item, got)
		page = parseHTML(text, content.IsXHTML(p.ContentType), c.options.MaxLinks, news)
		c.closeTraps(news.End())
		for i := range page.links {
			page.links[i].href = content.EncodeQuery(page.links[i].href, charset.Name)
		}
	}
	page.headers(item.URL, got.Header, c.options.MaxLinks)
	directives := page.statements.For(c.limits.AgentToken)
	p.NoIndex, p.NoFollow = directives.NoIndex, directives.NoFollow
	p.Signals.Directives = append(p.Signals.Directives, directives.Names...)
	p.Signals.Scoped = page.statements.Scoped()
	p.Title = page.title
	base := item.URL
	if page.base != "" {
		if resolved, err := frontier.Canonical(item.URL, page.base, 0); err == nil {
			base = resolved
		}
	}
	if page.canonical != "" {
		if resolved, err := frontier.Canonical(base, page.canonical, 0); err == nil {
			if p.Canonical = resolved; resolved != item.URL {
				p.Canonical = secret.Address(resolved)
			}
		}
	}
	p.Links = len(page.links)
	if p.LinksIgnored = page.more; page.more > 0 {
		c.options.Logger.Warn("page has too many links, the rest are ignored", "url", item.URL, "links", p.Links, "ignored", page.more)
	}
	if location := fetch.Redirect(got.Status, got.Header); location != "" {
		return c.redirect(item, p, location)
	}
	if got.Status/100 != 2 {
		return nil
	}
	found := c.refreshTarget(item, p, base, page.refresh)
	if c.options.Links {
		found = append(found, c.follow(item, base, page.links, p.NoFollow)...)
	}
	return found
}

// news begins the look for new text in a page that links are taken from, or returns
// nil.
func (c *Crawl) news(item frontier.Item, got *fetch.Response) *trap.Page {
	if got.Status/100 != 2 || got.Refused || len(got.Body) == 0 {
		return nil
	}
	return c.traps.read(item.URL)
}

// closeTraps reports patterns that were closed.
func (c *Crawl) closeTraps(closings []trap.Closing) {
	for _, closing := range closings {
		c.traps.note(closing)
		c.options.Logger.Warn("trap: too many pages without new text, other URLs of the pattern are skipped",
			"pattern", closing.Pattern, "pages", closing.Pages, "fresh", closing.Fresh)
	}
}

// refreshTarget makes a candidate of the target of a refresh. An instant refresh
// counts as a redirect, any other as a link.
func (c *Crawl) refreshTarget(item frontier.Item, p *record.Page, base string, r declaredRefresh) []frontier.Candidate {
	if r.href == "" || !r.instant() && !c.options.Links {
		return nil
	}
	next := frontier.Item{Source: frontier.SourceLink, Via: item.URL, Depth: item.Depth + 1, Priority: priorityLink}
	if r.instant() {
		next = redirectItem(item)
	}
	target := c.candidate(frontier.NewBase(base), r.href, next)
	if p.NoFollow && target.Skip == "" {
		target.Skip = frontier.SkipNofollow
	}
	p.RefreshTo = target.URL
	return []frontier.Candidate{target}
}

// redirectItem returns the item for the target of a redirect, without its URL.
func redirectItem(from frontier.Item) frontier.Item {
	return frontier.Item{
		Source: frontier.SourceRedirect, Via: from.URL, Depth: from.Depth,
		Priority: priorityRedirect, Redirects: from.Redirects + 1,
	}
}

// redirect makes a candidate of the target, which is checked like any other.
func (c *Crawl) redirect(item frontier.Item, p *record.Page, location string) []frontier.Candidate {
	target := c.candidate(frontier.NewBase(item.URL), location, redirectItem(item))
	p.RedirectTo = target.URL
	return []frontier.Candidate{target}
}

// follow makes candidates of the links of a page.
func (c *Crawl) follow(item frontier.Item, base string, links []link, nofollow bool) []frontier.Candidate {
	seen := make(map[link]bool, len(links))
	found := make([]frontier.Candidate, 0, len(links))
	against := frontier.NewBase(base)
	for _, l := range links {
		l.href, _, _ = strings.Cut(l.href, "#")
		l.nofollow = l.nofollow || nofollow
		if seen[l] || l.href == "" {
			continue
		}
		seen[l] = true
		next := c.candidate(against, l.href, frontier.Item{
			Source: frontier.SourceLink, Via: item.URL, Depth: item.Depth + 1, Priority: priorityLink,
		})
		if l.nofollow && next.Skip == "" {
			next.Skip = frontier.SkipNofollow
		}
		found = append(found, next)
	}
	return found
}
