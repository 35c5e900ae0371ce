package warc

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// ErrSyntax means that a file is not an archive, or is damaged.
var ErrSyntax = errors.New("warc: not a record")

// ErrCut means that a file ends within a record, as one does whose writer was
// killed. Every error that matches it matches [ErrSyntax] too.
var ErrCut = fmt.Errorf("%w: the file ends within it", ErrSyntax)

// maxHead bounds the header of a record, and of the response in it.
const maxHead = 256 << 10

// A Record is one record of an archive. Its block can be read until the next call
// of [Reader.Next].
type Record struct {
	Version string  // such as "WARC/1.1"
	Fields  []Field // in the order of the file
	Length  int64   // of the block
	Block   io.Reader
	// Offset is where the record begins in the file. In a compressed file it is
	// where the gzip member or Zstandard frame of its first byte begins.
	Offset int64
}

// Field returns the first value of a field, or an empty string. Names are compared
// without case.
func (r *Record) Field(name string) string { return fieldOf(r.Fields, name) }

// Type returns WARC-Type.
func (r *Record) Type() string { return r.Field("WARC-Type") }

// URL returns WARC-Target-URI without the angle brackets that older tools put
// around it.
func (r *Record) URL() string {
	return strings.TrimSuffix(strings.TrimPrefix(r.Field("WARC-Target-URI"), "<"), ">")
}

func fieldOf(fields []Field, name string) string {
	for _, f := range fields {
		if strings.EqualFold(f.Name, name) {
			return f.Value
		}
	}
	return ""
}

// A Reader reads an archive record by record. The archive may be plain, compressed
// as a whole, or with one gzip member or Zstandard frame per record. Memory use
// does not depend on the length of a block. It is not safe for concurrent use.
type Reader struct {
	source *source
	opened bool
	text   *bufio.Reader // nil before the first record and after SeekTo
	record *Record
	block  *io.LimitedReader
	whole  int64
	err    error
}

// NewReader returns a reader of one file.
func NewReader(file io.Reader) *Reader {
	s := &source{below: &counter{r: file}}
	s.raw = bufio.NewReaderSize(s.below, 64<<10)
	return &Reader{source: s}
}

// Whole returns how many records were in the file to the end of their blocks, as
// far as it was read.
func (r *Reader) Whole() int64 { return r.whole }

// Place returns where the part of a compressed file begins that is being read, which
// after an error or io.EOF from Next is where the last whole record ends. It is 0 in
// a file that is not compressed.
func (r *Reader) Place() int64 { return r.source.part }

// SeekTo moves to the offset of a record, which the next call of Next returns. In
// a compressed file that is the first record of its part, and it may be damaged.
// The file must be an [io.Seeker].
func (r *Reader) SeekTo(offset int64) error {
	file, ok := r.source.below.r.(io.Seeker)
	if !ok {
		return fmt.Errorf("seek in archive: %w", errors.ErrUnsupported)
	}
	if err := r.open(); err != nil { // its start tells how it is compressed
		return wrapEnd(err)
	}
	if _, err := file.Seek(offset, io.SeekStart); err != nil {
		return fmt.Errorf("seek in archive: %w", err)
	}
	r.source.below.n, r.source.below.fault = offset, nil
	r.source.raw.Reset(r.source.below)
	r.text, r.record, r.err = nil, nil, nil
	return nil
}

// Next returns the next record, io.EOF after the last one, or an error that says
// where the file is damaged. After an error it returns the same error again.
func (r *Reader) Next() (*Record, error) {
	if r.err != nil {
		return nil, r.err
	}
	record, err := r.next()
	if err != nil {
		r.err = err
		return nil, err
	}
	r.record = record
	return record, nil
}

func (r *Reader) next() (*Record, error) {
	if err := r.begin(); err != nil {
		return nil, err
	}
	if err := r.skip(); err != nil {
		return nil, err
	}
	offset := r.source.offset(r.text)
	record, err := readHead(r.text)
	if err != nil {
		return nil, fmt.Errorf("read the record at %d: %w", offset, truncated(unexpectedEOF(err)))
	}
	record.Offset = offset
	r.block = &io.LimitedReader{R: r.text, N: record.Length}
	record.Block = &block{r}
	return record, nil
}

