package shard

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/decorum-crawler/decorum/internal/atomicfile"
)

// ErrMissing means that a shard that should exist does not.
var ErrMissing = errors.New("shard: file is missing")

// Options tell how to fill a directory. The zero value of a field means its
// default.
type Options struct {
	Format   Format // JSONLGzip
	MaxRows  int    // per shard; 100,000
	MaxBytes int64  // per shard before compression, exceeded by at most one record; 512 MiB
}

func (o Options) withDefaults() Options {
	if o.Format == "" {
		o.Format = JSONLGzip
	}
	if o.MaxRows <= 0 {
		o.MaxRows = 100_000
	}
	if o.MaxBytes <= 0 {
		o.MaxBytes = 512 << 20
	}
	return o
}

// Shard describes a finished file.
type Shard struct {
	Name   string // with its directory, separated by "/"
	Rows   int
	Bytes  int64
	SHA256 string // of the file, in hex
}

// A Writer fills one directory. It is not safe for concurrent use.
type Writer[T any] struct {
	root    *os.Root
	dir     string
	options Options
	next    int // number of the shard after the one being written
	shards  []Shard
	now     *growing[T] // the shard being written, or nil
	failed  error
}

// growing is an unfinished shard.
type growing[T any] struct {
	file    *atomicfile.File
	buffer  *bufio.Writer
	sum     hash.Hash
	encoder encoder[T]
	rows    int
	size    int64 // before compression
	bytes   int64
}

// Write counts and hashes what goes to the file.
func (g *growing[T]) Write(p []byte) (int, error) {
	n, err := g.buffer.Write(p)
	g.sum.Write(p[:n])
	g.bytes += int64(n)
	return n, err
}

// Open makes dir under root if it does not exist and continues after its first n
// shards. It removes later shards and unfinished files, which a process left that
// died before it could record them. The error is [ErrMissing] when one of the n
// shards does not exist. Links that lead out of root are not followed.
func Open[T any](root *os.Root, dir string, n int, options Options) (*Writer[T], error) {
	w := &Writer[T]{root: root, dir: dir, options: options.withDefaults(), next: n}
	if _, err := newEncoder[T](w.options.Format, io.Discard); err != nil {
		return nil, err
	}
	if err := atomicfile.MakeFolder(root, dir); err != nil {
		return nil, fmt.Errorf("make shard directory %s: %w", dir, err)
	}
	for i := range n {
		if _, err := root.Lstat(w.name(i)); errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("open shards in %s: %s: %w", dir, w.name(i), ErrMissing)
		} else if err != nil {
			return nil, fmt.Errorf("open shards in %s: %w", dir, err)
		}
	}
	if err := w.cut(n); err != nil {
		return nil, fmt.Errorf("remove shards in %s after the first %d: %w", dir, n, err)
	}
	return w, nil
}

// cut removes shards after the first n, and drafts.
func (w *Writer[T]) cut(n int) error {
	entries, err := fs.ReadDir(w.root.FS(), w.dir)
	if err != nil {
		return err
	}
	kept := map[string]bool{}
	for i := range n {
		kept[path.Base(w.name(i))] = true
	}
	for _, entry := range entries {
		name := strings.TrimSuffix(strings.TrimPrefix(entry.Name(), "."), ".new") // also a draft of earlier versions, .part-00000.jsonl
		if !strings.HasPrefix(name, "part-") || !strings.HasSuffix(name, "."+string(w.options.Format)) || kept[entry.Name()] {
			continue
		}
		if err := w.root.Remove(path.Join(w.dir, entry.Name())); err != nil {
			return err
		}
	}
	return atomicfile.SyncFolder(w.root, w.dir)
}

func (w *Writer[T]) name(i int) string {
	return path.Join(w.dir, fmt.Sprintf("part-%05d.%s", i, w.options.Format))
}

// Append adds a record and finishes the shard that it fills. After an error all
// later calls return that error.
func (w *Writer[T]) Append(record T) error {
	if w.failed != nil {
		return w.failed
	}
	if err := w.append(record); err != nil {
		w.fail(err)
		return w.failed
	}
	return nil
}

func (w *Writer[T]) append(record T) error {
	if w.now == nil {
		if err := w.begin(); err != nil {
			return err
		}
	}
	size, err := w.now.encoder.encode(record)
	if err != nil {
		return err
	}
	w.now.rows++
	if w.now.size += size; w.now.rows >= w.options.MaxRows || w.now.size >= w.options.MaxBytes {
		return w.finish()
	}
	return nil
}

func (w *Writer[T]) begin() error {
	file, err := atomicfile.Create(w.root, w.name(w.next), 0o600)
	if err != nil {
		return err
	}
	w.now = &growing[T]{file: file, buffer: bufio.NewWriterSize(file, 256<<10), sum: sha256.New()}
	w.now.encoder, err = newEncoder[T](w.options.Format, w.now)
	return err
}

// finish makes the shard durable and gives it its name.
func (w *Writer[T]) finish() error {
	g := w.now
	if err := errors.Join(g.encoder.Close(), g.buffer.Flush()); err != nil {
		return err
	}
	if err := g.file.Commit(); err != nil {
		return err
	}
	w.now = nil
	name := w.name(w.next)
	w.next++
	w.shards = append(w.shards, Shard{Name: name, Rows: g.rows, Bytes: g.bytes, SHA256: hex.EncodeToString(g.sum.Sum(nil))})
	return nil
}

// fail records the error for later calls and removes the unfinished file.
func (w *Writer[T]) fail(err error) {
	w.failed = fmt.Errorf("write shard %s: %w", w.name(w.next), err)
	w.discard()
}

func (w *Writer[T]) discard() {
	if w.now == nil {
		return
	}
	w.now.file.Abort()
	w.now = nil
}

// Rotate finishes the current shard, if it has a record; the next record starts
// another one.
func (w *Writer[T]) Rotate() error {
	if w.failed != nil || w.now == nil {
		return w.failed
	}
	if err := w.finish(); err != nil {
		w.fail(err)
	}
	return w.failed
}

// Shards returns the files that this writer finished, in order.
func (w *Writer[T]) Shards() []Shard { return w.shards }

// Close finishes the last shard.
func (w *Writer[T]) Close() error { return w.Rotate() }

// Abort removes the unfinished shard; finished ones stay.
func (w *Writer[T]) Abort() { w.discard() }
