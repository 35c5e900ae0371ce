package fetch

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/decorum-crawler/decorum/frontier"
)

// streamTimeout is the least timeout of a body that is read as a stream.
const streamTimeout = 5 * time.Minute

// Response is the response to one request.
type Response struct {
	URL       string
	Status    int // 0: no response
	Header    http.Header
	Body      []byte // decoded
	Truncated bool   // the body is longer
	Unwanted  bool   // the body was not read because of its media type
	Refused   bool   // Request.Admit declined the body
	Saved     int64  // bytes not read when it was declined, as far as the header tells
	StartedAt time.Time
	Elapsed   time.Duration
	Next      time.Time     // when the next request to the host may start
	Gap       time.Duration // between two requests to the host
	Wire      *Wire         // nil unless Options.KeepWire
}

// visit sends every request of this package: permit, turn, request, response. The
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
	memory, release := c.shareOf(ctx)
	defer release()
	e := &exchange{permit: allowed, want: w, share: memory}
	got, err := c.send(ctx, turn, e)
	return got, cmp.Or(err, e.load(ctx, got))
}

// load puts the bodies of an exchange into its response. It may wait for memory,
// but not for a host.
func (e *exchange) load(ctx context.Context, got *Response) error {
	defer e.decoded.close()
	defer e.raw.close()
	body, err := e.decoded.load(ctx)
	if err != nil {
		return err
	}
	raw, err := e.raw.load(ctx)
	if err != nil {
		return err
	}
	e.share.shrink(int64(max(cap(body), cap(raw))))
	got.Body = body[:min(int64(len(body)), e.want.limit)]
	if e.wire == nil {
		return nil
	}
	if bytes.Equal(got.Body, raw) { // as most large bodies: one copy is enough
		got.Body = raw
	}
	got.Wire.Body, got.Wire.Decoded = raw, got.Body
	return nil
}

// send sends a request and ends the turn. The response has no body yet.
func (c *Client) send(ctx context.Context, t turn, e *exchange) (*Response, error) {
	timeout := c.options.Timeout
	if e.want.consume != nil {
		timeout = max(timeout, streamTimeout)
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	if e.want.consume != nil {
		var release func()
		ctx, release = c.untilStopped(ctx)
		defer release()
	}
	got := &Response{URL: e.want.url, StartedAt: time.Now()}
	err := c.collector.get(ctx, e)
	if stopped(context.Cause(ctx)) {
		err = ErrStopped // whatever was made of the part that came
	}
	got.Elapsed = time.Since(got.StartedAt)
	got.Next, got.Gap = t.end(got.Elapsed, e.status, e.header)
	got.Status, got.Header = e.status, e.header
	got.Truncated, got.Unwanted, got.Refused, got.Saved = e.truncated, e.unwanted, e.refused, e.saved
	if got.Wire = e.wire; got.Wire != nil {
		got.Wire.URL, got.Wire.StartedAt, got.Wire.Elapsed = got.URL, got.StartedAt, got.Elapsed
	}
	return got, err
}

// untilStopped returns a context of a long request that ends with [ErrStopped]
// when a stop has left it the timeout of an ordinary one.
func (c *Client) untilStopped(ctx context.Context) (stoppable context.Context, release func()) {
	stop := stopOf(ctx)
	if stop == nil {
		return ctx, func() {}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	done := make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() {
		select {
		case <-done:
			return
		case <-stop:
		}
		grace := time.NewTimer(c.options.Timeout)
		defer grace.Stop()
		select {
		case <-done:
		case <-grace.C:
			cancel(ErrStopped)
		}
	})
	return ctx, func() {
		close(done)
		watch.Wait()
		cancel(nil)
	}
}

// keepWire calls Options.Wire with the wire of a response.
func (c *Client) keepWire(ctx context.Context, got *Response) error {
	if c.options.Wire == nil || !got.Wire.Answered() {
		return nil
	}
	return c.options.Wire(ctx, got.Wire)
}

// stopped reports whether a request was never sent because of [WithStop].
func stopped(err error) bool { return errors.Is(err, ErrStopped) }

// askAgain returns when to send the next request to a host after a failure, if
// the host or our own wait for it says so.
func askAgain(err error, header http.Header) (until time.Time, ok bool) {
	if long, ok := errors.AsType[*WaitError](err); ok {
		return long.Wait.Until, true
	}
	return RetryAfter(header, time.Now())
}
