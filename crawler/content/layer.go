package content

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
)

// layer is the decoder of one coding. Its errors distinguish a broken connection
// from a body that is not in the coding.
type layer struct {
	name    string
	decoder io.Reader
	source  *source
}

func (l *layer) Read(p []byte) (int, error) {
	n, err := l.decoder.Read(p)
	if err != nil && err != io.EOF { //nolint:errorlint // io.Reader: EOF itself
		err = l.source.explain(l.name, err)
	}
	return n, err
}

// source records the error of reading the encoded bytes.
type source struct {
	from io.Reader
	err  error
}

func (s *source) Read(p []byte) (int, error) {
	n, err := s.from.Read(p)
	if err != nil && err != io.EOF {
		s.err = err
	}
	return n, err
}

// explain returns the error of the source, or else an [ErrEncoding]. The error of a
// stream that ends too early stays [io.ErrUnexpectedEOF].
func (s *source) explain(name string, err error) error {
	switch {
	case s.err != nil:
		return s.err
	case errors.Is(err, io.ErrUnexpectedEOF):
		return err
	}
	return fmt.Errorf("decode %s: %w: %w", name, ErrEncoding, err)
}

// bounded reads at most left bytes. Unlike [io.LimitReader] it then fails.
type bounded struct {
	from io.Reader
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, fmt.Errorf("%w: more than %d MiB between two codings", ErrEncoding, maxBetween>>20)
	}
	n, err := b.from.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}

// maxTrailer is how many bytes after the last gzip member are read.
const maxTrailer = 64 << 10

// members reads the members of a gzip stream (RFC 1952 §2.2). Like browsers it
// ignores other bytes after a member.
type members struct {
	from   *bufio.Reader
	member *gzip.Reader
}

func newMembers(body io.Reader) (*members, error) {
	from := bufio.NewReader(body)
	member, err := gzip.NewReader(from)
	if err != nil {
		return nil, err
	}
	member.Multistream(false)
	return &members{from, member}, nil
}

func (m *members) Read(p []byte) (int, error) {
	for {
		n, err := m.member.Read(p)
		switch {
		case err != io.EOF: //nolint:errorlint // gzip returns io.EOF itself
			return n, err
		case n > 0:
			return n, nil
		}
		head, err := m.from.Peek(2)
		if !bytes.Equal(head, []byte("\x1f\x8b")) {
			if err == nil {
				_, err = io.CopyN(io.Discard, m.from, maxTrailer) // so that the connection can be kept
			}
			return 0, cmp.Or(err, io.EOF)
		}
		if err := m.member.Reset(m.from); err != nil {
			return 0, err
		}
		m.member.Multistream(false)
	}
}
