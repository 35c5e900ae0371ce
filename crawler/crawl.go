package crawler

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/decorum-crawler/decorum/crawler/fetch"
	"github.com/decorum-crawler/decorum/crawler/record"
	"github.com/decorum-crawler/decorum/crawler/trap"
	"github.com/decorum-crawler/decorum/frontier"
	"github.com/decorum-crawler/decorum/robots"
)

// Crawl is one run over a frontier. Make one with [New].
type Crawl struct {
	options  Options
	limits   fetch.Options // the options of the client
	client   *fetch.Client
	owned    bool // the client is the crawl's own
	frontier frontier.Frontier

	mu      sync.Mutex
	offered map[string]int64 // when robots.txt was fetched whose sitemaps were offered, by origin
	outages outages
	traps   *traps
	quota   *quota

	sitemaps atomic.Int64 // files of this run that were offered
	pages    atomic.Int64 // pages of this run that count toward MaxPages
	bytes    atomic.Int64
	busy     atomic.Int64       // workers with an item
	outcomes atomic.Int64       // of items in this run
	limited  atomic.Bool        // a limit that the user set was reached
	stop     context.CancelFunc // ends the leasing of this run
	tally    tally
}

// New returns a crawl on a frontier, which the caller closes.
func New(f frontier.Frontier, options Options) *Crawl {
	owned := options.Client == nil
	options = options.withDefaults()
	return &Crawl{
		options: options, limits: options.Client.Options(), client: options.Client, owned: owned, frontier: f,
		offered: map[string]int64{}, traps: newTraps(options), outages: outages{first: firstPark},
		quota: newQuota(options),
	}
}

// Activity tells what a crawl is doing.
type Activity struct {
	Outcomes int64        // items that were finished or given back
	Busy     int64        // workers with an item
	Waiting  []fetch.Wait // of them and of sinks, for hosts
}

// Activity returns what the crawl is doing. It is safe for concurrent use.
func (c *Crawl) Activity() Activity {
	return Activity{Outcomes: c.outcomes.Load(), Busy: c.busy.Load(), Waiting: c.client.Waiting()}
}

// Seed adds canonical URLs as seeds and returns how many were new. If the
// options do not suit the public host of a seed, it returns the error of
// [fetch.Options.Validate] and adds nothing.
func (c *Crawl) Seed(ctx context.Context, urls []string) (int, error) {
	if err := c.limits.Validate(urls...); err != nil {
		return 0, fmt.Errorf("begin crawl: %w", err)
	}
	candidates := make([]frontier.Candidate, 0, len(urls))
	for _, address := range urls {
		candidates = append(candidates, c.candidate(frontier.NewBase(address), address, frontier.Item{Source: frontier.SourceSeed, Priority: prioritySeed}))
	}
	return c.frontier.Add(ctx, candidates)
}

// Result tells how a run ended.
type Result struct {
	Pages    int64                     // pages that reached their final state in this run
	Bytes    int64                     // decoded bytes in this run
	Statuses map[int]int64             // pages by status; 0: no response
	Skips    map[frontier.Reason]int64 // items that were pending and then skipped
	Seeds    []SeedEnd                 // how each seed ended
	// Unreachable says for origins why their robots.txt could not be fetched, of
	// up to a hundred.
	Unreachable map[string]string
	Traps       []trap.Closing // patterns that were closed in this run, at most a thousand
	Limited     bool           // a limit ended the run
	Drained     bool           // nothing is left to crawl
	// Parked are the hosts that URLs are still pending at, when the run ended
	// since all of them want a long wait.
	Parked []fetch.Wait
}

// Run crawls until nothing is left, a limit is reached, or stopping is closed.
// When stopping is closed, no new request starts, requests that wait for a host
// are abandoned at once, and requests in flight finish. When ctx is done,
// requests in flight are dropped and their items stay pending. A nil channel
// never stops the run.
func (c *Crawl) Run(ctx context.Context, stopping <-chan struct{}) (Result, error) {
	leasing, stop := context.WithCancel(ctx)
	defer stop()
	c.stop = stop
	ctx = fetch.WithStop(ctx, leasing.Done())
	ended := make(chan struct{})
	defer close(ended)
	go func() { // ends with Run
		select {
		case <-stopping:
			stop()
		case <-ended:
		}
	}()
	if c.options.MaxTime > 0 {
		timer := time.AfterFunc(c.options.MaxTime, c.reachLimit)
		defer timer.Stop()
	}
	if c.owned {
		defer c.client.Close()
	}
	var drained, parked atomic.Bool
	var workers errgroup.Group
	for range c.options.Workers {
		workers.Go(func() error {
			err := c.work(ctx, leasing)
			switch {
			case errors.Is(err, frontier.ErrDrained):
				drained.Store(true)
				return nil
			case errors.Is(err, frontier.ErrParked):
				parked.Store(true)
				return nil
			case err != nil:
				stop()
			}
			return err
		})
	}
	err := workers.Wait()
	result := c.tally.result()
	result.Traps = c.traps.result()
	result.Pages, result.Bytes = c.pages.Load(), c.bytes.Load()
	result.Limited, result.Drained = c.limited.Load(), err == nil && drained.Load()
	if parked.Load() {
		result.Parked = c.outages.waiting(time.Now())
	}
	return result, err
}

