package fetch

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"net/url"

	"github.com/gocolly/colly/v2"
)

// collector sends requests with colly. All that colly would decide by itself is
// off. The collector is cloned for each request, because the context belongs to
// the collector.
type collector struct {
	base      *colly.Collector
	encodings string // value of Accept-Encoding
}

func newCollector(t http.RoundTripper, userAgent, encodings string) *collector {
	c := colly.NewCollector(
		colly.UserAgent(userAgent),
		colly.IgnoreRobotsTxt(), // the gate checks robots.txt
		colly.AllowURLRevisit(), // the frontier knows which URLs were visited
		colly.MaxBodySize(0),    // the transport limits the body and reports it
	)
	c.ParseHTTPErrorResponse = true
	c.DisableCookies()
	c.WithTransport(t)
	c.SetRequestTimeout(0) // the context of each request has its own
	c.SetRedirectHandler(func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse })
	return &collector{base: c, encodings: encodings}
}

// get sends one GET for exactly the URL of the permit. Its errors do not name the
// URL; the caller does.
func (c *collector) get(ctx context.Context, e *exchange) error {
	one := c.base.Clone()
	one.Context = withExchange(ctx, e)
	header := http.Header{
		"User-Agent":      {c.base.UserAgent},
		"Accept":          {accept},
		"Accept-Encoding": {c.encodings},
	}
	maps.Copy(header, e.want.header)
	if err := one.Request(http.MethodGet, e.permit.url, nil, nil, header); err != nil {
		if wrapped, ok := errors.AsType[*url.Error](err); ok {
			err = wrapped.Err // without the URL, which the caller adds
		}
		return explained(err)
	}
	return nil
}
