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
	// Fetch says who asks, how fast, and what may be dialled. Its zero value waits
	// a second between requests and dials public addresses only.
	Fetch fetch.Options
	// Client sends the requests; the caller closes it, and Fetch does not count.
	// nil: the crawl makes one of Fetch.
	Client *fetch.Client

	Scope    *frontier.Scope // nil: any URL
	Links    bool            // follow links
	Sitemaps bool            // read sitemaps

	Workers  int // requests at a time, each to another host; 32
	MaxLinks int // of one page; 10,000
	MaxDepth int // links from a seed or a sitemap; 20; negative is none

	MaxPages int64         // 0: no limit
	MaxBytes int64         // decoded, of pages; 0: no limit
	MaxTime  time.Duration // 0: no limit

	// Capture makes the records of a request and its answer as they went over
	// the wire. It is called for each page in its final state, and for each
	// answer to a request for a robots.txt, a sitemap or a file of a sink. nil:
	// the wire is not kept. It needs a client with fetch.Options.KeepWire, which
	// the crawl's own has then.
	Capture func(Capture) ([]frontier.Record, error)
	// Record makes records durable that belong to no item, those of robots.txt
	// and files of sinks; needed with Capture.
	Record func(ctx context.Context, records []frontier.Record) error

	Sinks    []Sink       // make further records of pages
	Versions Versions     // of sitemap files; none are remembered by default
	Logger   *slog.Logger // nil: that of Fetch, or discard
}

// A Capture is a request and its answer as they went over the connection, with
// how the URL was found.
type Capture struct {
	*fetch.Wire

	Via  string       // what named the URL; empty for seeds and robots.txt
	Page *record.Page // the record of a page; nil of other files
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

// newClient makes the client of a crawl that is given none.
func (o Options) newClient() *fetch.Client {
	f := o.Fetch
	if f.Logger == nil {
		f.Logger = o.Logger
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

// capture returns the records of a request for the output that keeps the wire;
// none when there is no such output, or no answer.
func (o Options) capture(w *fetch.Wire, via string, page *record.Page) ([]frontier.Record, error) {
	if o.Capture == nil || !w.Answered() {
		return nil, nil
	}
	return o.Capture(Capture{Wire: w, Via: via, Page: page})
}
