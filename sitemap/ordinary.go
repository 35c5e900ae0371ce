package sitemap

import (
	"strings"
	"time"
)

// learnHome determines the prefix of addresses that need no correction, if there
// is one.
func (r *Reader) learnHome() {
	if r.base == nil || r.base.Host == "" || !isAbsolute(r.base.Scheme+"://x") {
		return
	}
	folder := "/"
	if path := r.base.EscapedPath(); r.kind != KindIndex && path != "" {
		folder = path[:strings.LastIndexByte(path, '/')+1]
	}
	home := r.base.Scheme + "://" + r.base.Host + folder
	for i := range len(home) {
		if !plainByte[home[i]] {
			return
		}
	}
	if strings.HasPrefix(folder, "/") && !strings.Contains(r.base.Host, "@") {
		r.home = home
	}
}

// faster prepares the reading of ordinary entries, which is faster than tag by
// tag, and reports whether it is possible.
func (r *Reader) faster() bool {
	if r.slow {
		return false
	}
	r.learnHome()
	return r.home != "" && (r.kind == KindURLSet || r.kind == KindIndex)
}

// isPlain reports whether an address, with its entities decoded, is free of
// faults.
func (r *Reader) isPlain(loc string) bool {
	if r.home == "" || !strings.HasPrefix(loc, r.home) || len(loc) > r.options.MaxLoc {
		return false
	}
	for i := len(r.home); i < len(loc); i++ {
		if c := loc[i]; c != '&' && !plainByte[c] {
			return false
		}
	}
	return true
}

// maxOrdinary bounds what is read again if an entry arrives in small pieces.
const maxOrdinary = 8 << 10

// ordinary reads entries in the form that nearly all files have, without
// attributes, extensions or faults, directly from the window: about seven times
// as fast as tag by tag (BenchmarkTagByTag). It stops at the first entry that has
// anything else, which is then read tag by tag, so both must agree
// (FuzzOrdinary).
func (d *document) ordinary() {
	s := d.reader.scan
	for {
		window := s.buffer[s.start:s.end]
		skipped := 0
		for skipped < len(window) && isSpace(window[skipped]) {
			skipped++
		}
		n, found, short := d.ordinaryEntry(window[skipped:])
		switch {
		case found:
			s.start += skipped
			d.entry.Line, d.entry.Offset = s.line(), s.offset()
			s.start += n
			if d.stopped = !d.yield(d.entry); d.stopped {
				return
			}
		case !short || len(window) > maxOrdinary || !s.fill():
			s.text(nil)
			return
		}
	}
}

// ordinaryEntry reads the entry at the start of the window into d.entry. found
// reports whether there is an ordinary one, of n bytes; short reports whether
// the window ends too early to tell.
func (d *document) ordinaryEntry(window []byte) (n int, found, short bool) {
	first, last := "<url>", "</url>"
	if d.reader.kind == KindIndex {
		first, last = "<sitemap>", "</sitemap>"
	}
	if len(window) < len(first) || string(window[:len(first)]) != first {
		return 0, false, len(window) < len(first)
	}
	d.entry = Entry{}
	for at := len(first); ; {
		for at < len(window) && isSpace(window[at]) {
			at++
		}
		rest := window[at:]
		if len(rest) < len("<changefreq>") {
			return 0, false, true
		}
		if rest[1] == '/' {
			return at + len(last), d.entry.Loc != "" && string(rest[:len(last)]) == last, false
		}
		field := d.ordinaryField(rest)
		if field <= 0 {
			return 0, false, field == 0
		}
		at += field
	}
}

// ordinaryField reads one element of an entry and returns its length, 0 if the
// window is too short, or a negative number if it is not ordinary. rest is at
// least as long as the longest opening tag.
func (d *document) ordinaryField(rest []byte) int {
	entry := &d.entry
	var value []byte
	n, ok := -1, false
	switch {
	case string(rest[:len("<loc>")]) == "<loc>":
		return d.ordinaryLoc(rest)
	case string(rest[:len("<lastmod>")]) == "<lastmod>":
		if value, n = ordinaryValue(rest, len("<lastmod>"), "</lastmod>"); n > 0 {
			entry.LastMod, ok = plainDate(value)
		}
	case string(rest[:len("<changefreq>")]) == "<changefreq>":
		if value, n = ordinaryValue(rest, len("<changefreq>"), "</changefreq>"); n > 0 {
			entry.ChangeFreq = plainChangeFreq(value)
			ok = entry.ChangeFreq != ""
		}
	case string(rest[:len("<priority>")]) == "<priority>":
		if value, n = ordinaryValue(rest, len("<priority>"), "</priority>"); n > 0 {
			entry.Priority, ok = plainPriority(value)
			entry.HasPriority = ok
		}
	}
	if n > 0 && !ok {
		return -1
	}
	return n
}

// ordinaryValue returns the text before the closing tag and the length of the
// whole element, as ordinaryField does.
func ordinaryValue(rest []byte, open int, last string) (value []byte, n int) {
	const longest = len("2006-01-02T15:04:05+00:00")
	end := open
	for end < len(rest) && rest[end] != '<' {
		if end++; end > open+longest {
			return nil, -1
		}
	}
	if len(rest) < end+len(last) {
		return nil, 0
	}
	if string(rest[end:end+len(last)]) != last {
		return nil, -1
	}
	return rest[open:end], end + len(last)
}

