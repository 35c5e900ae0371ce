package corpus_test

import (
	"bytes"
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/decorum-crawler/decorum/corpus"
	"github.com/decorum-crawler/decorum/internal/doctable"
	"github.com/decorum-crawler/decorum/storage/jsonl"
)

func TestVerifyOfWhatWasPublished(t *testing.T) {
	c := newFarm(t)
	c.publish()
	if found := c.verify(); len(found) > 0 {
		t.Errorf("got %q, want nothing found", found)
	}
}

func TestVerifyWantsAManifest(t *testing.T) {
	c := newFarm(t)
	if err := c.judge().Verify(c.root, ofTest, func(string) {}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want that there is no manifest", err)
	}
}

// TestVerifyFinds changes one thing each time.
func TestVerifyFinds(t *testing.T) {
	const documents = "documents/train=in_favor/part-00000.jsonl"
	sealed := func(name, old, with string) func(*crawl) {
		return func(c *crawl) {
			before := c.edit(name, old, with)
			c.edit(corpus.ManifestName, before, c.digest(name))
		}
	}
	tests := map[string]struct {
		change func(*crawl)
		want   string
	}{
		"a shard of another corpus": {func(c *crawl) {
			c.copy(documents, "documents/train=in_favor/part-00001.jsonl")
		}, "documents/train=in_favor/part-00001.jsonl is no file of this corpus"},
		"a file that nobody wrote":    {func(c *crawl) { c.copy(documents, "notes.txt") }, "notes.txt is no file of this corpus"},
		"a link":                      {func(c *crawl) { c.link("pages.jsonl", "documents/link") }, "documents/link is not a regular file"},
		"a word of the journal":       {func(c *crawl) { c.edit(corpus.JournalName, "A text", "A test") }, "corpus.jsonl: digest mismatch"},
		"a word of the page records":  {func(c *crawl) { c.edit("pages.jsonl", "a title", "a litte") }, "pages.jsonl: digest mismatch"},
		"an empty list of skips":      {func(c *crawl) { c.edit("skipped.jsonl", c.read("skipped.jsonl"), "") }, "skipped.jsonl has 0 bytes"},
		"more lines":                  {func(c *crawl) { c.edit("pages.jsonl", "{", "{}\n{") }, "pages.jsonl has grown by 3 bytes"},
		"a manifest without journals": {func(c *crawl) { c.edit(corpus.ManifestName, `"journals"`, `"other"`) }, "does not cover corpus.jsonl"},
		"a text with a new digest":    {sealed(documents, "A text", "A test"), "the text of https://farm.example/a has the digest"},
		"a title with a new digest":   {sealed(documents, `"title":""`, `"title":"x"`), "the title in the shard is not as it is in corpus.jsonl"},
		"a URL with a new digest":     {sealed(documents, `"url":"https://farm.example/a"`, `"url":"https://farm.example/z"`), "the row says that its URL is https://farm.example/z"},
		"a fact with a new digest":    {sealed(documents, `"http_status":200`, `"http_status":203`), "a fact about the page in the shard"},
		"a rule with a new digest":    {sealed(documents, `"robots_line":0`, `"robots_line":7`), "the row says that it was fetched by"},
		"a signal with a new digest":  {sealed(documents, `"signal":"token"`, `"signal":"rsl"`), "the recorded signals are not those of the evidence"},
		"a document in another folder": {func(c *crawl) {
			c.edit(corpus.ManifestName, "train=in_favor/", "train=none/")
			c.move("documents/train=in_favor", "documents/train=none")
		}, "which belongs into documents/train=in_favor"},
		"a changed byte":         {func(c *crawl) { c.edit(documents, "A text", "a text") }, "digest mismatch"},
		"a missing shard":        {func(c *crawl) { c.remove(documents) }, documents + " is missing"},
		"a wrong sum":            {func(c *crawl) { c.edit(corpus.ManifestName, `"in_favor": 4`, `"in_favor": 3`) }, "counts do not add up: documents is 4, but its parts add up to 3"},
		"wrong counts":           {func(c *crawl) { c.edit(corpus.ManifestName, `"hold": 0`, `"hold": 1`) }, "2 pages are excluded or on hold, but the manifest says 3"},
		"a wrong number of rows": {func(c *crawl) { c.edit(corpus.ManifestName, `"rows": 4`, `"rows": 3`) }, "has 4 rows, but the manifest says 3"},
		"a changed decision":     {sealed(corpus.ExcludedName, `"basis":"token: disallow:/reviews/"`, `"basis":"token: disallow:/x"`), "the recorded decision is excluded by token: disallow:/x (declared/1), but the evidence leads to excluded by token: disallow:/reviews/"},
		"an unknown policy":      {sealed(corpus.ExcludedName, `declared/1`, `declared/9`), `policy "declared/9"`},
		"a damaged row":          {sealed(corpus.ExcludedName, `{`, `(`), "damaged line"},
		"a damaged shard":        {sealed(documents, `{`, `(`), "read shard"},
		"a document twice":       {func(c *crawl) { c.lines(documents, 0, 0, 1, 2, 3) }, "duplicate of document"},
		"a missing row":          {func(c *crawl) { c.lines(documents, 1, 2, 3) }, "the shards have 3 documents, but the manifest says 4"},
		"no evidence":            {func(c *crawl) { c.lines(corpus.EvidenceName) }, "has no evidence"},
		"other evidence":         {func(c *crawl) { c.edit("files/"+sum([]byte(trains)), "/reviews/", "/nothing") }, "the evidence"},
		"a purged text":          {func(c *crawl) { c.bury(); c.publish() }, "was purged, but its text is still in corpus.jsonl"},
		"a purged document":      {func(c *crawl) { c.bury() }, "was purged, but is still in a shard"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			c := newFarm(t)
			c.publish()
			test.change(c)
			found := c.verify()
			if !has(found, test.want) {
				t.Errorf("got %q, want %q", found, test.want)
			}
		})
	}
	doctable.Check(t, "../docs/corpus-audit.md", "Within a corpus", tests)
}

