package fetch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// ErrStopped means that the channel of [WithStop] ended a wait for a host, or a
// long response.
// Nothing was sent.
var ErrStopped = errors.New("stopped")

// ErrWait matches every [*WaitError].
var ErrWait = errors.New("wait for the host is too long")

// WaitError means that the next request to a host may start only at a time that
// is further away than [Options.MaxWait]. Nothing was sent.
type WaitError struct{ Wait Wait }

// Error names the host, the time and the reason.
func (e *WaitError) Error() string {
	return fmt.Sprintf("next request to %s is not allowed before %s (%s)", e.Wait.Host, e.Wait.Until.UTC().Format(time.RFC3339), e.Wait.Why)
}

// Is reports whether target is [ErrWait].
func (e *WaitError) Is(target error) bool { return target == ErrWait }

// A Why is the reason of a wait for a host. The values are stable.
type Why string

// The reasons of a wait.
const (
	WhyDelay      Why = "delay"       // our own delay
	WhyCrawlDelay Why = "crawl-delay" // in robots.txt
	WhyRetryAfter Why = "retry-after"
	WhyBackOff    Why = "back-off" // the host is slow, or answered 429 or 503
	WhyTurn       Why = "turn"     // another request to the host is in flight
	WhyAddress    Why = "address"  // another host has the same IP address; see Options.PerIPDelay
	WhyAway       Why = "away"     // the host did not answer several times in a row
)

// A Wait is a request that waits for its host.
type Wait struct {
	URL   string
	Host  string
	Since time.Time
	Until time.Time // when the host is due; zero for [WhyTurn]
	Why   Why
}

// LongWait is the least wait that is shown.
const LongWait = 3 * time.Second

type stopKey struct{}

// WithStop returns a context under which waits for a host's turn end with
// [ErrStopped] when stop is closed. Requests in flight go on, but a response that
// is read as a stream gets no more time than Options.Timeout.
func WithStop(ctx context.Context, stop <-chan struct{}) context.Context {
	return context.WithValue(ctx, stopKey{}, stop)
}

// pace schedules the requests to each host: one at a time, with a gap from the
// end of one response to the start of the next request. Every request waits
// here, whatever it is for.
type pace struct {
	options   Options
	addresses *addresses

	mu      sync.Mutex
	hosts   map[string]*hostPace
	waiting map[*Wait]struct{}
}

// hostPace is guarded by the mutex of the pace, but for slot.
type hostPace struct {
	name  string
	slot  chan struct{} // holds one token while a request has the turn
	floor time.Duration // our own delay, the least gap

	asked     map[string]time.Duration // Crawl-delay by origin
	limiter   *rate.Limiter            // has a token when the gap has passed
	ended     time.Time                // the last response
	gap       time.Duration
	penalty   float64   // 1 and more; doubles on 429 and 503
	notBefore time.Time // set by Retry-After or an earlier run
	why       Why       // of the gap
	held      Why       // of notBefore
}

func newPace(o Options) *pace {
	return &pace{options: o, addresses: newAddresses(o.PerIPDelay), hosts: map[string]*hostPace{}, waiting: map[*Wait]struct{}{}}
}

// host returns the pace of a host; the caller holds mu.
func (p *pace) host(name string) *hostPace {
	h, ok := p.hosts[name]
	if ok {
		return h
	}
	h = &hostPace{name: name, slot: make(chan struct{}, 1), floor: max(p.options.Delay, 0), penalty: 1, why: WhyDelay}
	if p.options.isForeign(name) {
		h.floor = max(h.floor, PublicDelay)
	}
	h.gap = h.floor
	h.limiter = rate.NewLimiter(rate.Inf, 1)
	if p.options.Saved != nil {
		if next, gap, ok := p.options.Saved(name); ok {
			h.notBefore, h.held, h.gap = next, WhyDelay, max(gap, h.gap)
		}
	}
	p.hosts[name] = h
	return h
}

// base returns the gap that our own delay and the host's Crawl-delay ask for.
func (h *hostPace) base() (gap time.Duration, why Why) {
	gap, why = h.floor, WhyDelay
	for _, delay := range h.asked {
		if delay > gap {
			gap, why = delay, WhyCrawlDelay
		}
	}
	return gap, why
}

// rest sets the gap, which begins at the end of the last response.
func (h *hostPace) rest(gap time.Duration) {
	h.gap = gap
	if gap <= 0 {
		h.limiter = rate.NewLimiter(rate.Inf, 1)
		return
	}
	h.limiter = rate.NewLimiter(rate.Every(gap), 1)
	h.limiter.AllowN(h.ended, 1)
}

// due returns when the next request may start, and what it waits for until then.
func (h *hostPace) due(now time.Time) (time.Time, Why) {
	token := h.limiter.ReserveN(now, 1)
	next := now.Add(token.DelayFrom(now))
	token.CancelAt(now)
	if h.notBefore.After(next) {
		return h.notBefore, h.held
	}
	return next, h.why
}

// crawlDelay notes the Crawl-delay of an origin. It applies, from the last
// response on, if it is larger than our own delay.
func (p *pace) crawlDelay(host, origin string, delay time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	h := p.host(host)
	if h.asked[origin] == delay {
		return
	}
	if h.asked == nil {
		h.asked = map[string]time.Duration{}
	}
	h.asked[origin] = delay
	base, why := h.base()
	if base > h.gap {
		h.why = why
		if h.ended.IsZero() {
			h.gap = base
		} else {
			h.rest(base)
		}
	}
}

