package robots

import "strings"

const upperHex = "0123456789ABCDEF"

// Normalize returns a path and query in the normal form of RFC 9309 §2.2.2: an
// escaped unreserved character is unescaped, other escapes get capital hex
// digits, and every octet that a URL may not contain is escaped. "*" and "$"
// are escaped too, so that they differ from the special characters of a
// pattern; a "%" that starts no escape becomes "%25". An empty path is "/".
//
// A string already in normal form is returned as it is, without allocation.
func Normalize(pathQuery string) string {
	if pathQuery == "" {
		return "/"
	}
	if pathQuery[0] == '?' {
		pathQuery = "/" + pathQuery
	}
	return normalize(pathQuery, rolePath)
}

// A role tells how a text is read: "*" and "%" may be special in it.
type role byte

const (
	rolePath     role = iota // of a URL: every octet represents itself
	roleAllow                // of a rule: "*" is special
	roleDisallow             // a "%" before a star or the end also begins any escape
	roleAnchored             // a roleDisallow before "$", which no escape can follow
)

// roleOf returns the role of the value of a rule, and the value without the "$"
// at its end.
func roleOf(value string, allow bool) (body string, r role) {
	body, anchored := strings.CutSuffix(value, "$")
	switch {
	case allow:
		return body, roleAllow
	case anchored:
		return body, roleAnchored
	}
	return body, roleDisallow
}

// normalizePattern is Normalize for the value of a rule: "*" keeps its meaning
// and so does a "$" at the end. A "%" of a Disallow that begins no escape stays
// if the octets that it matches may continue it as one.
func normalizePattern(value string, allow bool) string {
	body, r := roleOf(value, allow)
	normal := normalize(body, r)
	if len(body) == len(value) {
		return normal
	}
	if normal == body {
		return value
	}
	return normal + "$"
}

// scanPattern reports whether a value is in normal form as it is written, and
// whether it is plain: without "?", "%" and what must be escaped.
func scanPattern(value string, allow bool) (normal, plain bool) {
	last := len(value) - 1
	plain = true
	for i := range len(value) {
		c := value[i]
		if classes[c]-1 < classQuestion-1 { // plain and not "?", in one comparison
			continue
		}
		if c == '*' || c == '$' && i == last {
			continue
		}
		plain = false
		if body, r := roleOf(value, allow); c != '?' && (c != '%' || !isNormal(body, i, r)) {
			return false, false
		}
	}
	return true, plain
}

// normalize is Normalize for a text of that role.
func normalize(s string, r role) string {
	i := 0
	for i < len(s) && (isPlain(s[i]) || isNormal(s, i, r)) {
		i++
	}
	if i == len(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	b.WriteString(s[:i])
	for ; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '%' && isEscape(s, i):
			octet := unhex(s[i+1])<<4 | unhex(s[i+2])
			if isUnreserved(octet) {
				b.WriteByte(octet)
			} else {
				writeEscape(&b, octet)
			}
			i += 2
		case isPlain(c) || isNormal(s, i, r):
			b.WriteByte(c)
		default:
			writeEscape(&b, c)
		}
	}
	return b.String()
}

// isNormal reports whether the octet at i may stay as it is. The two hex
// digits after a "%" are judged with the "%" and pass on their own.
func isNormal(s string, i int, r role) bool {
	switch c := s[i]; {
	case c == '*':
		return r != rolePath
	case c != '%':
		return isPlain(c)
	case !isEscape(s, i):
		return isPartial(s, i, r)
	}
	return !isLowerHex(s[i+1]) && !isLowerHex(s[i+2]) && !isUnreserved(unhex(s[i+1])<<4|unhex(s[i+2]))
}

// isPartial reports whether the "%" at i is the beginning of an escape whose
// other digits a star or the rest of a path may be.
func isPartial(s string, i int, r role) bool {
	if r != roleDisallow && r != roleAnchored {
		return false
	}
	next := i + 1
	if next < len(s) && isHex(s[next]) {
		next++
	}
	if next == len(s) {
		return r == roleDisallow
	}
	return s[next] == '*'
}

// lonePercents counts the "%" of a pattern that begin no escape.
func lonePercents(pattern string) (n int) {
	for i := strings.IndexByte(pattern, '%'); i >= 0; {
		if !isEscape(pattern, i) {
			n++
		}
		next := strings.IndexByte(pattern[i+1:], '%')
		if next < 0 {
			break
		}
		i += 1 + next
	}
	return n
}

func writeEscape(b *strings.Builder, c byte) {
	b.WriteByte('%')
	b.WriteByte(upperHex[c>>4])
	b.WriteByte(upperHex[c&15])
}

func isEscape(s string, i int) bool {
	return i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2])
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

func isLowerHex(c byte) bool { return 'a' <= c && c <= 'f' }

func unhex(c byte) byte {
	switch {
	case c <= '9':
		return c - '0'
	case c >= 'a':
		return c - 'a' + 10
	default:
		return c - 'A' + 10
	}
}

// isUnreserved follows RFC 3986 §2.3.
func isUnreserved(c byte) bool { return classes[c]&classUnreserved != 0 }

func isAlnum(c byte) bool { return classes[c]&classAlnum != 0 }

// isPlain reports whether c represents itself in the normal form: unreserved,
// or reserved by RFC 3986 §2.2 except "*", "$" and "#".
func isPlain(c byte) bool { return classes[c] != 0 }

const (
	classAlnum byte = 1 << iota
	classUnreserved
	classDelimiter // reserved, and never the same as its escape
	classData      // reserved, but data in a query
	classQuestion  // "?", which begins a query; the greatest
)

// classes is a table because every octet is looked up.
var classes = func() (table [256]byte) {
	for c := range 26 {
		table['a'+c] = classAlnum | classUnreserved
		table['A'+c] = classAlnum | classUnreserved
	}
	for c := range 10 {
		table['0'+c] = classAlnum | classUnreserved
	}
	for _, c := range []byte("-._~") {
		table[c] = classUnreserved
	}
	for _, c := range []byte("&+;=") {
		table[c] = classDelimiter
	}
	for _, c := range []byte("/?:@!'(),[]") {
		table[c] = classData
	}
	table['?'] |= classQuestion
	return table
}()
