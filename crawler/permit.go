package crawler

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

// permit is the gate's leave to send one request. Only the gate makes it.
type permit struct {
	url    string
	accept bool  // the body is wanted only if its type is one we read
	limit  int64 // of decoded bytes that are kept
	// admit reports whether the body of a 2xx response is to be read, by its
	// header; nil: it is.
	admit func(status int, header http.Header) bool
	// conditions are header fields that are sent, too.
	conditions http.Header
	// consume takes the decoded body of a 2xx response as a stream instead of
	// keeping it; nil to keep it.
	consume func(io.Reader) error
}

// exchange is one request on its way: the permit it travels with, and what the
// transport saw.
type exchange struct {
	permit    permit
	body      []byte // decoded, at most permit.limit bytes
	truncated bool
	unwanted  bool // the type is none we read; the body was not downloaded
	refused   bool // the permit did not admit the body; it was not downloaded
	saved     int64
	wire      *Wire // as it was sent and received, if that is kept
}

type exchangeKey struct{}

func withExchange(ctx context.Context, e *exchange) context.Context {
	return context.WithValue(ctx, exchangeKey{}, e)
}

// permitted gives the exchange of a request for sentURL, or why there is none.
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