// begin moves to the first record at the first call and after SeekTo.
func (r *Reader) begin() error {
	if r.text != nil {
		return nil
	}
	if err := r.open(); err != nil {
		return err
	}
	if r.source.parts == nil {
		r.text = r.source.raw
		return nil
	}
	if err := r.source.next(); err != nil {
		return err
	}
	r.text = bufio.NewReaderSize(r.source, 64<<10)
	return nil
}

// open detects at the first call how the file is compressed.
func (r *Reader) open() error {
	if r.opened {
		return nil
	}
	raw := r.source.raw
	magic, err := raw.Peek(4)
	switch {
	case len(magic) == 0:
		return err
	case bytes.HasPrefix(magic, []byte{0x1f, 0x8b}):
		r.source.parts = &members{in: raw}
	case bytes.Equal(magic, frameMagic), isSkippable(magic):
		if r.source.parts, err = newFrames(raw); err != nil {
			return fmt.Errorf("open archive: %w", r.source.classify(err))
		}
	}
	r.opened = true
	return nil
}

// skip moves past the rest of the last record and the empty lines after it.
func (r *Reader) skip() error {
	if r.record != nil {
		if _, err := io.Copy(io.Discard, r.record.Block); err != nil {
			return fmt.Errorf("read the block of the record at %d: %w", r.record.Offset, truncated(err))
		}
		r.whole++
	}
	for {
		c, err := r.text.ReadByte()
		if err != nil {
			return wrapEnd(err)
		}
		if c != '\r' && c != '\n' && c != 0 { // zeros fill the last block of some media
			return r.text.UnreadByte()
		}
	}
}

// wrapEnd wraps any error but the end of the file.
func wrapEnd(err error) error {
	if errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return io.EOF
	}
	return fmt.Errorf("read archive: %w", err)
}

func unexpectedEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// truncated returns ErrCut for the end of a file within a record.
func truncated(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, ErrSyntax) {
		return fmt.Errorf("%w: %w", ErrCut, err)
	}
	return err
}

// block is the block of the current record.
type block struct{ reader *Reader }

// Read returns ErrCut, which wraps io.ErrUnexpectedEOF here, when the file ends
// before the block.
func (b *block) Read(p []byte) (int, error) {
	left := b.reader.block
	n, err := left.Read(p)
	if errors.Is(err, io.EOF) && left.N > 0 {
		err = io.ErrUnexpectedEOF
	}
	return n, truncated(err)
}

// readHead reads the version line and the fields of a record.
func readHead(text *bufio.Reader) (*Record, error) {
	lines := headLines{text: text, left: maxHead}
	first, err := lines.next()
	if err != nil && strings.HasPrefix("WARC/", first) { // or nothing
		return nil, err
	}
	if !strings.HasPrefix(first, "WARC/") {
		return nil, fmt.Errorf("%w: it starts with %q", ErrSyntax, first[:min(len(first), 40)])
	}
	record := &Record{Version: first}
	if record.Fields, err = lines.fields(); err != nil {
		return nil, err
	}
	length := record.Field("Content-Length")
	if record.Length, err = strconv.ParseInt(length, 10, 64); err != nil || record.Length < 0 {
		return nil, fmt.Errorf("%w: Content-Length %q", ErrSyntax, length)
	}
	return record, nil
}

// headLines reads the lines of a header, up to a limit.
type headLines struct {
	text *bufio.Reader
	left int
}

// next returns a line without its line end.
func (h *headLines) next() (string, error) {
	var line []byte
	for {
		part, err := h.text.ReadSlice('\n')
		if h.left -= len(part); h.left < 0 {
			return "", fmt.Errorf("%w: header of more than %d bytes", ErrSyntax, maxHead)
		}
		line = append(line, part...)
		if err == nil {
			return strings.TrimRight(string(line), "\r\n"), nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return string(line), err
		}
	}
}

// fields reads up to the empty line. A line that begins with a blank continues the
// previous one (ISO 28500 §4), and a line without a colon is skipped. With an
// error it returns the fields before it.
func (h *headLines) fields() ([]Field, error) {
	var fields []Field
	for {
		line, err := h.next()
		if line == "" {
			return fields, err
		}
		if (line[0] == ' ' || line[0] == '\t') && len(fields) > 0 {
			fields[len(fields)-1].Value += " " + strings.TrimSpace(line)
		} else if name, value, ok := strings.Cut(line, ":"); ok {
			fields = append(fields, Field{strings.TrimSpace(name), strings.TrimSpace(value)})
		}
		if err != nil {
			return fields, err
		}
	}
}