func (c *Crawl) reachLimit() {
	c.limited.Store(true)
	c.stop()
}

// work handles one item after another until none is left or leasing ends.
func (c *Crawl) work(ctx, leasing context.Context) error {
	for {
		lease, err := c.frontier.Lease(leasing)
		switch {
		case err == nil:
		case leasing.Err() != nil && !errors.Is(err, frontier.ErrDrained) && !errors.Is(err, frontier.ErrParked):
			return nil
		default:
			return err
		}
		if err := c.finish(ctx, lease); err != nil {
			return err
		}
	}
}

// finish handles a leased item. The memory of its page is in use until the
// frontier has taken the outcome. Nothing is sent once the lease has expired, as
// it may have while the process was stopped.
func (c *Crawl) finish(ctx context.Context, lease frontier.Lease) error {
	retaining, release := c.client.Retain(ctx)
	defer release()
	leased, cancel := context.WithDeadline(retaining, lease.Expires)
	defer cancel()
	c.busy.Add(1)
	outcome, err := c.handle(leased, lease.Item)
	c.busy.Add(-1)
	c.outcomes.Add(1)
	if err != nil {
		return fmt.Errorf("crawl %s: %w", lease.Item.URL, err)
	}
	c.announce(outcome)
	err = c.frontier.Ack(context.WithoutCancel(ctx), lease.ID, outcome)
	if errors.Is(err, frontier.ErrLeaseLost) {
		c.options.Logger.Warn("lease lost", "url", lease.Item.URL)
		return nil
	}
	return err
}

// announce reports a host with a long wait. Its items wait in the frontier, so
// no worker waits for it.
func (c *Crawl) announce(outcome frontier.Outcome) {
	now := time.Now()
	host := outcome.Item.Host()
	w := fetch.Wait{URL: outcome.Item.URL, Host: host, Since: now, Until: outcome.NextAt}
	if outcome.Park.After(outcome.NextAt) {
		w.Until, w.Why = outcome.Park, fetch.WhyAway
	}
	if w.Until.Sub(now) <= fetch.LongWait {
		return
	}
	if w.Why == "" {
		w.Why = c.client.Why(host)
	}
	if w.Why == fetch.WhyAddress {
		return // as many hosts do, in turn
	}
	c.outages.wait(w)
	if left := w.Why == fetch.WhyAway && w.Until.Sub(now) > longPark-time.Minute; c.limits.Waiting != nil && !left {
		c.limits.Waiting(w)
	}
}

// handle takes one item as far as possible now. An error concerns our own state,
// never the site.
func (c *Crawl) handle(ctx context.Context, item frontier.Item) (frontier.Outcome, error) {
	if until := c.client.Book(ctx, item.URL); time.Until(until) > fetch.LongWait {
		return c.giveBack(item), nil // the frontier has other hosts meanwhile
	}
	site, err := c.client.Ready(ctx, item.URL)
	if err != nil {
		return frontier.Outcome{}, err
	}
	if site == nil {
		return c.ask(ctx, item)
	}
	outcome, err := c.take(ctx, item, site)
	if err == nil {
		outcome.Found = append(outcome.Found, c.discover(ctx, site)...)
	}
	return outcome, err
}

