package validate

import (
	"hash/maphash"
	"io"
	"net/url"
	"slices"
	"time"

	"github.com/decorum-crawler/decorum/sitemap"
	"github.com/decorum-crawler/decorum/sitemap/internal/wellformed"
)

// maxRemembered bounds the URLs among which a Validator finds duplicates.
const maxRemembered = 2_000_000

// maxProblems bounds the problems of the entries of a file that are kept.
const maxProblems = 1000

// Codes of problems, in addition to those of a strict [sitemap.Reader].
const (
	CodeDuplicate     = "duplicate"      // listed before, in this file or another
	CodeLastModFuture = "lastmod-future" // more than a day ahead
	CodeTooLarge      = "too-large"      // more than [sitemap.MaxBytes]
	CodeNoEntries     = "no-entries"
	CodeNestedIndex   = "nested-index"    // an index that an index lists
	CodeSelfListed    = "self-listed"     // an index lists itself
	CodeNotWellFormed = "not-well-formed" // the first fault for which an XML parser refuses the file
	CodeNoReturnLink  = "no-return-link"  // an alternate that does not list the page in return
)

// A Validator checks files. Its zero value is ready for [Validator.File]. It
// remembers the hashes of the first two million URLs, so that it finds
// duplicates across files as well. It is not safe for concurrent use.
type Validator struct {
	// Now is the time after which a lastmod is in the future; zero is the time
	// of the call.
	Now time.Time
	// OnEntry, if set, is called for each entry; those of an index are files.
	OnEntry func(sitemap.Kind, sitemap.Entry)

	seed  maphash.Seed
	seen  map[uint64]struct{}
	links returnLinks
}

// A Validation is the result for one file.
type Validation struct {
	Kind     sitemap.Kind
	Entries  int
	Problems []sitemap.Problem // by line, at most 1,000 of the reading and as many of the entries
	Count    int               // of all problems
	Err      error             // why reading ended early; nil if the file was read to its end
}

// Valid reports whether the file conforms to the protocol.
func (v Validation) Valid() bool { return v.Count == 0 && v.Err == nil }

func (v *Validation) add(code, message string, line int, offset int64) {
	v.Count++
	if len(v.Problems) < maxProblems {
		v.Problems = append(v.Problems, sitemap.Problem{Code: code, Line: line, Offset: offset, Message: message})
	}
}

// File checks a file that is served at base, which may be nil if that is not
// known. It does not close source.
func (v *Validator) File(source io.Reader, base *url.URL, served sitemap.Served) Validation {
	now := v.Now
	if now.IsZero() {
		now = time.Now()
	}
	var syntax wellformed.Checker
	reader := sitemap.NewReader(source, base, sitemap.Options{Strict: true, MaxBytes: -1, MaxLoc: sitemap.MaxLocBytes, Served: served, Copy: &syntax})
	var result Validation
	for entry, err := range reader.Entries() {
		if err != nil {
			result.Err = err
			break
		}
		result.Entries++
		v.places(&result, reader.Kind(), entry, base)
		if entry.LastMod.After(now.Add(24 * time.Hour)) {
			result.add(CodeLastModFuture, "lastmod is in the future: "+entry.LastMod.Format(time.RFC3339), entry.Line, entry.Offset)
		}
		if v.OnEntry != nil {
			v.OnEntry(reader.Kind(), entry)
		}
	}
	if reader.Size() > sitemap.MaxBytes {
		result.add(CodeTooLarge, "the file has more than 50 MiB after decompression", 1, 0)
	}
	if result.Entries == 0 && result.Err == nil {
		result.add(CodeNoEntries, "the file lists nothing", 1, 0)
	}
	result.Kind = reader.Kind()
	result.Count += reader.ProblemCount()
	result.Problems = append(result.Problems, reader.Problems()...)
	if fault := syntax.Finish(); fault != nil && result.Err == nil && result.Kind != sitemap.KindText && !isReported(fault, result.Problems) {
		result.add(CodeNotWellFormed, "not XML: "+fault.Message, fault.Line, fault.Offset)
	}
	slices.SortStableFunc(result.Problems, func(a, b sitemap.Problem) int { return a.Line - b.Line })
	return result
}

// places checks an entry against those before it and against the file itself.
func (v *Validator) places(result *Validation, kind sitemap.Kind, entry sitemap.Entry, base *url.URL) {
	repeated := v.repeated(entry.Loc)
	if repeated {
		result.add(CodeDuplicate, "listed before: "+entry.Loc, entry.Line, entry.Offset)
	}
	switch {
	case kind == sitemap.KindIndex:
		if base != nil && entry.Loc == base.String() {
			result.add(CodeSelfListed, "the index lists itself", entry.Line, entry.Offset)
		}
	case !repeated:
		for _, message := range v.missingLinks(entry) {
			result.add(CodeNoReturnLink, message, entry.Line, entry.Offset)
		}
	}
}

// isReported reports whether the problems of a reading include a syntax fault, for
// then the reader has said more about it.
func isReported(fault *wellformed.Fault, problems []sitemap.Problem) bool {
	return slices.ContainsFunc(problems, func(p sitemap.Problem) bool {
		switch p.Code {
		case "leading-space", "leading-junk":
			return fault.Part == wellformed.Prolog
		case "trailing-junk":
			return fault.Part == wellformed.Epilog
		case "truncated":
			return fault.Part == wellformed.End
		case "raw-ampersand", "unknown-entity", "malformed", "bad-char", "bad-utf8":
			return p.Line == fault.Line
		}
		return false
	})
}

// repeated reports whether a URL was listed before.
func (v *Validator) repeated(loc string) bool {
	hash := v.hash(loc)
	if _, ok := v.seen[hash]; ok {
		return true
	}
	if len(v.seen) < maxRemembered {
		v.seen[hash] = struct{}{}
	}
	return false
}

func (v *Validator) hash(address string) uint64 {
	if v.seen == nil {
		v.seed, v.seen = maphash.MakeSeed(), map[uint64]struct{}{}
	}
	return maphash.String(v.seed, address)
}
