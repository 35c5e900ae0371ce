package corpus

import (
	"context"
	"net/http"
	"sync"

	"github.com/decorum-crawler/decorum/corpus/signal"
	"github.com/decorum-crawler/decorum/crawler"
	"github.com/decorum-crawler/decorum/robots"
)

// A Rechecker asks sites again for what decisions rest on: robots.txt, the
// other files of the site, and the headers of each page. The page itself is
// not downloaded; what its head said counts on. It is not safe for concurrent
// use; the zero value of unexported fields is ready.
type Rechecker struct {
	Options Options
	Robots  func(ctx context.Context, address string) (*robots.Document, error)
	File    func(ctx context.Context, address string) crawler.Answer
	// Header asks for a page and gives its status and header; 0 when there is
	// no answer, or robots.txt forbids it now.
	Header func(ctx context.Context, address string) (status int, header http.Header, err error)

	once  sync.Once
	sites sites
}

// Check gives the decision on a page as of now, and whether all that it rests
// on could be had. What could not be had says nothing new.
func (r *Rechecker) Check(ctx context.Context, e Evidence) (signal.Decision, bool, error) {
	r.once.Do(func() { r.sites = newSites(r.Options) })
	d, err := r.Robots(ctx, e.URL)
	if err != nil {
		return signal.Decision{}, false, err
	}
	if d.Class() == robots.ClassUnreachable {
		return signal.Decision{}, false, nil
	}
	for {
		address := r.sites.wants(d.Origin, d)
		if address == "" {
			break
		}
		if err := r.sites.answer(d.Origin, r.File(ctx, address)); err != nil {
			return signal.Decision{}, false, err
		}
	}
	status, header, err := r.Header(ctx, e.URL)
	if ctx.Err() != nil {
		return signal.Decision{}, false, ctx.Err()
	}
	reached := err == nil && status/100 == 2
	page := e.Page
	if reached {
		now := signal.ReadPage(e.URL, header, nil)
		page.Header = now.Header
	}
	site, _ := r.sites.of(d)
	decision := r.Options.Policy.Decide(signal.Judge(r.Options.Agent, page, site))
	return r.Options.Overrides.Apply(decision, e.URL, d.FetchedAt), reached, nil
}
