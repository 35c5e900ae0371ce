package crawler

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/decorum-crawler/decorum/crawler/record"
	"github.com/decorum-crawler/decorum/frontier"
	"github.com/decorum-crawler/decorum/robots"
)

// Crawl is one run over a frontier. Make one with [New].
type Crawl struct {
	options  Options
	frontier frontier.Frontier
	fetcher  *fetcher
	gate     *gate

	pages   atomic.Int64 // requests for pages in this run that count
	bytes   atomic.Int64
	limited atomic.Bool        // a limit that the user asked for has been reached
	stop    context.CancelFunc // ends the leasing of this run
	tally   tally
}

// New makes a crawl on a frontier, which stays the caller's to close.
func New(f frontier.Frontier, options Options) *Crawl {
	options = options.withDefaults()
	fetcher := newFetcher(options)
	return &Crawl{options: options, frontier: f, fetcher: fetcher, gate: newGate(fetcher, options)}
}

// Seed offers canonical URLs as seeds and returns how many were new.
func (c *Crawl) Seed(ctx context.Context, urls []string) (int, error) {
	candidates := make([]frontier.Candidate, 0, len(urls))
	for _, address := range urls {
		candidates = append(candidates, c.candidate(frontier.NewBase(address), address, frontier.Item{Source: frontier.SourceSeed, Priority: prioritySeed}))
	}
	return c.frontier.Add(ctx, candidates)
}

// Result is how a run ended.
type Result struct {
	Pages    int64                     // that reached their final state in this run
	Bytes    int64                     // decoded, in this run
	Statuses map[int]int64             // pages by status; 0 is no answer
	Skips    map[frontier.Reason]int64 // items that were pending and then skipped
	Seeds    []SeedEnd                 // what became of the seeds
	Limited  bool                      // a limit ended it
	Drained  bool                      // nothing is left
}

// Run crawls until nothing is left, a limit is reached, or stopping is done.
// When stopping is done no request starts any more and those under way end by
// themselves; when ctx is done they are dropped and stay pending.
func (c *Crawl) Run(ctx, stopping context.Context) (Result, error) {
	leasing, stop := context.WithCancel(ctx)
	defer stop()
	c.stop = stop
	defer context.AfterFunc(stopping, stop)()
	if c.options.MaxTime > 0 {
		timer := time.AfterFunc(c.options.MaxTime, c.reachLimit)
		defer timer.Stop()
	}
	defer c.fetcher.close()
	var drained atomic.Bool
	var workers errgroup.Group
	for range c.options.Workers {
		workers.Go(func() error {
			err := c.work(ctx, leasing)
			if errors.Is(err, frontier.ErrDrained) {
				drained.Store(true)
				return nil
			}
			if err != nil {
				stop()
			}
			return err
		})
	}
	err := workers.Wait()
	result := c.tally.result()
	result.Pages, result.Bytes = c.pages.Load(), c.bytes.Load()
	result.Limited, result.Drained = c.limited.Load(), err == nil && drained.Load()
	return result, err
}

func (c *Crawl) reachLimit() {
	c.limited.Store(true)
	c.stop()
}

// work handles one item after the other until there is none or leasing ends.
func (c *Crawl) work(ctx, leasing context.Context) error {
	for {
		lease, err := c.frontier.Lease(leasing)
		switch {
		case err == nil:
		case leasing.Err() != nil && !errors.Is(err, frontier.ErrDrained):
			return nil
		default:
			return err
		}
		outcome, err := c.handle(ctx, lease.Item)
		if err != nil {
			return fmt.Errorf("crawl %s: %w", lease.Item.URL, err)
		}
		err = c.frontier.Ack(context.WithoutCancel(ctx), lease.ID, outcome)
		if errors.Is(err, frontier.ErrLeaseLost) {
			c.options.Logger.Warn("lease lost", "url", lease.Item.URL)
			continue
		}
		if err != nil {
			return err
		}
	}
}

