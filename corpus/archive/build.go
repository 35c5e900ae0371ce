package archive

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/decorum-crawler/decorum/crawler"
	"github.com/decorum-crawler/decorum/crawler/record"
	"github.com/decorum-crawler/decorum/frontier"
	"github.com/decorum-crawler/decorum/robots"
)

// A Build makes for the pages of archives the records that a crawl would have
// made: one of [record.OutputPages] and those of a sink, or one of
// [record.OutputSkipped] for a page that a crawl would not have requested.
type Build struct {
	Source *Source
	Agent  string                                 // our product token
	Sink   crawler.Sink                           // Wants, Receive and Keep must be set
	Judge  func(canonical string) frontier.Reason // returns why a URL is out of scope, or ""
	// Evidence stores a robots.txt; it is called before any record refers to it.
	Evidence func(*robots.Document) error
	// Record makes records durable, in the order of the archives.
	Record func(ctx context.Context, records []frontier.Record) error
	// Done is the number of pages that have their records from earlier runs, which
	// is the number of records of pages and skipped URLs.
	Done int64
}

// A Tally counts the results of a run.
type Tally struct {
	Pages    int64                     // in this run
	Bytes    int64                     // decoded bytes of their bodies
	Statuses map[int]int64             // pages of this run by status
	Skips    map[frontier.Reason]int64 // pages left out in this run
	Unjudged map[string]int64          // pages of all runs on hold, by origins without robots.txt
}

// Run reads the pages, makes the records of several of them concurrently, and
// commits them in the order of the archives, so that an interrupted run can be
// resumed. When stopping is done it commits what was read and returns; when ctx is
// done it returns at once. Each run needs a new Source.
func (b *Build) Run(ctx, stopping context.Context) (Tally, error) {
	r := &run{Build: b, tally: Tally{Statuses: map[int]int64{}, Skips: map[frontier.Reason]int64{}, Unjudged: map[string]int64{}}}
	group, ctx := errgroup.WithContext(ctx)
	results := make(chan chan result, 2*runtime.GOMAXPROCS(0)) // bounds the bodies in memory
	group.Go(func() error { return r.commit(ctx, results) })
	group.Go(func() error {
		defer close(results)
		return r.read(ctx, stopping, group, results)
	})
	err := group.Wait()
	return r.tally, err
}

type run struct {
	*Build

	kept  int            // how many robots.txt documents are stored
	pages sync.WaitGroup // pages whose records are being made
	tally Tally
}

// result holds the records of a page.
type result struct {
	records []frontier.Record
	err     error
}

func (r *run) read(ctx, stopping context.Context, group *errgroup.Group, results chan<- chan result) error {
	seen := int64(0)
	for page, err := range r.Source.Pages(ctx, r.Agent) {
		if err != nil {
			return err
		}
		if stopping.Err() != nil {
			return nil
		}
		if err := r.prepare(page); err != nil {
			return err
		}
		if seen++; seen <= r.Done {
			continue
		}
		r.count(page)
		slot := make(chan result, 1) // buffered, so that sending does not wait
		select {
		case results <- slot:
		case <-ctx.Done():
			return ctx.Err()
		}
		if page.again {
			r.pages.Wait() // the pages that this redirect led to before come first
		}
		if page.Visit.Status/100 != 2 || page.Fault != FaultNone {
			slot <- r.make(ctx, page) // fast, and redirects must be known before their targets
			continue
		}
		r.pages.Add(1)
		group.Go(func() error {
			defer r.pages.Done()
			slot <- r.make(ctx, page)
			return nil
		})
	}
	return nil
}

// prepare passes the files of the page's site to the sink.
func (r *run) prepare(page Page) error {
	for _, d := range r.Source.sites.used[r.kept:] {
		if err := r.Evidence(d); err != nil {
			return err
		}
		r.kept++
	}
	d := page.Visit.Robots
	for address := r.Sink.Wants(d.Origin, d); address != ""; address = r.Sink.Wants(d.Origin, d) {
		if err := r.Sink.Receive(d.Origin, r.Source.sites.file(address)); err != nil {
			return err
		}
	}
	if page.Unjudged && page.Visit.Status/100 == 2 {
		r.tally.Unjudged[d.Origin]++
	}
	return nil
}

func (r *run) count(page Page) {
	if reason, _ := r.skip(page); reason != "" {
		r.tally.Skips[reason]++
		return
	}
	r.tally.Pages++
	r.tally.Bytes += int64(len(page.Visit.Body))
	r.tally.Statuses[page.Visit.Status]++
}

// skip returns why a crawl would not have requested a page, or "".
func (r *run) skip(page Page) (frontier.Reason, robots.Rule) {
	switch reason := r.Judge(page.Visit.Item.URL); {
	case reason != "":
		return reason, robots.Rule{}
	case page.Unjudged || page.Verdict.Allowed:
		return "", robots.Rule{}
	case page.Verdict.Reason == robots.ReasonUnreachable:
		return frontier.SkipRobotsUnreachable, robots.Rule{}
	}
	return frontier.SkipRobotsDisallow, page.Verdict.Rule
}

// make returns the records of a page.
func (r *run) make(ctx context.Context, page Page) result {
	e := &page.Visit
	if reason, rule := r.skip(page); reason != "" {
		return result{records: []frontier.Record{record.NewSkip(e.Item, reason, rule).Record()}}
	}
	records, err := r.Sink.Keep(ctx, e)
	return result{append([]frontier.Record{e.Page.Record()}, records...), errors.Join(err, ctx.Err())}
}

// Limits of a batch. A crash loses at most that much work.
const (
	maxCommit     = 8 << 20
	maxCommitWait = time.Second
)

// commit makes records durable, in batches.
func (r *run) commit(ctx context.Context, results <-chan chan result) error {
	var batch []frontier.Record
	size, last := 0, time.Now()
	for slot := range results {
		m := <-slot
		if m.err != nil {
			return m.err
		}
		batch = append(batch, m.records...)
		for _, record := range m.records {
			size += len(record.Data)
		}
		if size < maxCommit && time.Since(last) < maxCommitWait {
			continue
		}
		if err := r.Record(ctx, batch); err != nil {
			return err
		}
		batch, size, last = nil, 0, time.Now()
	}
	if ctx.Err() != nil || len(batch) == 0 {
		return ctx.Err()
	}
	return r.Record(ctx, batch)
}
