package crawldir

import (
	"bufio"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/decorum-crawler/decorum/storage/warc"
)

// indexEnd is a line of an index and where it ends.
type indexEnd struct {
	warc.IndexLine

	before, end int64
}

// scanArchive collects the captures of the archive, if there is one, up to the last
// one whose records are whole.
func (k *kept) scanArchive() error {
	a := Archive{k.root}
	exists, err := a.Exists()
	if err != nil || !exists {
		return err
	}
	k.archive = map[uint64]bool{}
	var tail []indexEnd // the last lines
	if err := k.eachCapture(func(c indexEnd) {
		k.archive[k.captureKey(c.URL, c.At)] = true
		if tail = append(tail, c); int64(len(tail)) > 2*maxTail {
			tail = slices.Delete(tail, 0, len(tail)-int(maxTail))
		}
	}); err != nil {
		return err
	}
	for {
		if len(tail) == 0 {
			if len(k.archive) > 0 {
				return fmt.Errorf("%w: the captures at the end of %s are not in the archive", ErrApart, CapturesName)
			}
			return nil
		}
		last := tail[len(tail)-1]
		end, ok, err := k.captureEnd(last)
		if err != nil {
			return err
		}
		if ok {
			k.offsets[OutputCaptures] = last.end
			k.offsets[OutputArchive], err = k.archiveOffset(last.Filename, end)
			return err
		}
		tail = tail[:len(tail)-1]
		delete(k.archive, k.captureKey(last.URL, last.At))
	}
}

// captureKey returns the key of a capture, of which only the second is known.
func (k *kept) captureKey(url string, at time.Time) uint64 {
	return maphash.String(k.seed, url+" "+strconv.FormatInt(at.Unix(), 10))
}

// eachCapture calls take with the whole lines of the index.
func (k *kept) eachCapture(take func(indexEnd)) error {
	file, err := k.root.Open(CapturesName)
	if err != nil {
		return err
	}
	defer file.Close()
	in := bufio.NewReaderSize(file, 256<<10)
	for before := int64(0); ; {
		line, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		c, err := warc.ParseIndexLine(line)
		if err != nil {
			return fmt.Errorf("read %s: %w: line at %d: %w", CapturesName, ErrApart, before, err)
		}
		end := before + int64(len(line))
		take(indexEnd{c, before, end})
		before = end
	}
}

// captureEnd returns where the records of a capture end in their file; ok is false
// when they are not whole.
func (k *kept) captureEnd(c indexEnd) (end int64, ok bool, err error) {
	file, err := k.root.Open(ArchiveDir + "/" + c.Filename)
	if err != nil {
		return 0, false, nil // the capture is not there
	}
	defer file.Close()
	in := warc.NewReader(file)
	if in.SeekTo(c.Offset) != nil {
		return 0, false, nil
	}
	whole, last := false, c.Offset // the metadata record comes last
	for n := 0; ; n++ {
		r, err := in.Next()
		switch {
		case err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, warc.ErrSyntax):
			return 0, false, err
		case err != nil:
			return in.Place(), whole && in.Place() > last, nil
		case n == 0 && r.Field("WARC-Record-ID") != c.ID:
			return 0, false, nil
		case n > 0 && r.Field("WARC-Concurrent-To") != c.ID:
			return r.Offset, whole, nil
		}
		whole, last = r.Type() == "metadata", r.Offset
	}
}

// archiveOffset returns an offset in a file of the archive as one in all of them.
func (k *kept) archiveOffset(name string, end int64) (int64, error) {
	for serial := 0; warc.FileName(serial) != name; serial++ {
		info, err := k.root.Lstat(ArchiveDir + "/" + warc.FileName(serial))
		if err != nil {
			return 0, err
		}
		end += info.Size()
	}
	return end, nil
}
