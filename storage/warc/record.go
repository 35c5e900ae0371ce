package warc

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/klauspost/compress/gzip"
)

// A Field is one line in the header of a record, or in a block of fields.
type Field struct {
	Name  string
	Value string
}

// Record types (ISO 28500 §6).
const (
	typeInfo     = "warcinfo"
	typeResponse = "response"
	typeRequest  = "request"
	typeMetadata = "metadata"
	typeRevisit  = "revisit"
)

const (
	version       = "WARC/1.1"
	fieldsType    = "application/warc-fields"
	requestType   = "application/http; msgtype=request"
	responseType  = "application/http; msgtype=response"
	sameDigest    = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
	dateForm      = "2006-01-02T15:04:05Z"
	timestampForm = "20060102150405"
)

// compression is the gzip level. Level 9 takes twice the time for 1 % less space.
const compression = 6

// An Encoder encodes captures. The zero value is ready to use. It is safe for
// concurrent use.
type Encoder struct {
	writers sync.Pool // of *gzip.Writer, 800 KB each
}

// member appends a record as one gzip member. block is the parts of its block.
func (e *Encoder) member(out *bytes.Buffer, kind, id string, fields []Field, block ...[]byte) error {
	w, ok := e.writers.Get().(*gzip.Writer)
	if !ok {
		var err error
		if w, err = gzip.NewWriterLevel(out, compression); err != nil {
			return err
		}
	}
	defer e.writers.Put(w)
	w.Reset(out)
	if _, err := w.Write(head(kind, id, fields, block)); err != nil {
		return err
	}
	for _, part := range block {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	if _, err := w.Write([]byte("\r\n\r\n")); err != nil {
		return err
	}
	return w.Close()
}

// head returns the header of a record, with the fields common to all.
func head(kind, id string, fields []Field, block [][]byte) []byte {
	length, sum := 0, sha256.New()
	for _, part := range block {
		length += len(part)
		_, _ = sum.Write(part) // never fails
	}
	out := make([]byte, 0, 1024)
	out = append(out, version+"\r\n"...)
	out = appendField(out, Field{"WARC-Type", kind})
	out = appendField(out, Field{"WARC-Record-ID", id})
	out = appendFields(out, fields)
	out = appendField(out, Field{"WARC-Block-Digest", "sha256:" + hex.EncodeToString(sum.Sum(nil))})
	out = appendField(out, Field{"Content-Length", strconv.Itoa(length)})
	return append(out, "\r\n"...)
}

// appendFields appends the fields that have a value.
func appendFields(out []byte, fields []Field) []byte {
	for _, f := range fields {
		if f.Value != "" {
			out = appendField(out, f)
		}
	}
	return out
}

// appendField appends one line. Control characters in a value become blanks, since
// a site could start another line with them.
func appendField(out []byte, f Field) []byte {
	if strings.ContainsFunc(f.Value, unicode.IsControl) {
		f.Value = strings.Map(func(r rune) rune {
			if unicode.IsControl(r) {
				return ' '
			}
			return r
		}, f.Value)
	}
	return fmt.Appendf(out, "%s: %s\r\n", f.Name, f.Value)
}

// newID returns a new ID for a record: a random UUID (RFC 9562 §5.4).
func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("<urn:uuid:%x-%x-%x-%x-%x>", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

func digestOf(data []byte) string {
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}
