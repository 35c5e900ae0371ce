// Package date reads dates as sitemaps and feeds write them: in the forms of the
// W3C note, in those of RFC 822, and in others that sites write instead.
package date

import (
	"strings"
	"time"
)

// A Form is the standard that a date should follow.
type Form int

// The forms.
const (
	W3C    Form = iota // the W3C note on date and time, as sitemaps.org wants it
	RFC822             // as in RSS, with years of two or four digits
)

// A Quality tells how a date was read.
type Quality int

// The qualities.
const (
	Bad         Quality = iota // it cannot be read
	Exact                      // it has the expected form
	Odd                        // it has another form
	UnknownZone                // its time zone has a name that RFC 822 does not define, or is missing; it was read as UTC
)

// w3cForms are the forms of the W3C note that the protocol allows.
var w3cForms = []string{
	"2006-01-02", "2006-01-02T15:04:05Z07:00", "2006-01-02T15:04Z07:00", "2006-01", "2006",
}

// otherForms are the forms that sites write instead.
var otherForms = []string{
	"2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04:05Z0700", "2006-01-02 15:04:05Z07:00",
	"2006-01-02 15:04:05 Z07:00", "2006-01-02 15:04:05 -0700", "2006-01-02T15:04", "2006-01-02 15:04",
	"2006-01-02T15:04Z0700", "2006/01/02", "2006/01/02 15:04:05", "20060102", "2006-1-2",
	time.RFC850, time.ANSIC, "2 Jan 2006", "Jan 2, 2006", "January 2, 2006",
	"2006-01-02T15:04:05 Z07:00", "2006-01-02 15:04:05 MST",
}

// Parse reads a date, preferably in the form expected, and returns it in UTC. A
// date in another form without a zone is in UTC.
func Parse(text string, expected Form) (time.Time, Quality) {
	if t, ok := Plain([]byte(text)); ok {
		return t, Exact
	}
	if expected == RFC822 {
		if t, known, ok := parse822(text); ok {
			return t, quality(Exact, known)
		}
	}
	if t, known, ok := tryForms(text, w3cForms); ok {
		if expected == RFC822 {
			return t, quality(Odd, known)
		}
		return t, Exact
	}
	if t, known, ok := parse822(text); ok {
		return t, quality(Odd, known)
	}
	if t, known, ok := tryForms(text, otherForms); ok {
		return t, quality(Odd, known)
	}
	return time.Time{}, Bad
}

func quality(q Quality, zoneKnown bool) Quality {
	if !zoneKnown {
		return UnknownZone
	}
	return q
}

// tryForms parses a date in the first form that fits. known is false if its zone
// is a name that is not known.
func tryForms(text string, forms []string) (t time.Time, known, ok bool) {
	for _, form := range forms {
		t, err := time.ParseInLocation(form, text, time.UTC)
		if err != nil || t.Year() <= 0 {
			continue
		}
		known := true
		if strings.HasSuffix(form, "MST") {
			var offset time.Duration
			name, _ := t.Zone() // Parse knows no offset of a name
			offset, known = zone(name)
			t = t.Add(-offset)
		}
		return t.UTC(), known, true
	}
	return time.Time{}, false, false
}