// next returns when the next request to a host may start, and the gap.
func (p *pace) next(host string) (next time.Time, gap time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	h := p.host(host)
	next, _ = h.due(time.Now())
	return latest(next, p.addresses.bookedFor(host)), h.gap
}

// why returns what the host waits for.
func (p *pace) why(host string) Why {
	p.mu.Lock()
	defer p.mu.Unlock()
	due, why := p.host(host).due(time.Now())
	if p.addresses.bookedFor(host).After(due) {
		return WhyAddress
	}
	return why
}

// turn is the right to send one request to a host.
type turn struct {
	pace *pace
	host *hostPace
}

// acquire waits until the host is free and due. The turn must be ended.
func (p *pace) acquire(ctx context.Context, host, address string) (turn, error) {
	if err := ctx.Err(); err != nil {
		return turn{}, err
	}
	p.mu.Lock()
	h := p.host(host)
	p.mu.Unlock()
	select {
	case h.slot <- struct{}{}:
	default:
		if err := p.queue(ctx, h, address); err != nil {
			return turn{}, err
		}
	}
	err := p.untilDue(ctx, h, address)
	if err == nil {
		err = p.untilAddressIsDue(ctx, h, address)
	}
	if err != nil {
		<-h.slot
		return turn{}, err
	}
	return turn{p, h}, nil
}

// queue waits for the end of another request.
func (p *pace) queue(ctx context.Context, h *hostPace, address string) error {
	w := &Wait{URL: address, Host: h.name, Since: time.Now(), Why: WhyTurn}
	defer p.show(w)()
	select {
	case h.slot <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-stopOf(ctx):
		return ErrStopped
	}
}

// untilDue waits until the host is due. Most requests need not wait here, because
// the frontier also knows the pace. A Crawl-delay may become known meanwhile.
func (p *pace) untilDue(ctx context.Context, h *hostPace, address string) error {
	for {
		now := time.Now()
		p.mu.Lock()
		next, why := h.due(now)
		p.mu.Unlock()
		wait := next.Sub(now)
		if wait <= 0 {
			return ctx.Err()
		}
		w := &Wait{URL: address, Host: h.name, Since: now, Until: next, Why: why}
		if wait > p.options.MaxWait {
			return &WaitError{*w}
		}
		if err := p.sleep(ctx, w, wait); err != nil {
			return err
		}
	}
}

func (p *pace) sleep(ctx context.Context, w *Wait, d time.Duration) error {
	if d > LongWait {
		p.options.Logger.Info("waiting for host", "host", w.Host, "url", w.URL, "wait", d, "reason", w.Why)
		if p.options.Waiting != nil {
			p.options.Waiting(*w)
		}
		defer p.show(w)()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-stopOf(ctx):
		return ErrStopped
	}
}

// stopOf returns the channel of [WithStop], or nil, which is never ready.
func stopOf(ctx context.Context) <-chan struct{} {
	stop, _ := ctx.Value(stopKey{}).(<-chan struct{})
	return stop
}

// show lists a wait until hide is called.
func (p *pace) show(w *Wait) (hide func()) {
	p.mu.Lock()
	p.waiting[w] = struct{}{}
	p.mu.Unlock()
	return func() {
		p.mu.Lock()
		delete(p.waiting, w)
		p.mu.Unlock()
	}
}

// waits returns the waits that are shown, the longest first.
func (p *pace) waits() []Wait {
	p.mu.Lock()
	defer p.mu.Unlock()
	waits := make([]Wait, 0, len(p.waiting))
	for w := range p.waiting {
		waits = append(waits, *w)
	}
	slices.SortFunc(waits, func(a, b Wait) int { return a.Since.Compare(b.Since) })
	return waits
}

// end ends the turn and returns when the next request to the host may start, and
// the gap. status is 0 when there was no response. A Retry-After applies to the
// whole host, and is obeyed even when it is longer than the largest delay.
func (t turn) end(elapsed time.Duration, status int, header http.Header) (next time.Time, gap time.Duration) {
	now := time.Now()
	t.pace.mu.Lock()
	defer t.pace.mu.Unlock()
	h := t.host
	if status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable {
		h.penalty = min(h.penalty*2, 64)
	} else {
		h.penalty = max(h.penalty*0.75, 1)
	}
	h.ended = now
	h.rest(t.gap(elapsed))
	h.notBefore = time.Time{}
	if until, ok := RetryAfter(header, now); ok && status/100 != 2 {
		h.notBefore, h.held = until, WhyRetryAfter
	}
	next, _ = h.due(now)
	<-h.slot
	return next, h.gap
}

// gap returns the gap after a response that took elapsed. The largest delay
// limits what back-off adds, never what a site asks for.
func (t turn) gap(elapsed time.Duration) time.Duration {
	h := t.host
	base, why := h.base()
	h.why = why
	grown := base
	if h.penalty > 1 {
		grown = time.Duration(float64(max(base, 100*time.Millisecond)) * h.penalty)
	}
	if h.floor > 0 {
		grown = max(grown, 2*elapsed)
	}
	if grown = min(grown, t.pace.options.MaxDelay); grown > base {
		h.why = WhyBackOff
		return grown
	}
	return base
}

// maxRetryAfter bounds a Retry-After, which may name any number.
const maxRetryAfter = 30 * 24 * time.Hour

// RetryAfter returns the time in a Retry-After header (RFC 9110 §10.2.3), given
// as seconds or as a date. ok is false when there is none, when it is invalid, or
// when it is in the past; a time more than 30 days away is cut to 30 days.
func RetryAfter(header http.Header, now time.Time) (until time.Time, ok bool) {
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
	if latest := now.Add(maxRetryAfter); date.After(latest) {
		return latest, true
	}
	return date, true
}
