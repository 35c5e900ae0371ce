package sitemap

import (
	"fmt"
	"math"
	"net/url"
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

// Loc returns the loc of an entry with everything escaped that RFC 3986 requires
// to be. An entry that the protocol forbids is an [*EntryError].
func (c *Checker) Loc(entry Entry) (string, error) {
	refuse := func(code string) (string, error) {
		return "", &EntryError{Loc: entry.Loc, Code: code, Message: messages[code]}
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
	for _, p := range r.problems {
		if p.Code != "unescaped-loc" && p.Code != "bad-utf8" { // they are escaped now
			return refuse(p.Code)
		}
	}
	if !ok || len(loc) > r.options.MaxLoc {
		return refuse("loc-too-long")
	}
	return loc, nil
}
