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

// A Build makes the records of the pages of archives that a crawl would have
// made: one of [record.OutputPages] and those of a sink, or one of
// [record.OutputSkipped] for a page that a crawl would not have requested.
type Build struct {
	Source *Source
	Agent  string // the product token of the user of the pages
	Sink   crawler.Sink
	Judge  func(canonical string) frontier.Reason // by the scope
	// Evidence keeps a robots.txt, before any record refers to it.
	Evidence func(*robots.Document) error
	// Record makes records durable, in the order of the archives.
	Record func(ctx context.Context, records []frontier.Record) error
	// Done is how many answers have their records from earlier runs; there is
	// one of the pages or of the skipped for each.
	Done int64
}

// A Tally counts the results of a run.
type Tally struct {
	Pages    int64                     // of this run
	Bytes    int64                     // of their bodies, decoded
	Statuses map[int]int64             // of them
	Skips    map[frontier.Reason]int64 // left out in this run
	Unjudged map[string]int64          // pages of all runs on hold, by origins without robots.txt
}

// Run reads the pages, makes the records of several at a time, and commits them
// in the order of the archives, so that a run that was cut short can be resumed. It
// ends early when stopping is done, after committing what was read, and at once
// when ctx is. Each run needs a new Source.
func (b *Build) Run(ctx, stopping context.Context) (Tally, error) {
	r := &running{Build: b, tally: Tally{Statuses: map[int]int64{}, Skips: map[frontier.Reason]int64{}, Unjudged: map[string]int64{}}}
	group, ctx := errgroup.WithContext(ctx)
	results := make(chan chan made, 2*runtime.GOMAXPROCS(0)) // bounds the bodies in memory
	group.Go(func() error { return r.commit(ctx, results) })
	group.Go(func() error {
		defer close(results)
		return r.read(ctx, stopping, group, results)
	})
	err := group.Wait()
	return r.tally, err
}

// running is one run.
type running struct {
	*Build

	kept  int            // robots.txt documents
	pages sync.WaitGroup // that are being made
	tally Tally
}

// made is what became of a page.
type made struct {
	records []frontier.Record
	err     error
}

func (r *running) read(ctx, stopping context.Context, group *errgroup.Group, results chan<- chan made) error {
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
		result := make(chan made, 1) // so that sending does not wait
		select {
		case results <- result:
		case <-ctx.Done():
			return ctx.Err()
		}
		if page.again {
			r.pages.Wait() // the pages that it led to before are made first
		}
		if page.Exchange.Status/100 != 2 || page.Fault != FaultNone {
			result <- r.make(ctx, page) // quick; and redirects must be known before what they lead to
			continue
		}
		r.pages.Add(1)
		group.Go(func() error {
			defer r.pages.Done()
			result <- r.make(ctx, page)
			return nil
		})
	}
	return nil
}

// prepare passes to the sink the files of the page's site.
func (r *running) prepare(page Page) error {
	for _, d := range r.Source.sites.used[r.kept:] {
		if err := r.Evidence(d); err != nil {
			return err
		}
		r.kept++
	}
	d := page.Exchange.Robots
	for address := r.Sink.Wants(d.Origin, d); address != ""; address = r.Sink.Wants(d.Origin, d) {
		if err := r.Sink.Answer(d.Origin, r.Source.sites.file(address)); err != nil {
			return err
		}
	}
	if page.Unjudged && page.Exchange.Status/100 == 2 {
		r.tally.Unjudged[d.Origin]++
	}
	return nil
}

func (r *running) count(page Page) {
	if reason, _ := r.skip(page); reason != "" {
		r.tally.Skips[reason]++
		return
	}
	r.tally.Pages++
	r.tally.Bytes += int64(len(page.Exchange.Body))
	r.tally.Statuses[page.Exchange.Status]++
}

// skip returns why a page is left out: a crawl would not have requested it.
func (r *running) skip(page Page) (frontier.Reason, robots.Rule) {
	switch reason := r.Judge(page.Exchange.Item.URL); {
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
func (r *running) make(ctx context.Context, page Page) made {
	e := &page.Exchange
	if reason, rule := r.skip(page); reason != "" {
		return made{records: []frontier.Record{record.NewSkip(e.Item, reason, rule).Record()}}
	}
	records, err := r.Sink.Keep(ctx, e)
	return made{append([]frontier.Record{e.Page.Record()}, records...), errors.Join(err, ctx.Err())}
}

// What is committed at once; a crash loses at most as much work.
const (
	maxCommit     = 8 << 20
	maxCommitWait = time.Second
)

// commit makes records durable, in batches.
func (r *running) commit(ctx context.Context, results <-chan chan made) error {
	var batch []frontier.Record
	size, last := 0, time.Now()
	for result := range results {
		m := <-result
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
