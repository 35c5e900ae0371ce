package warc

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"time"

	"github.com/decorum-crawler/decorum/internal/atomicfile"
)

// ErrShort means that the files end before the committed offset, so the state is
// newer than the files.
var ErrShort = errors.New("warc: files are shorter than their committed offset")

const (
	defaultFileBytes = 1 << 30
	defaultDigests   = 1 << 16
	bufferSize       = 256 << 10 // holds a batch of ordinary pages
)

// Options of a [Writer]. A zero field means its default.
type Options struct {
	// Info is the fields of the warcinfo record at the start of each file.
	Info []Field
	// MaxFileBytes is the size at which a file ends, with the current capture;
	// 0 means 1 GiB.
	MaxFileBytes int64
	// MaxDigests is how many recent payloads are remembered at least, to write
	// revisits; 0 means 65,536. There may be twice as many, at about 300 bytes each.
	MaxDigests int
	// Index is called by Append with the index line of each capture, including its
	// line end, in the order of the files. It may be nil.
	Index func(line []byte) error
}

// A Writer appends captures to the files of one directory. It is not safe for
// concurrent use.
type Writer struct {
	root    *os.Root
	dir     string
	options Options
	encoder Encoder
	digests digests

	serial  int      // number of the current file
	file    *os.File // nil if there is none yet
	buffer  *bufio.Writer
	size    int64 // of the current file
	before  int64 // bytes in earlier files
	flushed int64 // end of what is durable
}

// Open opens the files of dir under root to append at offset, and removes what is
// after it. A missing directory is created. If there are fewer bytes the error is
// [ErrShort]. Links are not followed out of root.
func Open(root *os.Root, dir string, offset int64, options Options) (*Writer, error) {
	if options.MaxFileBytes <= 0 {
		options.MaxFileBytes = defaultFileBytes
	}
	if options.MaxDigests <= 0 {
		options.MaxDigests = defaultDigests
	}
	w := &Writer{root: root, dir: dir, options: options, flushed: offset}
	w.digests.limit = options.MaxDigests
	if err := atomicfile.MakeFolder(root, dir); err != nil {
		return nil, fmt.Errorf("open archive %s: %w", dir, err)
	}
	if err := w.truncate(offset); err != nil {
		return nil, errors.Join(fmt.Errorf("truncate archive %s to %d bytes: %w", dir, offset, err), w.Close())
	}
	return w, nil
}

// FileName returns the name of the file with a number, which starts at 0.
func FileName(serial int) string { return fmt.Sprintf("%05d.warc.gz", serial) }

func (w *Writer) name() string { return path.Join(w.dir, FileName(w.serial)) }

// truncate leaves offset bytes in the files. The last file of them is shortened,
// and later ones are removed.
func (w *Writer) truncate(offset int64) error {
	left := offset
	for ; left > 0; w.serial++ {
		size, err := w.measure()
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%d bytes are missing: %w", left, ErrShort)
		}
		if err != nil {
			return err
		}
		if size >= left {
			if err := w.reopen(left); err != nil {
				return err
			}
			break
		}
		left -= size
		w.before += size
	}
	return w.removeLater()
}

func (w *Writer) measure() (int64, error) {
	info, err := w.root.Lstat(w.name())
	if err != nil {
		return 0, err
	}
	if !info.Mode().IsRegular() {
		return 0, fmt.Errorf("%s: %w: not a regular file", w.name(), fs.ErrInvalid)
	}
	return info.Size(), nil
}

