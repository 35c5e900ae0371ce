package fetch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/decorum-crawler/decorum/frontier"
)

// MaxStreamBytes bounds the decoded body of a [Stream]. The sitemap protocol
// allows 50 MiB.
const MaxStreamBytes = 200 << 20

// A Stream is the decoded body of a response, which can be read while it arrives.
type Stream struct {
	URL       string      // after redirects
	Header    http.Header // of the last response
	StartedAt time.Time   // not later than its request

	spool *spool
	done  chan struct{} // closed when the request has ended
}

// Read reads from the body.
func (s *Stream) Read(p []byte) (int, error) { return s.spool.Read(p) }

// Close releases the stream, and cancels the request if it is still in flight.
func (s *Stream) Close() error {
	err := s.spool.close()
	<-s.done
	return err
}

// Open is [Client.OpenIf] without conditions. It fits sitemap.Walker.
func (c *Client) Open(ctx context.Context, address string) (io.ReadCloser, error) {
	s, err := c.OpenIf(ctx, address, nil)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// OpenIf requests a file, such as a sitemap, and returns its body as a stream,
// which the caller closes. header has conditions and other fields to send; it may
// be nil. Redirects are followed; each hop is checked against the robots.txt of
// its own origin. OpenIf returns a [*BlockedError] if that does not allow a hop,
// and a [*StatusError] for a response other than 2xx.
//
// The body is read from the server as fast as it arrives, and kept in an unnamed
// file if it is large. So the host's turn ends with the response, however slowly
// the stream is read, and the reader may use the client.
func (c *Client) OpenIf(ctx context.Context, address string, header http.Header) (*Stream, error) {
	s := &Stream{spool: newSpool(), done: make(chan struct{})}
	began := make(chan error, 1) // the beginning of the body, or why there is none
	go func() {                  // ends with the request, which closing the spool ends
		defer close(s.done)
		err := c.follow(ctx, address, header, s, func() { began <- nil })
		s.spool.finish(err)
		if err == nil {
			err = fmt.Errorf("fetch %s: response has no body", address)
		}
		select {
		case began <- err:
		default:
		}
	}()
	if err := <-began; err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// follow requests address and the targets of its redirects.
func (c *Client) follow(ctx context.Context, address string, header http.Header, s *Stream, begin func()) error {
	for range max(c.options.MaxRedirects, 0) + 1 {
		canonical, err := frontier.Canonical("", address, c.options.MaxURLLength)
		if err != nil {
			return err
		}
		next, err := c.hop(ctx, canonical, header, s, begin)
		if err != nil || next == "" {
			return err
		}
		address = next
	}
	return fmt.Errorf("fetch %s: more than %d redirects", address, c.options.MaxRedirects)
}

// hop sends one request and returns the target of a redirect, if it is one.
func (c *Client) hop(ctx context.Context, canonical string, header http.Header, s *Stream, begin func()) (string, error) {
	w := want{url: canonical, limit: MaxStreamBytes, own: true, header: header}
	asked := time.Now()
	w.admit = func(_ int, answered http.Header) bool {
		s.URL, s.Header, s.StartedAt = canonical, answered, asked
		return true
	}
	w.consume = func(body io.Reader) error {
		begin()
		_, err := io.Copy(s.spool, body)
		return err
	}
	got, err := c.visit(ctx, w)
	if err := c.keepWire(ctx, got); err != nil {
		return "", err
	}
	if _, blocked := errors.AsType[*BlockedError](err); blocked {
		return "", err
	}
	if err != nil {
		return "", fmt.Errorf("fetch %s: %w", canonical, err)
	}
	location := Redirect(got.Status, got.Header)
	switch {
	case location != "":
		return frontier.Canonical(canonical, location, c.options.MaxURLLength)
	case got.Status/100 != 2:
		return "", &StatusError{URL: canonical, Status: got.Status}
	}
	return "", nil
}

// unnamedFile returns a temporary file that is gone once it is closed.
func unnamedFile() (*os.File, error) {
	file, err := os.CreateTemp("", "decorum-*")
	if err != nil {
		return nil, err
	}
	_ = os.Remove(file.Name()) // it lives until it is closed
	return file, nil
}

// maxSpoolMemory is how much of a stream is held in memory.
const maxSpoolMemory = 1 << 20

// spool is a pipe whose writer never waits: unread data stays in memory, and
// beyond a limit in a file.
type spool struct {
	mu     sync.Mutex
	change sync.Cond
	memory bytes.Buffer
	file   *os.File // nil: everything is in memory
	read   int64    // bytes of the file
	end    int64    // of the file
	ended  error    // io.EOF, or why the body is incomplete; nil while it arrives
	closed bool
}

func newSpool() *spool {
	s := &spool{}
	s.change.L = &s.mu
	return s
}

// Write appends a part of the body.
func (s *spool) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return 0, io.ErrClosedPipe
	}
	defer s.change.Broadcast()
	if s.file == nil && s.memory.Len()+len(p) <= maxSpoolMemory {
		return s.memory.Write(p)
	}
	if s.file == nil {
		file, err := unnamedFile()
		if err != nil {
			return 0, err
		}
		s.file = file
	}
	n, err := s.file.WriteAt(p, s.end)
	s.end += int64(n)
	return n, err
}

// Read reads what has arrived, or waits for more. Memory comes before the file.
func (s *spool) Read(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		switch {
		case s.closed:
			return 0, io.ErrClosedPipe
		case s.memory.Len() > 0:
			return s.memory.Read(p)
		case s.read < s.end:
			n, err := s.file.ReadAt(p[:min(int64(len(p)), s.end-s.read)], s.read)
			s.read += int64(n)
			return n, err
		case s.ended != nil:
			return 0, s.ended
		}
		s.change.Wait()
	}
}

// finish marks the end of the body; err is nil when it is complete.
func (s *spool) finish(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended = err; err == nil {
		s.ended = io.EOF
	}
	s.change.Broadcast()
}

// close drops unread data; later writes return [io.ErrClosedPipe].
func (s *spool) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.memory = bytes.Buffer{}
	s.change.Broadcast()
	if s.file == nil {
		return nil
	}
	file := s.file
	s.file, s.read, s.end = nil, 0, 0
	return file.Close()
}
