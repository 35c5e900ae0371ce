package corpus_test

import (
	"strings"
	"testing"

	"github.com/decorum-crawler/decorum/corpus"
	"github.com/decorum-crawler/decorum/crawler/record"
)

// longText is long enough for texts to be nearly the same.
var longText = strings.Repeat("The ships come in the morning and leave in the evening, and nobody knows where they go. ", 1) +
	"People of the town have watched them for a hundred years and write down which of them have come, with what cargo and under which " +
	"flag, and on Saturdays the market opens at six, and by noon there is nothing left but cabbage leaves and the smell of fish."

func TestNearDuplicates(t *testing.T) {
	c := newCrawl(t, trains, nil)
	c.get(farm+"/first", longText)
	c.get(farm+"/other", "A text of its own, about something else, and long enough to have sequences of five words in it.")
	c.get(farm+"/near", longText+" And today.")
	c.get(farm+"/same", longText)
	near := func(p *corpus.Publication) { p.Near = corpus.NearMethod }
	m := c.publish(near)
	got := documents(t, c.root, "train=in_favor")
	first := got["/first"].ID
	if got["/first"].NearDupOf != "" || got["/other"].NearDupOf != "" || got["/near"].NearDupOf != first || got["/same"].NearDupOf != first || got["/same"].DupOf != first {
		t.Errorf("got %+v", got)
	}
	if n := m.Counts; m.Near != "minhash/1" || n.NearDuplicates != 2 || n.NearClusters != 1 || n.Duplicates != 1 {
		t.Errorf("got %q, %+v", m.Near, n)
	}
	if found := c.verify(); len(found) > 0 {
		t.Errorf("got %q", found)
	}

	// The first one is purged: the next one is the first.
	removal := corpus.Removal{ID: first, URL: farm + "/first"}
	if _, err := corpus.Purge(c.root, "pages.jsonl", []corpus.Removal{removal}, nil); err != nil {
		t.Fatal(err)
	}
	c.pages = rows[record.Page](t, c.root, "pages.jsonl")
	if m = c.publish(near); m.Counts.NearDuplicates != 1 {
		t.Errorf("got %+v", m.Counts)
	}
	if got = documents(t, c.root, "train=in_favor"); got["/same"].NearDupOf != got["/near"].ID {
		t.Errorf("got %+v", got)
	}
	if found := c.verify(); len(found) > 0 {
		t.Errorf("after a purge: got %q", found)
	}
	if m = c.publish(); m.Counts.NearDuplicates != 0 || documents(t, c.root, "train=in_favor")["/same"].NearDupOf != "" {
		t.Errorf("not asked for: got %+v", m.Counts)
	}
}

// Whoever changes a mark and the digests finds that out.
func TestVerifyFindsChangedMarks(t *testing.T) {
	for change, want := range map[[2]string]string{
		{`"near_dup_of":"urn`, `"near_dup_of":"","x":"urn`}: "nearly that of",
		{`"dup_of":"urn`, `"dup_of":"","x":"urn`}:           "the row says that its text is that of",
		{`"words":`, `"words":1`}:                           "a fact about the page",
		{`"links":0`, `"links":1`}:                          "a fact about the page",
		{`"language_score":0.0`, `"language_score":1.0`}:    "a fact about the page",
		{`"text_format":""`, `"text_format":"markdown"`}:    "a fact about the page",
	} {
		c := newCrawl(t, trains, nil)
		c.get(farm+"/first", longText)
		c.get(farm+"/same", longText)
		c.publish(func(p *corpus.Publication) { p.Near = corpus.NearMethod })
		if found := c.verify(); len(found) > 0 {
			t.Fatalf("got %q", found)
		}
		const shard = "documents/train=in_favor/part-00000.jsonl"
		before, err := c.root.ReadFile(shard)
		if err != nil {
			t.Fatal(err)
		}
		after := strings.ReplaceAll(string(before), change[0], change[1])
		if after == string(before) {
			t.Fatalf("%s is not there: %s", change[0], before)
		}
		if err := c.root.WriteFile(shard, []byte(after), 0o600); err != nil {
			t.Fatal(err)
		}
		c.edit(corpus.ManifestName, sum(before), sum([]byte(after)))
		if found := c.verify(); !has(found, want) {
			t.Errorf("%s: got %q, want %q", change[1], found, want)
		}
	}
	c := newCrawl(t, trains, nil)
	c.get(farm+"/first", longText)
	c.publish()
	c.edit(corpus.ManifestName, `"near_duplicates": 0`, `"near_duplicates": 1`)
	if found := c.verify(); !has(found, "near duplicates") {
		t.Errorf("got %q", found)
	}
}
