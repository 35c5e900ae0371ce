package trap

import (
	"bytes"
	"slices"
	"strings"
)

const (
	// maxKeys is the number of keys of a query that tell patterns apart.
	maxKeys = 32
	// minHex and minRandom are the shortest tokens with digits that are taken for
	// an id as a whole: of hexadecimal digits, and of any letters.
	minHex, minRandom = 8, 16
	maxWord           = 24 // longest value of a query that is part of the pattern
	uuidLength        = 36
)

// telling are the keys of a query whose values tell kinds of pages apart.
var telling = []string{"action", "cmd", "do", "mod", "mode", "module", "op", "option", "page_type", "tab", "task", "type", "view"}

// Pattern returns the pattern of an absolute URL, or "" for a URL that has nothing
// to leave out and no query.
func Pattern(address string) string {
	text, ok := appendPattern(nil, address)
	if !ok {
		return ""
	}
	return string(text)
}

// Family returns the family of an absolute URL: its host and first folder, and
// whether it has a query.
func Family(address string) string { return string(appendFamily(nil, address)) }

// cut divides an absolute URL without fragment.
func cut(address string) (host, path, query string, hasQuery bool) {
	rest, query, hasQuery := strings.Cut(address, "?")
	if _, behind, ok := strings.Cut(rest, "://"); ok {
		rest = behind
	}
	if slash := strings.IndexByte(rest, '/'); slash >= 0 {
		return rest[:slash], rest[slash:], query, hasQuery
	}
	return rest, "/", query, hasQuery
}

// appendPattern appends the pattern of a URL, and reports whether it has one.
func appendPattern(to []byte, address string) ([]byte, bool) {
	host, path, query, hasQuery := cut(address)
	to = append(to, host...)
	to, folded := appendFolded(to, path)
	if !hasQuery {
		return to, folded
	}
	return appendQuery(append(to, '?'), query), true
}

func appendFamily(to []byte, address string) []byte {
	host, path, _, hasQuery := cut(address)
	to = append(to, host...)
	to = append(to, '/')
	first, _, deeper := strings.Cut(path[1:], "/")
	if deeper || hasQuery {
		to, _ = appendFolded(to, first)
		if first != "" {
			to = append(to, '/')
		}
	}
	to = append(to, '*')
	if hasQuery {
		to = append(to, "?*"...)
	}
	return to
}

// appendQuery appends the keys of a query, each once and in order.
func appendQuery(to []byte, query string) []byte {
	var buffer [maxKeys][2]string
	pairs := buffer[:0]
	for pair := range strings.SplitSeq(query, "&") {
		key, value, _ := strings.Cut(pair, "=")
		if len(pairs) < maxKeys {
			pairs = append(pairs, [2]string{key, value})
		}
	}
	slices.SortFunc(pairs, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
	last := len(to) // of the key before, which is not repeated
	for _, pair := range pairs {
		begin := len(to)
		to, _ = appendFolded(to, pair[0])
		to = append(to, '=')
		if tells(pair[0], pair[1]) {
			to = append(to, pair[1]...)
		}
		if begin > last && bytes.Equal(to[begin:], to[last:begin-1]) {
			to = to[:begin]
			continue
		}
		last = begin
		to = append(to, '&')
	}
	return bytes.TrimSuffix(to, []byte("&"))
}

// tells reports whether the value of a key is a short word that tells what kind of
// page it is.
func tells(key, value string) bool {
	if value == "" || len(value) > maxWord {
		return false
	}
	for i := range len(value) {
		if c := value[i]; !isLetter(c) && c != '_' && c != '-' {
			return false
		}
	}
	return slices.Contains(telling, strings.ToLower(key))
}

// appendFolded appends text with "#" for its numbers and ids, and reports whether
// there are any.
func appendFolded(to []byte, text string) (_ []byte, folded bool) {
	for at := 0; at < len(text); {
		switch c := text[at]; {
		case c == '%' && at+2 < len(text):
			to = append(to, text[at:at+3]...)
			at += 3
		case !isAlphanumeric(c):
			to = append(to, c)
			at++
		case isUUID(text[at:]):
			to, folded = append(to, '#'), true
			at += uuidLength
		default:
			token := text[at : at+tokenLength(text[at:])]
			at += len(token)
			var ok bool
			to, ok = appendToken(to, token)
			folded = folded || ok
		}
	}
	return to, folded
}

// appendToken appends letters and digits.
func appendToken(to []byte, token string) (_ []byte, folded bool) {
	digits, hex := 0, true
	for i := range len(token) {
		if isDigit(token[i]) {
			digits++
		}
		hex = hex && isHex(token[i])
	}
	if digits == 0 {
		return append(to, token...), false
	}
	if hex && len(token) >= minHex || digits >= 2 && len(token) >= minRandom {
		return append(to, '#'), true
	}
	for i := range len(token) {
		switch {
		case !isDigit(token[i]):
			to = append(to, token[i])
		case i == 0 || !isDigit(token[i-1]):
			to = append(to, '#')
		}
	}
	return to, true
}

func isUUID(text string) bool {
	if len(text) < uuidLength || text[8] != '-' || len(text) > uuidLength && isAlphanumeric(text[uuidLength]) {
		return false
	}
	for i := range uuidLength {
		switch i {
		case 8, 13, 18, 23:
			if text[i] != '-' {
				return false
			}
		default:
			if !isHex(text[i]) {
				return false
			}
		}
	}
	return true
}

func tokenLength(text string) int {
	n := 0
	for n < len(text) && isAlphanumeric(text[n]) {
		n++
	}
	return n
}

func isDigit(c byte) bool        { return '0' <= c && c <= '9' }
func isLetter(c byte) bool       { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func isAlphanumeric(c byte) bool { return isDigit(c) || isLetter(c) }
func isHex(c byte) bool          { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }
