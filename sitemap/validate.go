package sitemap

import (
	"hash/maphash"
	"io"
	"net/url"
	"slices"
	"time"
)

// maxFileBytes is the protocol's limit for a file with compression taken off.
const maxFileBytes = 50 << 20

// maxRemembered bounds the URLs in which a Validator looks for duplicates.
const maxRemembered = 2_000_000

// A Validator holds files to the protocol of sitemaps.org, more strictly than
// a Reader, which forgives what can be read. Its zero value is ready. It
// remembers URLs by a hash, so that duplicates are found across files, the
// first two million of them. It is not safe for concurrent use.
type Validator struct {
	// Now tells dates to come from those past; zero is the time of the call.
	Now time.Time
	// OnEntry, if set, gets the entries too; of an index they are files.
	OnEntry func(Kind, Entry)

	seed maphash.Seed
	seen map[uint64]struct{}
}

// A Validation is what became of one file.
type Validation struct {
	Kind     Kind
	Entries  int
	Problems []Problem // by line, at most 1,000 of the reading and as many of the entries
	Count    int       // how many there are
	Err      error     // why no more could be read; nil when the file was read to its end
}

// Valid reports whether the file is as the protocol wants it.
func (v Validation) Valid() bool { return v.Count == 0 && v.Err == nil }

// File reads a file that is served at base; nil when that is not known.
func (v *Validator) File(source io.Reader, base *url.URL) Validation {
	now := v.Now
	if now.IsZero() {
		now = time.Now()
	}
	reader := NewReader(source, base, Options{Strict: true, MaxBytes: -1, MaxLoc: 2047})
	var result Validation
	add := func(code, message string, entry Entry) {
		result.Count++
		if len(result.Problems) < maxProblems {
			result.Problems = append(result.Problems, Problem{Code: code, Line: entry.Line, Offset: entry.Offset, Message: message})
		}
	}
	for entry, err := range reader.Entries() {
		if err != nil {
			result.Err = err
			break
		}
		result.Entries++
		if v.repeated(entry.Loc) {
			add("duplicate", "listed before: "+entry.Loc, entry)
		}
		if entry.LastMod.After(now.Add(24 * time.Hour)) {
			add("lastmod-future", "lastmod is yet to come: "+entry.LastMod.Format(time.RFC3339), entry)
		}
		if v.OnEntry != nil {
			v.OnEntry(reader.Kind(), entry)
		}
	}
	if reader.size() > maxFileBytes {
		add("too-large", messages["too-large"], Entry{Line: 1})
	}
	if result.Entries == 0 && result.Err == nil {
		add("no-entries", messages["no-entries"], Entry{Line: 1})
	}
	result.Kind = reader.Kind()
	result.Count += reader.ProblemCount()
	result.Problems = append(result.Problems, reader.Problems()...)
	slices.SortStableFunc(result.Problems, func(a, b Problem) int { return a.Line - b.Line })
	return result
}

// repeated reports whether an address was given before.
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
