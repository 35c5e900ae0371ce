package fetch

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/decorum-crawler/decorum/frontier"
)

// streamTimeout is the least timeout of a body that is read as a stream.
const streamTimeout = 5 * time.Minute

// Response is the answer to one request.
type Response struct {
	URL       string
	Status    int // 0: no answer
	Header    http.Header
	Body      []byte // decoded
	Truncated bool   // the body is longer
	Unwanted  bool   // the body was not read for its type
	Refused   bool   // Request.Admit did not want the body
	Saved     int64  // bytes that were not read then, as far as the header tells
	StartedAt time.Time
	Elapsed   time.Duration
	Next      time.Time     // when the host may be asked again
	Gap       time.Duration // between two requests to the host
	Wire      *Wire         // nil unless Options.KeepWire
}

// visit is the one way to the network: permit, turn, request, answer. The
// response is never nil.
func (c *Client) visit(ctx context.Context, w want) (*Response, error) {
	allowed, err := c.gate.permit(ctx, w)
	if err != nil {
		return &Response{URL: w.url}, err
	}
	turn, err := c.pace.acquire(ctx, frontier.HostOf(w.url), w.url)
	if err != nil {
		return &Response{URL: w.url}, err
	}
	return c.send(ctx, turn, &exchange{permit: allowed, want: w})
}

// send uses up a turn.
func (c *Client) send(ctx context.Context, t turn, e *exchange) (*Response, error) {
	timeout := c.options.Timeout
	if e.want.consume != nil {
		timeout = max(timeout, streamTimeout)
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	got := &Response{URL: e.want.url, StartedAt: time.Now()}
	err := c.collector.get(ctx, e)
	got.Elapsed = time.Since(got.StartedAt)
	got.Next, got.Gap = t.end(got.Elapsed, e.status, e.header)
	got.Status, got.Header = e.status, e.header
	got.Body, got.Truncated, got.Unwanted, got.Refused, got.Saved = e.body, e.truncated, e.unwanted, e.refused, e.saved
	if got.Wire = e.wire; got.Wire != nil {
		got.Wire.URL, got.Wire.StartedAt, got.Wire.Elapsed, got.Wire.Decoded = got.URL, got.StartedAt, got.Elapsed, got.Body
	}
	return got, err
}

// keepWire hands the wire of an answer that belongs to no page to whoever keeps
// it.
func (c *Client) keepWire(ctx context.Context, got *Response) error {
	if c.options.Wire == nil || !got.Wire.Answered() {
		return nil
	}
	return c.options.Wire(ctx, got.Wire)
}

// stopped reports whether a request was never sent because of [WithStop].
func stopped(err error) bool { return errors.Is(err, ErrStopped) }

// askAgain returns when a host that gave no answer wants to be asked again.
func askAgain(err error, header http.Header) (time.Time, bool) {
	if long, ok := errors.AsType[*WaitError](err); ok {
		return long.Wait.Until, true
	}
	return RetryAfter(header, time.Now())
}
