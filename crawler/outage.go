package crawler

import (
	"sync"
	"time"

	"github.com/decorum-crawler/decorum/crawler/fetch"
	"github.com/decorum-crawler/decorum/frontier"
)

const (
	outageAfter = 5                // requests of a host that fail in a row
	firstPark   = 10 * time.Second // doubled for each further one
	mostParks   = 3                // after that the host is left to a later run
	longPark    = time.Hour        // of a host that is left; the run may go on that long for other hosts
)

// outages notes which hosts are away. The URLs of a host that is away are not to
// blame, so they stay pending, and the host is parked. outages is safe for
// concurrent use.
type outages struct {
	first time.Duration // of a park

	mu    sync.Mutex
	hosts map[string]*outage // that failed last
	waits map[string]fetch.Wait
}

type outage struct{ failures, parks int }

// maxOutages bounds the memory; further hosts are never taken to be away.
const maxOutages = 100_000

// failed notes that a host did not answer, and returns until when it is parked;
// zero while it is not taken to be away.
func (o *outages) failed(host string, now time.Time) time.Time {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.hosts == nil {
		o.hosts = map[string]*outage{}
	}
	h, ok := o.hosts[host]
	if !ok {
		if len(o.hosts) >= maxOutages {
			return time.Time{}
		}
		h = &outage{}
		o.hosts[host] = h
	}
	if h.failures++; h.failures < outageAfter {
		return time.Time{}
	}
	h.parks++
	if h.parks > mostParks {
		return now.Add(longPark)
	}
	return now.Add(o.first << (h.parks - 1))
}

// answered notes that a host is there.
func (o *outages) answered(host string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.hosts, host)
	delete(o.waits, host)
}

// wait notes for what the next request to a host waits.
func (o *outages) wait(w fetch.Wait) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.waits == nil {
		o.waits = map[string]fetch.Wait{}
	}
	if _, ok := o.waits[w.Host]; ok || len(o.waits) < maxOutages {
		o.waits[w.Host] = w
	}
}

// waiting returns the waits that last at now.
func (o *outages) waiting(now time.Time) []fetch.Wait {
	o.mu.Lock()
	defer o.mu.Unlock()
	var found []fetch.Wait
	for _, w := range o.waits {
		if w.Until.After(now) {
			found = append(found, w)
		}
	}
	return found
}

// isAway reports whether a failure is that of a host and not of one URL.
func isAway(failed fetch.Failure, status int) bool {
	switch failed {
	case fetch.FailTimeout, fetch.FailConnect, fetch.FailReset, fetch.FailDNS, fetch.FailDNSTry, fetch.FailTLS, fetch.FailThrottled:
		return true
	case fetch.FailServer:
		return status == 502 || status == 504 // 500 may be that of a page
	}
	return false
}

// park returns the outcome of an item whose host is away: the item stays pending
// as it was before the request, and comes after others of the host.
func (c *Crawl) park(item frontier.Item, got *fetch.Response, failed fetch.Failure) (frontier.Outcome, bool) {
	host := item.Host()
	if !isAway(failed, got.Status) {
		c.outages.answered(host)
		return frontier.Outcome{}, false
	}
	until := c.outages.failed(host, time.Now())
	if until.IsZero() {
		return frontier.Outcome{}, false
	}
	c.options.Logger.Info("host is away", "host", host, "reason", failed, "until", until)
	return frontier.Outcome{Verb: frontier.VerbRetry, Item: item, NextAt: got.Next, Gap: got.Gap, Park: until}, true
}
