package crawler

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/decorum-crawler/decorum/crawler/content"
	"github.com/decorum-crawler/decorum/crawler/fetch"
	"github.com/decorum-crawler/decorum/crawler/record"
	"github.com/decorum-crawler/decorum/frontier"
	"github.com/decorum-crawler/decorum/internal/secret"
	"github.com/decorum-crawler/decorum/robots"
	"github.com/decorum-crawler/decorum/sitemap"
)

const (
	maxSitemapDepth = 3 // the protocol knows one level of index
	sitemapBatch    = 1000

	maxSitemaps = 10_000  // files of a run
	manyEntries = 50_000  // of one file, by the protocol
	maxEntries  = 500_000 // of one file; the rest is not read
)

// discover returns the sitemaps of an origin in the scope of the crawl, once per
// run for each robots.txt. That happens with the first outcome of the origin at
// the latest: an earlier run may have stored the robots.txt and ended before its
// sitemaps were durable.
func (c *Crawl) discover(ctx context.Context, site *fetch.Site) []frontier.Candidate {
	if site.Unreachable() || !c.offer(site) {
		return nil // a stored robots.txt or a later one names them
	}
	if !c.options.Sitemaps || c.options.Scope != nil && c.options.Scope.Judge(site.Origin+"/") == frontier.SkipOutOfScope {
		return nil
	}
	for _, s := range site.Document.SitemapLines() {
		if s.Relative {
			c.options.Logger.Warn("robots.txt names a sitemap by a relative URL, which other crawlers ignore", "url", s.URL, "line", s.Line)
		}
	}
	var found []frontier.Candidate
	for _, address := range site.Sitemaps() {
		if canonical, err := frontier.Canonical("", address, c.limits.MaxURLLength); err == nil {
			found = append(found, c.sitemapCandidate(ctx, canonical, site.Origin+"/robots.txt", 0))
		}
	}
	return found
}

// offer notes that the sitemaps of a site are offered and reports whether this is
// the first time.
func (c *Crawl) offer(site *fetch.Site) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := site.Document.FetchedAt.UnixNano()
	if c.offered[site.Origin] == at {
		return false
	}
	c.offered[site.Origin] = at
	return true
}

// sitemapCandidate returns a sitemap that a robots.txt or an index names, with a
// reason to skip it where there is one. What a user excludes is never requested; a
// file on another host than what names it counts only if a robots.txt of one of
// the two names it too (sitemaps.org, cross submits).
func (c *Crawl) sitemapCandidate(ctx context.Context, canonical, via string, depth int) frontier.Candidate {
	found := frontier.Candidate{Item: frontier.Item{
		URL: canonical, Kind: frontier.KindSitemap, Source: frontier.SourceSitemap, Via: via, Depth: depth,
	}}
	origin, from := frontier.OriginOf(canonical), frontier.OriginOf(via)
	switch {
	case c.options.Scope != nil && c.options.Scope.Excludes(canonical):
		found.Skip = frontier.SkipExcluded
	case c.traps.looped(canonical):
		found.Skip = frontier.SkipTrap
	case depth > maxSitemapDepth, c.sitemaps.Add(1) > maxSitemaps:
		found.Skip = frontier.SkipLimit
	case found.Host() != frontier.HostOf(via) && !c.client.Names(ctx, origin, canonical) && !c.client.Names(ctx, from, canonical):
		found.Skip = frontier.SkipOutOfScope
	}
	if found.Skip != "" {
		found.URL = secret.Address(canonical)
	}
	return found
}

// sitemap fetches one sitemap file and adds its entries while it streams.
func (c *Crawl) sitemap(ctx context.Context, item frontier.Item) (frontier.Outcome, error) {
	loader := &sitemapLoader{crawl: c, ctx: ctx, item: item, base: frontier.NewBase(item.URL)}
	got, err := c.client.Get(ctx, fetch.Request{URL: item.URL, Limit: fetch.MaxStreamBytes, Admit: loader.admit, Consume: loader.consume})
	if loader.failed != nil && ctx.Err() == nil {
		return frontier.Outcome{}, loader.failed
	}
	if outcome, ok := c.unsent(ctx, item, err); ok {
		return outcome, nil
	}
	item.Attempts++
	failed := fetch.Classify(got.Status, err)
	if outcome, ok := c.again(item, got, failed, err); ok {
		return outcome, nil
	}
	if failed == fetch.FailPrivate {
		return c.skip(item, frontier.SkipPrivateAddress, robots.Rule{}), nil
	}
	c.options.Logger.Info("sitemap read", "url", item.URL, "status", got.Status, "entries", loader.entries,
		"problems", loader.problems, "reason", failed, "err", loader.fault)
	if got.Status == http.StatusOK && err == nil && loader.fault == nil {
		if err := c.options.Versions.save(item.URL, versionOf(got.Header, loader.kind, got.StartedAt)); err != nil {
			return frontier.Outcome{}, err
		}
	}
	records, err := c.options.capture(got.Wire, item.Via, nil)
	if err != nil {
		return frontier.Outcome{}, err
	}
	line := loader.record(got, failed)
	outcome := frontier.Outcome{Verb: frontier.VerbDone, Item: item, NextAt: got.Next, Gap: got.Gap}
	if location := fetch.Redirect(got.Status, got.Header); location != "" && item.Redirects < c.limits.MaxRedirects {
		if canonical, err := frontier.Canonical(item.URL, location, c.limits.MaxURLLength); err == nil {
			target := c.sitemapCandidate(ctx, canonical, item.URL, item.Depth)
			target.Redirects = item.Redirects + 1
			outcome.Found, line.RedirectTo = []frontier.Candidate{target}, canonical
		}
	}
	outcome.Records = append([]frontier.Record{line.Record()}, records...)
	return outcome, nil
}

