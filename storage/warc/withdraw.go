package warc

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path"
	"strconv"
	"time"
)

// ErrNoRoom means that a record is too short for the one that is to stand in
// its place.
var ErrNoRoom = errors.New("warc: record is too short to be withdrawn")

// ErrPlace means that the record of an index line is not where the line has it.
var ErrPlace = errors.New("warc: the record is not there")

// An IndexLine is what an index says of one capture.
type IndexLine struct {
	URL       string
	At        time.Time
	MIME      string
	Status    string
	Digest    string // of the payload
	Filename  string
	Offset    int64
	Length    int64 // of the response's gzip member
	ID        string
	Withdrawn bool // see [Withdraw]
}

// ParseIndexLine reads a line that a [Writer] handed out.
func ParseIndexLine(data []byte) (IndexLine, error) {
	l, err := parseLine(data)
	if err != nil {
		return IndexLine{}, err
	}
	at, atErr := time.Parse(timestampForm, l.timestamp)
	offset, offsetErr := strconv.ParseInt(l.Offset, 10, 64)
	length, lengthErr := strconv.ParseInt(l.Length, 10, 64)
	if err := errors.Join(atErr, offsetErr, lengthErr); err != nil {
		return IndexLine{}, fmt.Errorf("%w: %w", errLine, err)
	}
	return IndexLine{
		URL: l.URL, At: at, MIME: l.MIME, Status: l.Status, Digest: l.Digest, Filename: l.Filename,
		Offset: offset, Length: length, ID: l.ID, Withdrawn: isTombstone(data),
	}, nil
}

// withdrawnMIME stands in the index line of a withdrawn capture. A site may
// declare it, too, but only a tombstone has no digest.
const withdrawnMIME = "warc/withdrawn"

var withdrawnMark = []byte(`"mime":"` + withdrawnMIME + `","status":"","digest":""`)

// isTombstone looks into the object of a line alone, where quotes in a URL are
// escaped; in the key they are not.
func isTombstone(line []byte) bool {
	_, object, _ := bytes.Cut(line, []byte(" {")) // a key has no blank
	return bytes.Contains(object, withdrawnMark)
}

// Withdraw takes the answer of a capture out of the archive in dir under root
// for good. line is its index line; Withdraw gives the line that is to stand
// in its place, of the same length.
//
// The record is overwritten where it stands by one that has its ID, date and
// URL, WARC-Truncated, and of the answer nothing but the status. It takes up as
// many bytes, so that all other places stay true: the gzip member is filled up
// with empty blocks. It is on disk when Withdraw returns. Doing it again, as
// after a crash half-way, gives the same; the line of what was withdrawn is
// given back as it is. The request and the metadata that stand beside it are
// left, and so are the records of other URLs with the same payload; a revisit
// that refers to this one loses its payload. A revisit loses its header and
// becomes a response, for it would lead to its payload, which stands in the
// earlier record of the same digest and is left.
//
// [ErrPlace] says that another record stands there, that no gzip member begins
// there, or that neither one nor the end of the file follows; [Open] cuts off
// what a crash left behind the last one. [ErrNoRoom] says that the place is
// shorter than any of a Writer. Then nothing is written. What cannot be read is
// overwritten all the same.
func Withdraw(root *os.Root, dir string, line []byte) ([]byte, error) {
	l, err := ParseIndexLine(line)
	if err != nil {
		return nil, fmt.Errorf("withdraw: %w", err)
	}
	if l.Withdrawn {
		return line, nil
	}
	tombstone, err := withdrawnLine(line)
	if err == nil {
		err = l.overwrite(root, dir)
	}
	if err != nil {
		return nil, fmt.Errorf("withdraw %s at %d of %s: %w", l.URL, l.Offset, l.Filename, err)
	}
	return tombstone, nil
}

func (l IndexLine) overwrite(root *os.Root, dir string) error {
	if path.Base(l.Filename) != l.Filename {
		return fmt.Errorf("%w: no name of a file", fs.ErrInvalid)
	}
	name := path.Join(dir, l.Filename)
	info, err := root.Lstat(name)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%w: not a regular file", fs.ErrInvalid)
	}
	file, err := root.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	err = l.replace(file, info.Size())
	return errors.Join(err, file.Sync(), file.Close())
}

func (l IndexLine) replace(file *os.File, size int64) error {
	if err := l.check(file, size); err != nil {
		return err
	}
	member, err := l.tombstone()
	if err != nil {
		return err
	}
	_, err = file.WriteAt(member, l.Offset)
	return err
}

