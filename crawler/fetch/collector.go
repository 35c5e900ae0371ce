package fetch

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"net/url"

	"github.com/gocolly/colly/v2"
)

// collector is the fetch layer: one colly collector with everything off that
// it would decide by itself, cloned for each request since its context is the
// collector's.
type collector struct {
	base      *colly.Collector
	encodings string // that are asked for
}

func newCollector(t http.RoundTripper, userAgent, encodings string) *collector {
	c := colly.NewCollector(
		colly.UserAgent(userAgent),
		colly.IgnoreRobotsTxt(), // the gate judges, at the transport
		colly.AllowURLRevisit(), // the frontier remembers
		colly.MaxBodySize(0),    // the transport limits, and says so
	)
	c.ParseHTTPErrorResponse = true
	c.DisableCookies()
	c.WithTransport(t)
	c.SetRequestTimeout(0) // the context of each request has its own
	c.SetRedirectHandler(func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse })
	return &collector{base: c, encodings: encodings}
}

// get sends one GET for exactly the URL of the permit. Its errors are bare
// causes: the caller says what was being fetched.
func (c *collector) get(ctx context.Context, e *exchange) error {
	one := c.base.Clone()
	one.Context = withExchange(ctx, e)
	one.OnResponse(func(r *colly.Response) {
		e.status, e.header = r.StatusCode, *r.Headers
	})
	header := http.Header{
		"User-Agent":      {c.base.UserAgent},
		"Accept":          {accept},
		"Accept-Encoding": {c.encodings},
	}
	maps.Copy(header, e.want.header)
	if err := one.Request(http.MethodGet, e.permit.url, nil, nil, header); err != nil {
		if wrapped, ok := errors.AsType[*url.Error](err); ok {
			err = wrapped.Err // it would name the URL once more
		}
		return err
	}
	return nil
}
