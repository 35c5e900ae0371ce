package sitemap

import (
	"bytes"
	"errors"
	"io"
	"iter"
	"net/url"
	"time"

	"github.com/decorum-crawler/decorum/sitemap/internal/markup"
)

// A Kind is the format of a file.
type Kind string

// The kinds.
const (
	KindNone   Kind = "none"
	KindURLSet Kind = "urlset"
	KindIndex  Kind = "sitemapindex"
	KindRSS    Kind = "rss"
	KindAtom   Kind = "atom"
	KindText   Kind = "text"
)

// An Entry is a listed URL; in an index it is that of a file.
type Entry struct {
	Loc         string    // absolute, otherwise as written, with blanks and non-ASCII letters escaped
	LastMod     time.Time // UTC; zero if there is none
	ChangeFreq  string    // one of the protocol's seven words, or empty
	Priority    float64   // 0 to 1; see HasPriority
	HasPriority bool
	Alternates  []Alternate
	Images      []Image
	Videos      []Video
	News        *News // nil if there is none
	Line        int   // of the entry's start, 1-based
	Offset      int64 // of the entry's start, in bytes of the decoded text
}

// An Alternate is the same page in another language.
type Alternate struct {
	HrefLang string // as written
	Href     string // absolute if the URL of the file is known, with blanks and non-ASCII letters escaped
}

// Options limit a reading. Zero means the default.
type Options struct {
	MaxBytes  int64 // of the file after decompression; 50 MiB, negative for no limit; the rest is not read
	MaxDepth  int   // of nested elements; 32
	MaxLoc    int   // bytes of a loc; 2,048
	MaxExtras int   // alternates per entry, images, and videos; 1,000
	MaxRatio  int   // decompressed bytes per compressed byte; 250, negative for no limit; the rest is not read
	Strict    bool  // also report faults that readers forgive; slower

	// Served tells how the file was sent.
	Served Served
	// Copy, if set, receives the text that is read, in UTF-8 and without a byte
	// order mark. Its errors end the reading.
	Copy io.Writer
}

// Served tells how a file was sent and who vouches for it. The zero value fits a
// local file.
type Served struct {
	// Charset is that of the Content-Type header; empty if it has none. It takes
	// precedence over the XML declaration, but not over a byte order mark (RFC 7303
	// §3.2).
	Charset string
	// Gzip means that gzip was removed as a content coding, so that a file whose
	// name ends with .gz may be uncompressed.
	Gzip bool
	// Named means that the robots.txt of the host names the file, or an index that
	// leads to it: it may list any path of the host, not only those in its folder.
	Named bool
}

// A Body is the content of a file with how it was sent.
type Body struct {
	io.ReadCloser
	Served
}

// Limits of the protocol, sitemaps.org 0.9.
const (
	MaxURLs     = 50_000   // entries of a file
	MaxBytes    = 50 << 20 // of a file after decompression
	MaxLocBytes = 2047     // of a loc
)

// Namespace is that of the elements of a urlset and an index.
const Namespace = "http://www.sitemaps.org/schemas/sitemap/0.9"

// A Reader reads one file, once. It is not safe for concurrent use.
type Reader struct {
	source   io.Reader
	base     *url.URL
	options  Options
	kind     Kind
	problems []Problem
	count    int
	entries  int
	scan     *markup.Scanner // nil before the text begins
	pin      markup.Place    // of problems, if it is not that of the scanner
	cut      bool            // the bytes ended too early
	damaged  bool            // a gzip stream is broken
	bomb     bool            // a gzip stream is larger than plausible
	recoded  bool            // the text is not UTF-8, or says that it is not
	slow     bool            // read tag by tag only: if strict, and to test ordinary
	home     string          // prefix of addresses without a fault; empty if unknown
}

// NewReader returns a Reader of source, a file that is served at base. Relative
// URLs are resolved against base, and URLs out of place are reported; if base is
// nil, neither is done.
func NewReader(source io.Reader, base *url.URL, options Options) *Reader {
	if options.MaxBytes == 0 {
		options.MaxBytes = MaxBytes
	}
	if options.MaxDepth == 0 {
		options.MaxDepth = 32
	}
	if options.MaxLoc == 0 {
		options.MaxLoc = 2048
	}
	if options.MaxExtras == 0 {
		options.MaxExtras = 1000
	}
	if options.MaxRatio == 0 {
		options.MaxRatio = 250
	}
	return &Reader{source: source, base: base, options: options, kind: KindNone, slow: options.Strict}
}

// Kind returns the format, known from the first entry on.
func (r *Reader) Kind() Kind { return r.kind }

// Problems returns the problems so far, at most the first 1,000.
func (r *Reader) Problems() []Problem { return r.problems }

// ProblemCount returns the number of problems so far.
func (r *Reader) ProblemCount() int { return r.count }

// Entries yields the entries in order. An error comes last and alone: one with
// a [Code], or one of the stream. The entries before it are valid.
func (r *Reader) Entries() iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		err := r.read(func(entry Entry) bool {
			r.entries++
			if r.entries == MaxURLs+1 {
				r.problem("too-many-urls")
			}
			return yield(entry, nil)
		})
		if err != nil && !errors.Is(err, errStopped) {
			yield(Entry{}, err)
		}
	}
}

// errStopped means that the caller has stopped the iteration.
var errStopped = errors.New("sitemap: stopped")

func (r *Reader) read(yield func(Entry) bool) error {
	text, err := r.open()
	if err != nil {
		return err
	}
	if r.options.Copy != nil {
		text = io.TeeReader(text, r.options.Copy)
	}
	r.scan = markup.NewScanner(text)
	if r.recoded && r.options.Strict {
		r.problem("encoding")
	}
	kind, err := r.sniff()
	if err != nil {
		return err
	}
	if kind == KindText {
		r.kind = kind
		err = r.readText(yield)
	} else {
		err = (&document{reader: r, yield: yield}).read()
	}
	if err == nil && r.options.Strict {
		err = r.rest()
	}
	if r.bomb {
		r.problem("gzip-bomb")
	}
	return err
}

// rest reads what follows the document, where XML allows comments, instructions
// and blanks, and checks whether the stream is complete.
func (r *Reader) rest() error {
	s, blank := r.scan, true
	for blank && s.Text(func(piece []byte) { blank = blank && len(bytes.TrimSpace(piece)) == 0 }) {
		switch head := s.Peek(len("<!--")); {
		case string(head) == "<!--":
			s.Skip(len(head))
			s.Until("-->")
		case bytes.HasPrefix(head, []byte("<?")):
			s.Until("?>")
		default:
			blank = false
		}
	}
	if !blank {
		r.problem("trailing-junk")
	}
	s.Drain()
	if r.damaged {
		r.problem("damaged-gzip")
	}
	return r.failed()
}

// failed returns the error of the stream, or nil at its proper end.
func (r *Reader) failed() error {
	if err := r.scan.Err(); err != nil {
		return endOfStream(err)
	}
	return nil
}

// Size returns the bytes of decoded text read so far.
func (r *Reader) Size() int64 {
	if r.scan == nil {
		return 0
	}
	return r.scan.Size()
}

func (r *Reader) problem(code string) { r.remark(code, messages[code]) }

func (r *Reader) remark(code, message string) {
	r.count++
	if len(r.problems) >= maxProblems {
		return
	}
	at := markup.Place{Line: 1}
	switch {
	case r.pin.Line > 0:
		at = r.pin
	case r.scan != nil:
		at = r.scan.Place()
	}
	r.problems = append(r.problems, Problem{Code: code, Line: at.Line, Offset: at.Offset, Message: message})
}
