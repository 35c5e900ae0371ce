package robots

import (
	"iter"
	"strings"
)

// field is the kind of a robots.txt line.
type field byte

const (
	fieldNone field = iota
	fieldUserAgent
	fieldAllow
	fieldDisallow
	fieldCrawlDelay
	fieldSitemap
	fieldContentUsage
	fieldContentSignal
	fieldLicense
)

// The fields that [Parse] reads, as most files write them. The others of a
// [Line] are those of an [Extension].
const (
	FieldUserAgent  = "User-agent"
	FieldAllow      = "Allow"
	FieldDisallow   = "Disallow"
	FieldCrawlDelay = "Crawl-delay"
	FieldSitemap    = "Sitemap"
)

// fieldNames are the names of the kinds of lines.
var fieldNames = [...]string{
	fieldNone: "", fieldUserAgent: FieldUserAgent, fieldAllow: FieldAllow, fieldDisallow: FieldDisallow, fieldCrawlDelay: FieldCrawlDelay,
	fieldSitemap: FieldSitemap, fieldContentUsage: FieldContentUsage, fieldContentSignal: FieldContentSignal, fieldLicense: FieldLicense,
}

// A Line is a line of a robots.txt as [Parse] reads it.
type Line struct {
	Number int    // 1-based, counted by LF, CR LF or CR
	Text   string // as written, without its end and without byte order mark
	Field  string // one of the field constants, even if misspelt; "" if the line counts as none
	Value  string // without comment and surrounding blanks
}

// Lines yields the lines of a robots.txt as [Parse] reads them, which does not
// include those beyond [MaxBytes].
func Lines(data []byte) iter.Seq[Line] {
	return func(yield func(Line) bool) {
		text := textOf(data[:cut(data)])
		more := true
		eachLine(text, func(number, start, end int) {
			if more {
				kind, from, to := splitLine(text, start, end)
				more = yield(Line{number, text[start:end], fieldNames[kind], text[from:to]})
			}
		})
	}
}

// eachLine calls take with the number and place of each line. A line ends with
// LF, CR LF or CR.
func eachLine(text string, take func(number, start, end int)) {
	bare := strings.IndexByte(text, '\r') >= 0
	number := 0
	for start := 0; start < len(text); {
		end := len(text)
		next := end
		if at := strings.IndexByte(text[start:], '\n'); at >= 0 {
			end, next = start+at, start+at+1
		}
		if bare {
			number = eachBareLine(text, number, start, end, take)
		} else {
			number++
			take(number, start, end)
		}
		start = next
	}
}

// eachBareLine is eachLine for the text before a LF, which a CR may divide.
func eachBareLine(text string, number, start, end int, take func(number, start, end int)) int {
	if end > start && text[end-1] == '\r' {
		end--
	}
	for {
		number++
		at := strings.IndexByte(text[start:end], '\r')
		if at < 0 {
			take(number, start, end)
			return number
		}
		take(number, start, start+at)
		start += at + 1
	}
}

// isBlank reports whether an octet may surround field and value. NUL is one,
// since files that contain it have no other fault.
func isBlank(c byte) bool {
	return c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == 0
}

// trim moves start and end past blanks.
func trim(text string, start, end int) (int, int) {
	for start < end && isBlank(text[start]) {
		start++
	}
	for start < end && isBlank(text[end-1]) {
		end--
	}
	return start, end
}

// splitLine splits the line from start to end and returns its field and the
// place of its value. The comment is removed first, so a "#" ends the value even
// without a blank. Without a colon, two words count as field and value, but only
// where that forbids more.
func splitLine(text string, start, end int) (kind field, from, to int) {
	if hash := strings.IndexByte(text[start:end], '#'); hash >= 0 {
		end = start + hash
	}
	if colon := strings.IndexByte(text[start:end], ':'); colon >= 0 {
		nameStart, nameEnd := trim(text, start, start+colon)
		from, to = trim(text, start+colon+1, end)
		return fieldOf(text[nameStart:nameEnd]), from, to
	}
	start, end = trim(text, start, end)
	gap := strings.IndexAny(text[start:end], " \t")
	if gap < 0 {
		return fieldNone, 0, 0
	}
	from, to = trim(text, start+gap, end)
	kind = fieldOf(text[start : start+gap])
	if strings.ContainsAny(text[from:to], " \t") || kind != fieldUserAgent && kind != fieldDisallow {
		return fieldNone, 0, 0
	}
	return kind, from, to
}

// fieldOf returns the kind of a field name.
//
// Deviation: misspellings are accepted only where they forbid.
func fieldOf(name string) field {
	switch name { // as most files write them
	case "Disallow":
		return fieldDisallow
	case "Allow":
		return fieldAllow
	}
	if len(name) < 5 || len(name) > 14 {
		return fieldNone
	}
	for _, known := range knownFields {
		if len(name) == len(known.name) && strings.EqualFold(name, known.name) {
			return known.field
		}
	}
	return fieldNone
}

var knownFields = [...]struct {
	name  string
	field field
}{
	{"disallow", fieldDisallow},
	{"allow", fieldAllow},
	{"user-agent", fieldUserAgent},
	{"sitemap", fieldSitemap},
	{"crawl-delay", fieldCrawlDelay},
	{"useragent", fieldUserAgent},
	{"user agent", fieldUserAgent},
	{"dissallow", fieldDisallow},
	{"dissalow", fieldDisallow},
	{"disalow", fieldDisallow},
	{"diasllow", fieldDisallow},
	{"disallaw", fieldDisallow},
	{"site-map", fieldSitemap},
	{"content-usage", fieldContentUsage},
	{"content-signal", fieldContentSignal},
	{"license", fieldLicense},
}
