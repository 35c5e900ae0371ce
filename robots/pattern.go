package robots

import "strings"

// MatchPattern reports whether a pattern, written as the value of a rule, matches
// pathQuery, and the length in octets that decides between matches (RFC 9309
// §2.2.2, §2.2.3). Formats other than robots.txt use the same patterns. They are
// compared as strictly as those of Allow. A pattern that begins with neither "/"
// nor "*" matches nothing.
func MatchPattern(pattern, pathQuery string) (octets int, ok bool) {
	if pattern == "" || pattern[0] != '/' && pattern[0] != '*' {
		return 0, false
	}
	pattern = normalizePattern(pattern, true)
	return len(pattern), matchPattern(pattern, Normalize(pathQuery))
}

// matchPattern reports whether a pattern in normal form matches the beginning
// of path, also in normal form. "*" matches any octets and a "$" at the end
// the end of the path (RFC 9309 §2.2.3). Each piece between stars is matched at
// its first occurrence, which is sufficient, so the time is linear in the path
// for each piece, without backtracking.
func matchPattern(pattern, path string) bool {
	pattern, anchored := strings.CutSuffix(pattern, "$")
	piece, rest, star := strings.Cut(pattern, "*")
	if !strings.HasPrefix(path, piece) {
		return false
	}
	path = path[len(piece):]
	for star {
		piece, rest, star = strings.Cut(rest, "*")
		if !star && anchored {
			return strings.HasSuffix(path, piece)
		}
		at := strings.Index(path, piece)
		if at < 0 {
			return false
		}
		path = path[at+len(piece):]
	}
	return !anchored || path == ""
}
