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
)

// peekSize is how much of a file is looked at to know what it is.
const peekSize = 4 << 10

// open takes off compression and encoding; what is left is UTF-8, or means to
// be.
func (r *Reader) open() (io.Reader, error) {
	in := bufio.NewReaderSize(r.source, 64<<10)
	zipped := 0
	for zipped < 2 && isGzip(in) {
		z, err := gzip.NewReader(in)
		if err != nil {
			return nil, fmt.Errorf("open sitemap: gzip: %w", err)
		}
		in = bufio.NewReaderSize(&forgiving{source: z, problem: r.problem}, 64<<10)
		zipped++
	}
	head, err := in.Peek(peekSize)
	if len(head) == 0 {
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("read sitemap: %w", err)
		}
		return nil, ErrEmpty
	}
	switch {
	case zipped > 1:
		r.problem("double-gzip")
	case zipped == 0 && r.base != nil && strings.HasSuffix(strings.ToLower(r.base.Path), ".gz"):
		r.problem("not-gzip")
	}
	return decoded(in, head), nil
}

func isGzip(in *bufio.Reader) bool {
	head, _ := in.Peek(2)
	return len(head) == 2 && head[0] == 0x1f && head[1] == 0x8b
}

// forgiving turns the end of a broken gzip stream into the end of the file:
// what came before it counts.
type forgiving struct {
	source  io.Reader
	problem func(code string)
	broken  bool
}

func (f *forgiving) Read(p []byte) (int, error) {
	n, err := f.source.Read(p)
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, gzip.ErrChecksum) || errors.Is(err, gzip.ErrHeader) || isFlate(err) {
		if !f.broken {
			f.broken = true
			f.problem("truncated")
		}
		err = io.EOF
	}
	return n, err
}

func isFlate(err error) bool { return err != nil && strings.HasPrefix(err.Error(), "flate: ") }

var declaration = regexp.MustCompile(`^[\s\x{FEFF}]*<\?xml[^>]*\bencoding\s*=\s*["']([A-Za-z0-9._:-]+)["']`)

// decoded gives the text in UTF-8, without a byte order mark.
func decoded(in *bufio.Reader, head []byte) io.Reader {
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
	if from := declared(head); from != nil {
		return from.NewDecoder().Reader(in)
	}
	return in
}

// declared gives the encoding that the XML declaration names, nil for UTF-8
// and for names that cannot be true of bytes read so far.
func declared(head []byte) encoding.Encoding {
	match := declaration.FindSubmatch(head)
	if match == nil {
		return nil
	}
	from, err := htmlindex.Get(string(match[1]))
	if err != nil {
		return nil
	}
	name, err := htmlindex.Name(from)
	if err != nil || name == "utf-8" || strings.HasPrefix(name, "utf-16") || name == "replacement" {
		return nil
	}
	return from
}

// sniff skips what stands before the document and says whether it is XML or a
// list.
func (r *Reader) sniff() (Kind, error) {
	head := r.scan.peek(peekSize)
	trimmed := bytes.TrimLeft(head, " \t\r\n")
	space := len(head) - len(trimmed)
	switch {
	case len(trimmed) == 0 && len(head) < peekSize:
		return KindNone, ErrEmpty
	case bytes.HasPrefix(trimmed, []byte("<")):
		if space > 0 && bytes.HasPrefix(trimmed, []byte("<?xml")) {
			r.problem("leading-space")
		}
		r.scan.skip(space)
		return KindNone, nil
	case isList(trimmed):
		return KindText, nil
	}
	for _, mark := range []string{"<?xml", "<urlset", "<sitemapindex", "<rss", "<feed"} {
		if at := bytes.Index(head, []byte(mark)); at >= 0 {
			r.problem("leading-junk")
			r.scan.skip(at)
			return KindNone, nil
		}
	}
	return KindNone, ErrUnknownFormat
}

// isList reports whether one of the first lines is an absolute URL.
func isList(head []byte) bool {
	for line := range bytes.SplitSeq(head, []byte("\n")) {
		if isAbsolute(string(bytes.TrimSpace(line))) {
			return true
		}
	}
	return false
}

func isAbsolute(address string) bool {
	return hasPrefixFold(address, "http://") || hasPrefixFold(address, "https://")
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) > len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// readText reads a list: one URL a line, nothing else (sitemaps.org).
func (r *Reader) readText(yield func(Entry) bool) error {
	for {
		line, long, err := r.scan.textLine(r.options.MaxLoc)
		if len(line) > 0 || long {
			address := strings.TrimSpace(string(line))
			switch {
			case long:
				r.problem("loc-too-long")
			case address == "":
			case !isAbsolute(address):
				r.problem("bad-line")
			default:
				at := r.scan.line()
				if loc, ok := r.address(address, true); ok && !yield(Entry{Loc: loc, Line: at}) {
					return errStopped
				}
			}
		}
		if err != nil {
			return endOfStream(err)
		}
	}
}

func endOfStream(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return fmt.Errorf("read sitemap: %w", err)
}