// ordinaryLoc reads an address without faults.
func (d *document) ordinaryLoc(rest []byte) int {
	const open, last = len("<loc>"), "</loc>"
	r := d.reader
	end := open + len(r.home)
	if len(rest) < end {
		return 0
	}
	if d.entry.Loc != "" || string(rest[open:end]) != r.home {
		return -1
	}
	for end < len(rest) && plainByte[rest[end]] {
		end++
	}
	if end-open > r.options.MaxLoc {
		return -1
	}
	if len(rest) < end+len(last) {
		return 0
	}
	if string(rest[end:end+len(last)]) != last {
		return -1
	}
	d.entry.Loc = string(rest[open:end])
	return end + len(last)
}

// plainByte is the set of bytes that an address may contain without an escape,
// except "#", which is reported, "&", which may begin an entity, and "<".
var plainByte = func() (table [256]bool) {
	for c := '!'; c < 0x7f; c++ {
		table[c] = c != '#' && c != '&' && c != '<'
	}
	return table
}()

func plainChangeFreq(value []byte) string {
	switch string(value) {
	case "daily":
		return "daily"
	case "weekly":
		return "weekly"
	case "monthly":
		return "monthly"
	case "always":
		return "always"
	case "hourly":
		return "hourly"
	case "yearly":
		return "yearly"
	case "never":
		return "never"
	}
	return ""
}

// plainPriority parses 0.d, 0.dd, 1.0, 0 and 1. Tenths and hundredths are
// divisions of small whole numbers, so they are the nearest float64.
func plainPriority(value []byte) (priority float64, ok bool) {
	n, ok := digits(value[:min(1, len(value))])
	if !ok || n > 1 || len(value) == 0 || len(value) == 2 || len(value) > 4 {
		return 0, false
	}
	if len(value) == 1 {
		return float64(n), true
	}
	fraction, ok := digits(value[2:])
	if !ok || value[1] != '.' || n == 1 && fraction > 0 {
		return 0, false
	}
	if n == 1 {
		return 1, true
	}
	if len(value) == 3 {
		return float64(fraction) / 10, true
	}
	return float64(fraction) / 100, true
}

// plainDate parses YYYY-MM-DD and YYYY-MM-DDThh:mm:ss with a zone, the forms of
// most files.
func plainDate(text []byte) (time.Time, bool) {
	if len(text) < 10 || text[4] != '-' || text[7] != '-' {
		return time.Time{}, false
	}
	century, okCentury := pair(text[0], text[1])
	year, okYear := pair(text[2], text[3])
	month, okMonth := pair(text[5], text[6])
	day, okDay := pair(text[8], text[9])
	year += 100 * century
	if !okCentury || !okYear || !okMonth || !okDay || year < 2 || month < 1 || month > 12 || day < 1 || day > daysIn(year, month) {
		return time.Time{}, false
	}
	seconds, ok := 0, true
	if len(text) > 10 {
		seconds, ok = plainTime(text[10:])
	}
	return time.Unix(int64(daysBefore(year, month)+day-1)*86400+int64(seconds), 0).UTC(), ok
}

// pair parses two digits.
func pair(tens, ones byte) (int, bool) {
	tens, ones = tens-'0', ones-'0'
	return int(tens)*10 + int(ones), tens <= 9 && ones <= 9
}

func daysIn(year, month int) int {
	if month == 2 {
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	}
	return 30 + (month+month/8)%2
}

// daysBefore returns the days from 1970 to the start of a month. It counts years
// from March, so that the leap day is the last day of one.
func daysBefore(year, month int) int {
	if month < 3 {
		year, month = year-1, month+12
	}
	return year*365 + year/4 - year/100 + year/400 + (153*month-457)/5 - 719468
}

// plainTime parses Thh:mm:ssZ or Thh:mm:ss±hh:mm as seconds of the day in UTC.
func plainTime(text []byte) (seconds int, ok bool) {
	if len(text) != len("Thh:mm:ssZ") && len(text) != len("Thh:mm:ss+hh:mm") || text[0] != 'T' || text[3] != ':' || text[6] != ':' {
		return 0, false
	}
	hour, okHour := pair(text[1], text[2])
	minute, okMinute := pair(text[4], text[5])
	second, okSecond := pair(text[7], text[8])
	if !okHour || !okMinute || !okSecond || hour > 23 || minute > 59 || second > 59 {
		return 0, false
	}
	seconds = hour*3600 + minute*60 + second
	zone := text[9:]
	if len(zone) == 1 {
		return seconds, zone[0] == 'Z'
	}
	hour, okHour = pair(zone[1], zone[2])
	minute, okMinute = pair(zone[4], zone[5])
	if !okHour || !okMinute || zone[3] != ':' || hour > 23 || minute > 59 {
		return 0, false
	}
	switch zone[0] {
	case '+':
		return seconds - hour*3600 - minute*60, true
	case '-':
		return seconds + hour*3600 + minute*60, true
	}
	return 0, false
}
