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

// ErrNoRoom means that a record is too short to be overwritten by a tombstone.
var ErrNoRoom = errors.New("warc: record is too short to be withdrawn")

// ErrPlace means that the record of an index line is not at the offset in the line.
var ErrPlace = errors.New("warc: the record is not there")

// An IndexLine describes one capture in an index.
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

// ParseIndexLine parses a line that a [Writer] passed to [Options.Index].
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

// withdrawnMIME is the media type in the index line of a withdrawn capture. A site
// may declare it as well, but only a tombstone has no digest.
const withdrawnMIME = "warc/withdrawn"

var withdrawnMark = []byte(`"mime":"` + withdrawnMIME + `","status":"","digest":""`)

// isTombstone searches only the object of a line, where quotes in a URL are
// escaped. In the key they are not.
func isTombstone(line []byte) bool {
	_, object, _ := bytes.Cut(line, []byte(" {")) // a key has no blanks
	return bytes.Contains(object, withdrawnMark)
}

// Withdraw erases the response of a capture from the archive in dir under root.
// line is its index line. Withdraw returns the line to replace it, of the same
// length.
//
// The record is overwritten in place by a tombstone with its ID, date and URL,
// WARC-Truncated, and only the status of the response. The gzip member is padded
// with empty blocks to the same length, so that all other offsets stay valid. It
// is on disk when Withdraw returns. Repeating it, for example after a crash,
// writes the same; the line of a withdrawn capture is returned unchanged.
//
// Its request and metadata records stay, and so do records of other URLs with the
// same payload. A revisit that refers to the record loses its payload. A withdrawn
// revisit loses its header and becomes a response, since it would lead to its
// payload, which stays in the earlier record of the same digest.
//
// [ErrPlace] means that another record is at the offset, that no gzip member
// begins there, or that neither a member nor the end of the file follows. [Open]
// removes what a crash left after the last member. [ErrNoRoom] means that the
// record is shorter than any that a Writer writes. In both cases nothing is
// written. A record that cannot be read is overwritten.
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
		return fmt.Errorf("%w: not a file name", fs.ErrInvalid)
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

// check makes sure that the member of the line would be overwritten. The first
// bytes of a member are the same before, during and after that.
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
		return nil //nolint:nilerr // the record is damaged or half withdrawn, and still has to be erased
	}
	if id := record.Field("WARC-Record-ID"); id != l.ID {
		return fmt.Errorf("%w: found %s, want %s", ErrPlace, id, l.ID)
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

// withdrawnLine returns the line of a tombstone, as long as the line before.
func withdrawnLine(before []byte) ([]byte, error) {
	l, err := parseLine(before)
	if err != nil {
		return nil, err
	}
	l.MIME, l.Status, l.Digest, l.Truncated = withdrawnMIME, "", "", TruncatedUnspecified
	line := bytes.TrimSuffix(l.encode(), []byte("\n"))
	text := bytes.TrimSuffix(before, []byte("\n"))
	if len(line) > len(text) {
		return nil, fmt.Errorf("%w: index line", ErrNoRoom)
	}
	line = append(line, bytes.Repeat([]byte(" "), len(text)-len(line))...)
	return append(line, before[len(text):]...), nil
}

// tombstone returns the gzip member to replace the record, of the same length.
// Digests, which are optional, are left out when there is no room: first that of
// the payload, then that of the block.
func (l IndexLine) tombstone() ([]byte, error) {
	block := l.statusLine()
	payloadDigest, blockDigest := Field{"WARC-Payload-Digest", emptyDigest}, Field{"WARC-Block-Digest", digestOf(block)}
	for _, digests := range [][]Field{{payloadDigest, blockDigest}, {blockDigest}, nil} {
		record := []byte(version + "\r\n")
		record = appendField(record, Field{"WARC-Type", typeResponse})
		record = appendFields(record, []Field{
			{"WARC-Record-ID", l.ID},
			{"WARC-Date", l.At.Format(dateForm)},
			{"WARC-Target-URI", l.URL},
			{"Content-Type", responseType},
			{"WARC-Truncated", TruncatedUnspecified},
		})
		record = appendFields(record, digests)
		record = appendField(record, Field{"Content-Length", strconv.Itoa(len(block))})
		record = fmt.Appendf(record, "\r\n%s\r\n\r\n", block)
		member, err := memberOf(record, l.Length)
		if !errors.Is(err, ErrNoRoom) {
			return member, err
		}
	}
	return nil, ErrNoRoom
}

// statusLine returns the head of a response without header lines and reason. The
// blank after the code is required (RFC 9112 §4). Anything but a status code
// counts as 500, as for a client (RFC 9110 §15).
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
	// An empty stored block (RFC 1951 §3.2.4), and an empty last block with fixed
	// codes (§3.2.6).
	emptyBlock = []byte{0, 0, 0, 0xff, 0xff}
	lastBlock  = []byte{3, 0}
)

// memberOf compresses data to a gzip member of exactly that length, padded with
// empty blocks and a comment of less than five bytes in the header.
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
