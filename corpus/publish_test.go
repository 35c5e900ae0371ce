package corpus_test

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/decorum-crawler/decorum/corpus"
	"github.com/decorum-crawler/decorum/corpus/signal"
	"github.com/decorum-crawler/decorum/crawler/record"
	"github.com/decorum-crawler/decorum/frontier"
	"github.com/decorum-crawler/decorum/storage/jsonl"
)

func TestPublish(t *testing.T) {
	c := newFarm(t)
	m := c.publish()
	got := documents(t, c.root, "train=in_favor")
	if len(got) != 4 || got["/twin"].DupOf != got["/a"].ID || got["/a"].DupOf != "" {
		t.Errorf("got %+v, want four documents, the twin a duplicate of the first", got)
	}
	want := corpus.Counts{
		Discovered: 8, Skipped: 1, NotCrawled: map[string]int64{"no-consent": 1}, Requested: 7, OK: 6, Redirects: 1,
		Documents: 4, InFavor: 4, Duplicates: 1, Refused: 1, Excluded: 1, Failed: 1, BytesSaved: int64(len("never read")),
		ExcludedBy: map[string]int64{"token": 1, "robots_meta": 1}, FailedBy: map[string]int64{"empty": 1},
	}
	if diff := cmp.Diff(want, m.Counts); diff != "" {
		t.Error(diff)
	}
	if len(m.Hosts) != 1 || m.Hosts[0].Signals["token"]["in_favor"] != 5 || m.Hosts[0].Signals["robots_meta"]["against"] != 1 {
		t.Errorf("got hosts %+v", m.Hosts)
	}
	for _, output := range m.Outputs {
		data, err := c.root.ReadFile(output.Name)
		if err != nil || output.SHA256 != sum(data) || output.Bytes != int64(len(data)) || output.Rows != strings.Count(string(data), "\n") {
			t.Errorf("got %+v, %v", output, err)
		}
	}
	if read, err := corpus.ReadManifest(c.root); err != nil || !cmp.Equal(m, read) {
		t.Errorf("got %v, %s", err, cmp.Diff(m, read))
	}
}

// TestPublishUnknown checks the directories of pages about which nothing is stated.
func TestPublishUnknown(t *testing.T) {
	for unknown, want := range map[corpus.Unknown]string{
		corpus.UnknownSeparate: "train=none", corpus.UnknownInclude: "train=in_favor_or_none",
	} {
		c := newCrawl(t, "", nil)
		c.get(farm+"/a", "A text.")
		m := c.publish(func(p *corpus.Publication) { p.Unknown = unknown })
		if got := documents(t, c.root, want); len(got) != 1 || m.Counts.None != 1 || !has(m.Gaps, "state no preference") {
			t.Errorf("%s: got %v, %+v, %q", unknown, got, m.Counts, m.Gaps)
		}
	}
}

// TestPublishTwice writes the same shards, and removes those of a directory that no
// longer has documents.
func TestPublishTwice(t *testing.T) {
	c := newCrawl(t, "", nil)
	c.get(farm+"/a", "A text.")
	inputs := []corpus.Input{{Name: "a.warc"}}
	first := c.publish(func(p *corpus.Publication) { p.Inputs, p.Unjudged = inputs, []string{"headers"} })
	if second := c.publish(); !cmp.Equal(first.Outputs, second.Outputs) || !cmp.Equal(second.Inputs, inputs) {
		t.Errorf("got %+v and then %+v", first, second)
	}
	c.publish(func(p *corpus.Publication) { p.Unknown = corpus.UnknownInclude })
	if _, err := c.root.Stat("documents/train=none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want the shards of none removed", err)
	}
}

func TestPublishFollowsDecisions(t *testing.T) {
	c := newFarm(t)
	var lines []corpus.Decision
	for _, d := range rows[corpus.Document](t, c.root, corpus.JournalName) {
		decision := corpus.Decision{ID: d.ID, URL: d.URL, Train: signal.TrainInFavor, Basis: "kept", Policy: "token/1"}
		switch strings.TrimPrefix(d.URL, farm) {
		case "/a":
			decision.Train, decision.Basis = signal.TrainNone, "later"
		case "/b":
			decision.Train, decision.Basis = signal.TrainExcluded, "indexing: later"
		case "/target":
			decision.Train, decision.Basis = signal.TrainHold, "rsl: later"
		}
		lines = append(lines, decision)
	}
	writeRows(t, c.root, corpus.DecisionsName, lines...)
	m := c.publish()
	if got := documents(t, c.root, "train=none"); got["/a"].TrainBasis != "later" || got["/a"].Metadata.Policy != "token/1" || len(got) != 1 {
		t.Errorf("got %+v", got)
	}
	if got := rows[corpus.Excluded](t, c.root, corpus.MovedName); len(got) != 2 || got[0].URL != farm+"/b" || got[1].Reason != "hold" {
		t.Errorf("got %+v", got)
	}
	if c := m.Counts; c.Documents != 2 || c.Excluded != 2 || c.Hold != 1 || c.ExcludedBy["indexing"] != 1 || !has(m.Gaps, "1 pages") {
		t.Errorf("got %+v, %q", c, m.Gaps)
	}
	if err := c.root.Remove(corpus.DecisionsName); err != nil {
		t.Fatal(err)
	}
	if m := c.publish(); m.Counts.Documents != 4 {
		t.Errorf("got %+v after the decisions were removed", m.Counts)
	}
	if _, err := c.root.Stat(corpus.MovedName); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want %s removed", err, corpus.MovedName)
	}
}

