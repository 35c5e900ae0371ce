package generate

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"time"

	"github.com/decorum-crawler/decorum/sitemap"
)

// ErrTooManyFiles means that the entries need more files than an index may
// name.
var ErrTooManyFiles = errors.New("sitemap: more files than an index may name")

// Options of a Writer. Zero means the default.
type Options struct {
	Gzip     bool      // compress the files, but not the index
	MaxURLs  int       // per file; 50,000, which is also the largest
	MaxBytes int64     // per file before compression; 50 MiB, which is also the largest
	Modified time.Time // lastmod of the files in the index; zero leaves it out
}

// A File is a finished file.
type File struct {
	Name    string // such as sitemap-1.xml.gz
	URL     string // where it will be served
	Entries int
	Bytes   int64 // before compression
}

// A Writer writes entries into files of the protocol's size, sitemap-1.xml and
// so on, and an index of them, sitemap.xml. It keeps one entry at a time in
// memory and does not detect duplicates. It is not safe for concurrent use.
type Writer struct {
	base    *url.URL
	create  func(name string) (io.WriteCloser, error)
	options Options
	checker *sitemap.Checker
	entry   []byte // the current one
	part    *part  // nil between files
	written []File
	failed  error
}

// NewWriter returns a Writer of files that will be served in the folder base, an
// absolute URL. They may list URLs in that folder or below. create creates a
// file of a plain name; the Writer closes it.
func NewWriter(base *url.URL, create func(name string) (io.WriteCloser, error), options Options) *Writer {
	if options.MaxURLs <= 0 || options.MaxURLs > sitemap.MaxURLs {
		options.MaxURLs = sitemap.MaxURLs
	}
	if options.MaxBytes <= 0 || options.MaxBytes > sitemap.MaxBytes {
		options.MaxBytes = sitemap.MaxBytes
	}
	folder := *base
	folder.RawQuery, folder.Fragment, folder.RawFragment, folder.User = "", "", "", nil
	folder = *folder.JoinPath("/")
	return &Writer{base: &folder, create: create, options: options, checker: sitemap.NewChecker(&folder)}
}

// Add writes an entry, with everything in its loc and hrefs escaped that RFC 3986
// requires to be. Of extensions it writes alternates and the locs of images. An
// entry that the protocol forbids is left out, with a
// [*sitemap.EntryError]; after any other error the files are useless.
func (w *Writer) Add(entry sitemap.Entry) error {
	if w.failed != nil {
		return w.failed
	}
	entry, err := w.checker.Entry(entry)
	if err != nil {
		return err
	}
	w.entry = appendEntry(w.entry[:0], entry)
	if int64(len(w.entry)+frameBytes) > w.options.MaxBytes {
		return &sitemap.EntryError{Loc: entry.Loc, Code: "too-large", Message: "the entry is longer than a file may be"}
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

// Close finishes the last file and writes the index. Without entries it writes
// neither. It must also be called after an error, which it returns again.
func (w *Writer) Close() error {
	if w.part != nil {
		w.finish()
	}
	if w.failed == nil && len(w.written) > 0 {
		w.failed = w.index()
	}
	return w.failed
}

// Files returns the finished files in order, without the index.
func (w *Writer) Files() []File { return w.written }

// IndexURL returns the URL at which the index will be served.
func (w *Writer) IndexURL() string { return w.base.JoinPath(indexName).String() }

const (
	indexName  = "sitemap.xml"
	frameBytes = 256 // at most, for the text around the entries
)

func (w *Writer) begin() {
	if len(w.written) == sitemap.MaxURLs {
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
		w.written = append(w.written, File{Name: p.name, URL: w.base.JoinPath(p.name).String(), Entries: p.entries, Bytes: p.size})
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
		if !p.fits(len(w.entry), Options{MaxURLs: sitemap.MaxURLs, MaxBytes: sitemap.MaxBytes}) {
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
	head := `<?xml version="1.0" encoding="UTF-8"?>` + "\n<" + root + ` xmlns="` + sitemap.Namespace + "\">\n"
	if err := p.write([]byte(head)); err != nil {
		return nil, errors.Join(err, p.close())
	}
	return p, nil
}

func (p *part) tail() string { return "</" + p.root + ">\n" }

// fits reports whether there is room for an entry of n bytes.
func (p *part) fits(n int, options Options) bool {
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
