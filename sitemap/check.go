package sitemap

import (
	"fmt"
	"math"
	"net/url"
	"strings"
	"unicode"

	"github.com/decorum-crawler/decorum/sitemap/internal/address"
	"github.com/decorum-crawler/decorum/sitemap/internal/markup"
)

// An EntryError means that the protocol forbids an entry.
type EntryError struct {
	Loc     string
	Code    string // as in a [Problem]
	Message string
}

// Error returns what is wrong with which entry.
func (e *EntryError) Error() string {
	return fmt.Sprintf("sitemap: entry %.200s: %s", e.Loc, e.Message)
}

// A Checker checks entries before they are written, by the same rules as a
// strict [Reader]. It is not safe for concurrent use.
type Checker struct {
	reader *Reader // knows the rules on addresses
}

// NewChecker returns a Checker for files that will be served in the folder base,
// an absolute URL that ends with "/". They may list URLs in it or below.
func NewChecker(base *url.URL) *Checker {
	return &Checker{NewReader(nil, base, Options{Strict: true, MaxLoc: MaxLocBytes})}
}

// Entry returns an entry with everything in its loc and in the hrefs of its
// alternates escaped that RFC 3986 requires to be. An entry that the protocol
// forbids is an [*EntryError].
func (c *Checker) Entry(entry Entry) (Entry, error) {
	refuse := func(code string) (Entry, error) {
		return Entry{}, &EntryError{Loc: entry.Loc, Code: code, Message: messages[code]}
	}
	switch {
	case entry.Loc == "":
		return refuse("missing-loc")
	case entry.ChangeFreq != "" && plainChangeFreq([]byte(entry.ChangeFreq)) == "":
		return refuse("bad-changefreq")
	case entry.HasPriority && (math.IsNaN(entry.Priority) || entry.Priority < 0 || entry.Priority > 1):
		return refuse("bad-priority")
	case !entry.LastMod.IsZero() && (entry.LastMod.UTC().Year() < 1 || entry.LastMod.UTC().Year() > 9999):
		return refuse("bad-date")
	}
	r := c.reader
	r.problems, r.count = r.problems[:0], 0
	loc, ok := r.address(entry.Loc, true)
	alternates := r.checkAlternates(entry.Alternates)
	for _, image := range entry.Images {
		if !hasText(image.Loc) {
			r.problem("missing-image-loc")
		}
	}
	for _, p := range r.problems {
		switch p.Code {
		case "unescaped-loc", "bad-utf8", "unescaped-href": // they are escaped now
		default:
			return refuse(p.Code)
		}
	}
	if !ok || len(loc) > r.options.MaxLoc {
		return refuse("loc-too-long")
	}
	entry.Loc, entry.Alternates = loc, alternates
	return entry, nil
}

// checkAlternates returns alternates with their hrefs escaped.
func (r *Reader) checkAlternates(list []Alternate) []Alternate {
	checked := make([]Alternate, 0, len(list))
	for _, a := range list {
		if !isHrefLang(a.HrefLang) {
			r.problem("bad-hreflang")
		}
		a.Href = r.href(a.Href)
		if !address.IsAbsolute(a.Href) {
			r.problem("relative-href")
		}
		checked = append(checked, a)
	}
	return checked
}

// hasText reports whether text has a character other than a blank that XML allows.
func hasText(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return markup.ValidRune(r) && !unicode.IsSpace(r) })
}
