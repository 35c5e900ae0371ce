package date

import (
	"strconv"
	"strings"
	"time"
)

// zones are the names of RFC 822 §5.1 in hours from UTC. Letters are those of the
// military; RFC 822 has the signs of all except Z wrong, so they count as UTC (RFC
// 5322 §4.3).
var zones = map[string]int{
	"UT": 0, "UTC": 0, "GMT": 0, "Z": 0,
	"EST": -5, "EDT": -4, "CST": -6, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8, "PDT": -7,
}

// zone returns the offset of a zone: a name or ±hhmm.
func zone(name string) (offset time.Duration, ok bool) {
	if hours, ok := zones[strings.ToUpper(name)]; ok {
		return time.Duration(hours) * time.Hour, true
	}
	if len(name) == 1 && 'a' <= name[0]|0x20 && name[0]|0x20 <= 'z' {
		return 0, true
	}
	digits := strings.Replace(name, ":", "", 1)
	if len(digits) != 5 || digits[0] != '+' && digits[0] != '-' {
		return 0, false
	}
	hours, okHours := pair(digits[1], digits[2])
	minutes, okMinutes := pair(digits[3], digits[4])
	if !okHours || !okMinutes || hours > 23 || minutes > 59 {
		return 0, false
	}
	offset = time.Duration(hours)*time.Hour + time.Duration(minutes)*time.Minute
	if digits[0] == '-' {
		offset = -offset
	}
	return offset, true
}

// parse822 parses a date as in RFC 822 §5, with the years of RFC 5322 §4.3: the
// day of the week, the seconds and the zone may be missing. known is false if the
// zone is missing or its name is unknown; the date is then in UTC.
func parse822(text string) (t time.Time, known, ok bool) {
	text, _, _ = strings.Cut(text, "(") // a comment
	if _, rest, found := strings.Cut(text, ","); found {
		text = rest
	}
	fields := strings.Fields(text)
	if len(fields) < 4 || len(fields) > 5 {
		return time.Time{}, false, false
	}
	year, month, day, ok := date822(fields)
	if !ok {
		return time.Time{}, false, false
	}
	clock, ok := clock822(fields[3])
	if !ok {
		return time.Time{}, false, false
	}
	t = time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Add(clock)
	if len(fields) == 4 {
		return t, false, true
	}
	offset, known := zone(fields[4])
	if !known && !isName(fields[4]) {
		return time.Time{}, false, false
	}
	return t.Add(-offset), known, true
}

// isName reports whether text is a word of letters.
func isName(text string) bool {
	for i := range len(text) {
		if c := text[i] | 0x20; c < 'a' || c > 'z' {
			return false
		}
	}
	return text != ""
}

// date822 parses day, month and year.
func date822(fields []string) (year int, month time.Month, day int, ok bool) {
	day, okDay := number(fields[0], 1, 2)
	month, okMonth := monthOf(fields[1])
	year, okYear := number(fields[2], 2, 4)
	switch {
	case len(fields[2]) == 2 && year < 50:
		year += 2000
	case len(fields[2]) < 4:
		year += 1900
	}
	ok = okDay && okMonth && okYear && year > 0 && day >= 1 && day <= daysIn(year, int(month))
	return year, month, day, ok
}

// monthOf returns the month of a name or its first three letters.
func monthOf(name string) (time.Month, bool) {
	for m := time.January; m <= time.December; m++ {
		if full := m.String(); strings.EqualFold(name, full) || strings.EqualFold(name, full[:3]) {
			return m, true
		}
	}
	return 0, false
}

// clock822 parses hh:mm or hh:mm:ss, 60 in a leap second.
func clock822(text string) (time.Duration, bool) {
	parts := strings.Split(text, ":")
	if len(parts) != 2 && len(parts) != 3 {
		return 0, false
	}
	hour, okHour := number(parts[0], 1, 2)
	minute, okMinute := number(parts[1], 2, 2)
	second, okSecond := 0, true
	if len(parts) == 3 {
		second, okSecond = number(parts[2], 2, 2)
	}
	if !okHour || !okMinute || !okSecond || hour > 23 || minute > 59 || second > 60 {
		return 0, false
	}
	return time.Duration(hour)*time.Hour + time.Duration(minute)*time.Minute + time.Duration(second)*time.Second, true
}

// number parses text of fewest to most digits.
func number(text string, fewest, most int) (int, bool) {
	if len(text) < fewest || len(text) > most || text[0] == '+' || text[0] == '-' {
		return 0, false
	}
	n, err := strconv.Atoi(text)
	return n, err == nil
}