// check makes sure that the line's member is what would be overwritten. The
// first bytes of a member are the same before, during and after that.
func (l IndexLine) check(file io.ReaderAt, size int64) error {
	if l.Offset < 0 || l.Length <= 0 || l.Offset > size || l.Length > size-l.Offset {
		return fmt.Errorf("%w: the file has %d bytes", ErrPlace, size)
	}
	err := checkMember(file, l.Offset)
	if end := l.Offset + l.Length; err == nil && end < size {
		err = checkMember(file, end)
	}
	if err != nil {
		return err
	}
	record, err := NewReader(io.NewSectionReader(file, l.Offset, l.Length)).Next()
	if err != nil {
		return nil //nolint:nilerr // a withdrawal was cut short, or it is damaged; its content must go all the same
	}
	if id := record.Field("WARC-Record-ID"); id != l.ID {
		return fmt.Errorf("%w: %s is, not %s", ErrPlace, id, l.ID)
	}
	return nil
}

func checkMember(file io.ReaderAt, offset int64) error {
	start := make([]byte, 3)
	if _, err := file.ReadAt(start, offset); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if !bytes.Equal(start, memberHead[:3]) {
		return fmt.Errorf("%w: no gzip member begins at %d", ErrPlace, offset)
	}
	return nil
}

// withdrawnLine gives a line of the same length that only says what was there.
func withdrawnLine(was []byte) ([]byte, error) {
	l, err := parseLine(was)
	if err != nil {
		return nil, err
	}
	l.MIME, l.Status, l.Digest, l.Truncated = withdrawnMIME, "", "", TruncatedUnspecified
	line := bytes.TrimSuffix(l.encode(), []byte("\n"))
	text := bytes.TrimSuffix(was, []byte("\n"))
	if len(line) > len(text) {
		return nil, fmt.Errorf("%w: its index line", ErrNoRoom)
	}
	line = append(line, bytes.Repeat([]byte(" "), len(text)-len(line))...)
	return append(line, was[len(text):]...), nil
}

// tombstone gives a gzip member of the line's length with a record that says
// that another was there. Digests, which are optional, are left out where there
// is no room, that of the block last.
func (l IndexLine) tombstone() ([]byte, error) {
	block := l.statusLine()
	payload, whole := Field{"WARC-Payload-Digest", emptyDigest}, Field{"WARC-Block-Digest", digestOf(block)}
	for _, more := range [][]Field{{payload, whole}, {whole}, nil} {
		record := []byte(version + "\r\n")
		record = appendField(record, Field{"WARC-Type", typeResponse})
		record = appendFields(record, []Field{
			{"WARC-Record-ID", l.ID},
			{"WARC-Date", l.At.Format(dateForm)},
			{"WARC-Target-URI", l.URL},
			{"Content-Type", responseType},
			{"WARC-Truncated", TruncatedUnspecified},
		})
		record = appendFields(record, more)
		record = appendField(record, Field{"Content-Length", strconv.Itoa(len(block))})
		record = fmt.Appendf(record, "\r\n%s\r\n\r\n", block)
		member, err := memberOf(record, l.Length)
		if !errors.Is(err, ErrNoRoom) {
			return member, err
		}
	}
	return nil, ErrNoRoom
}

// statusLine gives the head of an answer without header lines and reason; the
// blank is part of it (RFC 9112 §4). What is no status code counts as 500, as
// for a client (RFC 9110 §15).
func (l IndexLine) statusLine() []byte {
	code, err := strconv.Atoi(l.Status)
	if err != nil || code < 100 || code > 999 {
		code = http.StatusInternalServerError
	}
	return fmt.Appendf(nil, "HTTP/1.1 %d \r\n\r\n", code)
}

// Parts of a gzip member (RFC 1952 §2.3).
var (
	memberHead = []byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff}
	hasComment = byte(1 << 4)
	// An empty stored block (RFC 1951 §3.2.4), and the last one, whose codes are
	// fixed (§3.2.6).
	emptyBlock = []byte{0, 0, 0, 0xff, 0xff}
	lastBlock  = []byte{3, 0}
)

// memberOf compresses data to a gzip member of exactly that length. What is
// missing is filled up with empty blocks, and with a comment of less than five
// bytes in the header.
func memberOf(data []byte, length int64) ([]byte, error) {
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	if err := w.Flush(); err != nil { // to a byte boundary, without a last block
		return nil, err
	}
	room := length - int64(len(memberHead)+packed.Len()+len(lastBlock)+8)
	if room < 0 {
		return nil, ErrNoRoom
	}
	out := make([]byte, 0, length)
	out = append(out, memberHead...)
	if short := room % int64(len(emptyBlock)); short > 0 {
		out[3] |= hasComment
		out = append(out, bytes.Repeat([]byte("-"), int(short-1))...)
		out = append(out, 0)
	}
	out = append(out, packed.Bytes()...)
	out = append(out, bytes.Repeat(emptyBlock, int(room/int64(len(emptyBlock))))...)
	out = append(out, lastBlock...)
	out = binary.LittleEndian.AppendUint32(out, crc32.ChecksumIEEE(data))
	return binary.LittleEndian.AppendUint32(out, uint32(len(data))), nil
}
