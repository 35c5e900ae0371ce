package fetch

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/decorum-crawler/decorum/frontier"
	"github.com/decorum-crawler/decorum/robots"
)

const (
	robotsMaxAge  = 24 * time.Hour // RFC 9309 §2.4
	robotsMinAge  = time.Minute    // with max-age=0 every request would need another one
	robotsRetry   = time.Second
	robotsMaxWait = 30 * time.Minute
)

// gate holds the robots.txt of each origin. Nothing else makes permits.
type gate struct {
	client  *Client
	flights singleflight.Group // one fetch of an origin at a time

	sites *siteCache
}

// permit checks a request against robots.txt and returns the permit to send it,
// or a [*BlockedError].
func (g *gate) permit(ctx context.Context, w want) (permit, error) {
	if w.robots {
		return permit{w.url}, nil // RFC 9309 §2.2.2: always allowed
	}
	site, err := g.client.Site(ctx, w.url)
	if err != nil {
		return permit{}, err
	}
	verdict, err := site.Check(w.url)
	if err != nil {
		return permit{}, err
	}
	own := w.own && g.client.options.OwnSitemaps && g.client.options.owns(frontier.HostOf(w.url))
	if !verdict.Allowed && !own {
		return permit{}, &BlockedError{URL: w.url, Verdict: verdict, Cause: site.Document.Err}
	}
	return permit{w.url}, nil
}

// ready returns the site of an origin, or nil when its robots.txt has to be
// fetched.
func (g *gate) ready(ctx context.Context, origin string) (*Site, error) {
	if s := g.sites.get(origin); s != nil {
		if time.Now().Before(s.Fresh) {
			return s, nil
		}
		return nil, nil
	}
	s, err := g.stored(ctx, origin)
	if s == nil || time.Now().After(s.Fresh) {
		return nil, err
	}
	return s, nil
}

// stored returns the site of an origin as it was last, or nil.
func (g *gate) stored(ctx context.Context, origin string) (*Site, error) {
	if s := g.sites.get(origin); s != nil {
		return s, nil
	}
	document, err := g.client.options.Robots.Load(ctx, origin)
	if err != nil || document == nil {
		return nil, err
	}
	s := newSite(document, g.client.options.AgentToken)
	g.keep(s)
	return s, nil
}

// keep puts a site, and its Crawl-delay, into force.
func (g *gate) keep(s *Site) {
	g.client.pace.crawlDelay(frontier.HostOf(s.Origin), s.Origin, s.CrawlDelay())
	g.sites.put(s)
}

// refresh fetches the robots.txt of an origin; concurrent calls share the
// request. When it fails, a retained copy is used, however old (RFC 9309
// §2.3.1.4).
func (g *gate) refresh(ctx context.Context, origin string) (*Site, error) {
	answer, err, _ := g.flights.Do(origin, func() (any, error) { return g.fetch(ctx, origin) })
	if err != nil {
		return nil, err
	}
	return answer.(*Site), nil
}

func (g *gate) fetch(ctx context.Context, origin string) (*Site, error) {
	r := retrieval{client: g.client}
	document := robots.Fetch(ctx, origin, r.do)
	if !r.asked.IsZero() {
		document.FetchedAt = r.asked
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if stopped(document.Err) {
		return nil, document.Err
	}
	if r.failed == nil && g.client.options.Evidence != nil {
		r.failed = g.client.options.Evidence(document)
	}
	if r.failed != nil {
		return nil, fmt.Errorf("store robots.txt of %s: %w", origin, r.failed)
	}
	s := newSite(document, g.client.options.AgentToken)
	if s.Unreachable() {
		return g.fallback(ctx, s, r.lost)
	}
	if err := g.client.options.Robots.Save(ctx, document); err != nil {
		return nil, err
	}
	g.keep(s)
	return s, nil
}

// retrieval sends the requests for one robots.txt; its do fits robots.Fetch.
type retrieval struct {
	client *Client
	asked  time.Time // of the first request; records of the wire have the same time
	failed error     // our own state failed
	lost   error     // why the last request had no response
}

func (r *retrieval) do(request *http.Request) (*http.Response, error) {
	address, err := frontier.Canonical("", request.URL.String(), 0)
	if err != nil {
		return nil, err
	}
	got, err := r.client.visit(request.Context(), want{url: address, limit: robots.MaxBytes + 1, robots: true})
	if r.asked.IsZero() {
		r.asked = got.StartedAt
	}
	if r.failed = r.client.keepWire(request.Context(), got); r.failed != nil {
		return nil, r.failed
	}
	if r.lost = err; err != nil {
		return nil, err
	}
	if location := Redirect(got.Status, got.Header); location != "" {
		if target, err := frontier.Canonical(address, location, 0); err == nil {
			got.Header.Set("Location", target) // one that every parser of URLs can read
		}
	}
	return &http.Response{
		StatusCode: got.Status, Header: got.Header, Request: request, Body: io.NopCloser(bytes.NewReader(got.Body)),
	}, nil
}

// fallback returns the site of an origin whose robots.txt is unreachable: it
// has the retained copy, if there is one, and the time of the next attempt. cause
// is why a request had no response; nil when there was an unusable one.
func (g *gate) fallback(ctx context.Context, failed *Site, cause error) (*Site, error) {
	header := failed.Document.Header
	s := failed
	retained, err := g.client.options.Robots.Load(ctx, s.Origin)
	if err != nil {
		return nil, err
	}
	if retained != nil {
		s = newSite(retained, g.client.options.AgentToken)
		s.Stale = true
	}
	if last := g.sites.get(s.Origin); last != nil {
		s.Failures, s.Requests = last.Failures, last.Requests
	}
	s.Failures++
	s.Requests++
	if cause != nil {
		s.Cause = Classify(0, cause)
		if !plans[s.Cause].retry {
			s.Failures = max(s.Failures, g.client.options.MaxRetries+1) // asking again changes nothing
		}
	}
	s.Fresh = time.Now().Add(min(robotsRetry<<min(s.Failures-1, 16), robotsMaxWait))
	if until, ok := askAgain(cause, header); ok && until.After(s.Fresh) {
		s.Fresh = until
	}
	g.keep(s)
	return s, nil
}
