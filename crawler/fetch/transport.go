package fetch

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/decorum-crawler/decorum/crawler/content"
	"github.com/decorum-crawler/decorum/crawler/fetch/http1"
)

const (
	handshakeTimeout = 10 * time.Second

	acceptEncoding  = "gzip, br, zstd"
	archiveEncoding = "gzip" // every reader of an archive can decode it
	accept          = "text/html,application/xhtml+xml,application/xml;q=0.9,text/plain;q=0.8,*/*;q=0.5"
)

// errStatus means that a status line has no status (RFC 9110 §15).
var errStatus = errors.New("server answered with a status below 100, which does not exist")

// transport sends all requests. It refuses those without a permit, limits the
// decoded body and keeps it in the exchange.
type transport struct {
	base *http.Transport
	once http.RoundTripper // over base
	keep int64             // bytes of the undecoded body to keep; 0: the wire is not kept
}

func newTransport(g *guard, timeout time.Duration, keep int64, idle int, noted func(string, net.Addr)) *transport {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	d := &dial{guard: g, config: config, keep: keep > 0, noted: noted}
	t := &transport{keep: keep, base: &http.Transport{
		DialContext:            d.plain,
		DialTLSContext:         d.secret,
		TLSClientConfig:        config,
		ResponseHeaderTimeout:  min(15*time.Second, timeout),
		MaxResponseHeaderBytes: http1.MaxHead,
		MaxIdleConns:           idle,
		MaxIdleConnsPerHost:    1,
		IdleConnTimeout:        90 * time.Second,
		ForceAttemptHTTP2:      keep == 0,
		DisableCompression:     true, // decoded here, so that one limit applies
	}}
	d.full = t.base.CloseIdleConnections
	t.once = newOnce(t.base)
	return t
}

// RoundTrip sends a request that has a permit for exactly its URL. The decoded body
// of the response is in the exchange, and the returned response has none.
func (t *transport) RoundTrip(request *http.Request) (*http.Response, error) {
	e, err := permitted(request.Context(), request.URL.String())
	if err != nil {
		return nil, err
	}
	recorded := &recording{exchange: e}
	if t.keep > 0 {
		request = recorded.trace(request)
	}
	response, err := t.once.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode < 100 { // net/http passes 000 on, but 0 means no response
		return nil, errStatus
	}
	if t.keep > 0 {
		e.raw = buffer{ctx: request.Context(), share: e.share, most: t.keep}
		recorded.body = rawBody{body: response.Body, kept: &e.raw}
		response.Body = &recorded.body
	}
	e.status, e.header = response.StatusCode, response.Header
	e.decoded = buffer{ctx: request.Context(), share: e.share, most: e.want.limit + 1}
	err = e.take(response)
	recorded.end(err)
	if err != nil {
		return nil, fmt.Errorf("read response body: %w", err)
	}
	if e.header.Get("Location") != "" { // http.Client rejects some that browsers follow
		response.Header = e.header.Clone()
		response.Header.Del("Location")
	}
	response.Body = http.NoBody // colly would copy it
	response.Uncompressed = true
	return response, nil
}

// take reads the body of a response, if it is wanted.
func (e *exchange) take(response *http.Response) error {
	switch success := response.StatusCode/100 == 2; {
	case success && e.want.readable && !wanted(content.TypeOf(response.Header)):
		e.unwanted = true
	case success && e.want.admit != nil && !e.want.admit(response.StatusCode, response.Header):
		e.refused, e.saved = true, max(response.ContentLength, 0)
	default:
		return e.read(response)
	}
	return nil
}

// read reads the decoded body, up to the limit. If it is longer, the connection
// is abandoned rather than drained.
func (e *exchange) read(response *http.Response) error {
	body, release, err := content.Unpack(response.Body, response.Header)
	if err != nil {
		return err
	}
	defer release()
	if e.want.consume != nil && response.StatusCode/100 == 2 {
		return e.want.consume(io.LimitReader(body, e.want.limit))
	}
	err = e.decoded.readFrom(body, response.ContentLength)
	if e.truncated = e.decoded.len() > e.want.limit; e.truncated {
		return nil
	}
	return err
}

// wanted reports whether to read a body of this Content-Type. A missing or
// invalid type is read.
func wanted(contentType string) bool {
	switch content.Media(contentType) {
	case "", "text/html", "application/xhtml+xml", "text/plain", "text/markdown", "text/x-markdown", "text/xml",
		"application/xml", "application/rss+xml", "application/atom+xml", "application/json", "application/pdf":
		return true
	}
	return false
}
