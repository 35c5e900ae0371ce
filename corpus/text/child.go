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

// Serve reads pages for a [Pool] in another process until in ends. The processes
// of [Options.Start] call it with their standard input and output.
func Serve(in io.Reader, out io.Writer) error {
	return serve(in, out, func(ctx context.Context, page Page, o Options) (Result, error) {
		return guarded(ctx, page, reader{o}.read)
	})
}

// request is a page for a child process, with the limits.
type request struct {
	Page               Page
	MaxBytes, MaxNodes int
	MaxDepth           int
	Format             Format
	PDF                PDF
	Deadline           time.Duration
}

// reply is the result of a child process.
type reply struct {
	Result Result
	Reason Reason // of an Error, or empty
	Fault  string // the text of Error.Err
}

func serve(in io.Reader, out io.Writer, read func(context.Context, Page, Options) (Result, error)) error {
	requests, buffer := gob.NewDecoder(bufio.NewReader(in)), bufio.NewWriter(out)
	replies := gob.NewEncoder(buffer)
	for {
		var next request
		if err := requests.Decode(&next); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("read page from parent process: %w", err)
		}
		o := Options{MaxBytes: next.MaxBytes, MaxNodes: next.MaxNodes, MaxDepth: next.MaxDepth, Format: next.Format, PDF: next.PDF, Deadline: next.Deadline}
		ctx, cancel := context.WithTimeout(context.Background(), next.Deadline)
		result, err := read(ctx, next.Page, o)
		cancel()
		if err := replies.Encode(replyOf(result, err)); err != nil {
			return fmt.Errorf("send text to parent process: %w", err)
		}
		if err := buffer.Flush(); err != nil {
			return fmt.Errorf("send text to parent process: %w", err)
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

// children are the processes of a pool.
type children struct {
	start   func() *exec.Cmd
	options Options

	mu   sync.Mutex
	idle []*child
}

// errChild means that a process ended while it was reading a page.
var errChild = errors.New("extractor process ended unexpectedly")

// read reads a page in a process. A late process is killed, and a process that
// ends by itself was crashed by its page; in both cases the next page gets a new
// process.
func (c *children) read(ctx context.Context, page Page) (Result, error) {
	one, err := c.take()
	if err != nil {
		return Result{}, err
	}
	answer, err := one.read(ctx, request{page, c.options.MaxBytes, c.options.MaxNodes, c.options.MaxDepth, c.options.Format, c.options.PDF, c.options.Deadline})
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
		return nil, fmt.Errorf("start extractor process: %w", err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("start extractor process: %w", err)
	}
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("start extractor process: %w", err)
	}
	buffer := bufio.NewWriter(in)
	return &child{command, in, buffer, gob.NewEncoder(buffer), gob.NewDecoder(bufio.NewReader(out))}, nil
}

// read sends one page and waits for the reply; the process is killed when ctx is
// done.
func (c *child) read(ctx context.Context, r request) (reply, error) {
	stop := context.AfterFunc(ctx, func() { _ = c.command.Process.Kill() }) // this breaks the pipes
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
		return reply{}, ctx.Err() // the process is being killed
	}
	return answer, err
}

// end kills the process.
func (c *child) end() {
	_ = c.in.Close()
	_ = c.command.Process.Kill() // fails if the process has ended
	_ = c.command.Wait()
}
