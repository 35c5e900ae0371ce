package crawler

import (
	"context"
	"net/http"
	"time"

	"github.com/decorum-crawler/decorum/crawler/fetch"
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
	Answer func(origin string, a fetch.SiteFile) error
	// Refuse reports that a URL is not to be asked for, with the rule of
	// robots.txt that says so; it is skipped as [frontier.SkipNoConsent].
	Refuse func(item frontier.Item, d *robots.Document) (Refusal, bool)
	// Admit reports, when only the header of a page is there, whether the body
	// is worth reading. It is asked of answers with status 2xx.
	Admit func(e *Visit) bool
	// Keep gives the records of a page in its final state. An error is one of
	// our own state and ends the crawl.
	Keep func(ctx context.Context, e *Visit) ([]frontier.Record, error)
}

// Refusal is why a URL is not asked for.
type Refusal struct {
	Rule    robots.Rule
	Records []frontier.Record
}

// A Visit is a page as it was asked for and answered.
type Visit struct {
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
	Fetch func(ctx context.Context, address string) fetch.SiteFile
}

// prepare asks for the next file that a sink wants of an origin; ok is false
// when there is none left. The item is given back, for that request counted.
func (c *Crawl) prepare(ctx context.Context, item frontier.Item, site *fetch.Site) (outcome frontier.Outcome, ok bool, err error) {
	for _, sink := range c.options.Sinks {
		if sink.Wants == nil {
			continue
		}
		address := sink.Wants(site.Origin, site.Document)
		if address == "" {
			continue
		}
		answer := c.client.File(ctx, address)
		if dropped(ctx, answer.Err) {
			return c.giveBack(item), true, nil
		}
		c.options.Logger.Info("site file", "url", answer.URL, "status", answer.Status, "err", answer.Err)
		if err := sink.Answer(site.Origin, answer); err != nil {
			return frontier.Outcome{}, true, err
		}
		return c.giveBack(item), true, nil
	}
	return frontier.Outcome{}, false, nil
}

// refuse gives the outcome of a page that a sink does not want asked for.
func (c *Crawl) refuse(item frontier.Item, site *fetch.Site) (frontier.Outcome, bool) {
	for _, sink := range c.options.Sinks {
		if sink.Refuse == nil {
			continue
		}
		refusal, ok := sink.Refuse(item, site.Document)
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
func (c *Crawl) admits(item frontier.Item, site *fetch.Site) func(status int, header http.Header) bool {
	var asked []func(*Visit) bool
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
			if !admit(&Visit{Item: item, Robots: site.Document, Status: status, Header: header}) {
				return false
			}
		}
		return true
	}
}

// keep gives the records that the sinks make of a page, and those of its wire.
func (c *Crawl) keep(ctx context.Context, item frontier.Item, site *fetch.Site, got *fetch.Response, page record.Page) ([]frontier.Record, error) {
	if len(c.options.Sinks) == 0 && c.options.Capture == nil {
		return nil, nil
	}
	e := &Visit{
		Item: item, Robots: site.Document, Status: got.Status, Header: got.Header,
		Body: got.Body, Truncated: got.Truncated, Refused: got.Refused, Saved: got.Saved,
		StartedAt: got.StartedAt, Elapsed: got.Elapsed, Page: page, Fetch: c.client.File,
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
	wire := got.Wire
	if e.Withhold && wire != nil {
		wire = wire.Withheld()
	}
	kept, err := c.options.capture(wire, item.Via, &page)
	return append(records, kept...), err
}
