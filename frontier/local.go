package frontier

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"time"
)

// Options of a [Local].
type Options struct {
	Outputs map[string]Output // by Record.Output
	// Skipped returns the record of a URL that is skipped without having been
	// leased; nil for none.
	Skipped func(Candidate) Record

	MaxBatch  int           // outcomes in one transaction; 0 means 256
	MaxBytes  int64         // of the records that wait to be written or are being written; 0 means 32 MiB
	MaxWait   time.Duration // how long an outcome waits for others; 0 means 250 ms
	ReadAhead int           // items of a host held in memory; 0 means 64
	LeaseTime time.Duration // 0 means 10 minutes

	// Patience is how long a Lease waits for a host when nothing else is going on,
	// before it returns ErrParked; 0 means as long as it takes.
	Patience time.Duration

	// Pause is how long a host that the store knows already is not asked after the
	// start, or its own gap if that is longer: a process that was killed could not
	// note its last request.
	Pause time.Duration
}

func (o Options) withDefaults() Options {
	if o.MaxBatch == 0 {
		o.MaxBatch = 256
	}
	if o.MaxBytes == 0 {
		o.MaxBytes = 32 << 20
	}
	if o.MaxWait == 0 {
		o.MaxWait = 250 * time.Millisecond
	}
	if o.ReadAhead == 0 {
		o.ReadAhead = 64
	}
	if o.LeaseTime == 0 {
		o.LeaseTime = 10 * time.Minute
	}
	return o
}

// Local is the [Frontier] of one process.
type Local struct {
	store   Store
	options Options

	wake chan struct{} // one slot; there is something to commit
	done chan struct{} // closed when commitLoop has returned

	mu       sync.Mutex
	hosts    map[string]*host
	heap     hostHeap
	leases   map[LeaseID]*lease
	lastID   LeaseID
	inbox    inbox
	counters Counters
	commits  uint64        // batches that afterCommit has seen
	changed  chan struct{} // closed and replaced whenever waiting may be over
	closing  bool
	failed   error
}

// lease is a Lease and the host that it holds.
type lease struct {
	Lease
	host *host
}

// NewLocal opens the frontier on a store. Close must be called.
func NewLocal(store Store, options Options) (*Local, error) {
	f := &Local{
		store:   store,
		options: options.withDefaults(),
		wake:    make(chan struct{}, 1),
		done:    make(chan struct{}),
		hosts:   map[string]*host{},
		leases:  map[LeaseID]*lease{},
		changed: make(chan struct{}),
	}
	var err error
	if f.counters, err = store.Counters(); err != nil {
		return nil, fmt.Errorf("open frontier: %w", err)
	}
	states, err := store.Hosts()
	if err != nil {
		return nil, fmt.Errorf("open frontier: %w", err)
	}
	now := time.Now()
	for _, state := range states {
		h := f.host(state.Host)
		h.HostState = state
		h.NextAt = state.First(f.options.Pause, now)
		f.heap.update(h)
	}
	go f.commitLoop() // returns when Close has drained the inbox
	return f, nil
}

// host returns the host of that name and makes a new one as needed. The caller
// holds mu, or f is not shared yet.
func (f *Local) host(name string) *host {
	h, ok := f.hosts[name]
	if !ok {
		h = &host{HostState: HostState{Host: name}, place: -1, busy: map[string]bool{}}
		f.hosts[name] = h
	}
	return h
}

// Lease waits for a host that is due and returns a lease of its next item.
func (f *Local) Lease(ctx context.Context) (Lease, error) {
	for {
		if err := ctx.Err(); err != nil {
			return Lease{}, err
		}
		f.mu.Lock()
		granted, wait, err := f.tryLease(time.Now())
		changed := f.changed
		f.mu.Unlock()
		if err != nil || granted.ID != 0 {
			return granted, err
		}
		if err := pause(ctx, wait, changed); err != nil {
			return Lease{}, err
		}
	}
}

// pause waits for a time, a change or the end of ctx. The zero time never comes.
func pause(ctx context.Context, until time.Time, changed <-chan struct{}) error {
	var alarm <-chan time.Time
	if !until.IsZero() {
		timer := time.NewTimer(time.Until(until))
		defer timer.Stop()
		alarm = timer.C
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-changed:
	case <-alarm:
	}
	return nil
}

// tryLease returns a lease, or the time at which to try again. The caller holds
// mu, which is released while the store is read.
func (f *Local) tryLease(now time.Time) (Lease, time.Time, error) {
	for {
		if err := f.err(); err != nil {
			return Lease{}, time.Time{}, err
		}
		f.expire(now)
		if len(f.heap) == 0 {
			return Lease{}, f.nextExpiry(), f.drained()
		}
		h := f.heap[0]
		if due := h.due(); due.After(now) {
			if f.options.Patience > 0 && due.Sub(now) > f.options.Patience && f.idle() {
				return Lease{}, time.Time{}, ErrParked
			}
			return Lease{}, earlier(due, f.nextExpiry()), nil
		}
		item, wait, ok := h.take(now)
		if ok {
			return f.newLease(h, item, now), time.Time{}, nil
		}
		if !wait.IsZero() {
			h.ready, h.retryAt = nil, wait
			f.heap.update(h)
			continue
		}
		if err := f.readAhead(h); err != nil {
			return Lease{}, time.Time{}, err
		}
	}
}

// err returns why f cannot be used any more.
func (f *Local) err() error {
	if f.closing {
		return ErrClosed
	}
	return f.failed
}

