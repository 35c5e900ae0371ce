package jsonl

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"

	"github.com/decorum-crawler/decorum/internal/escape"
)

// MaxLine bounds a line, in bytes. A longer one is [bufio.ErrTooLong].
const MaxLine = 64 << 20

// ErrRow means that a line is not the JSON object that the file should have there.
var ErrRow = errors.New("jsonl: damaged line")

// Line returns v as one line with its line end, in which "&" and "<" stay as they
// are, so that URLs are readable, and characters that are not to be seen are escaped.
// It panics when v cannot be encoded, so it is for types that always can.
func Line(v any) []byte {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		panic("jsonl: encode a record: " + err.Error())
	}
	return escape.JSON(buffer.Bytes())
}

// Lines yields the lines of r without their line ends. A line is valid until the
// next iteration. An error comes last, without a line: what was read of a line
// before it is not one.
func Lines(r io.Reader) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		source := &source{Reader: r}
		scanner := bufio.NewScanner(source)
		scanner.Buffer(nil, MaxLine)
		scanner.Split(func(data []byte, atEOF bool) (advance int, line []byte, err error) {
			if atEOF && source.err != nil && bytes.IndexByte(data, '\n') < 0 {
				return 0, nil, source.err
			}
			return bufio.ScanLines(data, atEOF)
		})
		for scanner.Scan() {
			if !yield(scanner.Bytes(), nil) {
				return
			}
		}
		if err := scanner.Err(); err != nil {
			yield(nil, err)
		}
	}
}

// source notes the error of a reader that is not its end.
type source struct {
	io.Reader
	err error
}

func (s *source) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return n, err
}

// Decode yields the objects of r, one per line. A line that cannot be decoded
// yields an [ErrRow] with the number of the line, and the next lines follow. A
// read error comes last.
func Decode[T any](r io.Reader) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		n := 0
		for line, err := range Lines(r) {
			n++
			var row T
			if err != nil {
				yield(row, fmt.Errorf("line %d: %w", n, err))
				return
			}
			if err := json.Unmarshal(line, &row); err != nil {
				err = fmt.Errorf("line %d: %w: %w", n, ErrRow, err)
				var none T
				if !yield(none, err) {
					return
				}
				continue
			}
			if !yield(row, nil) {
				return
			}
		}
	}
}

// Rows yields the objects of the file name under root like [Decode]. A file that
// does not exist yields nothing.
func Rows[T any](root *os.Root, name string) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		file, err := root.Open(name)
		if errors.Is(err, fs.ErrNotExist) {
			return
		}
		if err != nil {
			var none T
			yield(none, err)
			return
		}
		defer file.Close()
		for row, err := range Decode[T](file) {
			if err != nil {
				err = fmt.Errorf("read %s: %w", name, err)
			}
			if !yield(row, err) {
				return
			}
		}
	}
}
