package corpus_test

import (
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/decorum-crawler/decorum/corpus"
	"github.com/decorum-crawler/decorum/corpus/shard"
	"github.com/decorum-crawler/decorum/storage/jsonl"
)

// removalsOf returns a removal of the document of a URL.
func (c *crawl) removalsOf(address string) []corpus.Removal {
	c.t.Helper()
	for _, d := range rows[corpus.Document](c.t, c.root, corpus.JournalName) {
		if d.URL == address {
			return []corpus.Removal{{ID: d.ID, URL: d.URL}}
		}
	}
	c.t.Fatalf("there is no document of %s", address)
	return nil
}

// TestPurge completes a purge that was interrupted because the archive could not be
// changed.
func TestPurge(t *testing.T) {
	c := newFarm(t)
	removals := c.removalsOf(farm + "/b")
	if _, err := corpus.WriteRemovals(c.root, day(2), removals); err != nil {
		t.Fatal(err)
	}
	if m := c.publish(); m.Counts.Documents != 4 || !has(m.Gaps, "1 documents are listed in removals") {
		t.Errorf("got %+v, %q", m.Counts, m.Gaps)
	}
	size := len(readAll(t, c, corpus.JournalName))
	errArchive := errors.New("archive is read-only")
	if n, err := corpus.Purge(c.root, "pages.jsonl", removals, func([]corpus.Document) error { return errArchive }); n != 1 || !errors.Is(err, errArchive) {
		t.Errorf("got %d, %v, want %v", n, err, errArchive)
	}
	if purged, err := corpus.Purged(c.root); err != nil || len(purged) != 1 || !purged[removals[0].ID] {
		t.Errorf("got %v, %v", purged, err)
	}
	if !strings.Contains(readAll(t, c, corpus.JournalName), "Another text.") {
		t.Error("got the text erased, want it to be there until all else is done")
	}
	var withdrawn []corpus.Document
	n, err := corpus.Purge(c.root, "pages.jsonl", removals, func(documents []corpus.Document) error {
		withdrawn = append(withdrawn, documents...)
		return nil
	})
	if n != 0 || err != nil || len(withdrawn) != 1 || withdrawn[0].URL != farm+"/b" || withdrawn[0].Text != "" {
		t.Errorf("got %d, %v, %+v", n, err, withdrawn)
	}
	journal := readAll(t, c, corpus.JournalName)
	if strings.Contains(journal, "Another text.") || len(journal) != size {
		t.Errorf("got %d bytes, want %d without the text", len(journal), size)
	}
	if strings.Count(readAll(t, c, "pages.jsonl"), "a title") != len(c.pages)-1 {
		t.Error("want one title erased")
	}
	if pending, err := corpus.PendingRemovals(c.root); err != nil || len(pending) > 0 {
		t.Errorf("got %v, %v, want none pending", pending, err)
	}
	c.pages = nil
	m, err := corpus.Publish(c.root, corpus.Publication{
		Pages: "pages.jsonl", Skipped: "skipped.jsonl", Unknown: corpus.UnknownSeparate, Shards: shard.Options{Format: shard.JSONL},
	})
	if err != nil || m.Counts.Documents != 3 || m.Counts.Purged != 1 {
		t.Errorf("got %+v, %v", m, err)
	}
	if found := c.verify(); len(found) > 0 {
		t.Errorf("got %q after the purge", found)
	}
	never := func([]corpus.Document) error { return errors.New("called again") }
	if n, err := corpus.Purge(c.root, "pages.jsonl", removals, never); n != 0 || err != nil {
		t.Errorf("got %d, %v, want nothing left to do", n, err)
	}
}

func TestPurgeOfNothing(t *testing.T) {
	c := newFarm(t)
	n, err := corpus.Purge(c.root, "pages.jsonl", []corpus.Removal{{ID: "urn:decorum:other"}}, nil)
	if n != 0 || err != nil {
		t.Errorf("got %d, %v", n, err)
	}
	if _, err := c.root.Stat(corpus.TombstonesName); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want no tombstones", err)
	}
}

func TestPurgeErrors(t *testing.T) {
	for _, name := range []string{corpus.JournalName, corpus.TombstonesName} {
		c := newFarm(t)
		removals := c.removalsOf(farm + "/a")
		if err := damage(name)(c.root); err != nil {
			t.Fatal(err)
		}
		if _, err := corpus.Purge(c.root, "pages.jsonl", removals, nil); !errors.Is(err, jsonl.ErrRow) {
			t.Errorf("%s: got %v, want %v", name, err, jsonl.ErrRow)
		}
	}
}

func TestReadRemovals(t *testing.T) {
	root := openFolder(t)
	if files, err := corpus.RemovalFiles(root); err != nil || files != nil {
		t.Errorf("got %v, %v, want none", files, err)
	}
	name, err := corpus.WriteRemovals(root, day(2), []corpus.Removal{{ID: "a"}, {ID: "b"}})
	if err != nil || name != "removals/2026-01-02T100000Z.jsonl" {
		t.Fatalf("got %s, %v", name, err)
	}
	if got, err := corpus.ReadRemovals(root, name); err != nil || len(got) != 2 || got[1].ID != "b" {
		t.Errorf("got %v, %v", got, err)
	}
	if err := damage(name)(root); err != nil {
		t.Fatal(err)
	}
	if _, err := corpus.ReadRemovals(root, name); !errors.Is(err, jsonl.ErrRow) {
		t.Errorf("got %v, want %v", err, jsonl.ErrRow)
	}
	if _, err := corpus.PendingRemovals(root); !errors.Is(err, jsonl.ErrRow) {
		t.Errorf("got %v, want %v", err, jsonl.ErrRow)
	}
}

func readAll(t *testing.T, c *crawl, name string) string {
	t.Helper()
	data, err := c.root.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
