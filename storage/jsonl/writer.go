// Package jsonl writes JSON Lines files that move together with a state kept
// elsewhere.
//
// [Open] cuts a file back to the offset that the state knows; [Writer.Flush]
// makes the lines so far durable and gives the offset to keep with the state.
// So after a crash the file holds exactly what the state says it holds.
package jsonl

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// ErrShort means that the file ends before the offset that the state knows:
// the state is newer than the file.
var ErrShort = errors.New("jsonl: file is shorter than its committed offset")

// bufferSize holds a batch of ordinary lines, so that one write serves many.
const bufferSize = 256 << 10

// A Writer appends to one file. It is not safe for concurrent use.
type Writer struct {
	file    *os.File
	buffer  *bufio.Writer
	offset  int64 // of all that was appended
	flushed int64 // of all that is durable
}

// Open opens name under root for appending behind offset and cuts off what
// stands beyond. The file is made, readable by its owner only, when it is not
// there and offset is 0. Links are not followed out of root.
func Open(root *os.Root, name string, offset int64) (*Writer, error) {
	file, err := root.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open output %s: %w", name, err)
	}
	w := &Writer{file: file, buffer: bufio.NewWriterSize(file, bufferSize), offset: offset, flushed: offset}
	if err := w.cut(); err != nil {
		return nil, errors.Join(fmt.Errorf("cut output %s back to %d: %w", name, offset, err), file.Close())
	}
	return w, nil
}

func (w *Writer) cut() error {
	info, err := w.file.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%w: not a regular file", fs.ErrInvalid)
	}
	if info.Size() < w.offset {
		return fmt.Errorf("it has %d: %w", info.Size(), ErrShort)
	}
	if err := w.file.Truncate(w.offset); err != nil {
		return err
	}
	_, err = w.file.Seek(w.offset, io.SeekStart)
	return err
}

// Append adds data, whole lines with their ends.
func (w *Writer) Append(data []byte) error {
	n, err := w.buffer.Write(data)
	w.offset += int64(n)
	return err
}

// Flush makes everything appended durable and gives the offset behind it.
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

// Close closes the file; what was not flushed is lost, as after a crash.
func (w *Writer) Close() error { return w.file.Close() }
