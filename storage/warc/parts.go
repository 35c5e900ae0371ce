package warc

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
)

// source gives the bytes of a file, decompressed part by part.
type source struct {
	below *counter
	raw   *bufio.Reader
	parts parts // nil: not compressed
	part  int64 // where the current one begins
}

// parts are what a compressed file consists of: each can be read alone.
type parts interface {
	io.Reader // of the current part, with io.EOF at its end

	skip() error // goes past what holds no data
	next() error // goes to the next part; io.EOF: there is none
}

// Read gives bytes of one part at a time.
func (s *source) Read(p []byte) (int, error) {
	for {
		n, err := s.parts.Read(p)
		if n > 0 || err == nil {
			return n, nil // an error comes again
		}
		if !errors.Is(err, io.EOF) {
			return 0, s.faultOf(err)
		}
		if err := s.next(); err != nil {
			return 0, err
		}
	}
}

func (s *source) next() error {
	err := s.parts.skip()
	s.part = s.place()
	if err == nil {
		err = s.parts.next()
	}
	if err == nil || err == io.EOF { //nolint:errorlint // not that of a part that is cut
		return err
	}
	return fmt.Errorf("compressed part at %d: %w", s.part, s.faultOf(err))
}

// faultOf tells a file that is damaged from one that cannot be read.
func (s *source) faultOf(err error) error {
	if s.below.fault != nil {
		return s.below.fault
	}
	return fmt.Errorf("%w: %w", ErrSyntax, err)
}

// members decompresses a file, one gzip member after the other.
type members struct {
	in *bufio.Reader
	gzip.Reader
}

func (m *members) skip() error { return nil }

func (m *members) next() error {
	if err := m.Reset(m.in); err != nil {
		return err
	}
	m.Multistream(false)
	return nil
}

// place is how much of the file has been used.
func (s *source) place() int64 { return s.below.n - int64(s.raw.Buffered()) }

// offset is where the next byte of text stands.
func (s *source) offset(text *bufio.Reader) int64 {
	if s.parts == nil {
		return s.below.n - int64(text.Buffered())
	}
	return s.part
}

// counter counts what is read through it.
type counter struct {
	r     io.Reader
	n     int64
	fault error // that is not the end of the file
}

// Read reads and counts.
func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		c.fault = err
	}
	return n, err
}
