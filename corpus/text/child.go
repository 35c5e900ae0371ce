package text

import (
	"bufio"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync"
	"time"
)

// Serve reads pages for a [Pool] of another process, until in ends. It is what
// the processes of [Options.Start] do with their standard input and output.
func Serve(in io.Reader, out io.Writer) error {
	return serve(in, out, func(ctx context.Context, page Page, o Options) (Result, error) {
		return guarded(ctx, page, reader{o}.read)
	})
}

// request is a page for a child, with the limits that it has to keep.
type request struct {
	Page               Page
	MaxBytes, MaxNodes int
	MaxDepth           int
	Deadline           time.Duration
}

// reply is what a child makes of it.
type reply struct {
	Result Result
	Reason Reason // of an Error; else empty
	Fault  string // the text of its Err
}

func serve(in io.Reader, out io.Writer, read func(context.Context, Page, Options) (Result, error)) error {
	requests, buffer := gob.NewDecoder(bufio.NewReader(in)), bufio.NewWriter(out)
	replies := gob.NewEncoder(buffer)
	for {
		var next request
		if err := requests.Decode(&next); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("read a page: %w", err)
		}
		o := Options{MaxBytes: next.MaxBytes, MaxNodes: next.MaxNodes, MaxDepth: next.MaxDepth, Deadline: next.Deadline}
		ctx, cancel := context.WithTimeout(context.Background(), next.Deadline)
		result, err := read(ctx, next.Page, o)
		cancel()
		if err := replies.Encode(replyOf(result, err)); err != nil {
			return fmt.Errorf("write a text: %w", err)
		}
		if err := buffer.Flush(); err != nil {
			return fmt.Errorf("write a text: %w", err)
		}
	}
}

func replyOf(result Result, err error) reply {
	if err == nil {
		return reply{Result: result}
	}
	r := reply{Reason: ReasonPanic, Fault: err.Error()}
	if fault, ok := errors.AsType[*Error](err); ok {
		r.Reason, r.Fault = fault.Reason, ""
		if fault.Err != nil {
			r.Fault = fault.Err.Error()
		}
	} else if errors.Is(err, context.DeadlineExceeded) {
		r.Reason = ReasonDeadline
	}
	return r
}

// children are the processes of a pool. Those that are idle wait for a page.
type children struct {
	start   func() *exec.Cmd
	options Options

	mu   sync.Mutex
	idle []*child
}

// errChild means that a process ended while it had a page.
var errChild = errors.New("the process that read it ended")

// read sends a page to a process. One that is late is killed, and one that
// ended by itself had a page that broke it; in both cases the next page gets a
// new one.
func (c *children) read(ctx context.Context, page Page) (Result, error) {
	one, err := c.take()
	if err != nil {
		return Result{}, err
	}
	answer, err := one.read(ctx, request{page, c.options.MaxBytes, c.options.MaxNodes, c.options.MaxDepth, c.options.Deadline})
	switch {
	case err == nil:
		c.mu.Lock()
		c.idle = append(c.idle, one)
		c.mu.Unlock()
	case ctx.Err() != nil:
		one.end()
		return Result{}, ctx.Err()
	default:
		one.end()
		return Result{}, &Error{Reason: ReasonPanic, Err: fmt.Errorf("%w: %w", errChild, err)}
	}
	if answer.Reason == "" {
		return answer.Result, nil
	}
	fault := &Error{Reason: answer.Reason}
	if answer.Fault != "" {
		fault.Err = errors.New(answer.Fault)
	}
	return Result{}, fault
}

// take returns an idle process, or a new one.
func (c *children) take() (*child, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if last := len(c.idle) - 1; last >= 0 {
		one := c.idle[last]
		c.idle = c.idle[:last]
		return one, nil
	}
	return newChild(c.start())
}

func (c *children) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, one := range c.idle {
		one.end()
	}
	c.idle = nil
}

// child is one process.
type child struct {
	command  *exec.Cmd
	in       io.WriteCloser
	buffer   *bufio.Writer
	requests *gob.Encoder
	replies  *gob.Decoder
}

func newChild(command *exec.Cmd) (*child, error) {
	in, err := command.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start an extractor: %w", err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("start an extractor: %w", err)
	}
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("start an extractor: %w", err)
	}
	buffer := bufio.NewWriter(in)
	return &child{command, in, buffer, gob.NewEncoder(buffer), gob.NewDecoder(bufio.NewReader(out))}, nil
}

// read asks for one page; when ctx ends the process is killed.
func (c *child) read(ctx context.Context, r request) (reply, error) {
	stop := context.AfterFunc(ctx, func() { _ = c.command.Process.Kill() }) // then the pipes break
	defer stop()
	if err := c.requests.Encode(r); err != nil {
		return reply{}, err
	}
	if err := c.buffer.Flush(); err != nil {
		return reply{}, err
	}
	var answer reply
	err := c.replies.Decode(&answer)
	if !stop() {
		return reply{}, ctx.Err() // it is killed, or about to be
	}
	return answer, err
}

// end ends the process, whatever it does.
func (c *child) end() {
	_ = c.in.Close()
	_ = c.command.Process.Kill() // it may have ended
	_ = c.command.Wait()
}
