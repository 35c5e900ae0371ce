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
)

// MaxLine bounds a line of JSON Lines. A longer one is [bufio.ErrTooLong].
const MaxLine = 64 << 20

// ErrRow means that a line does not hold the JSON object that such files hold.
var ErrRow = errors.New("jsonl: damaged line")

// NewEncoder returns an encoder of JSON Lines that leaves "&" and "<" as they
// are, so that URLs can be read.
func NewEncoder(w io.Writer) *json.Encoder {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return encoder
}

// Line returns v as one line with its end. It panics when v cannot be encoded,
// so it is for types of our own.
func Line(v any) []byte {
	var buffer bytes.Buffer
	if err := NewEncoder(&buffer).Encode(v); err != nil {
		panic("jsonl: encode a record: " + err.Error())
	}
	return buffer.Bytes()
}

// Lines yields the lines of r without their ends. A line is valid until the
// next one is asked for. An error comes last and alone.
func Lines(r io.Reader) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		scanner := bufio.NewScanner(r)
		scanner.Buffer(nil, MaxLine)
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

// Decode yields the objects of r, one a line. A line that cannot be decoded
// yields an [ErrRow] that names the line; whoever goes on gets the next ones.
// An error of reading comes last.
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

// Rows yields the objects of the file name under root, as [Decode] does. A file
// that does not exist has none.
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
