package sitemap

import "errors"

// Errors that end the reading of a file. All except those of the stream itself
// match [ErrSyntax].
var (
	// ErrSyntax means that the file cannot be read as a sitemap.
	ErrSyntax = errors.New("sitemap: syntax")
	// ErrEmpty means that the file has no bytes.
	ErrEmpty error = &syntaxError{"empty", "the file is empty"}
	// ErrHTML means that the file is an HTML page.
	ErrHTML error = &syntaxError{"html", "the file is an HTML page"}
	// ErrUnknownFormat means that the file is none of the formats.
	ErrUnknownFormat error = &syntaxError{"unknown-format", "the file is not a sitemap, a feed or a list of URLs"}
	// ErrTooDeep means that the elements are nested beyond the limit.
	ErrTooDeep error = &syntaxError{"too-deep", "elements are nested too deep"}
)

type syntaxError struct{ code, text string }

func (e *syntaxError) Error() string        { return "sitemap: " + e.text }
func (e *syntaxError) Is(target error) bool { return target == ErrSyntax }

// Code returns the stable code of an error that ended the reading, or "" if it
// came from the stream.
func Code(err error) string {
	if e, ok := errors.AsType[*syntaxError](err); ok {
		return e.code
	}
	return ""
}

// A Problem is a fault after which reading continued.
type Problem struct {
	Code    string // stable
	Line    int    // 1-based, of the decoded text
	Offset  int64  // in bytes of the decoded text
	Message string
}

// maxProblems bounds the list of a broken file, but not the count.
const maxProblems = 1000

// messages are the texts for people, by code.
var messages = map[string]string{
	"not-gzip":          "the name ends with .gz but the file is not compressed",
	"double-gzip":       "the file is compressed twice",
	"truncated":         "the file ends before the document does; complete entries count",
	"leading-space":     "white space before the XML declaration",
	"leading-junk":      "text before the document",
	"bad-utf8":          "bytes that are not UTF-8",
	"bad-char":          "a character that XML forbids",
	"namespace":         "the namespace is missing or not http://www.sitemaps.org/schemas/sitemap/0.9",
	"tag-case":          "element names must be in lower case",
	"raw-ampersand":     "& must be written as &amp;",
	"relative-loc":      "loc must be an absolute URL; it was resolved against that of the file",
	"missing-loc":       "an entry without loc",
	"second-loc":        "an entry with several locs; the first one counts",
	"fragment":          "loc has a fragment, which is never sent",
	"bad-scheme":        "loc is not an http or https URL with a host; the entry was dropped",
	"other-host":        "loc is on another host than the file",
	"above-folder":      "loc is above the folder of the file",
	"userinfo":          "loc has a user name; it was removed",
	"unescaped-loc":     "loc has characters that must be escaped; decorum escaped them",
	"loc-too-long":      "loc must be shorter than 2,048 bytes; the entry was dropped",
	"misplaced-sitemap": "a sitemap element in a urlset",
	"misplaced-url":     "a url element in a sitemapindex",
	"bad-line":          "the line is not an absolute URL",
	"malformed":         "the tags do not match",
	"doctype":           "a DOCTYPE, which is ignored",
	"unknown-entity":    "an entity that XML does not define; the entry was dropped",
	"date-form":         "a date that is not in the W3C form; it was read anyway",
	"date-zone":         "a date without a time zone that is known; it was read as UTC",
	"bad-date":          "a date that cannot be read; it was dropped",
	"bad-priority":      "priority must be a number from 0.0 to 1.0",
	"bad-changefreq":    "changefreq is not one of the seven words; it was dropped",
	"too-many-urls":     "more than 50,000 entries",
	"bad-duration":      "the duration of a video must be a number of seconds from 1 to 28,800",
	"relative-href":     "the href of a link must be an absolute URL; it was resolved against that of the file",
	"unescaped-href":    "the href of a link has characters that must be escaped; decorum escaped them",
	"gzip-bomb":         "compressed further than any sitemap; the rest was not read",

	// Of a strict reading.
	"encoding":          "the file must be UTF-8",
	"unknown-element":   "an element that the protocol does not have",
	"repeated-element":  "an element that an entry may have once",
	"empty-element":     "an element without text",
	"changefreq-case":   "changefreq must be in lower case",
	"bad-hreflang":      "hreflang must be x-default, or a language of ISO 639 with or without a script or a country",
	"bad-href":          "the href of a link is not an http or https URL",
	"missing-image-loc": "an image without image:loc",
	"missing-video":     "a video without an element that it must have",
	"missing-news":      "news without an element that it must have",
	"bad-news-language": "news:language is not a code of ISO 639, zh-cn or zh-tw",
	"trailing-junk":     "text after the document",
	"damaged-gzip":      "the gzip data is damaged, or followed by something else",
	"other-scheme":      "loc is http and the file https, or the reverse",
}
