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

// Charset tells how the bytes of a text body were decoded.
type Charset struct {
	// Name is the name in the Encoding standard, in lower case: "utf-8". It is
	// "replacement" for an encoding that browsers refuse; such a body is returned
	// unchanged.
	Name string
	// Source tells how the charset was determined: "bom", "header", "meta", "xml" (an
	// XML declaration), "valid" (the bytes are UTF-8, except for at most a few),
	// "detected" (by the frequency of letters) or "default".
	Source string
}

// Decode returns a text body in UTF-8 and its charset. The charset is determined
// by, in this order, a byte order mark, the Content-Type header, a meta element or
// an XML declaration, UTF-8 if the bytes are valid, and detection; otherwise it is
// windows-1252. That is the order of the HTML standard (§13.2.3.2), with UTF-8
// before detection.
//
// contentType is the value of the header, or its values joined by commas. Bytes
// that are invalid in the charset become U+FFFD, except in a body in UTF-8, which
// is returned unchanged. The result may share memory with body.
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

// charsetOf returns the encoding of a body, or nil when it is UTF-8.
func charsetOf(body []byte, contentType string) (encoding.Encoding, Charset) {
	if from, name, ok := byteOrder(body); ok {
		return from, Charset{name, "bom"}
	}
	if from, name, ok := lookup(parseMedia(contentType).charset); ok {
		return from, Charset{name, "header"}
	}
	switch { // an XML declaration in UTF-16
	case bytes.HasPrefix(body, []byte("<\x00?\x00x\x00")):
		return unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), Charset{"utf-16le", "xml"}
	case bytes.HasPrefix(body, []byte("\x00<\x00?\x00x")):
		return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), Charset{"utf-16be", "xml"}
	}
	if label, source := declaredCharset(body, Media(contentType)); label != "" {
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

// lookup returns the encoding with that label, or nil for UTF-8.
//
// Deviation: the Encoding standard replaces a body in one of the encodings that
// are dangerous in a browser ("replacement") with one U+FFFD. A crawler runs no
// scripts: it decodes hz-gb-2312 and leaves the others unchanged, because their
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

// asMeta returns the label to use for one that the document itself declares: a
// document whose declaration could be read does not have two bytes per character
// (HTML §13.2.3.2, prescan).
func asMeta(label string) string {
	switch _, name, _ := lookup(label); name {
	case "utf-16be", "utf-16le":
		return "utf-8"
	case "x-user-defined":
		return "windows-1252"
	}
	return label
}

// mostlyUTF8 reports whether a body is UTF-8 except for a few bytes. One invalid
// byte among many valid characters does not mean another charset.
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
