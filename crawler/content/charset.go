package content

import (
	"bytes"
	"mime"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
)

// Charset tells how the bytes of a text body were decoded.
type Charset struct {
	Name   string // as the Encoding standard names it, in lower case: "utf-8"
	Source string // "bom", "header", "meta", "valid" (UTF-8 by its bytes) or "default"
}

// Decode returns a text body in UTF-8 and its charset. The charset is determined
// by, in this order, a byte order mark, the Content-Type header, a meta element
// in the first 1,024 bytes, UTF-8 if the body is valid UTF-8, and otherwise
// windows-1252.
//
// Bytes that are invalid in the charset become U+FFFD, except in a body declared
// as UTF-8, which is returned unchanged. The result may share memory with body.
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
	switch {
	case bytes.HasPrefix(body, []byte("\xef\xbb\xbf")):
		return nil, Charset{"utf-8", "bom"}
	case bytes.HasPrefix(body, []byte("\xfe\xff")):
		return unicode.UTF16(unicode.BigEndian, unicode.UseBOM), Charset{"utf-16be", "bom"}
	case bytes.HasPrefix(body, []byte("\xff\xfe")):
		return unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), Charset{"utf-16le", "bom"}
	}
	if _, params, err := mime.ParseMediaType(contentType); err == nil {
		if from, name, ok := lookup(params["charset"]); ok {
			return from, Charset{name, "header"}
		}
	}
	if from, name, ok := lookup(metaCharset(body)); ok {
		if strings.HasPrefix(name, "utf-16") { // in UTF-16 the meta element would not have been found
			return nil, Charset{"utf-8", "meta"}
		}
		return from, Charset{name, "meta"}
	}
	if utf8.Valid(body) {
		return nil, Charset{"utf-8", "valid"}
	}
	return charmap.Windows1252, Charset{"windows-1252", "default"}
}

func lookup(label string) (encoding.Encoding, string, bool) {
	if label == "" {
		return nil, "", false
	}
	from, err := htmlindex.Get(label)
	if err != nil {
		return nil, "", false
	}
	name, err := htmlindex.Name(from)
	if err != nil {
		return nil, "", false
	}
	if name == "utf-8" {
		return nil, name, true
	}
	return from, name, true
}

// metaCharset returns the label after the first "charset=" in a meta element of
// the first 1,024 bytes, as in the prescan of the HTML standard.
func metaCharset(body []byte) string {
	head := strings.ToLower(string(body[:min(len(body), 1024)]))
	for {
		at := strings.Index(head, "<meta")
		if at < 0 {
			return ""
		}
		head = head[at+len("<meta"):]
		tag, _, _ := strings.Cut(head, ">")
		if _, value, ok := strings.Cut(tag, "charset"); ok {
			value, ok = strings.CutPrefix(strings.TrimLeft(value, " \t\r\n"), "=")
			value = strings.TrimLeft(value, " \t\r\n\"'")
			if end := strings.IndexAny(value, " \t\r\n\"';/>"); end >= 0 {
				value = value[:end]
			}
			if ok && value != "" {
				return value
			}
		}
	}
}
