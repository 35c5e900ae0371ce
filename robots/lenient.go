package robots

import "strings"

// A lenient rule is a Disallow that matches more than its normal form, because
// the form in which clients send what it means differs:
//
//   - Octets of a query that separate nothing there (":", "/", "[" and others)
//     match their escapes, and the escapes match them: "?f[" matches "?f%5B".
//   - A "%" and one hex digit, before a star or at the end, match an escape that
//     begins so, and also a literal "%", which is sent as "%25".
//
// What it matches does not change its length, which decides between rules.

// lenientFrom returns the length of the beginning of a pattern in normal form
// that every path has as it is written, or -1 if the pattern is not lenient.
func lenientFrom(pattern string) int {
	from := -1
	if query := strings.IndexByte(pattern, '?'); query >= 0 && hasData(pattern, query+1) {
		from = query + 1
	}
	for i := 0; ; i++ {
		at := strings.IndexByte(pattern[i:], '%')
		if at < 0 {
			return from
		}
		i += at
		if isHalfEscape(pattern, i) && (from < 0 || i < from) {
			return i + 1
		}
	}
}

// hasData reports whether a query from i on has an octet that is equal to its
// escape, as either.
func hasData(pattern string, i int) bool {
	for i < len(pattern) {
		c, n := dataOctet(pattern, i)
		if n == 3 || isData(c) {
			return true
		}
		i += n
	}
	return false
}

// isHalfEscape reports whether pattern[i:] is a "%" and a single hex digit
// before a star or the end.
func isHalfEscape(pattern string, i int) bool {
	return pattern[i] == '%' && i+1 < len(pattern) && isHex(pattern[i+1]) && (i+2 == len(pattern) || pattern[i+2] == '*')
}

// dataOctet returns the octet at s[i], or the one that is escaped there if it is
// data in a query, and the number of octets read.
func dataOctet(s string, i int) (c byte, n int) {
	if s[i] == '%' && isEscape(s, i) {
		if c := unhex(s[i+1])<<4 | unhex(s[i+2]); isData(c) {
			return c, 3
		}
	}
	return s[i], 1
}

func isData(c byte) bool { return classes[c]&classData != 0 }

// matchLenient is matchPattern for the pattern of a lenient rule. It matches
// everything that matchPattern does.
func matchLenient(pattern, path string) bool {
	pattern, anchored := strings.CutSuffix(pattern, "$")
	m := lenientMatch{pattern, path, queryOf(pattern), queryOf(path)}
	p, s := 0, 0
	star, mark := -1, 0 // behind the last star, and where in the path its piece is tried
	for {
		if p < len(pattern) && pattern[p] == '*' {
			p++
			star, mark = p, s
			continue
		}
		if p == len(pattern) && (!anchored || s == len(path)) {
			return true
		}
		if p < len(pattern) && s < len(path) {
			if inPattern, inPath := m.step(p, s); inPattern > 0 {
				p, s = p+inPattern, s+inPath
				continue
			}
		}
		if star < 0 || mark == len(path) {
			return false
		}
		mark++
		p, s = star, mark
	}
}

type lenientMatch struct {
	pattern, path           string
	patternQuery, pathQuery int
}

// queryOf returns where the query of a path or pattern begins.
func queryOf(s string) int {
	if at := strings.IndexByte(s, '?'); at >= 0 {
		return at + 1
	}
	return len(s)
}

// step returns how many octets of pattern and path match each other at p and s,
// or 0.
func (m *lenientMatch) step(p, s int) (inPattern, inPath int) {
	if isHalfEscape(m.pattern, p) {
		return m.halfEscape(p, s)
	}
	c, inPattern := m.pattern[p], 1
	if p >= m.patternQuery {
		c, inPattern = dataOctet(m.pattern, p)
	}
	if inPattern == 1 && c == m.path[s] {
		return 1, 1
	}
	d, inPath := m.path[s], 1
	if s >= m.pathQuery {
		d, inPath = dataOctet(m.path, s)
	}
	if c != d {
		return 0, 0
	}
	return inPattern, inPath
}

func (m *lenientMatch) halfEscape(p, s int) (inPattern, inPath int) {
	digit := m.pattern[p+1]
	rest := m.path[s:]
	switch {
	case len(rest) > 1 && rest[0] == '%' && rest[1] == upper(digit):
		return 2, 2
	case strings.HasPrefix(rest, "%25") && len(rest) > 3 && rest[3] == digit:
		return 2, 4
	}
	return 0, 0
}

func upper(digit byte) byte {
	if isLowerHex(digit) {
		return digit - 'a' + 'A'
	}
	return digit
}