// drained returns nil while there is something to wait for, and otherwise
// ErrDrained or why the frontier cannot be drained.
func (f *Local) drained() error {
	if !f.idle() {
		return nil
	}
	for _, h := range f.hosts {
		if h.Pending != 0 {
			f.fail(fmt.Errorf("%w: %d URLs of %s are pending and cannot be leased", ErrDamaged, h.Pending, h.Host))
			return f.failed
		}
	}
	if f.counters.Pending != 0 {
		f.fail(fmt.Errorf("%w: %d URLs are pending at no host", ErrDamaged, f.counters.Pending))
		return f.failed
	}
	return ErrDrained
}

// idle reports whether nothing is under way that could bring new URLs.
func (f *Local) idle() bool {
	if len(f.leases) > 0 || !f.inbox.empty() || f.inbox.committing {
		return false
	}
	for _, h := range f.hosts {
		if h.held {
			return false
		}
	}
	return true
}

func (f *Local) newLease(h *host, item Item, now time.Time) Lease {
	f.lastID++
	granted := Lease{ID: f.lastID, Item: item, Expires: now.Add(f.options.LeaseTime)}
	f.leases[f.lastID] = &lease{Lease: granted, host: h}
	h.held = true
	h.busy[keyOf(item)] = true
	f.heap.update(h)
	return granted
}

// readAhead fills the empty ready list of h from the store.
func (f *Local) readAhead(h *host) error {
	h.held = true
	f.heap.update(h)
	n := f.options.ReadAhead + len(h.busy)
	// What is busy now is left out, since the read may be older than a commit that
	// ends in the meantime.
	busy := maps.Clone(h.busy)
	commits := f.commits
	f.mu.Unlock()
	items, err := f.store.Pending(h.Host, n)
	f.mu.Lock()
	h.held = false
	if err != nil {
		f.fail(fmt.Errorf("read pending items of %s: %w", h.Host, err))
		return f.failed
	}
	h.retryAt = time.Time{}
	now := time.Now()
	for _, item := range items {
		if !busy[keyOf(item)] {
			item.NotBefore = settled(item.NotBefore, now)
			h.ready = append(h.ready, item)
		}
	}
	if len(h.ready) == 0 && commits == f.commits {
		f.fail(fmt.Errorf("%w: none of %d pending URLs of %s can be read", ErrDamaged, h.Pending, h.Host))
		return f.failed
	}
	f.heap.update(h)
	f.signal()
	return nil
}

// expire returns the items of expired leases to their hosts.
func (f *Local) expire(now time.Time) {
	for id, l := range f.leases {
		if l.Expired(now) {
			delete(f.leases, id)
			f.returnItem(l.host, l.Item)
		}
	}
}

func (f *Local) nextExpiry() time.Time {
	var first time.Time
	for _, l := range f.leases {
		first = earlier(first, l.Expires)
	}
	return first
}

// returnItem puts a leased item back to the front of its host.
func (f *Local) returnItem(h *host, item Item) {
	delete(h.busy, keyOf(item))
	h.held = false
	h.ready = append([]Item{item}, h.ready...)
	f.heap.update(h)
	f.signal()
}

// Ack ends a lease.
func (f *Local) Ack(ctx context.Context, id LeaseID, outcome Outcome) error {
	if err := f.waitForRoom(ctx); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closing {
		return fmt.Errorf("acknowledge %s: %w", outcome.Item.URL, ErrClosed)
	}
	l, ok := f.leases[id]
	if !ok || l.Expired(time.Now()) {
		return fmt.Errorf("acknowledge %s: %w", outcome.Item.URL, ErrLeaseLost)
	}
	delete(f.leases, id)
	h := l.host
	h.HostState, h.parked = h.After(&outcome), outcome.Park
	if outcome.Verb == VerbReturn {
		f.returnItem(h, l.Item)
		outcome.Item = l.Item
	}
	h.held = false
	f.inbox.outcomes = append(f.inbox.outcomes, outcome)
	for _, record := range outcome.Records {
		f.inbox.bytes += int64(len(record.Data))
	}
	f.heap.update(h)
	f.signal()
	f.nudge()
	return nil
}

// waitForRoom waits while the inbox is full.
func (f *Local) waitForRoom(ctx context.Context) error {
	for {
		f.mu.Lock()
		err, changed := f.failed, f.changed
		full := len(f.inbox.outcomes) >= 4*f.options.MaxBatch || f.inbox.bytes+f.inbox.writing >= f.options.MaxBytes
		f.mu.Unlock()
		if err != nil || !full {
			return err
		}
		if err := pause(ctx, time.Time{}, changed); err != nil {
			return err
		}
	}
}

// Stats returns the current counters.
func (f *Local) Stats() Stats {
	f.mu.Lock()
	defer f.mu.Unlock()
	stats := Stats{
		Pending:   f.counters.Pending,
		Done:      f.counters.Done,
		Skipped:   f.counters.Skipped,
		Tentative: f.counters.Tentative,
		Leased:    int64(len(f.leases)),
	}
	for _, h := range f.hosts {
		if h.Pending > 0 {
			stats.Hosts++
			stats.Remaining = max(stats.Remaining, h.remaining())
		}
	}
	return stats
}

// signal wakes everything that waits for a change. The caller holds mu.
func (f *Local) signal() {
	close(f.changed)
	f.changed = make(chan struct{})
}

// nudge wakes commitLoop. Several calls count as one.
func (f *Local) nudge() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

func (f *Local) fail(err error) {
	if f.failed == nil {
		f.failed = err
	}
	f.signal()
}

// earlier returns the earlier of two times. The zero time never comes.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// keyOf returns a key that differs for the items of a host.
func keyOf(item Item) string { return string('0'+rune(item.Kind)) + item.URL }
