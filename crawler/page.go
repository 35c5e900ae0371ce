package crawler

import (
	"context"
	"strings"
	"time"

	"github.com/decorum-crawler/decorum/crawler/content"
	"github.com/decorum-crawler/decorum/crawler/record"
	"github.com/decorum-crawler/decorum/frontier"
	"github.com/decorum-crawler/decorum/robots"
)

// page fetches a page that the gate let through.
func (c *Crawl) page(ctx context.Context, item frontier.Item, o *origin, leave permit, verdict robots.Verdict) (frontier.Outcome, error) {
	if !c.reserve() {
		return c.giveBack(item), nil
	}
	leave.limit, leave.accept, leave.admit = c.options.MaxPageBytes, true, c.admits(item, o)
	got := c.fetcher.fetch(ctx, leave)
	if ctx.Err() != nil {
		c.pages.Add(-1)
		return c.giveBack(item), nil //nolint:nilerr // dropped on purpose; the item stays pending
	}
	item.Attempts++
	failed := classify(got.status, got.err)
	if outcome, ok := c.again(item, got, failed); ok {
		c.pages.Add(-1)
		return outcome, nil
	}
	if reason := skippedByAnswer(got, failed); reason != "" {
		c.pages.Add(-1)
		return c.skip(item, reason, robots.Rule{}), nil
	}
	c.count(int64(len(got.exchange.body)))
	record := c.describe(item, o, verdict, got, failed)
	found := c.read(item, &record, got)
	more, err := c.keep(ctx, item, o, got, record)
	if err != nil {
		return frontier.Outcome{}, err
	}
	if ctx.Err() != nil {
		c.pages.Add(-1)
		return c.giveBack(item), nil //nolint:nilerr // a sink may have been cut short
	}
	c.tally.page(item, record)
	return frontier.Outcome{
		Verb: frontier.VerbDone, Item: item, Found: found, NextAt: got.next, Gap: got.gap,
		Records: append([]frontier.Record{record.Record()}, more...),
	}, nil
}

// reserve takes one of the pages that the limit leaves.
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

// again gives the outcome of a request that is to be sent once more later.
func (c *Crawl) again(item frontier.Item, got fetched, failed failure) (frontier.Outcome, bool) {
	wait, ok := failed.retries(item.Attempts, c.options.MaxRetries)
	if !ok {
		return frontier.Outcome{}, false
	}
	now := time.Now()
	item.NotBefore = now.Add(wait)
	if until, ok := retryAfter(got.header, now); ok && until.After(item.NotBefore) {
		item.NotBefore = until
	}
	c.options.Logger.Info("try again", "url", item.URL, "status", got.status, "reason", failed,
		"attempt", item.Attempts, "wait", item.NotBefore.Sub(now), "err", got.err)
	return frontier.Outcome{Verb: frontier.VerbRetry, Item: item, NextAt: got.next, Gap: got.gap}, true
}

// skippedByAnswer gives the reason of a URL whose body was never asked for.
func skippedByAnswer(got fetched, failed failure) frontier.Reason {
	switch {
	case failed == failPrivate:
		return frontier.SkipPrivateAddress
	case got.exchange.unwanted:
		return frontier.SkipContentType
	}
	return ""
}

// describe makes the record of a request.
func (c *Crawl) describe(item frontier.Item, o *origin, verdict robots.Verdict, got fetched, failed failure) record.Page {
	p := record.Page{
		Schema: record.PageSchema, URL: item.URL, Status: got.status,
		FetchedAt: got.started.UTC(), LastModified: record.LastModified(got.header), ElapsedMS: got.elapsed.Milliseconds(),
		Bytes: int64(len(got.exchange.body)), ContentType: got.header.Get("Content-Type"),
		Depth: item.Depth, Source: item.Source, Via: item.Via,
		Truncated: got.exchange.truncated, Attempts: item.Attempts,
		Robots:   record.RobotsOf(verdict, o.digest),
		Training: record.TrainingOf(o.training(item.URL)),
		Signals:  record.Signals{Directives: []string{}},
		Error:    string(failed),
	}
	if got.err == nil && !got.exchange.refused {
		p.Digest = record.Digest(got.exchange.body)
	}
	return p
}

// read fills the record from the page itself and gives what it names.
func (c *Crawl) read(item frontier.Item, p *record.Page, got fetched) []frontier.Candidate {
	if got.err != nil {
		return nil
	}
	var page markup
	if content.IsHTML(p.ContentType, got.exchange.body) {
		text, _ := content.Decode(got.exchange.body, p.ContentType)
		page = parseHTML(text, c.options.AgentToken, c.options.MaxLinks)
	}
	directives := robots.Directives{}
	for _, value := range got.header.Values("X-Robots-Tag") {
		directives.AddHeader(c.options.AgentToken, value)
	}
	directives.Merge(page.directives)
	p.NoIndex, p.NoFollow = directives.NoIndex, directives.NoFollow
	p.Signals.Directives = append(p.Signals.Directives, directives.Names...)
	p.Title = page.title
	base := item.URL
	if page.base != "" {
		if resolved, err := frontier.Canonical(item.URL, page.base, 0); err == nil {
			base = resolved
		}
	}
	if page.canonical != "" {
		if resolved, err := frontier.Canonical(base, page.canonical, 0); err == nil {
			p.Canonical = resolved
		}
	}
	p.Links = len(page.links)
	if page.cut {
		c.options.Logger.Warn("page has more links than are read", "url", item.URL, "links", p.Links)
	}
	if location := got.header.Get("Location"); got.status/100 == 3 && location != "" {
		return c.redirect(item, p, location)
	}
	if !c.options.Links || got.status/100 != 2 {
		return nil
	}
	return c.follow(item, base, page.links, p.NoFollow)
}

// redirect makes an item of the target: it passes the gate like any other.
func (c *Crawl) redirect(item frontier.Item, p *record.Page, location string) []frontier.Candidate {
	target := c.candidate(frontier.NewBase(item.URL), location, frontier.Item{
		Source: frontier.SourceRedirect, Via: item.URL, Depth: item.Depth,
		Priority: priorityRedirect, Redirects: item.Redirects + 1,
	})
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
