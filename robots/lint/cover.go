package lint

import "strings"

// The functions of this file compare patterns by their texts. Both are in normal
// form; a pattern without "$" at the end continues as if with "*".

// closed returns a pattern that must match a whole path instead of its
// beginning.
func closed(pattern string) string {
	if body, ok := strings.CutSuffix(pattern, "$"); ok {
		return body
	}
	return pattern + "*"
}

// covers reports whether wide matches every path that narrow matches. It may
// miss a case but is never wrong about one it reports: the stars of narrow are taken as octets
// that only a star can match.
func covers(wide, narrow string) bool {
	wide, narrow = closed(wide), closed(narrow)
	star, mark := -1, 0 // the last star of wide and the end of what it has matched
	w, n := 0, 0
	for n < len(narrow) {
		switch {
		case w < len(wide) && wide[w] == '*':
			star, mark = w, n
			w++
		case w < len(wide) && wide[w] == narrow[n]:
			w++
			n++
		case star >= 0:
			mark++
			w, n = star+1, mark
		default:
			return false
		}
	}
	return strings.Trim(wide[w:], "*") == ""
}

// overlaps reports whether some path is matched by both patterns.
func overlaps(a, b string) bool {
	a, b = closed(a), closed(b)
	// row[j] tells whether some string matches a[i:] and b[j:]; i counts down.
	row := make([]bool, len(b)+1)
	for i := len(a); i >= 0; i-- {
		diagonal := false // row[j+1] of the line before
		for j := len(b); j >= 0; j-- {
			below := row[j]
			switch {
			case i == len(a) && j == len(b):
				row[j] = true
			case i < len(a) && a[i] == '*':
				row[j] = below || j < len(b) && row[j+1]
			case j < len(b) && b[j] == '*':
				row[j] = row[j+1] || below && i < len(a)
			default:
				row[j] = i < len(a) && j < len(b) && a[i] == b[j] && diagonal
			}
			diagonal = below
		}
	}
	return row[0]
}

// prefixesAgree reports whether the texts before the first special characters
// agree as far as both go. If not, no path is matched by both.
func prefixesAgree(a, b string) bool {
	a, b = a[:special(a)], b[:special(b)]
	return strings.HasPrefix(a, b) || strings.HasPrefix(b, a)
}

// special returns the place of the first special character of a pattern, or its
// length if it has none.
func special(pattern string) int {
	if at := strings.IndexByte(pattern, '*'); at >= 0 {
		return at
	}
	return len(strings.TrimSuffix(pattern, "$"))
}