// handle takes one item as far as it goes now. An error is one of our own
// state, never of the site.
func (c *Crawl) handle(ctx context.Context, item frontier.Item) (frontier.Outcome, error) {
	name := frontier.OriginOf(item.URL)
	o, err := c.gate.ready(ctx, name)
	if err != nil {
		return frontier.Outcome{}, err
	}
	if o == nil {
		return c.ask(ctx, item, name)
	}
	outcome, err := c.take(ctx, item, o)
	if err == nil && !o.offered.Load() {
		outcome.Found = append(outcome.Found, c.discover(name, o)...)
	}
	return outcome, err
}

// take judges an item by the robots.txt of its origin and fetches it.
func (c *Crawl) take(ctx context.Context, item frontier.Item, o *origin) (frontier.Outcome, error) {
	c.fetcher.pace.wish(item.Host(), o.delay())
	if o.unreachable() {
		return c.withoutRobots(item, o), nil
	}
	leave, verdict, err := c.gate.pass(o, item.URL)
	if err != nil {
		return c.skip(item, frontier.SkipBadURL, robots.Rule{}), nil //nolint:nilerr // the site's fault is an outcome
	}
	if !verdict.Allowed {
		c.options.Logger.Debug("blocked", "url", item.URL, "reason", verdict.Reason, "rule", record.RuleText(verdict.Rule), "line", verdict.Rule.Line)
		return c.skip(item, frontier.SkipRobotsDisallow, verdict.Rule), nil
	}
	if item.Kind == frontier.KindSitemap {
		return c.sitemap(ctx, item, leave)
	}
	if outcome, ok, err := c.prepare(ctx, item, o); ok || err != nil {
		return outcome, err
	}
	if outcome, ok := c.refuse(item, o); ok {
		return outcome, nil
	}
	return c.page(ctx, item, o, leave, verdict)
}

// ask fetches the robots.txt of an origin and gives the item back: its turn
// comes at the host's pace.
func (c *Crawl) ask(ctx context.Context, item frontier.Item, name string) (frontier.Outcome, error) {
	o, err := c.gate.refresh(ctx, name)
	if ctx.Err() != nil {
		return c.giveBack(item), nil //nolint:nilerr // dropped on purpose; the item stays pending
	}
	if err != nil {
		return frontier.Outcome{}, err
	}
	c.fetcher.pace.wish(item.Host(), o.delay())
	outcome := c.giveBack(item)
	outcome.Found = c.discover(name, o)
	c.options.Logger.Info("robots.txt", "origin", name, "status", o.document.Status, "stale", o.stale,
		"digest", o.digest, "delay", o.delay(), "err", o.document.Err)
	return outcome, nil
}

// withoutRobots waits for a robots.txt that could not be had, and gives up
// after as many tries as a page gets.
func (c *Crawl) withoutRobots(item frontier.Item, o *origin) frontier.Outcome {
	if o.cause == failPrivate {
		return c.skip(item, frontier.SkipPrivateAddress, robots.Rule{})
	}
	if o.failures > c.options.MaxRetries {
		return c.skip(item, frontier.SkipRobotsUnreachable, robots.Rule{})
	}
	outcome := c.giveBack(item)
	if o.fresh.After(outcome.NextAt) {
		outcome.NextAt = o.fresh
	}
	return outcome
}

// giveBack is the outcome of an item that was not asked for.
func (c *Crawl) giveBack(item frontier.Item) frontier.Outcome {
	outcome := frontier.Outcome{Verb: frontier.VerbReturn, Item: item}
	outcome.NextAt, outcome.Gap = c.fetcher.pace.standing(item.Host())
	return outcome
}

// skip is the outcome of an item that will never be fetched.
func (c *Crawl) skip(item frontier.Item, reason frontier.Reason, rule robots.Rule) frontier.Outcome {
	outcome := c.giveBack(item)
	outcome.Verb, outcome.Skip = frontier.VerbSkip, reason
	c.tally.skip(item, reason, rule)
	if item.Kind == frontier.KindPage {
		outcome.Records = []frontier.Record{record.NewSkip(item, reason, rule).Record()}
		return outcome
	}
	c.options.Logger.Warn("sitemap skipped", "url", item.URL, "reason", reason, "rule", record.RuleText(rule), "line", rule.Line)
	return outcome
}
