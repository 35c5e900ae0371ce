package warc

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
)

// source reads the bytes of a file, decompressed part by part.
type source struct {
	below *counter
	raw   *bufio.Reader
	parts parts // nil if the file is not compressed
	part  int64 // offset of the current part
}

// parts reads the parts of a compressed file, each of which can be read alone.
type parts interface {
	io.Reader // of the current part, with io.EOF at its end

	skip() error // moves past parts without data
	next() error // moves to the next part; io.EOF if there is none
}

// Read reads bytes of one part at a time.
func (s *source) Read(p []byte) (int, error) {
	for {
		n, err := s.parts.Read(p)
		if n > 0 || err == nil {
			return n, nil // the next Read returns the error again
		}
		if !errors.Is(err, io.EOF) {
			return 0, s.classify(err)
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
	if err == nil || err == io.EOF { //nolint:errorlint // a wrapped one is that of a truncated part
		return err
	}
	return fmt.Errorf("compressed part at %d: %w", s.part, s.classify(err))
}

// classify returns ErrSyntax for a damaged file, and the read error for one that
// cannot be read.
func (s *source) classify(err error) error {
	if s.below.fault != nil {
		return s.below.fault
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: %w", ErrCut, err)
	}
	return fmt.Errorf("%w: %w", ErrSyntax, err)
}

// members decompresses a file, one gzip member after the other.
type members struct {
	in *bufio.Reader
	gzip.Reader
}

func (m *members) skip() error { return nil }

// skipZeros moves past zeros, which fill the last block of some media.
func skipZeros(in *bufio.Reader) error {
	for {
		c, err := in.ReadByte()
		if err != nil {
			return err
		}
		if c != 0 {
			return in.UnreadByte()
		}
	}
}

func (m *members) next() error {
	if err := skipZeros(m.in); err != nil {
		return err
	}
	if err := m.Reset(m.in); err != nil {
		return err
	}
	m.Multistream(false)
	return nil
}

// place returns how much of the file has been used.
func (s *source) place() int64 { return s.below.n - int64(s.raw.Buffered()) }

// offset returns the offset of the next byte of text, or that of its part.
func (s *source) offset(text *bufio.Reader) int64 {
	if s.parts == nil {
		return s.below.n - int64(text.Buffered())
	}
	return s.part
}

// counter counts the bytes that it reads.
type counter struct {
	r     io.Reader
	n     int64
	fault error // any but the end of the file
}

// Read implements io.Reader.
func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		c.fault = err
	}
	return n, err
}
