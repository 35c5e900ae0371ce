package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// ErrNoPermit means that a request was about to be sent for a URL that had not
// been checked against robots.txt. Nothing was sent.
var ErrNoPermit = errors.New("URL was not checked against robots.txt")

// permit is the right to send one request for exactly one URL. Only the gate
// makes it.
type permit struct{ url string }

// want describes a request: what to fetch and how to read the response.
type want struct {
	url      string // canonical
	limit    int64  // of decoded bytes to keep
	readable bool   // read the body only if its media type is one we read
	own      bool   // a sitemap, which Options.OwnSitemaps may allow despite robots.txt
	robots   bool   // the robots.txt of an origin, or a hop of its redirects
	// admit reports, from the header, whether to read the body of a 2xx response;
	// nil: always.
	admit  func(status int, header http.Header) bool
	header http.Header // additional fields
	// consume takes the decoded body of a 2xx response as a stream instead of
	// keeping it; nil to keep it.
	consume func(io.Reader) error
}

// exchange is one request with its permit, and the response as far as the
// transport has received it.
type exchange struct {
	permit permit
	want   want

	share   *share
	decoded buffer // at most want.limit bytes and one more
	raw     buffer // the body as received, if the wire is kept

	status    int
	header    http.Header
	truncated bool
	unwanted  bool // the media type is not one we read; the body was not downloaded
	refused   bool // admit declined the body; it was not downloaded
	saved     int64
	wire      *Wire // the bytes sent and received, if they are kept, without the body
}

type exchangeKey struct{}

func withExchange(ctx context.Context, e *exchange) context.Context {
	return context.WithValue(ctx, exchangeKey{}, e)
}

// permitted returns the exchange of a request for sentURL. It returns an
// [ErrNoPermit] when the context has no permit for exactly that URL.
func permitted(ctx context.Context, sentURL string) (*exchange, error) {
	e, ok := ctx.Value(exchangeKey{}).(*exchange)
	if !ok || e.permit.url == "" {
		return nil, fmt.Errorf("send %s: %w", sentURL, ErrNoPermit)
	}
	if e.permit.url != sentURL {
		return nil, fmt.Errorf("send %s with a permit for %s: %w", sentURL, e.permit.url, ErrNoPermit)
	}
	return e, nil
}
