package crawler

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/decorum-crawler/decorum/frontier"
)

// fetcher sends permitted requests at their hosts' pace.
type fetcher struct {
	collector *collector
	transport *transport
	pace      *pace
	timeout   time.Duration
}

// fetched is one finished request.
type fetched struct {
	response
	exchange *exchange
	started  time.Time
	elapsed  time.Duration
	next     time.Time // when the host may be asked again
	gap      time.Duration
	err      error
}

func newFetcher(o Options) *fetcher {
	keep, encodings := int64(0), acceptEncoding
	if o.Capture != nil {
		keep, encodings = o.MaxPageBytes, archiveEncoding
	}
	t := newTransport(newGuard(o.Allow), o.Timeout, keep)
	return &fetcher{
		collector: newCollector(t, o.UserAgent(), encodings),
		transport: t,
		pace:      newPace(o.Delay, o.MaxDelay),
		timeout:   o.Timeout,
	}
}

func (f *fetcher) close() { f.transport.base.CloseIdleConnections() }

// fetch waits for the host's turn and sends the request of the permit.
func (f *fetcher) fetch(ctx context.Context, p permit) fetched {
	host := frontier.HostOf(p.url)
	got := fetched{exchange: &exchange{permit: p}}
	if got.err = f.pace.wait(ctx, host); got.err != nil {
		return got
	}
	timeout := f.timeout
	if p.consume != nil {
		timeout = max(timeout, sitemapTimeout)
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	got.started = time.Now()
	got.response, got.err = f.collector.get(ctx, got.exchange)
	got.elapsed = time.Since(got.started)
	got.next, got.gap = f.pace.ended(host, got.elapsed, got.status, got.header)
	return got
}

// send is fetch in the form that robots.Fetch takes; each request is shown to
// sent.
func (f *fetcher) send(limit int64, sent func(fetched) error) func(*http.Request) (*http.Response, error) {
	return func(request *http.Request) (*http.Response, error) {
		address, err := frontier.Canonical("", request.URL.String(), 0)
		if err != nil {
			return nil, err
		}
		got := f.fetch(request.Context(), permit{url: address, limit: limit})
		if err := errors.Join(sent(got), got.err); err != nil {
			return nil, err
		}
		return &http.Response{
			StatusCode: got.status, Header: got.header, Request: request,
			Body: newBody(got.exchange.body),
		}, nil
	}
}
