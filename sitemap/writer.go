package sitemap

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"
	"net/url"
	"strconv"
	"time"
)

// ErrTooManyFiles means that the entries need more files than an index may
// name.
var ErrTooManyFiles = errors.New("sitemap: more files than an index may name")

// An EntryError means that an entry was left out because the protocol forbids
// it. Writing goes on.
type EntryError struct {
	Loc     string
	Code    string // as in a [Problem]
	Message string
}

// Error says what is wrong with which entry.
func (e *EntryError) Error() string {
	return fmt.Sprintf("sitemap: entry %.200s: %s", e.Loc, e.Message)
}

// WriterOptions say how files are written. Zero means the default.
type WriterOptions struct {
	Gzip     bool      // compress the files, but not the index, whose name is then the same
	MaxURLs  int       // of one file; 50,000, which is also the most
	MaxBytes int64     // of one file before compression; 50 MiB, which is also the most
	Modified time.Time // when the files change, for the index; zero leaves it out
}

// Written describes a finished file.
type Written struct {
	Name    string // such as sitemap-1.xml.gz
	URL     string // where it will be served
	Entries int
	Bytes   int64 // before compression
}

// A Writer writes entries into files of the protocol's size, sitemap-1.xml and
// so on, and an index of them, sitemap.xml. It holds one entry at a time, and
// does not look for duplicates. It is not safe for concurrent use.
type Writer struct {
	base    *url.URL
	create  func(name string) (io.WriteCloser, error)
	options WriterOptions
	judge   *Reader // knows the rules on addresses
	entry   []byte  // the one at hand
	part    *part   // nil between files
	written []Written
	failed  error
}

// NewWriter makes a writer of files that will be served in the folder base, an
// absolute URL; they may list what lies in it or below. create makes a file of
// a plain name; the Writer closes it.
func NewWriter(base *url.URL, create func(name string) (io.WriteCloser, error), options WriterOptions) *Writer {
	if options.MaxURLs <= 0 || options.MaxURLs > maxEntries {
		options.MaxURLs = maxEntries
	}
	if options.MaxBytes <= 0 || options.MaxBytes > maxFileBytes {
		options.MaxBytes = maxFileBytes
	}
	folder := *base
	folder.RawQuery, folder.Fragment, folder.RawFragment, folder.User = "", "", "", nil
	folder = *folder.JoinPath("/")
	w := &Writer{base: &folder, create: create, options: options}
	// The protocol wants less than 2,048 characters, which readers take as well.
	w.judge = NewReader(nil, w.base, Options{Strict: true, MaxLoc: 2047})
	return w
}

// Add writes an entry. An [*EntryError] means that it was left out; after any
// other error the files are useless. What RFC 3986 wants escaped in a
// loc is escaped.
func (w *Writer) Add(entry Entry) error {
	if w.failed != nil {
		return w.failed
	}
	loc, err := w.loc(entry)
	if err != nil {
		return err
	}
	w.entry = appendEntry(w.entry[:0], loc, entry)
	if int64(len(w.entry)+frameBytes) > w.options.MaxBytes {
		return &EntryError{Loc: loc, Code: "too-large", Message: messages["too-large"]}
	}
	if w.part != nil && !w.part.fits(len(w.entry), w.options) {
		w.finish()
	}
	if w.part == nil && w.failed == nil {
		w.begin()
	}
	if w.failed == nil {
		w.failed = w.part.write(w.entry)
		w.part.entries++
	}
	return w.failed
}

// Close finishes the last file and writes the index. Without an entry there is
// neither. It must be called after an error, too, and gives it again.
func (w *Writer) Close() error {
	if w.part != nil {
		w.finish()
	}
	if w.failed == nil && len(w.written) > 0 {
		w.failed = w.index()
	}
	return w.failed
}

// Files gives the finished files in order, without the index.
func (w *Writer) Files() []Written { return w.written }

// IndexURL is where the index will be served.
func (w *Writer) IndexURL() string { return w.base.JoinPath(indexName).String() }

const (
	indexName  = "sitemap.xml"
	frameBytes = 256 // at most, for what stands around the entries
)

