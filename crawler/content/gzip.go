package content

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/flate"
	"errors"
	"io"
)

var gzipMagic = []byte("\x1f\x8b")

var errGzipHeader = errors.New("header is not one of gzip")

// maxTrailer is how many bytes after the last gzip member are read.
const maxTrailer = 64 << 10

// members reads the members of a gzip stream (RFC 1952 §2.2). Like browsers it
// ignores other bytes after a member, and the length and sum at its end: a body
// without them is whole, for its last block says that it is the last one.
type members struct {
	from   *bufio.Reader
	member io.Reader
}

func newMembers(body io.Reader) (*members, error) {
	m := &members{from: bufio.NewReader(body)}
	return m, m.begin()
}

// begin reads the header of a member.
func (m *members) begin() error {
	header := make([]byte, 10)
	if _, err := io.ReadFull(m.from, header); err != nil {
		return unexpected(err)
	}
	const method, text, headerSum, extra, name, comment, reserved = 8, 1, 2, 4, 8, 16, 0xe0
	flags := header[3]
	if !bytes.HasPrefix(header, gzipMagic) || header[2] != method || flags&reserved != 0 {
		return errGzipHeader
	}
	if flags&extra != 0 {
		length := make([]byte, 2)
		if _, err := io.ReadFull(m.from, length); err != nil {
			return unexpected(err)
		}
		if _, err := m.from.Discard(int(length[0]) | int(length[1])<<8); err != nil {
			return unexpected(err)
		}
	}
	for _, field := range []byte{name, comment} {
		if flags&field == 0 {
			continue
		}
		if err := m.skipString(); err != nil {
			return err
		}
	}
	if flags&headerSum != 0 {
		if _, err := m.from.Discard(2); err != nil {
			return unexpected(err)
		}
	}
	if again, ok := m.member.(flate.Resetter); ok {
		return again.Reset(m.from, nil)
	}
	m.member = flate.NewReader(m.from)
	return nil
}

// skipString moves past a name or comment, which ends with a zero byte.
func (m *members) skipString() error {
	const most = 4096
	for range most {
		c, err := m.from.ReadByte()
		if err != nil {
			return unexpected(err)
		}
		if c == 0 {
			return nil
		}
	}
	return errGzipHeader
}

func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

func (m *members) Read(p []byte) (int, error) {
	for {
		n, err := m.member.Read(p)
		switch {
		case err != io.EOF: //nolint:errorlint // flate returns io.EOF itself
			return n, err
		case n > 0:
			return n, nil
		}
		_, _ = m.from.Discard(8) // sum and length; an error comes back with the next read
		head, err := m.from.Peek(len(gzipMagic))
		if !bytes.Equal(head, gzipMagic) {
			if err == nil {
				_, err = io.CopyN(io.Discard, m.from, maxTrailer) // so that the connection can be kept
			}
			return 0, cmp.Or(err, io.EOF)
		}
		if err := m.begin(); err != nil {
			return 0, err
		}
	}
}