func TestVerifyErrors(t *testing.T) {
	for _, name := range []string{corpus.EvidenceName, corpus.JournalName, corpus.TombstonesName} {
		c := newFarm(t)
		c.publish()
		if err := damage(name)(c.root); err != nil {
			t.Fatal(err)
		}
		if err := c.judge().Verify(c.root, ofTest, func(string) {}); !errors.Is(err, jsonl.ErrRow) {
			t.Errorf("%s: got %v, want %v", name, err, jsonl.ErrRow)
		}
	}
	c := newFarm(t)
	c.publish()
	c.remove("files/" + sum([]byte(trains)))
	if err := c.judge().Verify(c.root, ofTest, func(string) {}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want that a file of the site is missing", err)
	}
}

// edit replaces the first old in a file, and returns the digest that it had.
func (c *crawl) edit(name, old, with string) (before string) {
	c.t.Helper()
	data, err := c.root.ReadFile(name)
	if err != nil || !bytes.Contains(data, []byte(old)) {
		c.t.Fatalf("%s has no %q: %v", name, old, err)
	}
	if err := c.root.WriteFile(name, []byte(strings.Replace(string(data), old, with, 1)), 0o600); err != nil {
		c.t.Fatal(err)
	}
	return sum(data)
}

// lines rewrites a file with these of its lines, and the manifest with its
// digest if it names the file.
func (c *crawl) lines(name string, numbers ...int) {
	c.t.Helper()
	data, err := c.root.ReadFile(name)
	if err != nil {
		c.t.Fatal(err)
	}
	all := strings.SplitAfter(string(data), "\n")
	var left strings.Builder
	for _, n := range numbers {
		left.WriteString(all[n])
	}
	if err := c.root.WriteFile(name, []byte(left.String()), 0o600); err != nil {
		c.t.Fatal(err)
	}
	c.edit(corpus.ManifestName, sum(data), c.digest(name))
}

func (c *crawl) read(name string) string {
	c.t.Helper()
	data, err := c.root.ReadFile(name)
	if err != nil {
		c.t.Fatal(err)
	}
	return string(data)
}

func (c *crawl) copy(from, to string) {
	c.t.Helper()
	if err := c.root.WriteFile(to, []byte(c.read(from)), 0o600); err != nil {
		c.t.Fatal(err)
	}
}

func (c *crawl) link(to, name string) {
	c.t.Helper()
	if err := c.root.Symlink(to, name); err != nil {
		c.t.Fatal(err)
	}
}

func (c *crawl) move(from, to string) {
	c.t.Helper()
	if err := c.root.Rename(from, to); err != nil {
		c.t.Fatal(err)
	}
}

func (c *crawl) digest(name string) string {
	c.t.Helper()
	data, err := c.root.ReadFile(name)
	if err != nil {
		c.t.Fatal(err)
	}
	return sum(data)
}

func (c *crawl) remove(name string) {
	c.t.Helper()
	if err := c.root.Remove(name); err != nil {
		c.t.Fatal(err)
	}
}

// bury writes a tombstone of a document that still exists.
func (c *crawl) bury() {
	c.t.Helper()
	d := rows[corpus.Document](c.t, c.root, corpus.JournalName)[0]
	writeRows(c.t, c.root, corpus.TombstonesName, corpus.Removal{ID: d.ID, URL: d.URL})
}