// sitemapLoader adds the entries of one sitemap to the frontier as they arrive.
type sitemapLoader struct {
	crawl    *Crawl
	ctx      context.Context //nolint:containedctx // lives for one request, inside the transport
	item     frontier.Item
	base     frontier.Base
	served   sitemap.Served
	batch    []frontier.Candidate
	entries  int
	kind     sitemap.Kind
	problems int
	fault    error // of the file
	failed   error // of our own state
}

// admit notes how the file is sent.
func (r *sitemapLoader) admit(_ int, header http.Header) bool {
	r.served = servedAs(header)
	return true
}

// servedAs returns how a sitemap is sent, by the header of the response. A crawl
// takes all URLs of a host, whatever the folder of the file that lists them, so
// robots.txt is not asked whether it names the file.
func servedAs(header http.Header) sitemap.Served {
	return sitemap.Served{Charset: content.CharsetOf(content.TypeOf(header)), Gzip: content.HasGzip(header), Named: true}
}

// OpenSitemap requests a sitemap and returns its content, which the caller closes,
// with how it was sent; see [fetch.Client.Open]. Whether robots.txt names the file
// is left to the caller.
func OpenSitemap(ctx context.Context, client *fetch.Client, address string) (sitemap.Body, error) {
	stream, err := client.OpenIf(ctx, address, nil)
	if err != nil {
		return sitemap.Body{}, err
	}
	served := servedAs(stream.Header)
	served.Named = false
	return sitemap.Body{ReadCloser: stream, Served: served}, nil
}

func (r *sitemapLoader) consume(body io.Reader) error {
	base, err := url.Parse(r.item.URL)
	if err != nil {
		return err
	}
	reader := sitemap.NewReader(body, base, sitemap.Options{MaxBytes: fetch.MaxStreamBytes, Served: r.served})
	for entry, err := range reader.Entries() {
		if err != nil {
			r.fault = err
			break
		}
		if r.entries == maxEntries {
			r.fault = fmt.Errorf("more than %d entries: %w", maxEntries, sitemap.ErrSyntax)
			break
		}
		if r.entries++; r.entries == manyEntries+1 {
			r.crawl.options.Logger.Warn("sitemap has more entries than the protocol allows", "url", r.item.URL, "entries", manyEntries)
		}
		r.add(reader.Kind(), entry)
		if len(r.batch) >= sitemapBatch {
			if r.failed = r.flush(); r.failed != nil {
				return r.failed
			}
		}
	}
	r.problems, r.kind = reader.ProblemCount(), reader.Kind()
	r.failed = r.flush()
	if r.fault != nil && !errors.Is(r.fault, sitemap.ErrSyntax) {
		return r.fault // the transfer failed; the file itself may be valid
	}
	return r.failed
}

// add turns an entry into a candidate: a file of an index, or a page.
func (r *sitemapLoader) add(kind sitemap.Kind, entry sitemap.Entry) {
	if kind == sitemap.KindIndex {
		if canonical, err := frontier.Canonical("", entry.Loc, r.crawl.limits.MaxURLLength); err == nil {
			r.batch = append(r.batch, r.crawl.sitemapCandidate(r.ctx, canonical, r.item.URL, r.item.Depth+1))
		}
		return
	}
	priority := 0.5
	if entry.HasPriority {
		priority = min(max(entry.Priority, 0), 1)
	}
	found := r.crawl.candidate(r.base, entry.Loc, frontier.Item{
		Source: frontier.SourceSitemap, Via: r.item.URL, Priority: prioritySitemap + uint8((1-priority)*50),
	})
	if found.Skip == "" && found.Host() != r.item.Host() && !r.crawl.client.Names(r.ctx, frontier.OriginOf(found.URL), r.item.URL) {
		found.Skip, found.URL = frontier.SkipOutOfScope, secret.Address(found.URL) // no cross-submission, by sitemaps.org
	}
	r.batch = append(r.batch, found)
}

// record returns the line of the sitemap after its response.
func (r *sitemapLoader) record(got *fetch.Response, failed fetch.Failure) record.Sitemap {
	line := record.Sitemap{
		Schema: record.SitemapSchema, URL: r.item.URL, Status: got.Status, FetchedAt: got.StartedAt.UTC(), ElapsedMS: got.Elapsed.Milliseconds(),
		Entries: r.entries, Problems: r.problems, Depth: r.item.Depth, Via: r.item.Via, Attempts: r.item.Attempts + 1, Error: string(failed),
	}
	if r.entries > 0 {
		line.Kind = string(r.kind)
	}
	if line.Error == "" && r.fault != nil {
		line.Error = r.fault.Error()
	}
	return line
}

func (r *sitemapLoader) flush() error {
	if len(r.batch) == 0 {
		return nil
	}
	_, err := r.crawl.frontier.Add(r.ctx, r.batch)
	r.batch = r.batch[:0]
	return err
}
