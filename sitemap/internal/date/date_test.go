package date

import (
	"testing"
	"time"
)

func TestPlainDateAgreesWithParse(t *testing.T) {
	for _, text := range []string{
		"2025-03-15", "2024-02-29", "2023-02-29", "1900-02-29", "2000-02-29", "2025-04-31", "2025-12-31", "0001-01-01", "0000-01-01", "2025-13-01",
		"2025-03-15T10:20:30Z", "2025-03-15T10:20:30+05:30", "2025-12-31T23:30:00-01:00", "2025-03-15T24:00:00Z", "2025-03-15T10:60:00Z",
		"2025-03-15T10:20:60Z", "2025-03-15T10:20:30z", "2025-03-15T10:20:30+24:00", "2025-03-15T10:20:30+0530", "2025-03-15 10:20:30Z",
	} {
		got, ok := Plain([]byte(text))
		want, _, wantOK := tryForms(text, w3cForms)
		if ok && (!wantOK || !got.Equal(want)) {
			t.Errorf("Plain(%q): got %v, want %v, %v", text, got, want, wantOK)
		}
	}
}

func TestDaysBeforeAgreesWithTime(t *testing.T) {
	for year := 2; year < 10_000; year++ {
		for month := 1; month <= 12; month++ {
			first := time.Date(year, time.Month(month), 1, 0, 0, 0, 0, time.UTC)
			if got, want := daysBefore(year, month), int(first.Unix()/86400); got != want && first.Unix()%86400 == 0 {
				t.Fatalf("daysBefore(%d, %d): got %d, want %d", year, month, got, want)
			}
			if got, want := daysIn(year, month), first.AddDate(0, 1, -1).Day(); got != want {
				t.Fatalf("daysIn(%d, %d): got %d, want %d", year, month, got, want)
			}
		}
	}
}

func TestParse(t *testing.T) {
	noon := time.Date(2006, 4, 28, 12, 3, 11, 0, time.UTC)
	tests := []struct {
		text     string
		expected Form
		want     time.Time
		quality  Quality
	}{
		{"Fri, 28 Apr 2006 12:03:11 GMT", RFC822, noon, Exact},
		{"Fri, 28 Apr 06 12:03:11 GMT", RFC822, noon, Exact},
		{"28 apr 2006 12:03:11 ut", RFC822, noon, Exact},
		{"Fri, 28 April 2006 12:03:11 Z", RFC822, noon, Exact},
		{"Fri, 28 Apr 2006 12:03:11 A", RFC822, noon, Exact}, // military: UTC, by RFC 5322
		{"Fri, 28 Apr 2006 07:03:11 EST", RFC822, noon, Exact},
		{"Fri, 28 Apr 2006 08:03:11 EDT", RFC822, noon, Exact},
		{"Fri, 28 Apr 2006 06:03:11 CST", RFC822, noon, Exact},
		{"Fri, 28 Apr 2006 07:03:11 CDT", RFC822, noon, Exact},
		{"Fri, 28 Apr 2006 05:03:11 MST", RFC822, noon, Exact},
		{"Fri, 28 Apr 2006 06:03:11 MDT", RFC822, noon, Exact},
		{"Fri, 28 Apr 2006 4:03:11 PST", RFC822, noon, Exact},
		{"Fri, 28 Apr 2006 05:03:11 PDT", RFC822, noon, Exact},
		{"Fri, 28 Apr 2006 05:03:11 -0700 (PDT)", RFC822, noon, Exact},
		{"Fri, 28 Apr 2006 17:33:11 +05:30", RFC822, noon, Exact},
		{"Fri, 28 Apr 2006 12:03 GMT", RFC822, noon.Add(-11 * time.Second), Exact},
		{"Sat, 31 Dec 2016 23:59:60 GMT", RFC822, time.Date(2017, 1, 1, 0, 0, 0, 0, time.UTC), Exact},
		{"Thu, 28 Apr 94 12:03:11 GMT", RFC822, time.Date(1994, 4, 28, 12, 3, 11, 0, time.UTC), Exact},
		{"Fri, 28 Apr 2006 12:03:11 CET", RFC822, noon, UnknownZone},
		{"Fri, 28 Apr 2006 12:03:11", RFC822, noon, UnknownZone},
		{"2006-04-28T12:03:11Z", RFC822, noon, Exact},
		{"2006-04-28T12:03Z", RFC822, noon.Add(-11 * time.Second), Odd},
		{"2006-04-28 05:03:11 PDT", W3C, noon, Odd},
		{"2006-04-28 12:03:11 CET", W3C, noon, UnknownZone},
		{"Fri, 28 Apr 2006 05:03:11 PDT", W3C, noon, Odd},
		{"2006-04-28T12:03:11.5Z", W3C, noon.Add(500 * time.Millisecond), Exact},
		{"2006", W3C, time.Date(2006, 1, 1, 0, 0, 0, 0, time.UTC), Exact},
		{"Fri, 31 Apr 2006 12:03:11 GMT", RFC822, time.Time{}, Bad},
		{"Fri, 28 Apr 2006 24:03:11 GMT", RFC822, time.Time{}, Bad},
		{"Fri, 28 Apr 2006 12:03:11 +9900", RFC822, time.Time{}, Bad},
		{"Fri, -8 Apr 2006 12:03:11 GMT", RFC822, time.Time{}, Bad},
		{"soon", RFC822, time.Time{}, Bad},
		{"", W3C, time.Time{}, Bad},
	}
	for _, test := range tests {
		if got, quality := Parse(test.text, test.expected); !got.Equal(test.want) || quality != test.quality {
			t.Errorf("Parse(%q, %d): got %v, %d, want %v, %d", test.text, test.expected, got, quality, test.want, test.quality)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("Fri, 28 Apr 06 12:03:11 PDT")
	f.Add("2006-04-28 12:03:11 -0700")
	f.Fuzz(func(t *testing.T, text string) {
		for _, form := range []Form{W3C, RFC822} {
			got, quality := Parse(text, form)
			if got.IsZero() != (quality == Bad) && got.Year() > 1 || quality != Bad && got.Location() != time.UTC {
				t.Errorf("got %v, %d of %q", got, quality, text)
			}
		}
	})
}
