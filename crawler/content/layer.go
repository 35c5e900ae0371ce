package content

import (
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

// source reads encoded bytes. It keeps its first error and returns it again and
// again: a look ahead must not use up the one that says why a connection broke.
type source struct {
	from io.Reader
	err  error
}

func (s *source) Read(p []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	n, err := s.from.Read(p)
	s.err = err
	return n, err
}

// explain returns the error of the source, or else an [ErrEncoding]. The error of a
// stream that ends too early stays [io.ErrUnexpectedEOF].
func (s *source) explain(name string, err error) error {
	switch {
	case s.err != nil && s.err != io.EOF: //nolint:errorlint // io.Reader: EOF itself
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
