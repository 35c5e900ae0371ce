package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/decorum-crawler/decorum/audit"
	"github.com/decorum-crawler/decorum/configs"
	"github.com/decorum-crawler/decorum/crawler"
	"github.com/decorum-crawler/decorum/crawler/content"
	"github.com/decorum-crawler/decorum/crawler/crawldir"
	"github.com/decorum-crawler/decorum/crawler/fetch"
	"github.com/decorum-crawler/decorum/crawler/record"
	"github.com/decorum-crawler/decorum/frontier"
	"github.com/decorum-crawler/decorum/storage/jsonl"
)

// pageCheck compares the URLs of the sitemaps with the pages of a crawl, and runs
// that crawl for --check-pages.
type pageCheck struct {
	env    environment
	pages  *audit.Pages
	folder string    // of the crawl
	run    *crawlRun // nil if no page is fetched
	batch  []frontier.Candidate

	options crawler.Options // of its crawl, without the client
}

// checkBatch is the number of URLs that are added to the frontier at once.
const checkBatch = 1000

// newPageCheck opens what --check-pages and --crawl name; it returns nil when
// neither is given.
func (o *auditOptions) newPageCheck(env environment, c configs.Config, sites []string, stop *stopper) (*pageCheck, error) {
	if !o.checkPages && o.crawl == "" {
		return nil, nil
	}
	check := &pageCheck{env: env, pages: audit.NewPages(o.agents...), folder: o.crawl}
	if check.folder == "" {
		check.folder = defaultOutput(sites[0])
	}
	ours, err := crawldir.Holds(check.folder)
	switch {
	case err != nil:
		return nil, err
	case !o.checkPages && !ours:
		return nil, &commandError{code: exitDirectory, err: fmt.Errorf("%s holds no crawl", o.crawl), hint: "make one with decorum crawl, or fetch the pages with --check-pages"}
	case !o.checkPages:
		return check, check.hint()
	}
	return check, check.open(o, c, sites, ours, stop)
}

// hint warns of a crawl that cannot show orphans, since it read sitemaps.
func (p *pageCheck) hint() error {
	c, err := crawldir.Settings(p.folder)
	if err == nil && slices.Contains(c.Discover, "sitemap") {
		fmt.Fprintf(p.env.stderr, "decorum: hint: %s has read sitemaps, so it cannot show which pages no link leads to; decorum crawl --discover links can\n", safe(p.folder))
	}
	return err
}

// open creates the crawl of the listed pages, or resumes it.
func (p *pageCheck) open(o *auditOptions, c configs.Config, sites []string, ours bool, stop *stopper) (err error) {
	c.Discover, c.Scope, c.Seed = []string{}, "host", sites
	scope, err := frontier.NewScope(frontier.ReachHost, sites, nil, nil)
	if err != nil {
		return err
	}
	folder, err := p.openFolder(c, ours)
	if err != nil {
		return err
	}
	queue, err := folder.Frontier(queueOptions(c))
	if err != nil {
		return errors.Join(err, folder.Close())
	}
	p.options = crawlOptions(p.env, c, sites)
	p.options.Scope = scope // for redirects; listed URLs are in the queue already
	p.options.Logger = newLogger(p.env, folder.Log(), c.LogFormat, o.settings.verbose, o.settings.quiet)
	p.run = &crawlRun{env: p.env, flags: &crawlFlags{settings: o.settings, output: p.folder}, folder: folder, queue: queue, config: c, stop: stop}
	if !o.settings.quiet {
		fmt.Fprintf(p.env.stderr, "decorum: pages are stored in %s; run the same command with --crawl %s to resume\n", safe(p.folder), safe(p.folder))
	}
	return nil
}

func (p *pageCheck) openFolder(c configs.Config, ours bool) (*folder, error) {
	if ours {
		return openFolder(p.env, p.folder, crawldir.StateName)
	}
	return createFolder(p.folder, crawldir.StateName, c, nil)
}

// list adds a URL that a sitemap lists.
func (p *pageCheck) list(l audit.Listed) error {
	p.pages.List(l)
	if p.run == nil {
		return nil
	}
	p.batch = append(p.batch, frontier.Candidate{Item: frontier.Item{URL: l.URL, Source: frontier.SourceSitemap, Via: l.Sitemap}})
	if len(p.batch) >= checkBatch {
		return p.flush()
	}
	return nil
}

func (p *pageCheck) flush() error {
	_, err := p.run.queue.Add(p.run.stop.hard, p.batch)
	p.batch = p.batch[:0]
	return err
}

// connect has the client of the audit store what it fetches in the crawl
// directory.
func (p *pageCheck) connect(options *fetch.Options) {
	if p == nil || p.run == nil {
		return
	}
	folder := p.run.folder
	options.Robots, options.Evidence, options.Logger = folder.State(), folder.Evidence().KeepRobots, p.options.Logger
}

// share has the crawl use the client of the audit, so that both share one pace.
func (p *pageCheck) share(client *fetch.Client) {
	if p != nil && p.run != nil {
		p.options.Client = client
		p.run.crawl = crawler.New(p.run.queue, p.options)
	}
}

// judge fetches the pages, for --check-pages, and reports what is wrong with them.
func (p *pageCheck) judge(_ context.Context, say func(audit.Finding) error) error {
	if p.run != nil {
		if err := p.fetch(); err != nil {
			return err
		}
	}
	if err := p.fetched(say); err != nil {
		return err
	}
	err := eachRow(filepath.Join(p.folder, crawldir.SkippedName), func(skip record.Skip) error {
		return sayAll(say, p.pages.Skip(skip.URL, string(skip.Reason)))
	})
	if err != nil {
		return err
	}
	return p.pages.Orphans(say)
}

func (p *pageCheck) fetch() error {
	if err := p.flush(); err != nil {
		return err
	}
	_, err := p.run.seedAndRun(nil)
	if err := errors.Join(err, p.close()); err != nil {
		return err
	}
	if _, stopped := p.run.stop.exitCode(); stopped {
		return context.Canceled
	}
	return nil
}

// close closes the crawl. Fetched pages are kept.
func (p *pageCheck) close() error {
	if p == nil || p.run == nil || p.run.queue == nil {
		return nil
	}
	err := errors.Join(p.run.queue.Close(), p.run.folder.Close())
	p.run.queue = nil
	return err
}

func (p *pageCheck) fetched(say func(audit.Finding) error) error {
	return eachRow(filepath.Join(p.folder, crawldir.PagesName), func(page record.Page) error {
		return sayAll(say, p.pages.Judge(audit.Page{
			URL: page.URL, Status: page.Status, Error: page.Error, RedirectTo: page.RedirectTo,
			NoIndex: page.NoIndex, Directives: page.Signals.Directives, Scoped: page.Signals.Scoped, Canonical: page.Canonical,
			HTML:     page.ContentType != "" && content.IsHTML(page.ContentType, nil),
			Listable: page.Source == frontier.SourceLink || page.Source == frontier.SourceSeed,
		}))
	})
}

// eachRow calls take for each row of an output; the crawl may be running.
func eachRow[T any](name string, take func(T) error) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	for row, err := range jsonl.Decode[T](file) {
		if err != nil {
			return fmt.Errorf("read %s: %w", name, err)
		}
		if err := take(row); err != nil {
			return err
		}
	}
	return nil
}

func sayAll(say func(audit.Finding) error, findings []audit.Finding) error {
	for _, f := range findings {
		if err := say(f); err != nil {
			return err
		}
	}
	return nil
}
