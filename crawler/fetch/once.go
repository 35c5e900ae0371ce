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
	// was written and before a response arrived. It wraps io.EOF.
	errUnanswered = fmt.Errorf("server closed the connection without a response: %w", io.EOF)

	// errSwitched reports an unsolicited 101 Switching Protocols.
	errSwitched = errors.New("server switched protocols without being asked")

	// errHeaders reports a response whose headers, including those of 1xx
	// responses, exceed the limit of the transport.
	errHeaders = errors.New("response headers too large")

	// errHeaderTimeout reports that no final response header arrived in time,
	// however many 1xx responses did. Errors that match it are timeouts.
	errHeaderTimeout = errors.New("no response headers within the timeout")
)

// once writes each request to at most one connection. [http.Transport] sends a
// GET a second time, outside the pace and the counts, when a kept connection
// closes before the response, and HTTP/2 does so after REFUSED_STREAM and GOAWAY.
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

// sending is one call of RoundTrip, and the body of its response.
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
		s.Close() //nolint:errcheck // the connection is abandoned
		return nil, errSwitched
	}
	return response, nil
}

// explain returns err wrapped in the value that tells what happened. For limits
// net/http has no values, only texts.
func (s *sending) explain(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return err
	}
	if s.repeated.Load() {
		return errUnanswered
	}
	if s.written.Load() && errors.Is(err, io.ErrUnexpectedEOF) {
		return errUnanswered // there is no body yet that could be cut short
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
// connection of a request, before the response or within its body.
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

// resetByServer reports whether a reset came from a frame of the server. Resets
// by our own side are always a PROTOCOL_ERROR or FLOW_CONTROL_ERROR with a
// different cause.
func resetByServer(reset http2.StreamError) bool {
	switch reset.Code {
	case http2.ErrCodeRefusedStream, http2.ErrCodeInternal, http2.ErrCodeCancel, http2.ErrCodeEnhanceYourCalm:
		return true
	}
	// Some servers refuse a stream with PROTOCOL_ERROR (golang/go#47635).
	return reset.Cause != nil && reset.Cause.Error() == "received from peer"
}
