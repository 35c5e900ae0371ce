package sitemap

import (
	"strconv"
	"strings"
	"time"
)

// w3cForms are the forms of the W3C note on date and time that the protocol
// allows.
var w3cForms = []string{
	"2006-01-02", "2006-01-02T15:04:05Z07:00", "2006-01-02T15:04Z07:00", "2006-01", "2006",
}

// otherForms are the forms that sites write instead.
var otherForms = []string{
	"2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04:05Z0700", "2006-01-02 15:04:05Z07:00",
	"2006-01-02 15:04:05 Z07:00", "2006-01-02 15:04:05 -0700", "2006-01-02T15:04", "2006-01-02 15:04",
	"2006-01-02T15:04Z0700", "2006/01/02", "2006/01/02 15:04:05", "20060102", "2006-1-2",
	time.RFC1123, time.RFC1123Z, time.RFC850, time.ANSIC, "Mon, 2 Jan 2006 15:04:05 MST", "Mon, 2 Jan 2006 15:04:05 -0700",
	"2 Jan 2006 15:04:05 MST", "2 Jan 2006 15:04:05 -0700", "2 Jan 2006", "Jan 2, 2006", "January 2, 2006",
	"2006-01-02T15:04:05 Z07:00", "2006-01-02 15:04:05 MST",
}

// feedForms are the forms of RFC 822 dates, as in RSS.
var feedForms = []string{
	time.RFC1123, time.RFC1123Z, "Mon, 2 Jan 2006 15:04:05 MST", "Mon, 2 Jan 2006 15:04:05 -0700",
	"2 Jan 2006 15:04:05 MST", "2 Jan 2006 15:04:05 -0700", "Mon, 02 Jan 2006 15:04 MST", "Mon, 02 Jan 2006 15:04 -0700",
}

// parseDate parses a date in one of the forms expected, or else in another one,
// and reports whether it was odd, that is in another one. A date without a zone
// is in UTC.
func parseDate(text string, expected []string) (t time.Time, odd, ok bool) {
	if t, ok := plainDate([]byte(text)); ok {
		return t, false, true
	}
	if t, ok := tryForms(text, expected); ok {
		return t, false, true
	}
	for _, forms := range [][]string{w3cForms, otherForms} {
		if t, ok := tryForms(text, forms); ok {
			return t, true, true
		}
	}
	return time.Time{}, false, false
}

func digits(text []byte) (int, bool) {
	n := 0
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return 0, false
		}
		n = n*10 + int(text[i]-'0')
	}
	return n, true
}

func tryForms(text string, forms []string) (time.Time, bool) {
	for _, form := range forms {
		if t, err := time.ParseInLocation(form, text, time.UTC); err == nil && t.Year() > 0 {
			return t.UTC(), true
		}
	}
	return time.Time{}, false
}

// parsePriority parses a priority. exact reports whether it has the protocol's
// form and range.
func parsePriority(text string) (value float64, exact, ok bool) {
	value, err := strconv.ParseFloat(text, 64)
	exact = err == nil
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
