package text

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// ErrStuck means that every worker is past its deadline and none may be replaced:
// the pool cannot read more pages.
var ErrStuck = errors.New("text: every worker is stuck on a page")

// ErrClosed means that the pool was closed.
var ErrClosed = errors.New("text: pool is closed")

// A Pool reads pages with a fixed number of workers. It is safe for concurrent
// use.
type Pool struct {
	options  Options
	children *children // nil: pages are read here
	read     func(ctx context.Context, page Page) (Result, error)
	slots    chan struct{} // has one token for each running page
	closed   chan struct{}
	stuck    chan struct{} // closed once late runs hold all slots
	running  sync.WaitGroup

	mu       sync.Mutex // guards what follows
	isClosed bool
	isStuck  bool
	late     int // runs past their deadline
	held     int // slots that late runs keep
}

// NewPool returns a pool; the caller closes it.
func NewPool(options Options) *Pool {
	options = options.withDefaults()
	var processes *children
	if options.Start != nil {
		processes = &children{start: options.Start, options: options}
	}
	return &Pool{
		options: options, children: processes,
		read:   reader{options}.read,
		slots:  make(chan struct{}, options.Workers),
		closed: make(chan struct{}),
		stuck:  make(chan struct{}),
	}
}

// Extract waits for a free worker and returns the document in page.
//
// It returns an [*Error] when the page has no document, the error of ctx when that
// ended first, and [ErrStuck] or [ErrClosed] when the pool cannot read pages.
func (p *Pool) Extract(ctx context.Context, page Page) (Result, error) {
	if len(page.Body) > p.options.MaxBytes {
		err := fmt.Errorf("%d bytes, at most %d", len(page.Body), p.options.MaxBytes)
		return Result{}, &Error{URL: page.URL, Reason: ReasonTooLarge, Err: err}
	}
	if err := p.take(ctx); err != nil {
		return Result{}, fmt.Errorf("extract text of %s: %w", page.URL, err)
	}
	within, cancel := context.WithTimeout(ctx, p.options.Deadline)
	defer cancel()
	if p.children != nil {
		result, err := p.children.read(within, page)
		<-p.slots
		p.running.Done()
		return result, p.blame(ctx, page, err)
	}
	r := &run{done: make(chan struct{})}
	go func() { // ends with the page; Close waits for it
		defer p.end(r)
		r.result, r.err = guarded(within, page, p.read)
	}()
	select {
	case <-r.done:
		return r.result, p.blame(ctx, page, r.err)
	case <-within.Done():
		p.abandon(r)
		return Result{}, p.blame(ctx, page, within.Err())
	}
}

// take waits for a slot.
func (p *Pool) take(ctx context.Context) error {
	select {
	case <-p.closed:
		return ErrClosed
	case <-p.stuck:
		return ErrStuck
	default:
	}
	select {
	case p.slots <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	case <-p.closed:
		return ErrClosed
	case <-p.stuck:
		return ErrStuck
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.isClosed {
		<-p.slots
		return ErrClosed
	}
	p.running.Add(1)
	return nil
}

// A run is the extraction of one page.
type run struct {
	done   chan struct{} // closed when result and err are set
	result Result
	err    error
	ended  bool // guarded by Pool.mu, like the rest
	late   bool
	freed  bool // its slot was released
}

// abandon marks a run as late and releases its slot, up to MaxLate.
func (p *Pool) abandon(r *run) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if r.ended {
		return
	}
	r.late = true
	p.late++
	if p.late-p.held <= p.options.MaxLate {
		r.freed = true
		<-p.slots
		return
	}
	if p.held++; p.held == p.options.Workers && !p.isStuck {
		p.isStuck = true
		close(p.stuck)
	}
}

// end removes a run from the counts.
func (p *Pool) end(r *run) {
	p.mu.Lock()
	r.ended = true
	if r.late {
		p.late--
	}
	if r.late && !r.freed {
		p.held--
	}
	if !r.freed {
		<-p.slots
	}
	p.mu.Unlock()
	close(r.done)
	p.running.Done()
}

// Late returns how many pages are still being read past their deadline.
func (p *Pool) Late() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.late
}

// guarded reads a page and turns a panic into an error.
func guarded(ctx context.Context, page Page, read func(context.Context, Page) (Result, error)) (result Result, err error) {
	defer func() {
		if broken := recover(); broken != nil {
			result, err = Result{}, &Error{Reason: ReasonPanic, Err: fmt.Errorf("%v", broken)}
		}
	}()
	return read(ctx, page)
}

// blame returns the error of Extract for an error of a page or of ctx.
func (p *Pool) blame(ctx context.Context, page Page, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return fmt.Errorf("extract text of %s: %w", page.URL, ctx.Err())
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return &Error{URL: page.URL, Reason: ReasonDeadline, Err: fmt.Errorf("more than %s", p.options.Deadline)}
	}
	if fault, ok := errors.AsType[*Error](err); ok {
		fault.URL = page.URL
		return fault
	}
	return fmt.Errorf("extract text of %s: %w", page.URL, err)
}

// Close waits for the pages that are being read, at most for the deadline of one
// page. Then it returns an [ErrStuck] that tells how many are still running; they
// end with the process. With [Options.Start] none is ever left.
func (p *Pool) Close() error {
	p.mu.Lock()
	if !p.isClosed {
		p.isClosed = true
		close(p.closed)
	}
	p.mu.Unlock()
	ended := make(chan struct{})
	go func() { // ends with the last page
		p.running.Wait()
		close(ended)
	}()
	patience := time.NewTimer(p.options.Deadline)
	defer patience.Stop()
	select {
	case <-ended:
		if p.children != nil {
			p.children.close()
		}
		return nil
	case <-patience.C:
		return fmt.Errorf("close text pool: %d pages are still running: %w", p.Late(), ErrStuck)
	}
}
