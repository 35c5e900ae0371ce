package crawler

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/decorum-crawler/decorum/robots"
)

const (
	robotsMaxAge  = 24 * time.Hour // RFC 9309 §2.4
	robotsMinAge  = time.Minute    // a max-age of 0 must not double the requests
	robotsRetry   = time.Second
	robotsMaxWait = 30 * time.Minute
)

// gate judges URLs by the robots.txt of their origin, and alone makes permits.
type gate struct {
	agent   string
	fetcher *fetcher
	options Options

	flights singleflight.Group // one fetch of an origin at a time

	mu      sync.Mutex
	origins map[string]*origin
}

// origin is what the gate holds of one origin.
type origin struct {
	document *robots.Document
	file     *robots.File // nil unless the rules count
	group    *robots.Group
	digest   string
	stale    bool
	fresh    time.Time // until then the document need not be fetched again
	failures int       // in a row
	cause    failure   // of the last one

	offered atomic.Bool // the sitemaps that it names
}

func newGate(f *fetcher, o Options) *gate {
	return &gate{agent: o.AgentToken, fetcher: f, options: o, origins: map[string]*origin{}}
}

// ready gives the origin of a URL when its robots.txt need not be fetched.
func (g *gate) ready(ctx context.Context, name string) (*origin, error) {
	g.mu.Lock()
	o, ok := g.origins[name]
	g.mu.Unlock()
	if ok {
		if time.Now().Before(o.fresh) {
			return o, nil
		}
		return nil, nil
	}
	document, err := g.options.Robots.Load(ctx, name)
	if err != nil || document == nil {
		return nil, err
	}
	o = g.read(document)
	if time.Now().After(o.fresh) {
		return nil, nil
	}
	g.keep(name, o)
	return o, nil
}

// refresh fetches the robots.txt of an origin, at its host's pace; who asks
// meanwhile gets the same answer. When it fails a retained copy serves, however
// old (RFC 9309 §2.3.1.4).
func (g *gate) refresh(ctx context.Context, name string) (*origin, error) {
	answer, err, _ := g.flights.Do(name, func() (any, error) { return g.fetch(ctx, name) })
	if err != nil {
		return nil, err
	}
	return answer.(*origin), nil
}

func (g *gate) fetch(ctx context.Context, name string) (*origin, error) {
	var last, failed error
	var asked time.Time                                                 // as records of the wire have it; pages are dated so, too
	send := g.fetcher.send(robots.MaxBytes+1, func(got fetched) error { //nolint:bodyclose // robots.Fetch closes it
		if asked.IsZero() {
			asked = got.started
		}
		failed = errors.Join(failed, g.options.record(ctx, got, ""))
		return failed
	})
	document := robots.Fetch(ctx, name, func(request *http.Request) (*http.Response, error) {
		answer, err := send(request)
		last = err
		return answer, err
	})
	if !asked.IsZero() {
		document.FetchedAt = asked
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if failed != nil {
		return nil, fmt.Errorf("keep robots.txt of %s: %w", name, failed)
	}
	if g.options.Evidence != nil {
		if err := g.options.Evidence(document); err != nil {
			return nil, fmt.Errorf("keep robots.txt of %s: %w", name, err)
		}
	}
	o := g.read(document)
	if document.Class() != robots.ClassUnreachable {
		if err := g.options.Robots.Save(ctx, document); err != nil {
			return nil, err
		}
		g.keep(name, o)
		return o, nil
	}
	return g.withoutAnswer(ctx, name, o, last)
}

// withoutAnswer keeps what is known of an origin that could not be asked: the
// retained copy if there is one, and when to ask again.
func (g *gate) withoutAnswer(ctx context.Context, name string, o *origin, cause error) (*origin, error) {
	header := o.document.Header
	retained, err := g.options.Robots.Load(ctx, name)
	if err != nil {
		return nil, err
	}
	if retained != nil {
		o = g.read(retained)
		o.stale = true
	}
	o.failures = g.failuresOf(name) + 1
	if cause != nil {
		o.cause = classifyError(cause)
	}
	if cause != nil && !plans[o.cause].retry {
		o.failures = max(o.failures, g.options.MaxRetries+1) // asking again changes nothing
	}
	o.fresh = time.Now().Add(min(robotsRetry<<min(o.failures-1, 16), robotsMaxWait))
	if until, ok := retryAfter(header, time.Now()); ok && until.After(o.fresh) {
		o.fresh = until
	}
	g.keep(name, o)
	return o, nil
}

func (g *gate) failuresOf(name string) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	if last, ok := g.origins[name]; ok {
		return last.failures
	}
	return 0
}

// names reports whether the robots.txt of an origin, as far as it is known
// here, lists a sitemap.
func (g *gate) names(origin, sitemap string) bool {
	g.mu.Lock()
	o, ok := g.origins[origin]
	g.mu.Unlock()
	return ok && o.file != nil && slices.Contains(o.file.Sitemaps(), sitemap)
}

func (g *gate) keep(name string, o *origin) {
	g.mu.Lock()
	g.origins[name] = o
	g.mu.Unlock()
}

// read parses a document once for all the URLs of its origin.
func (g *gate) read(document *robots.Document) *origin {
	o := &origin{document: document, digest: document.Digest(), fresh: document.FetchedAt.Add(max(document.MaxAge(robotsMaxAge), robotsMinAge))}
	if document.Class() == robots.ClassAvailable {
		o.file = document.File()
		o.group = o.file.Group(g.agent)
	}
	return o
}

// unreachable reports whether nothing may be fetched since nothing is known.
func (o *origin) unreachable() bool { return o.document.Class() == robots.ClassUnreachable }

// delay gives the Crawl-delay that the origin asks of us.
func (o *origin) delay() time.Duration {
	if o.group == nil {
		return 0
	}
	delay, _ := o.group.CrawlDelay()
	return delay
}

// judge gives the verdict on a canonical URL of the origin.
func (g *gate) judge(o *origin, canonical string) (robots.Verdict, error) {
	target, err := robots.Target(canonical)
	if err != nil {
		return robots.Verdict{}, err
	}
	if o.group != nil {
		return o.group.Check(target), nil
	}
	return o.document.Check(g.agent, target), nil
}

// training gives the origin's wish on AI training for a canonical URL.
func (o *origin) training(canonical string) robots.Training {
	target, err := robots.Target(canonical)
	if o.file == nil || err != nil {
		return robots.Training{Preference: robots.PreferenceNone}
	}
	return o.file.Training(target)
}

// pass judges a URL and makes the permit to send it.
func (g *gate) pass(o *origin, canonical string) (permit, robots.Verdict, error) {
	verdict, err := g.judge(o, canonical)
	if err != nil || !verdict.Allowed {
		return permit{}, verdict, err
	}
	return permit{url: canonical}, verdict, nil
}

// passOwn makes the permit for a sitemap of a host that the user says is
// theirs, whatever its robots.txt says. Only a client's streams ask for it.
func (g *gate) passOwn(canonical string) (permit, bool) {
	u, err := url.Parse(canonical)
	if err != nil || !slices.Contains(g.options.OwnSitemaps, u.Host) && !slices.Contains(g.options.OwnSitemaps, u.Hostname()) {
		return permit{}, false
	}
	return permit{url: canonical}, true
}
