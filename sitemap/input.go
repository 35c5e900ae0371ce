package sitemap

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"

	"github.com/decorum-crawler/decorum/sitemap/internal/address"
	"github.com/decorum-crawler/decorum/sitemap/internal/markup"
)

// peekSize is how many bytes of a file are examined to find its format.
const peekSize = 4 << 10

// open removes compression and encoding. The result is UTF-8, or intended to
// be.
func (r *Reader) open() (io.Reader, error) {
	raw := &counted{source: r.limited(r.source)}
	in := bufio.NewReaderSize(raw, 64<<10)
	zipped := 0
	for zipped < 2 && isGzip(in) {
		z, err := gzip.NewReader(in)
		switch {
		case errors.Is(err, gzip.ErrHeader):
			return nil, fmt.Errorf("open gzip: %w", ErrUnknownFormat)
		case errors.Is(err, io.ErrUnexpectedEOF):
			r.problem("truncated")
			return nil, fmt.Errorf("open gzip: %w", ErrEmpty)
		case err != nil:
			return nil, fmt.Errorf("open gzip: %w", err)
		}
		raw = &counted{source: &plausible{source: z, from: raw, reader: r}}
		in = bufio.NewReaderSize(r.limited(&forgiving{source: raw, reader: r}), 64<<10)
		zipped++
	}
	head, err := in.Peek(peekSize)
	if len(head) == 0 {
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("read sitemap: %w", err)
		}
		if r.cut {
			r.problem("truncated")
		}
		return nil, ErrEmpty
	}
	switch {
	case zipped > 1:
		r.problem("double-gzip")
	case zipped == 0 && !r.options.Served.Gzip && r.base != nil && strings.HasSuffix(strings.ToLower(r.base.Path), ".gz"):
		r.problem("not-gzip")
	}
	text := r.decoded(in, head)
	r.recoded = text != io.Reader(in) || !saysUTF8(head)
	return text, nil
}

func isGzip(in *bufio.Reader) bool {
	head, _ := in.Peek(2)
	return len(head) == 2 && head[0] == 0x1f && head[1] == 0x8b
}

// limited bounds a stream. Every layer is bounded, since compression can be
// nested.
func (r *Reader) limited(source io.Reader) io.Reader {
	if r.options.MaxBytes < 0 {
		return source
	}
	return &limit{source: source, left: r.options.MaxBytes, cut: &r.cut}
}

// limit ends a stream after a number of bytes and records whether there were
// more.
type limit struct {
	source io.Reader
	left   int64
	cut    *bool
}

func (l *limit) Read(p []byte) (int, error) {
	if l.left == 0 {
		var more [1]byte
		n, err := l.source.Read(more[:])
		if n > 0 {
			*l.cut, err = true, io.EOF
		}
		return 0, err
	}
	n, err := l.source.Read(p[:min(int64(len(p)), l.left)])
	l.left -= int64(n)
	return n, err
}

// forgiving turns the end of a broken gzip stream into the end of the file, so
// that the text before it counts. Only the document's own end tells whether it
// is complete.
type forgiving struct {
	source io.Reader
	reader *Reader
}

func (f *forgiving) Read(p []byte) (int, error) {
	n, err := f.source.Read(p)
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, gzip.ErrChecksum) || errors.Is(err, gzip.ErrHeader) || isFlate(err) {
		f.reader.cut, f.reader.damaged = true, true
		err = io.EOF
	}
	return n, err
}

// counted counts what is read of a stream.
type counted struct {
	source io.Reader
	n      int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.source.Read(p)
	c.n += int64(n)
	return n, err
}

// plausible ends a stream that is compressed further than any real sitemap: its
// only purpose can be to exhaust the reader.
type plausible struct {
	source io.Reader
	from   *counted // what it was compressed to
	reader *Reader
	n      int64
}

// alwaysPlausible is how much of a stream is read at any ratio.
const alwaysPlausible = 1 << 20

func (p *plausible) Read(b []byte) (int, error) {
	ratio := int64(p.reader.options.MaxRatio)
	if ratio > 0 && p.n > alwaysPlausible && p.n/ratio > p.from.n {
		p.reader.cut, p.reader.bomb = true, true
		return 0, io.EOF
	}
	n, err := p.source.Read(b)
	p.n += int64(n)
	return n, err
}

func isFlate(err error) bool { return err != nil && strings.HasPrefix(err.Error(), "flate: ") }

var declaration = regexp.MustCompile(`^[\s\x{FEFF}]*<\?xml[^>]*\bencoding\s*=\s*["']([A-Za-z0-9._:-]+)["']`)

