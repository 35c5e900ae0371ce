package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/decorum-crawler/decorum/frontier"
	"github.com/decorum-crawler/decorum/robots"
)

// BlockedError means that robots.txt forbids a URL, or is unreachable. Nothing
// was sent.
type BlockedError struct {
	URL     string
	Verdict robots.Verdict
	Cause   error // why robots.txt could not be read, if that is the reason
}

// Error names the rule and its line, or the reason.
func (e *BlockedError) Error() string {
	switch {
	case e.Verdict.Rule.Line > 0:
		return fmt.Sprintf("%s is blocked by robots.txt, line %d: %s", e.URL, e.Verdict.Rule.Line, e.Verdict.Rule)
	case e.Cause != nil:
		return fmt.Sprintf("%s is blocked because robots.txt is unreachable: %v", e.URL, e.Cause)
	}
	return fmt.Sprintf("%s is blocked by robots.txt (%s)", e.URL, e.Verdict.Reason)
}

// Unwrap returns the cause.
func (e *BlockedError) Unwrap() error { return e.Cause }

// StatusError means that a server answered with a status other than 2xx.
type StatusError struct {
	URL    string
	Status int
}

// Error names the status.
func (e *StatusError) Error() string {
	return fmt.Sprintf("%s returned %d %s", e.URL, e.Status, http.StatusText(e.Status))
}

// Client sends requests to sites, one at a time to each host. It is safe for
// concurrent use; Close must be called. Clients do not coordinate the pace of
// hosts with each other, so use one for all requests.
type Client struct {
	options   Options
	collector *collector
	transport *transport
	pace      *pace
	gate      *gate
	budget    *budget
}

// New returns a client.
func New(options Options) *Client {
	options = options.withDefaults()
	keep, encodings := int64(0), acceptEncoding
	if options.KeepWire {
		keep, encodings = options.MaxPageBytes, archiveEncoding
	}
	p := newPace(options)
	t := newTransport(newGuard(options.Allow), options.Timeout, keep, options.IdleConnections, p.addresses.connected)
	c := &Client{
		options: options, transport: t, collector: newCollector(t, options.UserAgent(), encodings), pace: p,
		budget: newBudget(options),
	}
	c.gate = &gate{client: c, sites: newSiteCache(options.RobotsMemory)}
	return c
}

// Options returns the options of the client with defaults filled in.
func (c *Client) Options() Options { return c.options }

// Close closes idle connections.
func (c *Client) Close() { c.transport.base.CloseIdleConnections() }

// Next returns when the next request to a host may start, as far as this client
// knows, and the gap between two requests to it.
func (c *Client) Next(host string) (next time.Time, gap time.Duration) { return c.pace.next(host) }

// Why returns what the next request to a host waits for.
func (c *Client) Why(host string) Why { return c.pace.why(host) }

// Waiting returns the requests that are waiting for their hosts, the one that
// has waited longest first. Waits of less than 3 s for a gap are left out.
func (c *Client) Waiting() []Wait { return c.pace.waits() }

// Ready returns the site of a canonical URL, or nil when its robots.txt has to be
// fetched first.
func (c *Client) Ready(ctx context.Context, canonical string) (*Site, error) {
	return c.gate.ready(ctx, frontier.OriginOf(canonical))
}

// Site returns the site of a canonical URL. Its robots.txt is fetched at the
// host's pace unless it is fresh. If the origin has none, or is unreachable, the
// document of the site records that. An error comes from our own state or from
// ctx, or is [ErrStopped].
func (c *Client) Site(ctx context.Context, canonical string) (*Site, error) {
	site, err := c.Ready(ctx, canonical)
	if err != nil || site != nil {
		return site, err
	}
	return c.gate.refresh(ctx, frontier.OriginOf(canonical))
}

// Names reports whether the robots.txt of an origin is known and lists a sitemap,
// which is a canonical URL. Nothing is fetched. A robots.txt that cannot be read
// from the store names nothing.
func (c *Client) Names(ctx context.Context, origin, sitemap string) bool {
	s, err := c.gate.stored(ctx, origin)
	return err == nil && s != nil && s.Names(sitemap)
}

