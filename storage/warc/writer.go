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

// ErrShort means that the files end before the offset that the state knows:
// the state is newer than they are.
var ErrShort = errors.New("warc: files are shorter than their committed offset")

const (
	defaultFileBytes = 1 << 30
	defaultDigests   = 1 << 16
	bufferSize       = 256 << 10 // holds a batch of ordinary pages
)

// Options of a [Writer]. The zero value of a field means its default.
type Options struct {
	// Info are the fields of the warcinfo record that each file begins with.
	Info []Field
	// MaxFileBytes is how large a file grows before the next one is begun, at
	// the end of a capture; 1 GiB.
	MaxFileBytes int64
	// MaxDigests is how many payloads are known for certain, to write revisits;
	// 65,536. Up to twice as many are held, at about 300 bytes each.
	MaxDigests int
	// Index takes the line of each capture, in the order of the files and with
	// its line end. It is called from Append; may be nil.
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

	serial  int      // of the file being written
	file    *os.File // nil: none yet
	buffer  *bufio.Writer
	size    int64 // of that file
	before  int64 // bytes of the files before it
	flushed int64 // offset up to which all is durable
}

// Open opens the files of dir under root for appending behind offset, and cuts
// off what stands beyond. The directory is made when it is not there. Links
// are not followed out of root.
func Open(root *os.Root, dir string, offset int64, options Options) (*Writer, error) {
	if options.MaxFileBytes <= 0 {
		options.MaxFileBytes = defaultFileBytes
	}
	if options.MaxDigests <= 0 {
		options.MaxDigests = defaultDigests
	}
	w := &Writer{root: root, dir: dir, options: options, flushed: offset}
	w.digests.most = options.MaxDigests
	if err := root.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("open archive %s: %w", dir, err)
	}
	if err := w.cut(offset); err != nil {
		return nil, errors.Join(fmt.Errorf("cut archive %s back to %d: %w", dir, offset, err), w.Close())
	}
	return w, nil
}

// FileName gives the name of the file with that number.
func FileName(serial int) string { return fmt.Sprintf("%05d.warc.gz", serial) }

func (w *Writer) place() string { return path.Join(w.dir, FileName(w.serial)) }

// cut leaves offset bytes in the files: whole ones, one that is cut, and none
// behind it.
func (w *Writer) cut(offset int64) error {
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
	return w.dropBehind()
}

func (w *Writer) measure() (int64, error) {
	info, err := w.root.Lstat(w.place())
	if err != nil {
		return 0, err
	}
	if !info.Mode().IsRegular() {
		return 0, fmt.Errorf("%s: %w: not a regular file", w.place(), fs.ErrInvalid)
	}
	return info.Size(), nil
}

func (w *Writer) reopen(size int64) error {
	file, err := w.root.OpenFile(w.place(), os.O_RDWR, 0o600)
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

// dropBehind removes the files behind the one being written, the last first:
// so that what remains is never a series with a gap.
func (w *Writer) dropBehind() error {
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

// Recall takes an index line of an earlier run, so that its payload is known.
func (w *Writer) Recall(line []byte) error {
	l, err := parseLine(line)
	if err != nil {
		return err
	}
	if l.MIME != revisitMIME && l.Truncated == "" && l.Digest != emptyDigest {
		w.digests.add(l.Digest, l.origin())
	}
	return nil
}

// Append writes an entry of [Encoder.Encode].
func (w *Writer) Append(entry []byte) error {
	k, response, rest, err := parse(entry)
	if err != nil {
		return err
	}
	if err := w.makeRoom(); err != nil {
		return err
	}
	l := k.line()
	if known, ok := w.digests.find(k.Digest); ok && k.Truncated == "" && !k.Empty {
		if response, err = w.revisit(k, known); err != nil {
			return err
		}
		l.MIME = revisitMIME
	} else if k.Truncated == "" && !k.Empty {
		w.digests.add(k.Digest, origin{id: k.ID, url: k.URL, date: k.date()})
	}
	l.place(FileName(w.serial), w.size, int64(len(response)))
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

// revisit gives the record of a payload that stands elsewhere. Its block is
// the header of this answer (ISO 28500 §6.7.2).
func (w *Writer) revisit(k card, known origin) ([]byte, error) {
	var out bytes.Buffer
	err := w.encoder.member(&out, typeRevisit, k.ID, append(k.fields(responseType),
		Field{"WARC-Profile", sameDigest},
		Field{"WARC-Refers-To", known.id},
		Field{"WARC-Refers-To-Target-URI", known.url},
		Field{"WARC-Refers-To-Date", known.date},
	), k.Head)
	return out.Bytes(), err
}

// makeRoom begins a file when there is none, or the last one is full.
func (w *Writer) makeRoom() error {
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
	file, err := w.root.OpenFile(w.place(), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("begin archive: %w", err)
	}
	w.file, w.buffer = file, bufio.NewWriterSize(file, bufferSize)
	if err := atomicfile.SyncFolder(w.root, w.dir); err != nil {
		return fmt.Errorf("begin archive %s: %w", w.place(), err)
	}
	return w.info()
}

// info writes the record that says who made the file and how.
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

// Flush makes everything appended durable and gives the offset behind it.
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

// Close closes the file; what was not flushed is lost, as after a crash.
func (w *Writer) Close() error {
	if w.file == nil {
		return nil
	}
	return w.file.Close()
}