// loc gives the address of an entry that the protocol allows.
func (w *Writer) loc(entry Entry) (string, error) {
	refuse := func(code string) (string, error) {
		return "", &EntryError{Loc: entry.Loc, Code: code, Message: messages[code]}
	}
	switch {
	case entry.Loc == "":
		return refuse("missing-loc")
	case entry.ChangeFreq != "" && plainChangeFreq([]byte(entry.ChangeFreq)) == "":
		return refuse("bad-changefreq")
	case entry.HasPriority && (math.IsNaN(entry.Priority) || entry.Priority < 0 || entry.Priority > 1):
		return refuse("bad-priority")
	case !entry.LastMod.IsZero() && (entry.LastMod.UTC().Year() < 1 || entry.LastMod.UTC().Year() > 9999):
		return refuse("bad-date")
	}
	w.judge.problems, w.judge.count = w.judge.problems[:0], 0
	loc, ok := w.judge.address(entry.Loc, true)
	for _, p := range w.judge.problems {
		if p.Code != "unescaped-loc" && p.Code != "bad-utf8" { // they are escaped now
			return refuse(p.Code)
		}
	}
	if !ok || len(loc) > w.judge.options.MaxLoc {
		return refuse("loc-too-long")
	}
	return loc, nil
}

func (w *Writer) begin() {
	if len(w.written) == maxEntries {
		w.failed = ErrTooManyFiles
		return
	}
	name := "sitemap-" + strconv.Itoa(len(w.written)+1) + ".xml"
	if w.options.Gzip {
		name += ".gz"
	}
	w.part, w.failed = w.open(name, "urlset", w.options.Gzip)
}

func (w *Writer) finish() {
	p := w.part
	w.part = nil
	if err := p.close(); w.failed == nil {
		w.failed = err
	}
	if w.failed == nil {
		w.written = append(w.written, Written{Name: p.name, URL: w.base.JoinPath(p.name).String(), Entries: p.entries, Bytes: p.size})
	}
}

func (w *Writer) index() error {
	p, err := w.open(indexName, "sitemapindex", false)
	if err != nil {
		return err
	}
	for _, file := range w.written {
		w.entry = appendElement(append(w.entry[:0], "<sitemap>"...), "loc", file.URL)
		w.entry = append(appendDate(w.entry, w.options.Modified), "</sitemap>\n"...)
		if !p.fits(len(w.entry), WriterOptions{MaxURLs: maxEntries, MaxBytes: maxFileBytes}) {
			return errors.Join(ErrTooManyFiles, p.close())
		}
		if err := p.write(w.entry); err != nil {
			return errors.Join(err, p.close())
		}
		p.entries++
	}
	return p.close()
}

// part is a file being written.
type part struct {
	name    string
	root    string // its outermost element
	file    io.WriteCloser
	zip     *gzip.Writer // nil without compression
	out     *bufio.Writer
	entries int
	size    int64 // before compression
}

func (w *Writer) open(name, root string, zipped bool) (*part, error) {
	file, err := w.create(name)
	if err != nil {
		return nil, fmt.Errorf("create %s: %w", name, err)
	}
	p := &part{name: name, root: root, file: file, out: bufio.NewWriterSize(file, 64<<10)}
	if zipped {
		p.zip = gzip.NewWriter(file)
		p.out.Reset(p.zip)
	}
	head := `<?xml version="1.0" encoding="UTF-8"?>` + "\n<" + root + ` xmlns="` + namespaceOwn + "\">\n"
	if err := p.write([]byte(head)); err != nil {
		return nil, errors.Join(err, p.close())
	}
	return p, nil
}

func (p *part) tail() string { return "</" + p.root + ">\n" }

// fits reports whether an entry of n bytes still has room.
func (p *part) fits(n int, options WriterOptions) bool {
	return p.entries < options.MaxURLs && p.size+int64(n+len(p.tail())) <= options.MaxBytes
}

func (p *part) write(data []byte) error {
	n, err := p.out.Write(data)
	p.size += int64(n)
	if err != nil {
		return fmt.Errorf("write %s: %w", p.name, err)
	}
	return nil
}

func (p *part) close() error {
	err := p.write([]byte(p.tail()))
	if flushed := p.out.Flush(); err == nil {
		err = flushed
	}
	if p.zip != nil {
		if closed := p.zip.Close(); err == nil {
			err = closed
		}
	}
	if closed := p.file.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return fmt.Errorf("finish %s: %w", p.name, err)
	}
	return nil
}
