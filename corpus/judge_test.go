package corpus_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/decorum-crawler/decorum/corpus"
	"github.com/decorum-crawler/decorum/corpus/signal"
	"github.com/decorum-crawler/decorum/storage/jsonl"
)

func TestJudgeEach(t *testing.T) {
	c := newFarm(t)
	got := map[string]signal.Train{}
	err := c.judge().Each(c.root, func(j corpus.Judgement) error {
		got[strings.TrimPrefix(j.Evidence.URL, farm)] = j.Decide(c.options.Policy).Train
		return nil
	})
	want := map[string]signal.Train{
		"/a": "in_favor", "/b": "in_favor", "/twin": "in_favor", "/reviews/1": "excluded", "/noai": "excluded", "/empty": "in_favor", "/target": "in_favor",
	}
	if err != nil || !cmp.Equal(want, got) {
		t.Errorf("got %v, %s", err, cmp.Diff(want, got))
	}
	errEnough := errors.New("enough")
	if err := c.judge().Each(c.root, func(corpus.Judgement) error { return errEnough }); !errors.Is(err, errEnough) {
		t.Errorf("got %v, want the error of the callback", err)
	}
}

func TestJudgeUnknownAndOverrides(t *testing.T) {
	c := newCrawl(t, "", nil)
	c.get(farm+"/a", "A text.")
	overrides := signal.Overrides{{Pattern: farm + "/", License: "L-1", Approver: "legal", Expires: "2030-12-31"}}
	for want, judge := range map[signal.Train]*corpus.Judge{
		signal.TrainNone:     {Agent: "decorum", Load: c.load},
		signal.TrainExcluded: {Agent: "decorum", Load: c.load, Unknown: corpus.UnknownExclude},
		signal.TrainInFavor:  {Agent: "decorum", Load: c.load, Unknown: corpus.UnknownExclude, Overrides: overrides},
	} {
		err := judge.Each(c.root, func(j corpus.Judgement) error {
			if got := j.Decide(c.options.Policy); got.Train != want {
				t.Errorf("got %+v, want %s", got, want)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}

func TestJudgeReadsEvidenceThatIsWrong(t *testing.T) {
	c := newCrawl(t, "", nil)
	c.get(farm+"/a", "A text.")
	c.edit(corpus.EvidenceName, "2026-", "long ago ")
	if err := c.judge().Each(c.root, func(corpus.Judgement) error { return nil }); err == nil || !strings.Contains(err.Error(), farm+"/a") {
		t.Errorf("got %v, want the page named", err)
	}
}

func TestDecide(t *testing.T) {
	c := newFarm(t)
	c.get(farm+"/b/noindex", "Not in an index.", "X-Robots-Tag: noindex")
	decide := func(policy string, dry bool) (changes []corpus.Change) {
		t.Helper()
		err := c.judge().Decide(c.root, policyOf(t, policy), dry, func(change corpus.Change) error {
			changes = append(changes, change)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return changes
	}
	noindex := func(changes []corpus.Change) bool {
		return len(changes) == 1 && changes[0].URL == farm+"/b/noindex" && changes[0].Old == signal.TrainInFavor &&
			changes[0].New == signal.TrainExcluded && changes[0].Basis == "indexing: header noindex" && !changes[0].Textless
	}
	if got := decide("cautious", true); !noindex(got) {
		t.Errorf("got %+v", got)
	}
	if got := rows[corpus.Decision](t, c.root, corpus.DecisionsName); len(got) > 0 {
		t.Errorf("got %+v, want nothing written when dry", got)
	}
	if got := decide("cautious", false); !noindex(got) {
		t.Errorf("got %+v", got)
	}
	if got := rows[corpus.Decision](t, c.root, corpus.DecisionsName); len(got) != 5 || got[0].Policy != "cautious/1" {
		t.Errorf("got %+v, want a decision on each of the five documents", got)
	}
	if m := c.publish(); m.Counts.Documents != 4 || m.Counts.ExcludedBy["indexing"] != 1 {
		t.Errorf("got %+v", m.Counts)
	}
	if found := c.verify(); len(found) > 0 {
		t.Errorf("got %q, want the published decisions to agree with the evidence", found)
	}
	if got := decide("cautious", false); len(got) > 0 {
		t.Errorf("got %+v, want no change against the decisions in force", got)
	}
	if got := decide("token", true); len(got) != 2 || !got[0].Textless && !got[1].Textless {
		t.Errorf("got %+v, want two pages in favor, one of them without a text", got)
	}
	errEnough := errors.New("enough")
	if err := c.judge().Decide(c.root, policyOf(t, "token"), true, func(corpus.Change) error { return errEnough }); !errors.Is(err, errEnough) {
		t.Errorf("got %v, want the error of the callback", err)
	}
}

func TestDecideLeavesOutWhatWasPurged(t *testing.T) {
	c := newFarm(t)
	c.bury()
	if err := c.judge().Decide(c.root, policyOf(t, "declared"), false, func(corpus.Change) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if got := rows[corpus.Decision](t, c.root, corpus.DecisionsName); len(got) != 3 {
		t.Errorf("got %+v, want three of four documents", got)
	}
}

func TestDecideErrors(t *testing.T) {
	for _, name := range []string{corpus.JournalName, corpus.ExcludedName, corpus.DecisionsName, corpus.TombstonesName, corpus.EvidenceName} {
		c := newFarm(t)
		if err := damage(name)(c.root); err != nil {
			t.Fatal(err)
		}
		if err := c.judge().Decide(c.root, c.options.Policy, true, func(corpus.Change) error { return nil }); !errors.Is(err, jsonl.ErrRow) {
			t.Errorf("%s: got %v, want %v", name, err, jsonl.ErrRow)
		}
	}
}

func TestReadOverridesOf(t *testing.T) {
	root := openFolder(t)
	if got, err := corpus.ReadOverridesOf(root); err != nil || got != nil {
		t.Errorf("got %v, %v, want none", got, err)
	}
	const list = "- pattern: https://farm.example/\n  license: L-1\n  approver: legal\n  expires: 2030-12-31\n"
	if err := root.WriteFile(corpus.OverridesName, []byte(list), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := corpus.ReadOverridesOf(root); err != nil || len(got) != 1 || got[0].License != "L-1" {
		t.Errorf("got %v, %v", got, err)
	}
	if err := errors.Join(root.Remove(corpus.OverridesName), root.Mkdir(corpus.OverridesName, 0o700)); err != nil {
		t.Fatal(err)
	}
	if _, err := corpus.ReadOverridesOf(root); err == nil {
		t.Error("got no error of a directory")
	}
	if _, err := corpus.ReadManifest(root); err != nil {
		t.Errorf("got %v without a manifest", err)
	}
}
