package warc

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path"
	"strconv"
	"time"
)

// ErrNoRoom means that a record is too short for the one that is to stand in
// its place.
var ErrNoRoom = errors.New("warc: record is too short to be withdrawn")

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
		Offset: offset, Length: length, ID: l.ID, Withdrawn: l.MIME == withdrawnMIME,
	}, nil
}

// withdrawnMIME stands in the index line of a withdrawn capture.
const withdrawnMIME = "warc/withdrawn"

// Withdraw takes the answer of a capture out of the archive in dir under root
// for good. line is its index line; Withdraw gives the line that is to stand
// in its place, of the same length.
//
// The record is overwritten where it stands by one that has its ID, date and
// URL, WARC-Truncated, and of the answer nothing but the status. It takes up as
// many bytes, so that all other places stay true: the gzip member is filled up
// with empty blocks. It is on disk when Withdraw returns. Doing it again, as
// after a crash half-way, gives the same. The request and the metadata that
// stand beside it are left, and so are the records of other URLs with the same
// payload; a revisit that refers to this one loses its payload.
func Withdraw(root *os.Root, dir string, line []byte) ([]byte, error) {
	l, err := ParseIndexLine(line)
	if err != nil {
		return nil, fmt.Errorf("withdraw: %w", err)
	}
	member, err := tombstoneOf(l)
	if err != nil {
		return nil, fmt.Errorf("withdraw %s: %w", l.URL, err)
	}
	file, err := root.OpenFile(path.Join(dir, l.Filename), os.O_RDWR, 0)
	if err != nil {
		return nil, fmt.Errorf("withdraw %s: %w", l.URL, err)
	}
	_, err = file.WriteAt(member, l.Offset)
	if err := errors.Join(err, file.Sync(), file.Close()); err != nil {
		return nil, fmt.Errorf("withdraw %s: %w", l.URL, err)
	}
	tombstone, err := withdrawnLine(line)
	if err != nil {
		return nil, fmt.Errorf("withdraw %s: %w", l.URL, err)
	}
	return tombstone, nil
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

// tombstoneOf gives a gzip member of a length with a record that says that
// another was there. The digests are left out where there is no room.
func tombstoneOf(l IndexLine) ([]byte, error) {
	status := l.Status
	if len(status) != 3 {
		status = "000" // nobody knows
	}
	block := "HTTP/1.1 " + status + "\r\n\r\n"
	sum := sha256.Sum256([]byte(block))
	digests := []Field{
		{"WARC-Payload-Digest", emptyDigest},
		{"WARC-Block-Digest", "sha256:" + hex.EncodeToString(sum[:])},
	}
	for _, more := range [][]Field{digests, nil} {
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
		record = append(record, "\r\n"+block+"\r\n\r\n"...)
		member, err := memberOf(record, l.Length)
		if !errors.Is(err, ErrNoRoom) {
			return member, err
		}
	}
	return nil, ErrNoRoom
}

// Parts of a gzip member (RFC 1952 §2.3).
var (
	memberHead = []byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff}
	hasComment = byte(1 << 4)
	// An empty stored block (RFC 1951 §3.2.4) and the last one.
	emptyBlock = []byte{0, 0, 0, 0xff, 0xff}
	lastBlock  = []byte{1, 0, 0, 0xff, 0xff}
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
