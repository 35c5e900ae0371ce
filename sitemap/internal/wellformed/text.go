package wellformed

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"
)

// text reads what is between tags.
func (c *Checker) text() bool {
	piece, whole := c.rest(), c.final
	if end := bytes.IndexByte(piece, '<'); end >= 0 {
		piece, whole = piece[:end], true
	}
	if !whole {
		piece = judgeable(piece)
	}
	if len(c.open) == 0 {
		for i, b := range piece {
			if !isSpace(b) {
				return c.fail(i, "text outside the root element")
			}
		}
	} else if !c.value(piece, 0, true) {
		return false
	}
	c.at += len(piece)
	return len(piece) > 0
}

// judgeable returns piece without what the next bytes could change: a reference, an
// end of a CDATA section or a character that is not complete.
func judgeable(piece []byte) []byte {
	piece = wholeRunes(piece)
	tail := piece[max(0, len(piece)-maxReference):]
	if at := bytes.LastIndexByte(tail, '&'); at >= 0 && bytes.IndexByte(tail[at:], ';') < 0 {
		piece = piece[:len(piece)-len(tail)+at]
	}
	for range 2 {
		piece = bytes.TrimSuffix(piece, []byte("]"))
	}
	return piece
}

// wholeRunes returns piece without a character at its end that is not complete.
func wholeRunes(piece []byte) []byte {
	for n := 1; n < utf8.UTFMax && n <= len(piece); n++ {
		if b := piece[len(piece)-n]; utf8.RuneStart(b) {
			if !utf8.FullRune(piece[len(piece)-n:]) {
				return piece[:len(piece)-n]
			}
			break
		}
	}
	return piece
}

// special are the bytes of text that need a closer look.
var special = func() (table [256]bool) {
	for b := range table {
		table[b] = b < ' ' && b != '\t' && b != '\n' && b != '\r' || b >= utf8.RuneSelf || b == '&' || b == '<' || b == '>'
	}
	return table
}()

// value checks the characters and references of a text that begins n bytes ahead:
// of an element, if it is its content, or of an attribute.
func (c *Checker) value(text []byte, n int, content bool) bool {
	for i := 0; ; {
		for i < len(text) && !special[text[i]] {
			i++
		}
		if i == len(text) {
			return true
		}
		switch text[i] {
		case '&':
			length, message := reference(text[i:])
			if message != "" {
				return c.fail(n+i, message)
			}
			i += length
		case '<':
			return c.fail(n+i, "< inside the value of an attribute")
		case '>':
			if content && i >= 2 && text[i-1] == ']' && text[i-2] == ']' {
				return c.fail(n+i-2, "]]> outside a CDATA section")
			}
			i++
		default:
			length, ok := c.character(text, i, n)
			if !ok {
				return false
			}
			i += length
		}
	}
}

// characters checks text at the place that was reached, without references.
func (c *Checker) characters(text []byte) bool {
	for i := 0; i < len(text); {
		b := text[i]
		if !special[b] || b == '&' || b == '<' || b == '>' {
			i++
			continue
		}
		length, ok := c.character(text, i, 0)
		if !ok {
			return false
		}
		i += length
	}
	return true
}

// character checks the character at a place of a text that begins n bytes ahead.
func (c *Checker) character(text []byte, at, n int) (length int, ok bool) {
	r, length := utf8.DecodeRune(text[at:])
	switch {
	case r == utf8.RuneError && length <= 1:
		return 0, c.fail(n+at, "bytes that are not UTF-8")
	case !isChar(r):
		return 0, c.fail(n+at, "the character U+"+strings.ToUpper(hex4(r))+", which XML forbids")
	}
	return length, true
}

func hex4(r rune) string {
	text := strconv.FormatInt(int64(r), 16)
	return strings.Repeat("0", max(0, 4-len(text))) + text
}

// isChar reports whether XML 1.0 §2.2 allows a character.
func isChar(r rune) bool {
	switch {
	case r == '\t', r == '\n', r == '\r':
		return true
	case r < ' ', r == 0xfffe, r == 0xffff, 0xd800 <= r && r <= 0xdfff:
		return false
	}
	return r <= utf8.MaxRune
}

// reference checks the reference at the start of text and returns its length, or
// what is wrong with it.
func reference(text []byte) (length int, message string) {
	end := bytes.IndexAny(text[1:min(len(text), maxReference)], ";&") + 1
	if end == 0 || text[end] == '&' {
		return 0, "& that begins no reference"
	}
	name := string(text[1:end])
	switch name {
	case "amp", "lt", "gt", "quot", "apos":
		return end + 1, ""
	}
	number, ok := strings.CutPrefix(name, "#")
	if !ok {
		if !isNCName(text[1:end]) {
			return 0, "& that begins no reference"
		}
		return 0, "the entity " + name + ", which XML does not define"
	}
	if r, ok := parseRune(number); !ok || !isChar(r) {
		return 0, "a reference to a character that XML forbids"
	}
	return end + 1, ""
}

// parseRune parses the number of a character reference (§4.1).
func parseRune(number string) (rune, bool) {
	base := 10
	if digits, ok := strings.CutPrefix(number, "x"); ok {
		number, base = digits, 16
	}
	n, err := strconv.ParseUint(number, base, 32)
	return rune(n), err == nil && n <= utf8.MaxRune
}

func isSpace(b byte) bool { return b == ' ' || b == '\n' || b == '\t' || b == '\r' }
