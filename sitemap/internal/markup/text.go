package markup

import (
	"bytes"
	"iter"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Attribute returns the value of an attribute. Names are compared without case.
func Attribute(attributes []byte, name string) (string, bool) {
	for key, value := range Attributes(attributes) {
		if len(key) == len(name) && strings.EqualFold(string(key), name) {
			return AttributeText(value), true
		}
	}
	return "", false
}

// AttributeText decodes a value.
func AttributeText(value []byte) string {
	text, _, _ := Unescape(value)
	return strings.TrimSpace(text)
}

// Attributes yields names and values as written.
func Attributes(attributes []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(name, value []byte) bool) {
		for {
			for len(attributes) > 0 && (IsSpace(attributes[0]) || attributes[0] == '/') {
				attributes = attributes[1:]
			}
			equals := bytes.IndexByte(attributes, '=')
			if equals < 0 {
				return
			}
			name, rest := attributes[:equals], attributes[equals+1:]
			for len(rest) > 0 && IsSpace(rest[0]) {
				rest = rest[1:]
			}
			var value []byte
			var whole bool
			value, attributes, whole = attributeValue(rest)
			if !whole || !yield(bytes.TrimSpace(name), value) {
				return
			}
		}
	}
}

// attributeValue returns the value at the start of the text, which should be in
// quotes, and the rest.
func attributeValue(text []byte) (value, rest []byte, ok bool) {
	if len(text) > 0 && (text[0] == '"' || text[0] == '\'') {
		end := bytes.IndexByte(text[1:], text[0])
		if end < 0 {
			return text[1:], nil, false
		}
		return text[1 : 1+end], text[2+end:], true
	}
	end := bytes.IndexAny(text, " \t\r\n")
	if end < 0 {
		end = len(text)
	}
	return text[:end], text[end:], true
}

// ValidRune reports whether XML 1.0 §2.2 allows the character.
func ValidRune(r rune) bool {
	return r == '\t' || r == '\n' || r == '\r' || r >= ' ' && r != utf8.RuneError && utf8.ValidRune(r) && r != 0xfffe && r != 0xffff
}

// IsSpace reports whether a byte is white space of XML (§2.3).
func IsSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

// Unescape decodes the five entities and numeric references. unknown reports
// another entity; raw reports an ampersand that starts none. Both are kept.
func Unescape(value []byte) (text string, unknown, raw bool) {
	at := bytes.IndexByte(value, '&')
	if at < 0 {
		return string(value), false, false
	}
	out := make([]byte, 0, len(value))
	for at >= 0 {
		out = append(out, value[:at]...)
		value = value[at:]
		decoded, n, known := reference(value)
		switch {
		case known:
			out = append(out, decoded...)
		case n > 1:
			unknown = true
			out = append(out, value[:n]...)
		default:
			raw = true
			out = append(out, '&')
		}
		value = value[n:]
		at = bytes.IndexByte(value, '&')
	}
	return string(append(out, value...)), unknown, raw
}

// reference reads the reference at the start of value and returns its text, its
// length, and whether it is known. Length 1 means that it is not a reference.
func reference(value []byte) (decoded string, n int, known bool) {
	end := bytes.IndexByte(value[:min(len(value), 64)], ';')
	if end < 2 {
		return "", 1, false
	}
	name := string(value[1:end])
	switch name {
	case "amp":
		return "&", end + 1, true
	case "lt":
		return "<", end + 1, true
	case "gt":
		return ">", end + 1, true
	case "quot":
		return `"`, end + 1, true
	case "apos":
		return "'", end + 1, true
	}
	if name[0] == '#' {
		number, base := name[1:], 10
		if strings.HasPrefix(number, "x") || strings.HasPrefix(number, "X") {
			number, base = number[1:], 16
		}
		code, err := strconv.ParseUint(number, base, 32)
		if err != nil || !ValidRune(rune(code)) {
			return "", end + 1, err == nil
		}
		return string(rune(code)), end + 1, true
	}
	for i := range len(name) {
		if !isNameByte(name[i], i == 0) {
			return "", 1, false
		}
	}
	return "", end + 1, false
}

// isNameByte reports whether the name of an entity may contain c.
func isNameByte(c byte, first bool) bool {
	if 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' {
		return true
	}
	return !first && ('0' <= c && c <= '9' || c == '-' || c == '.' || c == '_')
}
