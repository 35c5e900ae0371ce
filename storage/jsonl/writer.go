// Package jsonl reads JSON Lines files, and writes files that change together with
// a state stored elsewhere.
//
// [Open] truncates a file to the offset in the state. [Writer.Flush] makes the
// lines so far durable and returns the offset to store in the state. So after a
// crash the file holds exactly the lines that the state covers. [Rows] reads them.
package jsonl

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// ErrShort means that the file ends before the committed offset, so the state is
// newer than the file.
var ErrShort = errors.New("jsonl: file is shorter than its committed offset")

// bufferSize holds a batch of ordinary lines, so that one write serves many.
const bufferSize = 256 << 10

// A Writer appends to one file. It is not safe for concurrent use.
type Writer struct {
	file    *os.File
	buffer  *bufio.Writer
	offset  int64 // end of what was appended
	flushed int64 // end of what is durable
}

// Open opens the file name under root to append at offset, and removes what is
// after it. A missing file is created, readable by its owner only; if offset is
// not 0 the error is [ErrShort]. Links are not followed out of root.
func Open(root *os.Root, name string, offset int64) (*Writer, error) {
	file, err := root.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open output %s: %w", name, err)
	}
	w := &Writer{file: file, buffer: bufio.NewWriterSize(file, bufferSize), offset: offset, flushed: offset}
	if err := w.truncate(); err != nil {
		return nil, errors.Join(fmt.Errorf("truncate output %s to %d bytes: %w", name, offset, err), file.Close())
	}
	return w, nil
}

// truncate removes what is after the offset.
func (w *Writer) truncate() error {
	info, err := w.file.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%w: not a regular file", fs.ErrInvalid)
	}
	if info.Size() < w.offset {
		return fmt.Errorf("it has %d bytes: %w", info.Size(), ErrShort)
	}
	if err := w.file.Truncate(w.offset); err != nil {
		return err
	}
	_, err = w.file.Seek(w.offset, io.SeekStart)
	return err
}

// Append writes data, which must be complete lines.
func (w *Writer) Append(data []byte) error {
	n, err := w.buffer.Write(data)
	w.offset += int64(n)
	return err
}

// Flush makes everything appended durable and returns the offset of its end.
func (w *Writer) Flush() (int64, error) {
	if w.flushed == w.offset {
		return w.offset, nil
	}
	if err := w.buffer.Flush(); err != nil {
		return 0, err
	}
	if err := w.file.Sync(); err != nil {
		return 0, err
	}
	w.flushed = w.offset
	return w.offset, nil
}

// Close closes the file. What was not flushed is lost, as after a crash.
func (w *Writer) Close() error { return w.file.Close() }
