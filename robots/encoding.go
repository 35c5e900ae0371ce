package robots

import (
	"encoding/binary"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

const bom = "\ufeff" // byte order mark

// textOf returns the text of a file without byte order marks.
//
// Deviation: UTF-16 is read, although RFC 9309 §2.3 demands UTF-8. A site that
// serves it means its rules.
func textOf(data []byte) string {
	text := ""
	if order := utf16Order(data); order != nil {
		text = decodeUTF16(data, order)
	} else {
		text = string(data)
	}
	for strings.HasPrefix(text, bom) {
		text = text[len(bom):]
	}
	return text
}

// utf16Order returns the byte order of a file in UTF-16, or nil for any other.
// Without a byte order mark, the first two characters must be plain ASCII.
func utf16Order(data []byte) binary.ByteOrder {
	if len(data) < 2 {
		return nil
	}
	switch first := [2]byte(data); {
	case first == [2]byte{0xff, 0xfe}:
		return binary.LittleEndian
	case first == [2]byte{0xfe, 0xff}:
		return binary.BigEndian
	case len(data) < 4:
		return nil
	}
	first, second := data[0] == 0 && data[2] == 0, data[1] == 0 && data[3] == 0
	switch {
	case second && isASCII(data[0]) && isASCII(data[2]):
		return binary.LittleEndian
	case first && isASCII(data[1]) && isASCII(data[3]):
		return binary.BigEndian
	}
	return nil
}

func isASCII(c byte) bool { return 0 < c && c < utf8.RuneSelf }

// decodeUTF16 replaces what is no character with U+FFFD. An odd octet at the end
// does not count.
func decodeUTF16(data []byte, order binary.ByteOrder) string {
	var b strings.Builder
	b.Grow(len(data) / 2)
	for ; len(data) > 1; data = data[2:] {
		r := rune(order.Uint16(data))
		if utf16.IsSurrogate(r) {
			r = utf8.RuneError
			if len(data) > 3 {
				r = utf16.DecodeRune(rune(order.Uint16(data)), rune(order.Uint16(data[2:])))
			}
			if r != utf8.RuneError {
				data = data[2:]
			}
		}
		b.WriteRune(r)
	}
	return b.String()
}

// cut returns how many bytes of a file count: at most [MaxBytes], cut back to the
// last whole line.
func cut(data []byte) int {
	if len(data) <= MaxBytes {
		return len(data)
	}
	return len(cutLine(data[:MaxBytes]))
}

// cutLine cuts data back to the last whole line.
func cutLine(data []byte) []byte {
	order := utf16Order(data)
	width := 1
	if order != nil {
		width = 2
	}
	for end := len(data) / width * width; end > 0; end -= width {
		c := uint16(data[end-1])
		if order != nil {
			c = order.Uint16(data[end-width:])
		}
		if c == '\n' || c == '\r' {
			return data[:end]
		}
	}
	return nil
}
