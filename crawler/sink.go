package crawler

import (
	"context"
	"net/http"
	"time"

	"github.com/decorum-crawler/decorum/crawler/record"
	"github.com/decorum-crawler/decorum/frontier"
	"github.com/decorum-crawler/decorum/robots"
)

// A Sink makes more of a crawl than its page records. Its records are
// committed together with the state, so each page's are written exactly once.
// Functions may be nil, and are called from many goroutines at once.
type Sink struct {
	// Wants gives a file of an origin that the sink needs before any page of
	// it, and then the next one, until it gives an empty string. Like any
	// request it passes the gate and the pace.
	Wants func(origin string, d *robots.Document) string
	// Answer takes such a file; it is called also when there was no answer.
	Answer func(origin string, a Answer) error
	// Refuse reports that a URL is not to be asked for, with the rule of
	// robots.txt that says so; it is skipped as [frontier.SkipNoConsent].
	Refuse func(item frontier.Item, d *robots.Document) (Refusal, bool)
	// Admit reports, when only the header of a page is there, whether the body
	// is worth reading. It is asked of answers with status 2xx.
	Admit func(e *Exchange) bool
	// Keep gives the records of a page in its final state. An error is one of
	// our own state and ends the crawl.
	Keep func(ctx context.Context, e *Exchange) ([]frontier.Record, error)
}

// Refusal is why a URL is not asked for.
type Refusal struct {
	Rule    robots.Rule
	Records []frontier.Record
}

// Answer is what a file gave. The body is decoded and at most 1 MiB.
type Answer struct {
	URL     string // as it was asked for
	Status  int    // 0: none
	Header  http.Header
	Body    []byte
	At      time.Time
	Blocked bool   // robots.txt forbids it, so nothing was asked
	Error   string // why there is none
}

// An Exchange is a page as it was asked for and answered.
type Exchange struct {
	Item      frontier.Item
	Robots    *robots.Document // by which it was let through
	Status    int              // 0: no answer
	Header    http.Header
	Body      []byte // decoded; nil in Admit, and when it was not read
	Truncated bool   // the body is longer
	Refused   bool   // Admit did not want the body
	Saved     int64  // bytes that were not read then, as far as the header tells
	StartedAt time.Time
	Elapsed   time.Duration
	Page      record.Page // its record; empty in Admit

	// File and Offset say where the answer stands when it was not asked for but
	// read from an archive.
	File   string
	Offset int64

	// Withhold is for Keep to set: the body is not to be kept as it came, too.
	Withhold bool

	// Fetch asks for a file that the page names, through gate and pace. It is
	// nil in Admit.
	Fetch func(ctx context.Context, address string) Answer
}

// maxAnswer bounds a file that a sink asks for.
const maxAnswer = 1 << 20

// file asks for a file on behalf of a sink.
func (c *Crawl) file(ctx context.Context, address string) Answer {
	a := Answer{URL: address, At: time.Now()}
	canonical, err := frontier.Canonical("", address, c.options.MaxURLLength)
	if err != nil {
		a.Error = err.Error()
		return a
	}
	name := frontier.OriginOf(canonical)
	o, err := c.gate.ready(ctx, name)
	if err == nil && o == nil {
		o, err = c.gate.refresh(ctx, name)
	}
	if err != nil {
		a.Error = err.Error()
		return a
	}
	leave, verdict, err := c.gate.pass(o, canonical)
	if err != nil || !verdict.Allowed {
		a.Blocked, a.Error = true, "robots.txt forbids it: "+string(verdict.Reason)
		return a
	}
	leave.limit = maxAnswer
	got := c.fetcher.fetch(ctx, leave)
	a.Status, a.Header, a.Body, a.At = got.status, got.header, got.exchange.body, got.started
	if got.err != nil {
		a.Error = got.err.Error()
	}
	if err := c.options.record(ctx, got, ""); err != nil && ctx.Err() == nil { // the frontier fails for good, and says so
		c.options.Logger.Error("not archived", "url", address, "err", err)
	}
	return a
}

// prepare asks for the next file that a sink wants of an origin; ok is false
// when there is none left. The item is given back, for that request counted.
func (c *Crawl) prepare(ctx context.Context, item frontier.Item, o *origin) (outcome frontier.Outcome, ok bool, err error) {
	name := frontier.OriginOf(item.URL)
	for _, sink := range c.options.Sinks {
		if sink.Wants == nil {
			continue
		}
		address := sink.Wants(name, o.document)
		if address == "" {
			continue
		}
		answer := c.file(ctx, address)
		if ctx.Err() != nil {
			return c.giveBack(item), true, nil //nolint:nilerr // dropped on purpose; the item stays pending
		}
		c.options.Logger.Info("site file", "url", answer.URL, "status", answer.Status, "err", answer.Error)
		if err := sink.Answer(name, answer); err != nil {
			return frontier.Outcome{}, true, err
		}
		return c.giveBack(item), true, nil
	}
	return frontier.Outcome{}, false, nil
}

// refuse gives the outcome of a page that a sink does not want asked for.
func (c *Crawl) refuse(item frontier.Item, o *origin) (frontier.Outcome, bool) {
	for _, sink := range c.options.Sinks {
		if sink.Refuse == nil {
			continue
		}
		refusal, ok := sink.Refuse(item, o.document)
		if !ok {
			continue
		}
		outcome := c.skip(item, frontier.SkipNoConsent, refusal.Rule)
		outcome.Records = append(outcome.Records, refusal.Records...)
		return outcome, true
	}
	return frontier.Outcome{}, false
}

// admits gives what the transport asks when a header is there; nil when no sink
// cares.
func (c *Crawl) admits(item frontier.Item, o *origin) func(status int, header http.Header) bool {
	var asked []func(*Exchange) bool
	for _, sink := range c.options.Sinks {
		if sink.Admit != nil {
			asked = append(asked, sink.Admit)
		}
	}
	if len(asked) == 0 {
		return nil
	}
	return func(status int, header http.Header) bool {
		for _, admit := range asked {
			if !admit(&Exchange{Item: item, Robots: o.document, Status: status, Header: header}) {
				return false
			}
		}
		return true
	}
}

// keep gives the records that the sinks make of a page, and those of its wire.
func (c *Crawl) keep(ctx context.Context, item frontier.Item, o *origin, got fetched, page record.Page) ([]frontier.Record, error) {
	if len(c.options.Sinks) == 0 && c.options.Capture == nil {
		return nil, nil
	}
	e := &Exchange{
		Item: item, Robots: o.document, Status: got.status, Header: got.header,
		Body: got.exchange.body, Truncated: got.exchange.truncated, Refused: got.exchange.refused, Saved: got.exchange.saved,
		StartedAt: got.started, Elapsed: got.elapsed, Page: page, Fetch: c.file,
	}
	var records []frontier.Record
	for _, sink := range c.options.Sinks {
		if sink.Keep == nil {
			continue
		}
		made, err := sink.Keep(ctx, e)
		if err != nil {
			return nil, err
		}
		records = append(records, made...)
	}
	wire, err := c.options.capture(got, item.Via, &page, e.Withhold)
	return append(records, wire...), err
}
