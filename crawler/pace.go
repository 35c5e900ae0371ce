package crawler

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// pace keeps the gap between the requests to each host, from the end of one
// response to the start of the next request.
type pace struct {
	delay, maxDelay time.Duration

	mu    sync.Mutex
	hosts map[string]*hostPace
}

type hostPace struct {
	limiter *rate.Limiter
	wish    time.Duration // Crawl-delay of the host
	penalty float64       // 1 and more; doubles on 429 and 503
	next    time.Time     // the next request may start
	gap     time.Duration
}

func newPace(delay, maxDelay time.Duration) *pace {
	return &pace{delay: delay, maxDelay: maxDelay, hosts: map[string]*hostPace{}}
}

// host gives the pace of a host; the caller holds mu.
func (p *pace) host(name string) *hostPace {
	h, ok := p.hosts[name]
	if !ok {
		h = &hostPace{limiter: rate.NewLimiter(rate.Inf, 1), penalty: 1, gap: p.delay}
		p.hosts[name] = h
	}
	return h
}

// wish sets the Crawl-delay that a host asks for; it counts where it is larger
// than the crawl's own delay.
func (p *pace) wish(host string, delay time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	h := p.host(host)
	if delay != h.wish {
		h.wish = delay
		h.next = h.next.Add(max(p.base(h), h.gap) - h.gap)
		h.gap = max(p.base(h), h.gap)
	}
}

func (p *pace) base(h *hostPace) time.Duration { return max(p.delay, h.wish) }

// standing gives when the host may be asked next, and its gap.
func (p *pace) standing(host string) (next time.Time, gap time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	h := p.host(host)
	return h.next, h.gap
}

// wait holds a request back until its host may be asked. Most come when it is
// time already, for the frontier knows the pace too.
func (p *pace) wait(ctx context.Context, host string) error {
	p.mu.Lock()
	next := p.host(host).next
	p.mu.Unlock()
	wait := time.Until(next)
	if wait <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// ended notes the end of a response and gives when the host may be asked again
// and the gap until then. status is 0 when there was no response. A Retry-After
// holds the whole host back; it may be longer than the crawl's largest delay,
// and is then obeyed all the same.
func (p *pace) ended(host string, elapsed time.Duration, status int, header http.Header) (next time.Time, gap time.Duration) {
	now := time.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	h := p.host(host)
	if status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable {
		h.penalty = min(h.penalty*2, 64)
	} else {
		h.penalty = max(h.penalty*0.75, 1)
	}
	h.gap = p.gapOf(h, elapsed)
	h.limiter.SetLimitAt(now, rate.Every(h.gap))
	h.limiter.SetBurstAt(now, 0) // what was saved up during the response does not count
	h.limiter.SetBurstAt(now, 1)
	h.next = now.Add(h.limiter.ReserveN(now, 1).DelayFrom(now))
	if until, ok := retryAfter(header, now); ok && status/100 != 2 && until.After(h.next) {
		h.next = until
	}
	return h.next, h.gap
}

// gapOf gives the gap after a response that took elapsed. What a site asks for
// is never cut; what we add ourselves is, at the largest delay.
func (p *pace) gapOf(h *hostPace, elapsed time.Duration) time.Duration {
	base := p.base(h)
	grown := time.Duration(float64(max(base, 100*time.Millisecond)) * h.penalty)
	if h.penalty == 1 {
		grown = base
	}
	if p.delay > 0 {
		grown = max(grown, 2*elapsed)
	}
	return max(base, min(grown, p.maxDelay))
}

// maxRetryAfter bounds a Retry-After, which may name any number.
const maxRetryAfter = 30 * 24 * time.Hour

// retryAfter reads a Retry-After header (RFC 9110 §10.2.3): seconds or a date.
// What cannot be read, or lies in the past, does not count.
func retryAfter(header http.Header, now time.Time) (time.Time, bool) {
	value := strings.TrimSpace(header.Get("Retry-After"))
	if value == "" {
		return time.Time{}, false
	}
	if strings.Trim(value, "0123456789") == "" {
		seconds, err := strconv.ParseInt(value, 10, 64)
		if err != nil || seconds > int64(maxRetryAfter/time.Second) {
			return now.Add(maxRetryAfter), true
		}
		return now.Add(time.Duration(seconds) * time.Second), true
	}
	date, err := http.ParseTime(value)
	if err != nil || !date.After(now) {
		return time.Time{}, false
	}
	return earlierOf(date, now.Add(maxRetryAfter)), true
}

func earlierOf(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}
