package sitemap

import (
	"strings"
	"time"

	"github.com/decorum-crawler/decorum/sitemap/internal/address"
	"github.com/decorum-crawler/decorum/sitemap/internal/date"
	"github.com/decorum-crawler/decorum/sitemap/internal/markup"
)

// learnHome determines the prefix of addresses that need no correction, if there
// is one.
func (r *Reader) learnHome() {
	if r.base == nil || r.base.Host == "" || !address.IsAbsolute(r.base.Scheme+"://x") {
		return
	}
	folder := "/"
	if path := r.base.EscapedPath(); r.kind != KindIndex && !r.options.Served.Named && path != "" {
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
	d.entry = Entry{}
	for {
		window := s.Window()
		skipped := 0
		for skipped < len(window) && markup.IsSpace(window[skipped]) {
			skipped++
		}
		n, found, short := d.ordinaryEntry(window[skipped:])
		switch {
		case found:
			s.Skip(skipped)
			d.entry.Line, d.entry.Offset = s.Line(), s.Offset()
			s.Skip(n)
			if d.stopped = !d.yield(d.entry); d.stopped {
				return
			}
		case !short || len(window) > maxOrdinary || !s.Fill():
			s.Text(nil)
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
	entry := &d.entry // what an ordinary entry never has stays empty
	entry.Loc, entry.LastMod, entry.ChangeFreq, entry.Priority, entry.HasPriority = "", time.Time{}, "", 0, false
	for at := len(first); ; {
		for at < len(window) && markup.IsSpace(window[at]) {
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
			entry.LastMod, ok = date.Plain(value)
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

// digits parses a text of digits only.
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