// Robots returns the robots.txt that applies to a canonical URL; see
// [Client.Site].
func (c *Client) Robots(ctx context.Context, canonical string) (*robots.Document, error) {
	site, err := c.Site(ctx, canonical)
	if err != nil {
		return nil, err
	}
	return site.Document, nil
}

// Sitemaps returns the sitemaps of a site; see [Site.Sitemaps].
func (c *Client) Sitemaps(ctx context.Context, canonical string) ([]string, error) {
	site, err := c.Site(ctx, canonical)
	if err != nil {
		return nil, err
	}
	return site.Sitemaps(), nil
}

// Header requests a page and returns its status and header without its body. It
// returns a [*BlockedError] if robots.txt does not allow the URL.
func (c *Client) Header(ctx context.Context, address string) (int, http.Header, error) {
	canonical, err := frontier.Canonical("", address, c.options.MaxURLLength)
	if err != nil {
		return 0, nil, err
	}
	got, err := c.visit(ctx, want{url: canonical, admit: func(int, http.Header) bool { return false }})
	if err != nil {
		return 0, nil, fmt.Errorf("fetch %s: %w", canonical, err)
	}
	return got.Status, got.Header, nil
}

// SiteFile is the response to a request for a file of a site.
type SiteFile struct {
	URL     string // as requested
	Status  int    // 0: no response
	Header  http.Header
	Body    []byte    // decoded; at most 1 MiB
	At      time.Time // of the request
	Blocked bool      // robots.txt forbids it, so nothing was sent
	Err     error     // why there is no response
}

// Cause returns the text of Err, or "" when it is nil.
func (f SiteFile) Cause() string {
	if f.Err == nil {
		return ""
	}
	return f.Err.Error()
}

// maxFile bounds the body of a [SiteFile].
const maxFile = 1 << 20

// File requests a file and reads at most 1 MiB of it. Redirects are not followed.
func (c *Client) File(ctx context.Context, address string) SiteFile {
	f := SiteFile{URL: address, At: time.Now()}
	canonical, err := frontier.Canonical("", address, c.options.MaxURLLength)
	if err != nil {
		f.Err = err
		return f
	}
	got, err := c.visit(ctx, want{url: canonical, limit: maxFile})
	f.Status, f.Header, f.Body, f.Err = got.Status, got.Header, got.Body, err
	if !got.StartedAt.IsZero() {
		f.At = got.StartedAt
	}
	_, f.Blocked = errors.AsType[*BlockedError](err)
	if err := c.keepWire(ctx, got); err != nil && ctx.Err() == nil { // the frontier fails for good, and says so
		c.options.Logger.Error("response not archived", "url", address, "err", err)
	}
	return f
}

// Request is a request for a page or another resource of a crawl.
type Request struct {
	URL      string // canonical
	Limit    int64  // of decoded bytes to keep; 0: Options.MaxPageBytes
	Readable bool   // skip the body unless its media type is one that a crawler reads
	// Admit reports, from the header, whether to read the body of a 2xx response;
	// nil: always. It must not call the client.
	Admit  func(status int, header http.Header) bool
	Header http.Header // additional fields, such as conditions
	// Consume takes the decoded body of a 2xx response as a stream instead of
	// keeping it. The host's turn lasts until it returns, so it must not call the
	// client; readers that do use [Client.Open]. May be nil.
	Consume func(io.Reader) error
}

// Get sends one request and does not follow redirects. The response is never
// nil: with an error it holds what arrived before the error. Get returns a
// [*BlockedError] if robots.txt does not allow the URL; see [Classify] for other
// errors. Options.Wire is not called: the caller has the Wire in the response.
func (c *Client) Get(ctx context.Context, r Request) (*Response, error) {
	w := want{url: r.URL, limit: r.Limit, readable: r.Readable, admit: r.Admit, header: r.Header, consume: r.Consume}
	if w.limit == 0 {
		w.limit = c.options.MaxPageBytes
	}
	return c.visit(ctx, w)
}