func (w *Writer) reopen(size int64) error {
	file, err := w.root.OpenFile(w.name(), os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	w.file, w.size, w.buffer = file, size, bufio.NewWriterSize(file, bufferSize)
	if err := file.Truncate(size); err != nil {
		return err
	}
	_, err = file.Seek(size, io.SeekStart)
	return err
}

// removeLater removes the files after the current one. It starts with the last,
// so that the remaining numbers never have a gap.
func (w *Writer) removeLater() error {
	first := w.serial
	if w.file != nil {
		first++
	}
	last := first
	for ; ; last++ {
		_, err := w.root.Lstat(path.Join(w.dir, FileName(last)))
		if errors.Is(err, fs.ErrNotExist) {
			break
		}
		if err != nil {
			return err
		}
	}
	for ; last > first; last-- {
		if err := w.root.Remove(path.Join(w.dir, FileName(last-1))); err != nil {
			return err
		}
	}
	return nil
}

// Recall remembers the payload of an index line from an earlier run.
func (w *Writer) Recall(line []byte) error {
	l, err := parseLine(line)
	if err != nil {
		return err
	}
	if l.MIME != revisitMIME && l.Truncated == "" && l.Digest != emptyDigest {
		w.digests.add(l.Digest, l.original())
	}
	return nil
}

// Append writes an entry that [Encoder.Encode] returned.
func (w *Writer) Append(entry []byte) error {
	h, response, rest, err := parse(entry)
	if err != nil {
		return err
	}
	if err := w.ensureFile(); err != nil {
		return err
	}
	l := h.line()
	if known, ok := w.digests.find(h.Digest); ok && h.Truncated == "" && !h.Empty {
		if response, err = w.revisit(h, known); err != nil {
			return err
		}
		l.MIME = revisitMIME
	} else if h.Truncated == "" && !h.Empty {
		w.digests.add(h.Digest, original{id: h.ID, url: h.URL, date: h.date()})
	}
	l.locate(FileName(w.serial), w.size, int64(len(response)))
	if w.options.Index != nil {
		if err := w.options.Index(l.encode()); err != nil {
			return err
		}
	}
	if err := w.write(response); err != nil {
		return err
	}
	return w.write(rest)
}

// revisit returns the record of a payload that is stored already. Its block is the
// header of the response (ISO 28500 §6.7.2).
func (w *Writer) revisit(h captureHeader, known original) ([]byte, error) {
	var out bytes.Buffer
	err := w.encoder.member(&out, typeRevisit, h.ID, append(h.fields(responseType),
		Field{"WARC-Profile", sameDigest},
		Field{"WARC-Refers-To", known.id},
		Field{"WARC-Refers-To-Target-URI", known.url},
		Field{"WARC-Refers-To-Date", known.date},
	), h.Head)
	return out.Bytes(), err
}

// ensureFile starts a file when there is none, or the current one is full.
func (w *Writer) ensureFile() error {
	if w.file != nil && w.size < w.options.MaxFileBytes {
		return nil
	}
	if w.file != nil {
		if err := w.sync(); err != nil {
			return err
		}
		if err := w.file.Close(); err != nil {
			return err
		}
		w.before, w.size, w.file = w.before+w.size, 0, nil
		w.serial++
	}
	file, err := w.root.OpenFile(w.name(), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("start archive file: %w", err)
	}
	w.file, w.buffer = file, bufio.NewWriterSize(file, bufferSize)
	if err := atomicfile.SyncFolder(w.root, w.dir); err != nil {
		return fmt.Errorf("start archive file %s: %w", w.name(), err)
	}
	return w.info()
}

// info writes the warcinfo record.
func (w *Writer) info() error {
	var out bytes.Buffer
	err := w.encoder.member(&out, typeInfo, newID(), []Field{
		{"WARC-Date", time.Now().UTC().Format(dateForm)},
		{"WARC-Filename", FileName(w.serial)},
		{"Content-Type", fieldsType},
	}, appendFields(nil, w.options.Info))
	if err != nil {
		return err
	}
	return w.write(out.Bytes())
}

func (w *Writer) write(data []byte) error {
	n, err := w.buffer.Write(data)
	w.size += int64(n)
	return err
}

// Flush makes everything appended durable and returns the offset of its end.
func (w *Writer) Flush() (int64, error) {
	offset := w.before + w.size
	if w.file == nil || offset == w.flushed {
		return offset, nil
	}
	if err := w.sync(); err != nil {
		return 0, err
	}
	w.flushed = offset
	return offset, nil
}

func (w *Writer) sync() error {
	if err := w.buffer.Flush(); err != nil {
		return err
	}
	return w.file.Sync()
}

// Close closes the file. What was not flushed is lost, as after a crash.
func (w *Writer) Close() error {
	if w.file == nil {
		return nil
	}
	return w.file.Close()
}