func TestPublishPlacesAndLists(t *testing.T) {
	c := newFarm(t)
	writeRows(t, c.root, "robots/x.json", map[string]any{"final_url": farm + "/robots.txt", "status": 200, "digest": "d", "bytes": 3})
	writeRows(t, c.root, "robots/x.txt", "not a note")
	writeRows(t, c.root, "archive.warc", "bytes")
	m := c.publish(func(p *corpus.Publication) {
		p.Place = func(corpus.Document) (string, int64, error) { return "archive.warc", 7, nil }
		p.Files, p.Pending = []string{"archive.warc"}, 3
	})
	if d := documents(t, c.root, "train=in_favor")["/a"]; d.Metadata.WARCFile != "archive.warc" || d.Metadata.WARCOffset != 7 {
		t.Errorf("got %+v", d.Metadata)
	}
	if want := []corpus.FileEvidence{{URL: farm + "/robots.txt", Status: 200, SHA256: "d"}}; !cmp.Equal(want, m.Evidence) {
		t.Errorf("got %+v, want %+v", m.Evidence, want)
	}
	if !slices.ContainsFunc(m.Outputs, func(o corpus.Output) bool { return o.Name == "archive.warc" && o.Bytes > 0 }) {
		t.Errorf("got %+v, want the archive listed", m.Outputs)
	}
	if m.Counts.Pending != 3 || !has(m.Gaps, "3 known URLs") {
		t.Errorf("got %+v, %q", m.Counts, m.Gaps)
	}
}

// TestPublishErrors damages one thing each time.
func TestPublishErrors(t *testing.T) {
	errPlace := errors.New("not in the archive")
	for name, test := range map[string]struct {
		change func(*os.Root) error
		place  func(corpus.Document) (string, int64, error)
		want   error
	}{
		"journal":    {damage(corpus.JournalName), nil, jsonl.ErrRow},
		"excluded":   {damage(corpus.ExcludedName), nil, jsonl.ErrRow},
		"failed":     {damage(corpus.FailedName), nil, jsonl.ErrRow},
		"decisions":  {damage(corpus.DecisionsName), nil, jsonl.ErrRow},
		"tombstones": {damage(corpus.TombstonesName), nil, jsonl.ErrRow},
		"pages":      {damage("pages.jsonl"), nil, jsonl.ErrRow},
		"skipped":    {damage("skipped.jsonl"), nil, jsonl.ErrRow},
		"a place":    {damage("other"), func(corpus.Document) (string, int64, error) { return "", 0, errPlace }, errPlace},
	} {
		t.Run(name, func(t *testing.T) {
			c := newFarm(t)
			c.publish()
			if err := test.change(c.root); err != nil {
				t.Fatal(err)
			}
			p := corpus.Publication{Pages: "pages.jsonl", Skipped: "skipped.jsonl", Place: test.place}
			if _, err := corpus.Publish(c.root, p); !errors.Is(err, test.want) {
				t.Errorf("got %v, want %v", err, test.want)
			}
		})
	}
	for _, name := range []string{corpus.ManifestName, "robots/x.json"} {
		c := newFarm(t)
		c.publish()
		writeRows(t, c.root, "robots/x.json", 1)
		if err := damage(name)(c.root); err != nil {
			t.Fatal(err)
		}
		if _, err := corpus.Publish(c.root, corpus.Publication{Pages: "pages.jsonl", Skipped: "skipped.jsonl"}); err == nil {
			t.Errorf("%s: got no error", name)
		}
	}
}

// damage appends a line that is not an object to a file.
func damage(name string) func(*os.Root) error {
	return func(root *os.Root) error {
		file, err := root.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		_, err = file.WriteString("{broken\n")
		return errors.Join(err, file.Close())
	}
}

func TestPublishCountsOtherAnswers(t *testing.T) {
	c := newCrawl(t, "", nil)
	c.pages = append(c.pages, record.Page{Status: 404})
	c.skipped = append(c.skipped, record.Skip{Reason: frontier.SkipRobotsDisallow})
	if m := c.publish(); m.Counts.Other != 1 || !has(m.Gaps, "1 URLs returned no page") || !has(m.Gaps, "1 URLs are blocked by robots.txt") {
		t.Errorf("got %+v, %q", m.Counts, m.Gaps)
	}
}