// decoded returns the text in UTF-8, without a byte order mark.
func (r *Reader) decoded(in *bufio.Reader, head []byte) io.Reader {
	switch {
	case bytes.HasPrefix(head, []byte("\xef\xbb\xbf")):
		_, _ = in.Discard(3)
		return in
	case bytes.HasPrefix(head, []byte("\xfe\xff")), bytes.HasPrefix(head, []byte("\xff\xfe")):
		return unicode.UTF16(unicode.BigEndian, unicode.UseBOM).NewDecoder().Reader(in)
	case bytes.HasPrefix(head, []byte("\x00<")):
		return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM).NewDecoder().Reader(in)
	case bytes.HasPrefix(head, []byte("<\x00")):
		return unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM).NewDecoder().Reader(in)
	}
	from, isUTF8 := charset(r.options.Served.Charset)
	if from == nil && !isUTF8 {
		from, _ = charset(declared(head))
	}
	if from != nil {
		return from.NewDecoder().Reader(in)
	}
	return in
}

// declared returns the encoding that the XML declaration names, or "".
func declared(head []byte) string {
	if match := declaration.FindSubmatch(head); match != nil {
		return string(match[1])
	}
	return ""
}

// saysUTF8 reports whether the XML declaration, if there is one, does not name
// another encoding.
func saysUTF8(head []byte) bool {
	label := declared(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")))
	_, isUTF8 := charset(label)
	return isUTF8 || label == ""
}

// charset returns the encoding with that label, or nil for UTF-8, for an unknown
// label, and for one that does not fit a text whose declaration could be read.
func charset(label string) (from encoding.Encoding, isUTF8 bool) {
	from, err := htmlindex.Get(label)
	if err != nil {
		return nil, false
	}
	name, err := htmlindex.Name(from)
	if err != nil || name == "utf-8" || strings.HasPrefix(name, "utf-16") || name == "replacement" {
		return nil, name == "utf-8"
	}
	return from, false
}

// sniff skips the text before the document and returns whether it is XML or a
// list.
func (r *Reader) sniff() (Kind, error) {
	r.scan.LearnLineEnd(peekSize)
	head := r.scan.Peek(peekSize)
	trimmed := bytes.TrimLeft(head, " \t\r\n")
	space := len(head) - len(trimmed)
	switch {
	case len(trimmed) == 0 && len(head) < peekSize:
		return KindNone, ErrEmpty
	case bytes.HasPrefix(trimmed, []byte("<")) && !markupBefore(trimmed):
		if space > 0 && bytes.HasPrefix(trimmed, []byte("<?xml")) {
			r.problem("leading-space")
		}
		r.scan.Skip(space)
		return KindNone, nil
	}
	if at := documentStart(r.scan.Peek(markup.WindowSize)); at >= 0 { // before isList: a loc may be on a line of its own
		r.problem("leading-junk")
		r.scan.Skip(at)
		return KindNone, nil
	}
	if isList(trimmed) {
		return KindText, nil
	}
	return KindNone, ErrUnknownFormat
}

// documentStart returns the place where the first XML document begins, or -1.
func documentStart(text []byte) int {
	first := -1
	for _, mark := range []string{"<?xml ", "<urlset", "<sitemapindex", "<rss", "<feed"} {
		if at := bytes.Index(text, []byte(mark)); at >= 0 && (first < 0 || at < first) {
			first = at
		}
	}
	return first
}

// markupBefore reports whether an XML declaration follows other text, such as
// the warning of a script, in a file that is not an HTML page.
func markupBefore(head []byte) bool {
	start := strings.ToLower(string(head[:min(len(head), len("<!doctype"))]))
	return !strings.HasPrefix(start, "<!doctype") && !strings.HasPrefix(start, "<html") && bytes.Index(head, []byte("<?xml ")) > 0
}

// isList reports whether one of the first lines is an absolute URL.
func isList(head []byte) bool {
	for line := range bytes.FieldsFuncSeq(head, func(r rune) bool { return r == '\n' || r == '\r' }) {
		if address.IsAbsolute(string(bytes.TrimSpace(line))) {
			return true
		}
	}
	return false
}

// readText reads a list: one URL per line, nothing else (sitemaps.org).
func (r *Reader) readText(yield func(Entry) bool) error {
	if !r.slow {
		r.learnHome()
	}
	for {
		r.pin = r.scan.Place()
		line, long, err := r.scan.TextLine(min(4*r.options.MaxLoc+1024, markup.WindowSize/2))
		entry, ok := r.line(line, long)
		if ok && !yield(entry) {
			return errStopped
		}
		if err == nil {
			continue
		}
		if r.cut {
			r.problem("truncated")
		}
		return endOfStream(err)
	}
}

// line handles a line of a list, which is at r.pin.
func (r *Reader) line(line []byte, long bool) (Entry, bool) {
	if long {
		r.problem("loc-too-long")
		return Entry{}, false
	}
	text := string(bytes.TrimSpace(r.validText(line)))
	if text == "" {
		return Entry{}, false
	}
	if !address.IsAbsolute(text) {
		r.problem("bad-line")
		return Entry{}, false
	}
	loc, ok := r.address(text, true)
	return Entry{Loc: loc, Line: r.pin.Line, Offset: r.pin.Offset}, ok
}

func endOfStream(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return fmt.Errorf("read sitemap: %w", err)
}
