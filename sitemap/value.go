package sitemap

import (
	"strconv"
	"strings"
)

// parsePriority parses a priority. exact reports whether it has the protocol's
// form and range.
func parsePriority(text string) (value float64, exact, ok bool) {
	value, err := strconv.ParseFloat(text, 64)
	exact = err == nil && !strings.ContainsAny(text, "eExXpP_") // a decimal of XML Schema
	if err != nil {
		if value, err = strconv.ParseFloat(strings.Replace(text, ",", ".", 1), 64); err != nil {
			return 0, false, false
		}
	}
	if value != value {
		return 0, false, false
	}
	clamped := min(max(value, 0), 1)
	return clamped, exact && clamped == value, true
}

// parseChangeFreq returns the protocol's word, or "" if the text is none.
func parseChangeFreq(text string) string {
	for _, word := range [...]string{"daily", "weekly", "monthly", "always", "hourly", "yearly", "never"} {
		if strings.EqualFold(text, word) {
			return word
		}
	}
	return ""
}

// validText returns a value without forbidden characters, which it reports.
func (r *Reader) validText(value []byte) []byte {
	bad := false
	for _, c := range value {
		if c < ' ' && c != '\t' && c != '\n' && c != '\r' {
			bad = true
			break
		}
	}
	if !bad {
		return value
	}
	r.problem("bad-char")
	kept := value[:0]
	for _, c := range value {
		if c >= ' ' || c == '\t' || c == '\n' || c == '\r' {
			kept = append(kept, c)
		}
	}
	return kept
}
