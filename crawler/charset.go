package crawler

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

// toUTF8 gives a text body as UTF-8, with the name of its charset. In order: a
// byte order mark, the Content-Type header, a meta element in the first 1,024
// bytes, UTF-8 when it is valid, else windows-1252.
func toUTF8(body []byte, contentType string) (text []byte, charset string) {
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

// charsetOf gives the encoding of a body, nil when it is UTF-8.
func charsetOf(body []byte, contentType string) (encoding.Encoding, string) {
	switch {
	case bytes.HasPrefix(body, []byte("\xef\xbb\xbf")):
		return nil, "utf-8"
	case bytes.HasPrefix(body, []byte("\xfe\xff")):
		return unicode.UTF16(unicode.BigEndian, unicode.UseBOM), "utf-16be"
	case bytes.HasPrefix(body, []byte("\xff\xfe")):
		return unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), "utf-16le"
	}
	if _, params, err := mime.ParseMediaType(contentType); err == nil {
		if from, name, ok := lookup(params["charset"]); ok {
			return from, name
		}
	}
	if from, name, ok := lookup(metaCharset(body)); ok {
		return from, name
	}
	if utf8.Valid(body) {
		return nil, "utf-8"
	}
	return charmap.Windows1252, "windows-1252"
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

// metaCharset gives the label behind the first "charset=" of the document's
// first 1,024 bytes, as the HTML standard's prescan finds it.
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
