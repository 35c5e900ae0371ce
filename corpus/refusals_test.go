package corpus_test

import (
	"os"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/decorum-crawler/decorum/corpus"
	"github.com/decorum-crawler/decorum/corpus/signal"
)

// fetched is a page of an archive, or a redirect to one.
type fetched struct {
	url      string
	day      int
	to       string   // a redirect
	chain    []string // IDs
	excluded bool
}

func (f fetched) id() string { return corpus.DocumentID(f.url, day(f.day)) }

// writeFetched writes the files that a build makes from pages.
func writeFetched(t *testing.T, root *os.Root, all ...fetched) {
	t.Helper()
	var evidence []corpus.Evidence
	var excluded []corpus.Excluded
	var documents []corpus.Document
	for _, f := range all {
		evidence = append(evidence, corpus.Evidence{
			ID: f.id(), URL: f.url, FetchedAt: day(f.day).Format(time.RFC3339Nano), Status: 200, RedirectTo: f.to, Redirects: f.chain,
		})
		switch {
		case f.to != "":
		case f.excluded:
			excluded = append(excluded, corpus.Excluded{ID: f.id(), URL: f.url, Reason: "excluded", Basis: "robots_meta: header noai", Policy: "declared/1"})
		default:
			documents = append(documents, corpus.Document{ID: f.id(), URL: f.url, Text: "text"})
		}
	}
	writeRows(t, root, corpus.EvidenceName, evidence...)
	writeRows(t, root, corpus.ExcludedName, excluded...)
	writeRows(t, root, corpus.JournalName, documents...)
}

func TestLaterRefusals(t *testing.T) {
	const page = "https://farm.example/a"
	hop := fetched{url: "https://other.example/go", day: 2, to: page}
	before := fetched{url: hop.url, day: 1, to: page}
	for name, test := range map[string]struct {
		all  []fetched
		want []string
	}{
		"a later no":                      {[]fetched{{url: page, day: 1}, {url: page, day: 2, excluded: true}}, []string{page}},
		"in any order":                    {[]fetched{{url: page, day: 2, excluded: true}, {url: page, day: 1}}, []string{page}},
		"an earlier no":                   {[]fetched{{url: page, day: 1, excluded: true}, {url: page, day: 2}}, nil},
		"yes, no, yes":                    {[]fetched{{url: page, day: 1}, {url: page, day: 2, excluded: true}, {url: page, day: 3}}, nil},
		"another page":                    {[]fetched{{url: page, day: 1}, {url: page + "b", day: 2, excluded: true}}, nil},
		"a no on the chain of another":    {[]fetched{{url: page, day: 1}, hop, {url: page, day: 2, chain: []string{hop.id()}, excluded: true}}, nil},
		"a no on the same chain":          {[]fetched{before, {url: page, day: 1, chain: []string{before.id()}}, hop, {url: page, day: 2, chain: []string{hop.id()}, excluded: true}}, []string{page}},
		"a no of the page that is led to": {[]fetched{before, {url: page, day: 1, chain: []string{before.id()}}, {url: page, day: 2, excluded: true}}, []string{page}},
	} {
		t.Run(name, func(t *testing.T) {
			root := openFolder(t)
			writeFetched(t, root, test.all...)
			removals, err := corpus.LaterRefusals(root)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, r := range removals {
				got = append(got, r.URL)
				if r.ID != corpus.DocumentID(page, day(1)) || r.At != day(2).Format(time.RFC3339) || r.Basis != "robots_meta: header noai" || r.Policy != "declared/1" {
					t.Errorf("got %+v", r)
				}
			}
			if !cmp.Equal(got, test.want) {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

// TestLaterRefusalsByDecisions has later decisions that differ from those of the
// build.
func TestLaterRefusalsByDecisions(t *testing.T) {
	first, second := fetched{url: "https://farm.example/a", day: 1}, fetched{url: "https://farm.example/a", day: 2}
	for _, excluded := range []bool{false, true} {
		root := openFolder(t)
		second.excluded = !excluded
		writeFetched(t, root, first, second)
		decision := corpus.Decision{ID: second.id(), Train: signal.TrainNone}
		if excluded {
			decision.Train = signal.TrainExcluded
		}
		writeRows(t, root, corpus.DecisionsName, decision)
		removals, err := corpus.LaterRefusals(root)
		named := slices.ContainsFunc(removals, func(r corpus.Removal) bool { return r.ID == first.id() })
		if err != nil || named != excluded {
			t.Errorf("excluded by the later decision %v: got %v, %v", excluded, removals, err)
		}
	}
}