// take judges an item by the robots.txt of its origin and fetches it.
func (c *Crawl) take(ctx context.Context, item frontier.Item, site *fetch.Site) (frontier.Outcome, error) {
	if site.Unreachable() {
		return c.withoutRobots(item, site), nil
	}
	verdict, err := site.Check(item.URL)
	if err != nil {
		return c.skip(item, frontier.SkipBadURL, robots.Rule{}), nil //nolint:nilerr // the site's fault is an outcome
	}
	if !verdict.Allowed {
		c.options.Logger.Debug("blocked", "url", item.URL, "reason", verdict.Reason, "rule", record.RuleText(verdict.Rule), "line", verdict.Rule.Line)
		return c.skip(item, frontier.SkipRobotsDisallow, verdict.Rule), nil
	}
	if item.Kind == frontier.KindSitemap {
		return c.sitemap(ctx, item)
	}
	if c.traps.repeats(item.URL) {
		return c.skip(item, frontier.SkipTrap, robots.Rule{}), nil
	}
	if pattern := c.traps.closed(item); pattern != "" {
		return c.skipTrap(item, pattern), nil
	}
	if c.quota.spent(item.URL) {
		return c.skip(item, frontier.SkipLimit, robots.Rule{}), nil
	}
	if outcome, ok, err := c.prepare(ctx, item, site); ok || err != nil {
		return outcome, err
	}
	if outcome, ok := c.refuse(item, site); ok {
		return outcome, nil
	}
	return c.page(ctx, item, site, verdict)
}

// ask fetches the robots.txt of an origin and returns the item to the frontier:
// its turn comes at the host's pace.
func (c *Crawl) ask(ctx context.Context, item frontier.Item) (frontier.Outcome, error) {
	site, err := c.client.Site(ctx, item.URL)
	if dropped(ctx, err) {
		return c.giveBack(item), nil
	}
	if err != nil {
		return frontier.Outcome{}, err
	}
	outcome := c.giveBack(item)
	outcome.Found = c.discover(ctx, site)
	c.options.Logger.Info("robots.txt fetched", "origin", site.Origin, "status", site.Document.Status, "stale", site.Stale,
		"digest", site.Document.Digest(), "delay", site.CrawlDelay(), "err", site.Document.Err)
	return outcome, nil
}

// dropped reports whether a request was abandoned on purpose, so that its item
// stays pending.
func dropped(ctx context.Context, err error) bool {
	return ctx.Err() != nil || errors.Is(err, fetch.ErrStopped)
}

// withoutRobots waits for a robots.txt that is unreachable, and skips the item
// after as many attempts as a page gets.
func (c *Crawl) withoutRobots(item frontier.Item, site *fetch.Site) frontier.Outcome {
	if site.Cause == fetch.FailPrivate {
		return c.skip(item, frontier.SkipPrivateAddress, robots.Rule{})
	}
	if site.Failures > c.limits.MaxRetries {
		c.tally.unreachable(site)
		return c.skipBecause(item, frontier.SkipRobotsUnreachable, robots.Rule{}, site.Failure())
	}
	outcome := c.giveBack(item)
	if site.Fresh.After(outcome.NextAt) {
		outcome.NextAt = site.Fresh
	}
	return outcome
}

// giveBack returns the outcome of an item that was not requested.
func (c *Crawl) giveBack(item frontier.Item) frontier.Outcome {
	outcome := frontier.Outcome{Verb: frontier.VerbReturn, Item: item}
	outcome.NextAt, outcome.Gap = c.client.Next(item.Host())
	return outcome
}

// skip returns the outcome of an item that will never be fetched.
func (c *Crawl) skip(item frontier.Item, reason frontier.Reason, rule robots.Rule) frontier.Outcome {
	return c.skipBecause(item, reason, rule, "")
}

// skipTrap returns the outcome of an item that is part of a closed pattern.
func (c *Crawl) skipTrap(item frontier.Item, pattern string) frontier.Outcome {
	outcome := c.giveBack(item)
	outcome.Verb, outcome.Skip = frontier.VerbSkip, frontier.SkipTrap
	c.tally.skip(item, SeedEnd{URL: item.URL, Skip: frontier.SkipTrap})
	outcome.Records = []frontier.Record{record.Skipped(frontier.Candidate{Item: item, Skip: frontier.SkipTrap, Pattern: pattern})}
	return outcome
}

// skipBecause is skip with a cause that neither reason nor rule tells.
func (c *Crawl) skipBecause(item frontier.Item, reason frontier.Reason, rule robots.Rule, cause string) frontier.Outcome {
	outcome := c.giveBack(item)
	outcome.Verb, outcome.Skip = frontier.VerbSkip, reason
	c.tally.skip(item, SeedEnd{URL: item.URL, Skip: reason, Rule: rule, Error: cause})
	if item.Kind == frontier.KindSitemap {
		skip := record.NewSkippedSitemap(item, reason, rule)
		skip.Error = cause
		outcome.Records = []frontier.Record{skip.Record()}
		c.options.Logger.Warn("sitemap skipped", "url", item.URL, "reason", reason, "rule", skip.Rule, "line", rule.Line, "err", cause)
		return outcome
	}
	skip := record.NewSkip(item, reason, rule)
	skip.Error = cause
	outcome.Records = []frontier.Record{skip.Record()}
	return outcome
}
