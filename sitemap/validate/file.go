package validate

import (
	"hash/maphash"
	"io"
	"net/url"
	"slices"
	"time"

	"github.com/decorum-crawler/decorum/sitemap"
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
	CodeNestedIndex   = "nested-index" // an index that an index lists
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

	seed maphash.Seed
	seen map[uint64]struct{}
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
	reader := sitemap.NewReader(source, base, sitemap.Options{Strict: true, MaxBytes: -1, MaxLoc: sitemap.MaxLocBytes, Served: served})
	var result Validation
	for entry, err := range reader.Entries() {
		if err != nil {
			result.Err = err
			break
		}
		result.Entries++
		if v.repeated(entry.Loc) {
			result.add(CodeDuplicate, "listed before: "+entry.Loc, entry.Line, entry.Offset)
		}
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
	slices.SortStableFunc(result.Problems, func(a, b sitemap.Problem) int { return a.Line - b.Line })
	return result
}

// repeated reports whether a URL was listed before.
func (v *Validator) repeated(loc string) bool {
	if v.seen == nil {
		v.seed, v.seen = maphash.MakeSeed(), map[uint64]struct{}{}
	}
	hash := maphash.String(v.seed, loc)
	if _, ok := v.seen[hash]; ok {
		return true
	}
	if len(v.seen) < maxRemembered {
		v.seen[hash] = struct{}{}
	}
	return false
}
