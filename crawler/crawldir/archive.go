package crawldir

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"math"
	"os"
	"time"

	"github.com/decorum-crawler/decorum/internal/atomicfile"
	"github.com/decorum-crawler/decorum/storage/jsonl"
	"github.com/decorum-crawler/decorum/storage/warc"
)

// An Archive holds the requests and responses of a crawl in its directory. Its
// methods that write must not be called while the crawl runs.
type Archive struct{ root *os.Root }

// ArchiveIn returns the archive of a crawl directory; see [Archive.Exists].
func ArchiveIn(root *os.Root) Archive { return Archive{root} }

// Exists reports whether the directory has an archive.
func (a Archive) Exists() (bool, error) {
	_, err := a.root.Lstat(CapturesName)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// Files returns the names of the archive's files, in order, or none without an
// archive.
func (a Archive) Files() ([]string, error) {
	var names []string
	for serial := 0; ; serial++ {
		name := ArchiveDir + "/" + warc.FileName(serial)
		_, err := a.root.Lstat(name)
		if errors.Is(err, fs.ErrNotExist) {
			return names, nil
		}
		if err != nil {
			return nil, fmt.Errorf("list archive: %w", err)
		}
		names = append(names, name)
	}
}

// SortIndex writes [IndexName], the sorted form of [CapturesName]. It does
// nothing without an archive. Large indexes are sorted in temporary files in the
// directory.
func (a Archive) SortIndex() error {
	in, err := a.root.Open(CapturesName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("make index: %w", err)
	}
	defer in.Close()
	return atomicfile.Write(a.root, IndexName, func(out io.Writer) error {
		return warc.SortIndex(out, in, a.root.Name())
	})
}

// Withdraw permanently removes responses from the archive: those of the captures
// for which wanted returns true; at is in seconds. It overwrites records and
// index lines in place, because the lengths of both files are part of the state.
// If one record cannot be overwritten, Withdraw still overwrites the others, and
// returns the first error. The caller calls [Archive.SortIndex] afterwards.
func (a Archive) Withdraw(wanted func(url string, at time.Time) bool) error {
	var failed error // of one record; the index is still written for the others
	err := atomicfile.ReplaceLines(a.root, CapturesName, func(line []byte) ([]byte, error) {
		c, err := warc.ParseIndexLine(line)
		if err != nil || !wanted(c.URL, c.At) {
			return nil, err
		}
		tombstone, err := warc.Withdraw(a.root, ArchiveDir, line)
		failed = cmp.Or(failed, err)
		return tombstone, nil
	})
	return errors.Join(failed, err)
}

// lines yields the index lines in the first bytes of [CapturesName].
func (a Archive) lines(bytes int64) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		file, err := a.root.Open(CapturesName)
		if err != nil {
			yield(nil, fmt.Errorf("read index: %w", err))
			return
		}
		defer file.Close()
		for line, err := range jsonl.Lines(io.LimitReader(file, bytes)) {
			if err != nil {
				err = fmt.Errorf("read %s: %w", CapturesName, err)
			}
			if !yield(line, err) {
				return
			}
		}
	}
}

// captures yields the captures of [Archive.lines].
func (a Archive) captures(bytes int64) iter.Seq2[warc.IndexLine, error] {
	return func(yield func(warc.IndexLine, error) bool) {
		for line, err := range a.lines(bytes) {
			var c warc.IndexLine
			if err == nil {
				if c, err = warc.ParseIndexLine(line); err != nil {
					err = fmt.Errorf("read %s: %w", CapturesName, err)
				}
			}
			if !yield(c, err) || err != nil {
				return
			}
		}
	}
}

// Captures finds captures in one pass over the index, which must be in the order
// of the commits; see the package comment. It is not safe for concurrent use.
type Captures struct {
	next func() (warc.IndexLine, error, bool)
	stop func()
}

// Captures returns the captures, from the first one on. The caller closes it.
func (a Archive) Captures() *Captures { return a.first(math.MaxInt64) }

// first returns the captures in the first bytes of the index.
func (a Archive) first(bytes int64) *Captures {
	c := &Captures{}
	c.next, c.stop = iter.Pull2(a.captures(bytes))
	return c
}

// Find returns the next capture of a URL that was requested at that time;
// fractions of a second are ignored. Calls must be in the order of the commits.
// ok is false when there is none after the one that was found last; then it is
// false for all later calls.
func (c *Captures) Find(url string, at time.Time) (found warc.IndexLine, ok bool, err error) {
	at = at.Truncate(time.Second)
	for {
		one, err, ok := c.next()
		if err != nil || !ok {
			return warc.IndexLine{}, false, err
		}
		if one.URL == url && one.At.Equal(at) {
			return one, true, nil
		}
	}
}

// Close closes the index.
func (c *Captures) Close() { c.stop() }
