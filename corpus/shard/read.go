package shard

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strings"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"

	"github.com/decorum-crawler/decorum/storage/jsonl"
)

// Read yields the records of a finished shard in order. An error comes last, with
// a zero record.
func Read[T any](root *os.Root, name string) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		err := readShard(root, name, func(record T) bool { return yield(record, nil) })
		if err != nil && !errors.Is(err, errEnough) {
			var none T
			yield(none, fmt.Errorf("read shard %s: %w", name, err))
		}
	}
}

// errEnough means that the caller stopped the iteration.
var errEnough = errors.New("shard: iteration stopped")

func readShard[T any](root *os.Root, name string, take func(T) bool) error {
	file, err := root.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	if strings.HasSuffix(name, "."+string(Parquet)) {
		return readColumns(file, take)
	}
	in, closing, err := unpacked(file, name)
	if err != nil {
		return err
	}
	defer closing()
	for record, err := range jsonl.Decode[T](in) {
		if err != nil {
			return err
		}
		if !take(record) {
			return errEnough
		}
	}
	return nil
}

func unpacked(file *os.File, name string) (io.Reader, func(), error) {
	nothing := func() {}
	switch {
	case strings.HasSuffix(name, ".gz"):
		in, err := gzip.NewReader(file)
		return in, nothing, err
	case strings.HasSuffix(name, ".zst"):
		in, err := zstd.NewReader(file)
		if err != nil {
			return nil, nothing, err
		}
		return in, in.Close, nil
	}
	return file, nothing, nil
}

func readColumns[T any](file *os.File, take func(T) bool) error {
	rows := parquet.NewGenericReader[T](file)
	defer func() { _ = rows.Close() }() // it was only read
	batch := make([]T, 64)
	for {
		n, err := rows.Read(batch)
		for _, record := range batch[:n] {
			if !take(record) {
				return errEnough
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// Lacks reports whether a shard is of Parquet and has no column of that name at its
// top: older versions wrote other columns. Rows of JSON name theirs.
func Lacks(root *os.Root, name, column string) (bool, error) {
	if !strings.HasSuffix(name, "."+string(Parquet)) {
		return false, nil
	}
	file, err := root.Open(name)
	if err != nil {
		return false, fmt.Errorf("read shard %s: %w", name, err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return false, fmt.Errorf("read shard %s: %w", name, err)
	}
	columns, err := parquet.OpenFile(file, info.Size(), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return false, fmt.Errorf("read shard %s: %w", name, err)
	}
	return columns.Root().Column(column) == nil, nil
}
