package shard

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"

	"github.com/decorum-crawler/decorum/internal/escape"
)

// Format is a file format of shards, and also the extension of their names.
type Format string

// The formats.
const (
	JSONL     Format = "jsonl"
	JSONLGzip Format = "jsonl.gz"
	JSONLZstd Format = "jsonl.zst"
	Parquet   Format = "parquet"
)

// An encoder writes records to one file.
type encoder[T any] interface {
	encode(record T) (size int64, err error) // size before compression
	Close() error                            // writes what is pending; the file stays open
}

func newEncoder[T any](format Format, file io.Writer) (encoder[T], error) {
	switch format {
	case JSONL:
		return newLines[T](nopCloser{file}), nil
	case JSONLGzip:
		return newLines[T](gzip.NewWriter(file)), nil
	case JSONLZstd:
		z, err := zstd.NewWriter(file, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(8<<20))
		if err != nil {
			return nil, err
		}
		return newLines[T](z), nil
	case Parquet:
		return &columns[T]{rows: parquet.NewGenericWriter[T](file, parquet.Compression(&parquet.Zstd))}, nil
	}
	return nil, fmt.Errorf("shard: unknown format %q", format)
}

// lines writes one JSON object per line.
type lines[T any] struct {
	out  io.WriteCloser
	json *json.Encoder
	size int64
}

func newLines[T any](out io.WriteCloser) *lines[T] {
	l := &lines[T]{out: out}
	l.json = escape.Encoder(l)
	return l
}

func (l *lines[T]) Write(p []byte) (int, error) {
	n, err := l.out.Write(p)
	l.size += int64(n)
	return n, err
}

func (l *lines[T]) encode(record T) (int64, error) {
	before := l.size
	err := l.json.Encode(record)
	return l.size - before, err
}

func (l *lines[T]) Close() error { return l.out.Close() }

// rowGroup bounds what the Parquet writer keeps in memory, in bytes.
const rowGroup = 64 << 20

// columns writes Parquet.
type columns[T any] struct {
	rows    *parquet.GenericWriter[T]
	pending int64
}

func (c *columns[T]) encode(record T) (int64, error) {
	text, err := json.Marshal(record) // to estimate the size
	if err != nil {
		return 0, err
	}
	if bytes.Contains(text, []byte(`\ufffd`)) { // invalid UTF-8, which a Parquet string cannot hold
		var valid T
		if err := json.Unmarshal(text, &valid); err != nil {
			return 0, err
		}
		record = valid
	}
	size := int64(len(text))
	if _, err := c.rows.Write([]T{record}); err != nil {
		return 0, err
	}
	if c.pending += size; c.pending < rowGroup {
		return size, nil
	}
	c.pending = 0
	return size, c.rows.Flush()
}

func (c *columns[T]) Close() error { return c.rows.Close() }

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }
