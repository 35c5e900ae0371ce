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
	return normalize(pathQuery, "")
}

// normalizePattern is Normalize for the value of a rule: "*" keeps its meaning
// and so does a "$" at the end.
func normalizePattern(value string) string {
	body, anchored := strings.CutSuffix(value, "$")
	body = normalize(body, "*")
	if !anchored {
		return body
	}
	if len(body) == len(value)-1 && value[:len(body)] == body {
		return value
	}
	return body + "$"
}

// isNormalPattern reports whether a value is in normal form as it is written.
func isNormalPattern(value string) bool {
	last := len(value) - 1
	for i := range len(value) {
		if c := value[i]; !isPlain(c) && c != '*' && (c != '$' || i < last) && (c != '%' || !isNormal(value, i, "")) {
			return false
		}
	}
	return true
}

// normalize is Normalize, but leaves the octets in keep as they are.
func normalize(s, keep string) string {
	i := 0
	for i < len(s) && (isPlain(s[i]) || isNormal(s, i, keep)) {
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
		case isPlain(c) || strings.IndexByte(keep, c) >= 0:
			b.WriteByte(c)
		default:
			writeEscape(&b, c)
		}
	}
	return b.String()
}

// isNormal reports whether the octet at i may stay as it is. The two hex
// digits after a "%" are judged with the "%" and pass on their own.
func isNormal(s string, i int, keep string) bool {
	c := s[i]
	if c != '%' {
		return isPlain(c) || strings.IndexByte(keep, c) >= 0
	}
	if !isEscape(s, i) || isLowerHex(s[i+1]) || isLowerHex(s[i+2]) {
		return false
	}
	return !isUnreserved(unhex(s[i+1])<<4 | unhex(s[i+2]))
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
	classReserved
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
	for _, c := range []byte("/?:@!&'()+,;=[]") {
		table[c] = classReserved
	}
	return table
}()
