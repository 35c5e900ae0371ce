package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// ErrNoPermit means that a request was about to be sent for a URL that the
// gate had not judged. Nothing was sent.
var ErrNoPermit = errors.New("no permit for this URL")

// permit is the right to send one request for exactly one URL. Only the gate
// makes it.
type permit struct{ url string }

// want is a request beside the permit that it needs.
type want struct {
	url      string // canonical
	limit    int64  // of decoded bytes that are kept
	readable bool   // the body is wanted only if its type is one we read
	own      bool   // a sitemap: of a host of the user's own, in spite of robots.txt
	robots   bool   // the robots.txt of an origin, or a hop of its redirects
	// admit reports whether the body of a 2xx response is to be read, by its
	// header; nil: it is.
	admit  func(status int, header http.Header) bool
	header http.Header // further fields
	// consume takes the decoded body of a 2xx response as a stream instead of
	// keeping it; nil to keep it.
	consume func(io.Reader) error
}

// exchange is one request on its way: the permit it travels with, and what the
// transport saw.
type exchange struct {
	permit permit
	want   want

	status    int
	header    http.Header
	body      []byte // decoded, at most want.limit bytes
	truncated bool
	unwanted  bool // the type is none we read; the body was not downloaded
	refused   bool // admit did not want the body; it was not downloaded
	saved     int64
	wire      *Wire // as it was sent and received, if that is kept
}

type exchangeKey struct{}

func withExchange(ctx context.Context, e *exchange) context.Context {
	return context.WithValue(ctx, exchangeKey{}, e)
}

// permitted returns the exchange of a request for sentURL, or why there is none.
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
