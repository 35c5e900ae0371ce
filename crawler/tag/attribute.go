package tag

import (
	"bytes"
	"iter"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
)

// Attributes returns the names, in lower case, and values, as written, of the
// attributes of a start tag; see [Decode]. Of several with the same name the first
// counts. A name is valid until the next one.
func (s *Scanner) Attributes() iter.Seq2[[]byte, []byte] {
	return func(yield func(name, value []byte) bool) {
		for a := (attributes{s.text[:s.last+1], s.first}); ; {
			name, value, ok := a.next()
			if !ok {
				return
			}
			s.lower = appendLower(s.lower[:0], name)
			if len(name) > 0 && !yield(s.lower, value) {
				return
			}
		}
	}
}

// attributes reads attributes up to the ">" that ends the tag (§13.2.5.32 to 40).
type attributes struct {
	text []byte
	at   int
}

// next returns the next attribute. It reports false at the end of the tag or of the
// text. The name is empty between a "/" and what follows.
func (a *attributes) next() (name, value []byte, ok bool) {
	if !a.space() || a.text[a.at] == '>' {
		return nil, nil, false
	}
	begin := a.at
	if a.text[a.at] == '=' { // at the beginning of a name it is part of it
		a.at++
	}
	for a.at < len(a.text) && a.text[a.at] != '=' && !endsName[a.text[a.at]] {
		a.at++
	}
	name = a.text[begin:a.at]
	if !a.space() {
		return name, nil, true
	}
	switch a.text[a.at] {
	case '/':
		a.at++
		return name, nil, true
	case '=':
		a.at++
	default:
		return name, nil, true
	}
	if !a.space() || a.text[a.at] == '>' {
		return name, nil, true
	}
	return name, a.value(), true
}

func (a *attributes) value() []byte {
	rest := a.text[a.at:]
	if quote := rest[0]; quote == '"' || quote == '\'' {
		end := bytes.IndexByte(rest[1:], quote)
		if end < 0 {
			a.at = len(a.text)
			return rest[1:]
		}
		a.at += end + 2
		return rest[1 : 1+end]
	}
	end := 0
	for end < len(rest) && rest[end] != '>' && !isSpace(rest[end]) {
		end++
	}
	a.at += end
	return rest[:end]
}

// space skips white space. It reports whether there is anything behind it.
func (a *attributes) space() bool {
	for a.at < len(a.text) && isSpace(a.text[a.at]) {
		a.at++
	}
	return a.at < len(a.text)
}

// Decode returns the value of an attribute with its character references resolved
// (§13.2.5.72 to 80).
func Decode(value []byte) string {
	text := normal(value)
	at := strings.IndexByte(text, '&')
	if at < 0 {
		return text
	}
	var decoded strings.Builder
	for at >= 0 {
		decoded.WriteString(text[:at])
		text = text[at:]
		n := referenceLength(text)
		decoded.WriteString(reference(text[:n], text[n:]))
		text = text[n:]
		at = strings.IndexByte(text, '&')
	}
	decoded.WriteString(text)
	return decoded.String()
}

// DecodeText returns text between tags with its character references resolved.
func DecodeText(text []byte) string { return html.UnescapeString(normal(text)) }

// normal returns text without NUL, and with LF as the end of lines.
func normal(text []byte) string {
	s := string(text)
	if strings.IndexByte(s, 0) >= 0 {
		s = strings.ReplaceAll(s, "\x00", string(utf8.RuneError))
	}
	if strings.IndexByte(s, '\r') >= 0 {
		s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	}
	return s
}

// referenceLength returns the length of what may be a reference at the beginning of
// text: "&" or "&#" with the letters and digits that follow, and a semicolon.
func referenceLength(text string) int {
	n := 1
	if strings.HasPrefix(text, "&#") {
		n++
	}
	for n < len(text) && (isLetter(text[n]) || '0' <= text[n] && text[n] <= '9') {
		n++
	}
	if n < len(text) && text[n] == ';' {
		n++
	}
	return n
}

// reference returns the text for a reference in an attribute that is followed by
// rest. There a name without a semicolon counts only if it is whole, so that
// "?a=1&copy=2" stays as it is.
func reference(text, rest string) string {
	if text == "&amp;" {
		return "&"
	}
	if len(text) > 1 && text[1] == '#' {
		return html.UnescapeString(text)
	}
	whole := strings.HasSuffix(text, ";")
	if !whole && strings.HasPrefix(rest, "=") {
		return text
	}
	decoded := html.UnescapeString(text)
	most := 1 // an unknown name may begin with a known one; then some of its letters are left
	if whole {
		most = 2
	}
	if utf8.RuneCountInString(decoded) > most {
		return text
	}
	return decoded
}
