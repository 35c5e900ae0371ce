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

// A Sink makes further records of the pages of a crawl. They are committed
// together with the state, so each page's records are written exactly once.
// Functions may be nil, and are called from many goroutines at once.
type Sink struct {
	// Wants returns the URL of a file that the sink needs before any page of the
	// origin, then the next one, until it returns an empty string. The request
	// obeys robots.txt and the pace like any other.
	Wants func(origin string, d *robots.Document) string
	// Receive takes such a file; it is also called when there was no response. It
	// must be set with Wants.
	Receive func(origin string, f fetch.SiteFile) error
	// Refuse reports whether a URL must not be requested, with the rule of
	// robots.txt that says so; it is skipped as [frontier.SkipNoConsent].
	Refuse func(item frontier.Item, d *robots.Document) (Refusal, bool)
	// Admit reports, once the header of a page has arrived, whether the body is
	// worth reading. It is called for responses with status 2xx.
	Admit func(e *Visit) bool
	// Keep returns the records of a page in its final state. An error means that
	// our own state failed, and ends the crawl.
	Keep func(ctx context.Context, e *Visit) ([]frontier.Record, error)
}

// Refusal tells why a URL is not requested.
type Refusal struct {
	Rule    robots.Rule
	Records []frontier.Record
}

// A Visit is the request for a page and its response.
type Visit struct {
	Item      frontier.Item
	Robots    *robots.Document // that allowed the page
	Status    int              // 0: no response
	Header    http.Header
	Body      []byte // decoded; nil in Admit, and when it was not read
	Truncated bool   // the body is longer
	Refused   bool   // Admit declined the body
	Saved     int64  // bytes not read when it was declined, as far as the header tells
	StartedAt time.Time
	Elapsed   time.Duration
	Page      record.Page // its record; empty in Admit

	// File and Offset locate the response when it was read from an archive rather
	// than requested.
	File   string
	Offset int64

	// Withhold is set by Keep when the body must not be archived either.
	Withhold bool

	// Fetch requests a file that the page names, subject to robots.txt and the
	// pace. It is nil in Admit.
	Fetch func(ctx context.Context, address string) fetch.SiteFile
}

// prepare requests the next file that a sink wants from an origin; ok is false
// when none is left. The item is returned to the frontier, because the request
// used its turn.
func (c *Crawl) prepare(ctx context.Context, item frontier.Item, site *fetch.Site) (outcome frontier.Outcome, ok bool, err error) {
	for _, sink := range c.options.Sinks {
		if sink.Wants == nil {
			continue
		}
		address := sink.Wants(site.Origin, site.Document)
		if address == "" {
			continue
		}
		file := c.client.File(ctx, address)
		if dropped(ctx, file.Err) {
			return c.giveBack(item), true, nil
		}
		c.options.Logger.Info("site file fetched", "url", file.URL, "status", file.Status, "err", file.Err)
		if err := sink.Receive(site.Origin, file); err != nil {
			return frontier.Outcome{}, true, err
		}
		return c.giveBack(item), true, nil
	}
	return frontier.Outcome{}, false, nil
}

// refuse returns the outcome of a page that a sink refuses to request.
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

// admits returns the function that the transport calls once a header has
// arrived; nil when no sink has one.
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

// keep returns the records that the sinks make of a page, and those of its wire.
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
