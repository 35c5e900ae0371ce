package corpus

import (
	"hash/maphash"

	"github.com/decorum-crawler/decorum/storage/jsonl"
)

// marker hashes values of rows, so that rows in two files are compared without
// keeping them.
type marker struct{ seed maphash.Seed }

func newMarker() marker { return marker{maphash.MakeSeed()} }

func (m marker) of(v any) uint64 { return maphash.Bytes(m.seed, jsonl.Line(v)) }

// marks are the hashes of the parts of a document that publishing does not change.
type marks struct{ text, title, url, rest uint64 }

// row returns the marks of a document. Decisions may be made anew, and places in an
// archive and duplicates are known when a corpus is published.
func (m marker) row(d Document) marks {
	made := marks{text: m.of(d.Text), title: m.of(d.Title), url: m.of(d.URL)}
	d.Text, d.Title, d.URL = "", "", ""
	d.Train, d.TrainBasis = "", ""
	d.Metadata.Policy, d.Metadata.Signals = "", nil
	d.Metadata.WARCFile, d.Metadata.WARCOffset, d.DupOf, d.NearDupOf = "", 0, "", ""
	made.rest = m.of(d)
	return made
}

// differences names the parts that differ.
func (m marks) differences(other marks) (names []string) {
	for _, part := range []struct {
		name string
		same bool
	}{
		{"the text", m.text == other.text},
		{"the title", m.title == other.title},
		{"the URL", m.url == other.url},
		{"a fact about the page", m.rest == other.rest},
	} {
		if !part.same {
			names = append(names, part.name)
		}
	}
	return names
}
