package robots

import "strings"

// field is the kind of a robots.txt line.
type field byte

const (
	fieldNone field = iota
	fieldUserAgent
	fieldAllow
	fieldDisallow
	fieldCrawlDelay
	fieldSitemap
)

const blanks = " \t\v\f\x00"

// splitLine takes one line apart. The comment goes first, so a "#" ends the
// value even without a blank. Without a colon, two words count as field and
// value, but only where that forbids more.
func splitLine(text string) (field, string) {
	if hash := strings.IndexByte(text, '#'); hash >= 0 {
		text = text[:hash]
	}
	name, value, colon := strings.Cut(text, ":")
	if colon {
		return fieldOf(strings.Trim(name, blanks)), strings.Trim(value, blanks)
	}
	text = strings.Trim(text, blanks)
	gap := strings.IndexAny(text, " \t")
	if gap < 0 {
		return fieldNone, ""
	}
	value = strings.Trim(text[gap:], blanks)
	kind := fieldOf(text[:gap])
	if strings.ContainsAny(value, " \t") || kind != fieldUserAgent && kind != fieldDisallow {
		return fieldNone, ""
	}
	return kind, value
}

// fieldOf names the field.
//
// Deviation: misspellings are forgiven only toward forbidding.
func fieldOf(name string) field {
	if len(name) < 5 || len(name) > 11 {
		return fieldNone
	}
	for _, known := range knownFields {
		if strings.EqualFold(name, known.name) {
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
}
