package crawler

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/decorum-crawler/decorum/frontier"
	"github.com/decorum-crawler/decorum/robots"
)

// BlockedError means that the gate does not let a URL through.
type BlockedError struct {
	URL     string
	Verdict robots.Verdict
}

// Error names the rule and its line, or the reason.
func (e *BlockedError) Error() string {
	if e.Verdict.Rule.Line > 0 {
		return fmt.Sprintf("%s is blocked by robots.txt, line %d: %s", e.URL, e.Verdict.Rule.Line, e.Verdict.Rule)
	}
	return fmt.Sprintf("%s is blocked: robots.txt %s", e.URL, e.Verdict.Reason)
}

// StatusError means that a server answered with something else than the file.
type StatusError struct {
	URL    string
	Status int
}

// Error names the status.
func (e *StatusError) Error() string {
	return fmt.Sprintf("%s answers %d %s", e.URL, e.Status, http.StatusText(e.Status))
}

// Client asks single questions of sites, through the same gate and at the same
// pace as a crawl. It is safe for concurrent use; Close must be called.
type Client struct {
	options Options
	fetcher *fetcher
	gate    *gate
}

// NewClient makes a client; of the options those of a crawl's frontier do not
// count.
func NewClient(options Options) *Client {
	options = options.withDefaults()
	fetcher := newFetcher(options)
	return &Client{options: options, fetcher: fetcher, gate: newGate(fetcher, options)}
}

// Crawl makes a crawl that shares the client's gate and pace, so that the
// client's requests count for it. The frontier stays the caller's to close.
func (c *Client) Crawl(f frontier.Frontier) *Crawl {
	return &Crawl{options: c.options, frontier: f, fetcher: c.fetcher, gate: c.gate}
}

// Close closes idle connections.
func (c *Client) Close() { c.fetcher.close() }

// Robots gives the robots.txt that counts for a canonical URL: fetched at most
// once while it is fresh, or a retained copy. An origin that gives none has a
// document that says so.
func (c *Client) Robots(ctx context.Context, canonical string) (*robots.Document, error) {
	o, err := c.origin(ctx, canonical)
	if err != nil {
		return nil, err
	}
	return o.document, nil
}

func (c *Client) origin(ctx context.Context, canonical string) (*origin, error) {
	name := frontier.OriginOf(canonical)
	o, err := c.gate.ready(ctx, name)
	if err != nil || o != nil {
		return o, err
	}
	if o, err = c.gate.refresh(ctx, name); err != nil {
		return nil, err
	}
	c.fetcher.pace.wish(frontier.HostOf(canonical), o.delay())
	return o, nil
}

// Sitemaps gives the sitemaps of a site: those that its robots.txt names, or
// the well-known places when it names none.
func (c *Client) Sitemaps(ctx context.Context, canonical string) ([]string, error) {
	o, err := c.origin(ctx, canonical)
	if err != nil {
		return nil, err
	}
	return o.sitemaps(frontier.OriginOf(canonical)), nil
}

// Stream hands the decoded body of a file to consume. Redirects are followed
// hop by hop, each judged by the robots.txt of its own origin; what it does
// not let through is a [*BlockedError], what is no 2xx a [*StatusError].
func (c *Client) Stream(ctx context.Context, address string, consume func(io.Reader) error) error {
	return c.stream(ctx, address, request{}, consume)
}

// request is what a request has beside its URL.
type request struct {
	conditions http.Header
	answered   func(http.Header) // called for an answer of 2xx before its body is read; may be nil
}

func (c *Client) stream(ctx context.Context, address string, r request, consume func(io.Reader) error) error {
	for range max(c.options.MaxRedirects, 0) + 1 {
		canonical, err := frontier.Canonical("", address, c.options.MaxURLLength)
		if err != nil {
			return err
		}
		next, err := c.hop(ctx, canonical, r, consume)
		if err != nil || next == "" {
			return err
		}
		address = next
	}
	return fmt.Errorf("fetch %s: more than %d redirects", address, c.options.MaxRedirects)
}

// hop sends one request and gives the target of a redirect, if it is one.
func (c *Client) hop(ctx context.Context, canonical string, r request, consume func(io.Reader) error) (string, error) {
	o, err := c.origin(ctx, canonical)
	if err != nil {
		return "", err
	}
	leave, verdict, err := c.gate.pass(o, canonical)
	if err != nil {
		return "", err
	}
	if !verdict.Allowed {
		var own bool
		if leave, own = c.gate.passOwn(canonical); !own {
			return "", &BlockedError{URL: canonical, Verdict: verdict}
		}
	}
	leave.limit, leave.consume, leave.conditions = maxSitemapBytes, consume, r.conditions
	if r.answered != nil {
		leave.admit = func(_ int, header http.Header) bool {
			r.answered(header)
			return true
		}
	}
	got := c.fetcher.fetch(ctx, leave)
	if err := c.options.record(ctx, got, ""); err != nil {
		return "", err
	}
	if got.err != nil {
		return "", fmt.Errorf("fetch %s: %w", canonical, got.err)
	}
	location := got.header.Get("Location")
	switch {
	case got.status/100 == 3 && location != "":
		return frontier.Canonical(canonical, location, c.options.MaxURLLength)
	case got.status/100 != 2:
		return "", &StatusError{URL: canonical, Status: got.status}
	}
	return "", nil
}

// File asks for a file of at most 1 MiB, through gate and pace.
func (c *Client) File(ctx context.Context, address string) Answer {
	return c.Crawl(nil).file(ctx, address)
}

// Header asks for a page and gives its status and header without its body. What
// robots.txt does not let through is a [*BlockedError].
func (c *Client) Header(ctx context.Context, address string) (int, http.Header, error) {
	canonical, err := frontier.Canonical("", address, c.options.MaxURLLength)
	if err != nil {
		return 0, nil, err
	}
	o, err := c.origin(ctx, canonical)
	if err != nil {
		return 0, nil, err
	}
	leave, verdict, err := c.gate.pass(o, canonical)
	if err != nil {
		return 0, nil, err
	}
	if !verdict.Allowed {
		return 0, nil, &BlockedError{URL: canonical, Verdict: verdict}
	}
	leave.admit = func(int, http.Header) bool { return false }
	got := c.fetcher.fetch(ctx, leave)
	if got.err != nil {
		return 0, nil, fmt.Errorf("fetch %s: %w", canonical, got.err)
	}
	return got.status, got.header, nil
}

// Open is [Client.Stream] as a reader, which the caller closes.
func (c *Client) Open(ctx context.Context, address string) (io.ReadCloser, error) {
	return c.open(ctx, address, request{})
}

func (c *Client) open(ctx context.Context, address string, r request) (io.ReadCloser, error) {
	reader, writer := io.Pipe()
	began := make(chan error, 1) // the stream's beginning, or why there is none
	go func() {                  // ends when the reader is closed, or the stream
		err := c.stream(ctx, address, r, func(body io.Reader) error {
			began <- nil
			_, err := io.Copy(writer, body)
			return err
		})
		_ = writer.CloseWithError(err) // always nil
		if err == nil {
			err = io.EOF
		}
		select {
		case began <- err:
		default:
		}
	}()
	if err := <-began; err != nil {
		if errors.Is(err, io.EOF) {
			err = fmt.Errorf("fetch %s: no body", address)
		}
		return nil, err
	}
	return reader, nil
}
