package content

import (
	"bytes"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"
)

// Charset says how the bytes of a text body were read.
type Charset struct {
	// Name is that of the Encoding standard, in lower case: "utf-8". A body in an
	// encoding that browsers refuse is left as it is: "replacement".
	Name string
	// Source is what the name comes from: "bom", "header", "meta", "xml" (an XML
	// declaration), "valid" (the bytes are UTF-8, but for a few at most),
	// "detected" (by the frequency of letters) or "default".
	Source string
}

// Decode returns a text body as UTF-8, and how it was read. In order: a byte
// order mark, the Content-Type header, a meta element or an XML declaration,
// UTF-8 when the bytes are, what the letters suggest, windows-1252. That is the
// order of the HTML standard (§13.2.3.2), with UTF-8 before detection.
//
// contentType is the value of the header, or its values joined by commas. Bytes
// that the charset does not know become U+FFFD, except in a body that is said to
// be UTF-8, which is returned as it is. The result may share memory with body.
func Decode(body []byte, contentType string) ([]byte, Charset) {
	from, charset := charsetOf(body, contentType)
	body = bytes.TrimPrefix(body, []byte("\xef\xbb\xbf"))
	if from == nil {
		return body, charset
	}
	text, err := from.NewDecoder().Bytes(body)
	if err != nil {
		return body, charset
	}
	return text, charset
}

// charsetOf returns the encoding of a body, nil when it is UTF-8.
func charsetOf(body []byte, contentType string) (encoding.Encoding, Charset) {
	if from, name, ok := byteOrder(body); ok {
		return from, Charset{name, "bom"}
	}
	if from, name, ok := lookup(parseMedia(contentType).charset); ok {
		return from, Charset{name, "header"}
	}
	if label, source := declaredCharset(body); label != "" {
		if from, name, ok := lookup(asMeta(label)); ok {
			return from, Charset{name, source}
		}
	}
	shifts := bytes.Contains(body, []byte("\x1b$")) // ISO 2022, which has no byte above 0x7f
	if !shifts && mostlyUTF8(body) {
		return nil, Charset{"utf-8", "valid"}
	}
	if from, name, ok := detect(body); ok {
		return from, Charset{name, "detected"}
	}
	return charmap.Windows1252, Charset{"windows-1252", "default"}
}

func byteOrder(body []byte) (encoding.Encoding, string, bool) {
	switch {
	case bytes.HasPrefix(body, []byte("\xef\xbb\xbf")):
		return nil, "utf-8", true
	case bytes.HasPrefix(body, []byte("\xfe\xff")):
		return unicode.UTF16(unicode.BigEndian, unicode.UseBOM), "utf-16be", true
	case bytes.HasPrefix(body, []byte("\xff\xfe")):
		return unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), "utf-16le", true
	}
	return nil, "", false
}

// lookup returns the encoding that a label names, nil for UTF-8.
//
// Deviation: the Encoding standard turns a body in one of the encodings that are
// dangerous in a browser ("replacement") into one U+FFFD. A crawler runs no
// scripts: hz-gb-2312 is read, and the others are left as they are, for their
// links are ASCII.
func lookup(label string) (encoding.Encoding, string, bool) {
	if label == "" {
		return nil, "", false
	}
	if label == "hz-gb-2312" {
		return simplifiedchinese.HZGB2312, label, true
	}
	from, err := htmlindex.Get(label)
	if err != nil {
		return nil, "", false
	}
	name, err := htmlindex.Name(from)
	switch {
	case err != nil:
		return nil, "", false
	case name == "utf-8", name == "replacement":
		return nil, name, true
	}
	return from, name, true
}

// asMeta returns the label that counts where a document names its charset
// itself: what could be read is in no encoding of two bytes a character (HTML
// §13.2.3.2, prescan).
func asMeta(label string) string {
	switch _, name, _ := lookup(label); name {
	case "utf-16be", "utf-16le":
		return "utf-8"
	case "x-user-defined":
		return "windows-1252"
	}
	return label
}

// mostlyUTF8 reports whether a body is UTF-8 but for a few bytes: one that is
// wrong among many that are right is no reason to read all in another way.
func mostlyUTF8(body []byte) bool {
	if utf8.Valid(body) {
		return true
	}
	var right, wrong int
	for rest := body; len(rest) > 0; {
		if rest[0] < utf8.RuneSelf {
			rest = rest[1:]
			continue
		}
		r, size := utf8.DecodeRune(rest)
		if r == utf8.RuneError && size == 1 {
			wrong++
		} else {
			right++
		}
		rest = rest[size:]
	}
	return right >= 20*wrong
}
