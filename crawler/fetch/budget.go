package fetch

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"

	"golang.org/x/sync/semaphore"
)

// smallBody is how much of a body is read into memory without a share of the
// budget.
const smallBody = 512 << 10

// budget bounds the memory of the large bodies that are in use at once, and of
// what is made of them.
type budget struct {
	free  *semaphore.Weighted
	total int64
	cost  int64 // of a byte of a body
}

// costs of a byte of a body: the body itself, and its text or the buffers of its
// parser; the body as received, and its record.
const (
	bodyCost = 2
	wireCost = 4
)

func newBudget(o Options) *budget {
	return &budget{free: semaphore.NewWeighted(o.BodyMemory), total: o.BodyMemory, cost: o.BodyCost}
}

// A share is the part of a budget that the bodies of one caller have. It is not
// safe for concurrent use.
type share struct {
	budget *budget
	held   int64
}

// take takes a share for a body of n bytes if it is free, and reports whether
// there is one now.
func (s *share) take(n int64) bool {
	cost := min(n*s.budget.cost, s.budget.total)
	if s.held == 0 && s.budget.free.TryAcquire(cost) {
		s.held = cost
	}
	return s.held > 0
}

// wait waits for a share for a body of n bytes.
func (s *share) wait(ctx context.Context, n int64) error {
	cost := min(n*s.budget.cost, s.budget.total)
	if s.held > 0 {
		return nil
	}
	if err := s.budget.free.Acquire(ctx, cost); err != nil {
		return err
	}
	s.held = cost
	return nil
}

// shrink returns what a body of n bytes does not need.
func (s *share) shrink(n int64) {
	if spare := s.held - n*s.budget.cost; spare > 0 {
		s.held -= spare
		s.budget.free.Release(spare)
	}
}

func (s *share) release() { s.shrink(0) }

type shareKey struct{}

// Retain returns a context under which large bodies count toward
// Options.BodyMemory until release is called. Otherwise they count until the
// method that returns them does. The context is for one goroutine at a time.
func (c *Client) Retain(ctx context.Context) (retaining context.Context, release func()) {
	s := &share{budget: c.budget}
	return context.WithValue(ctx, shareKey{}, s), s.release
}

// shareOf returns the share of [Client.Retain], or a new one and how to release it.
func (c *Client) shareOf(ctx context.Context) (s *share, release func()) {
	if s, ok := ctx.Value(shareKey{}).(*share); ok && s.budget == c.budget {
		return s, func() {}
	}
	s = &share{budget: c.budget}
	return s, s.release
}

// A buffer holds a body while it arrives. A small body is in memory. A large one
// is too if the budget has a share for it, and otherwise in an unnamed file: so no
// request waits for memory while it holds the turn of a host.
type buffer struct {
	ctx    context.Context //nolint:containedctx // of the request; a Write has none
	share  *share
	most   int64 // bytes that there may be
	memory bytes.Buffer
	file   *os.File // nil: everything is in memory
	size   int64    // of the file
}

// readFrom reads the body; hint is an expected length or negative.
func (b *buffer) readFrom(r io.Reader, hint int64) error {
	first := min(b.most, smallBody)
	if hint > first && b.share.take(b.most) {
		first = b.most
	}
	if hint > 0 {
		b.memory.Grow(int(min(hint, first)) + bytes.MinRead)
	}
	_, err := b.memory.ReadFrom(io.LimitReader(r, first))
	if err != nil || int64(b.memory.Len()) < first || first == b.most {
		return err
	}
	_, err = io.Copy(b, io.LimitReader(r, b.most-first))
	return err
}

// Write appends a part of the body.
func (b *buffer) Write(p []byte) (int, error) {
	if b.file == nil && b.memory.Len()+len(p) > smallBody && !b.share.take(b.most) {
		if err := b.spill(); err != nil { // the last resort, while the timeout of the request runs
			if err := b.share.wait(b.ctx, b.most); err != nil {
				return 0, err
			}
		}
	}
	if b.file == nil {
		return b.memory.Write(p)
	}
	n, err := b.file.Write(p)
	b.size += int64(n)
	return n, err
}

// spill moves the body to a file.
func (b *buffer) spill() error {
	file, err := unnamedFile()
	if err != nil {
		return err
	}
	n, err := file.Write(b.memory.Bytes())
	if err != nil {
		_ = file.Close()
		return err
	}
	b.file, b.size, b.memory = file, int64(n), bytes.Buffer{}
	return nil
}

func (b *buffer) len() int64 { return b.size + int64(b.memory.Len()) }

// load returns the body in memory, for which it may have to wait.
func (b *buffer) load(ctx context.Context) ([]byte, error) {
	if b.file == nil {
		return b.memory.Bytes(), nil
	}
	defer b.close()
	if err := b.share.wait(ctx, b.size); err != nil {
		return nil, err
	}
	body := make([]byte, b.size)
	if _, err := b.file.ReadAt(body, 0); err != nil {
		return nil, fmt.Errorf("read body back: %w", err)
	}
	return body, nil
}

// close removes the file.
func (b *buffer) close() {
	if b.file != nil {
		_ = b.file.Close()
		b.file, b.size = nil, 0
	}
}
