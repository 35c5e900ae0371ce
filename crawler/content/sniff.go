package content

import (
	"bytes"
	"unicode/utf8"
)

// sniffed is how many bytes of a body are examined to tell text from other data.
// The MIME Sniffing standard examines 1,445 and most browsers 512.
const sniffed = 512

// isText reports whether the beginning of a body has no binary data byte (MIME
// Sniffing §3). UTF-16 and UTF-32 with a byte order mark are text.
func isText(head []byte) bool {
	if bytes.HasPrefix(head, []byte("\xfe\xff")) || bytes.HasPrefix(head, []byte("\xff\xfe")) {
		return true
	}
	for _, c := range head {
		switch {
		case c <= 0x08, c == 0x0b, c >= 0x0e && c <= 0x1a, c >= 0x1c && c <= 0x1f:
			return false
		}
	}
	return true
}

// isMarkup reports whether head begins like HTML or XML.
func isMarkup(head []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(head, " \t\r\n\f"), []byte("<"))
}

// isUTF8 reports whether head is valid UTF-8, except for a character that is cut
// off at its end.
func isUTF8(head []byte) bool {
	for len(head) > 0 {
		r, size := utf8.DecodeRune(head)
		if r == utf8.RuneError && size == 1 {
			return !utf8.FullRune(head)
		}
		head = head[size:]
	}
	return true
}
