package crawler

import (
	"context"
	"log/slog"
	"time"

	"github.com/decorum-crawler/decorum/crawler/fetch"
	"github.com/decorum-crawler/decorum/crawler/record"
	"github.com/decorum-crawler/decorum/frontier"
)

// Options of a crawl. The zero value of a field means its default.
type Options struct {
	// Fetch holds the identity and pace of the crawl and the addresses that it may
	// dial. Its zero value waits a second between requests and dials public
	// addresses only.
	Fetch fetch.Options
	// Client sends the requests; the caller closes it, and Fetch is ignored.
	// nil: the crawl makes its own from Fetch.
	Client *fetch.Client

	Scope    *frontier.Scope // nil: any URL
	Links    bool            // follow links
	Sitemaps bool            // read sitemaps

	Workers  int // concurrent requests, each to a different host; 32
	MaxLinks int // per page; 10,000
	MaxDepth int // links from a seed or a sitemap; 20; negative: 0

	// TrapBudget is the number of pages without new text that a pattern of URLs may
	// have, see the package trap; 200.
	TrapBudget  int
	NoTraps     bool     // do not look for traps
	ClosedTraps []string // patterns that an earlier run closed

	MaxPages        int64            // 0: no limit
	MaxPagesPerHost int64            // of all runs; URLs beyond it are skipped as [frontier.SkipLimit]; 0: no limit
	HostPages       map[string]int64 // pages of earlier runs by host, for MaxPagesPerHost
	MaxBytes        int64            // decoded bytes of all pages; 0: no limit
	MaxTime         time.Duration    // 0: no limit

	// Capture returns the records of a request and its response as they went over
	// the wire. It is called for each page in its final state, and for each
	// response to a request for a robots.txt, a sitemap or a file of a sink. nil:
	// the wire is not kept. It needs a client with fetch.Options.KeepWire; the
	// crawl's own client has that set.
	Capture func(Capture) ([]frontier.Record, error)
	// Record makes records durable that belong to no item: those of robots.txt
	// and of files for sinks. It must be set with Capture.
	Record func(ctx context.Context, records []frontier.Record) error

	Sinks    []Sink       // make further records of pages
	Versions Versions     // of sitemap files; by default none are remembered
	Logger   *slog.Logger // nil: the logger of Fetch, or discard
}

// A Capture is a request and its response as they went over the connection,
// with how the URL was found.
type Capture struct {
	*fetch.Wire

	Via  string       // what named the URL; empty for seeds and robots.txt
	Page *record.Page // the record of a page; nil for other files
}

func (o Options) withDefaults() Options {
	if o.Workers == 0 {
		o.Workers = 32
	}
	if o.MaxLinks == 0 {
		o.MaxLinks = 10_000
	}
	if o.MaxDepth == 0 {
		o.MaxDepth = 20
	}
	if o.Logger == nil {
		o.Logger = o.Fetch.Logger
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Client == nil {
		o.Client = o.newClient()
	}
	return o
}

// sinkCost is how many bytes a byte of a body takes until the records that sinks
// make of it are written: body, text, line of a record, and a buffer for it.
const sinkCost = 5

// newClient makes the client of a crawl whose options have none.
func (o Options) newClient() *fetch.Client {
	f := o.Fetch
	if f.Logger == nil {
		f.Logger = o.Logger
	}
	if len(o.Sinks) > 0 && f.BodyCost == 0 {
		f.BodyCost = sinkCost
	}
	if o.Capture != nil {
		f.KeepWire, f.Wire = true, func(ctx context.Context, w *fetch.Wire) error {
			records, err := o.Capture(Capture{Wire: w})
			if err != nil || len(records) == 0 || o.Record == nil {
				return err
			}
			return o.Record(ctx, records)
		}
	}
	return fetch.New(f)
}

// capture returns the records of a request for the output that keeps the wire,
// or none when there is no such output or no response.
func (o Options) capture(w *fetch.Wire, via string, page *record.Page) ([]frontier.Record, error) {
	if o.Capture == nil || !w.Answered() {
		return nil, nil
	}
	return o.Capture(Capture{Wire: w, Via: via, Page: page})
}
