package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"

	"golang.org/x/net/http2"
)

var (
	// errUnanswered reports a connection or stream that ended after the request
	// was written and before an answer came. It wraps io.EOF.
	errUnanswered = fmt.Errorf("connection ended before an answer: %w", io.EOF)

	// errSwitched reports a 101 Switching Protocols, which was not asked for.
	errSwitched = errors.New("server switched protocols")

	// errHeaders reports an answer, with its 1xx responses, whose headers
	// exceed the limit of the transport.
	errHeaders = errors.New("response headers too large")

	// errHeaderTimeout reports that no final response header came in time,
	// whatever number of 1xx responses did. Errors that match it are timeouts.
	errHeaderTimeout = errors.New("no response header in time")
)

// once writes each request to at most one connection. [http.Transport] sends a
// GET a second time, past every pace and count, when a kept connection closes
// before an answer, and HTTP/2 does after REFUSED_STREAM and GOAWAY.
//
// A trace hook notes that the headers were written: HTTP/1 calls it before they
// are flushed and waits for its write loop before a retry, HTTP/2 calls it
// before the attempt ends. Every attempt of HTTP/1 and every change of protocol
// calls Transport.Proxy first, where an error ends the request. HTTP/2 repeats
// without that, but calls GotConn on the same goroutine; a context canceled
// there is seen under the lock that guards the writing of headers.
// A request of which no header block was written still moves to a new connection.
type once struct {
	base *http.Transport
}

// newOnce configures base, which must not be in use yet, and returns a tripper
// over it that is safe for concurrent use.
func newOnce(base *http.Transport) http.RoundTripper {
	proxy := base.Proxy
	base.Proxy = func(request *http.Request) (*url.URL, error) {
		if s, ok := request.Context().Value(sendingKey{}).(*sending); ok && s.written.Load() {
			return nil, errUnanswered
		}
		if proxy == nil {
			return nil, nil //nolint:nilnil // net/http: no proxy
		}
		return proxy(request)
	}
	return &once{base: base}
}

type sendingKey struct{}

// sending is one call of RoundTrip, and the body of its answer.
type sending struct {
	io.ReadCloser
	written  atomic.Bool
	repeated atomic.Bool // by HTTP/2, and stopped
	cancel   context.CancelFunc
}

// Close closes the body and releases the context of the request.
func (s *sending) Close() error {
	defer s.cancel()
	return s.ReadCloser.Close()
}

// RoundTrip implements [http.RoundTripper]. Errors match errUnanswered,
// errSwitched, errHeaders and errHeaderTimeout where these apply.
func (o *once) RoundTrip(request *http.Request) (*http.Response, error) {
	s := &sending{}
	ctx, cancel := context.WithCancel(context.WithValue(request.Context(), sendingKey{}, s))
	s.cancel = cancel
	// Without Got1xxResponse: that hook would lift the limit on 1xx responses.
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) {
			if s.written.Load() {
				s.repeated.Store(true)
				cancel()
			}
		},
		WroteHeaders: func() { s.written.Store(true) },
	})
	response, err := o.base.RoundTrip(request.WithContext(ctx))
	if err != nil {
		cancel()
		return nil, s.explain(request.Context(), err)
	}
	s.ReadCloser, response.Body = response.Body, s
	response.Request = request
	if response.StatusCode == http.StatusSwitchingProtocols {
		s.Close() //nolint:errcheck // the connection is given up
		return nil, errSwitched
	}
	return response, nil
}

// explain returns err with the value that says what happened. net/http has none
// for the limits, only texts.
func (s *sending) explain(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return err
	}
	if s.repeated.Load() {
		return errUnanswered
	}
	if s.written.Load() && errors.Is(err, io.ErrUnexpectedEOF) {
		return errUnanswered // no body was cut short
	}
	text := err.Error()
	timed, ok := errors.AsType[net.Error](err)
	switch {
	case ok && timed.Timeout() && strings.Contains(text, "timeout awaiting response headers"):
		return fmt.Errorf("%w: %w", errHeaderTimeout, err)
	case strings.Contains(text, "server response headers exceeded"),
		strings.HasSuffix(text, "response header list larger than advertised limit"),
		strings.HasSuffix(text, "header list too large"):
		return fmt.Errorf("%w: %w", errHeaders, err)
	}
	return err
}

// isStreamReset reports whether the server ended the stream or the HTTP/2
// connection of a request, before its answer or within the body.
func isStreamReset(err error) bool {
	if errors.Is(err, errUnanswered) {
		return true
	}
	if reset, ok := errors.AsType[http2.StreamError](err); ok { // net/http converts its own
		return resetByServer(reset)
	}
	for ; err != nil; err = errors.Unwrap(err) { // net/http exports none of these
		text := err.Error()
		if strings.HasPrefix(text, "http2: ") &&
			(strings.Contains(text, " GOAWAY") || strings.HasPrefix(text, "http2: client connection lost")) {
			return true
		}
	}
	return false
}

// resetByServer tells a frame of the server from what our side objects to,
// which is always a PROTOCOL_ERROR or FLOW_CONTROL_ERROR with another cause.
func resetByServer(reset http2.StreamError) bool {
	switch reset.Code {
	case http2.ErrCodeRefusedStream, http2.ErrCodeInternal, http2.ErrCodeCancel, http2.ErrCodeEnhanceYourCalm:
		return true
	}
	// Some servers refuse a stream with PROTOCOL_ERROR (golang/go#47635).
	return reset.Cause != nil && reset.Cause.Error() == "received from peer"
}
