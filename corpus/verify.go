package corpus

import (
	"fmt"
	"os"
	"strings"

	"github.com/decorum-crawler/decorum/corpus/shard"
	"github.com/decorum-crawler/decorum/corpus/signal"
	"github.com/decorum-crawler/decorum/storage/jsonl"
)

// Verify compares a corpus with its manifest and its evidence: digests and rows
// of every file, the counts, each document with the journal, and every decision,
// derived again. It calls say with each difference. It returns an error if it
// cannot finish: no manifest ([os.ErrNotExist]), a damaged line ([jsonl.ErrRow]),
// or a file of a site that cannot be loaded. It keeps the decisions on all
// documents in memory.
func (j *Judge) Verify(root *os.Root, say func(string)) error {
	m, err := ReadManifest(root)
	if err != nil {
		return err
	}
	if m == nil {
		return fmt.Errorf("verify corpus: %s: %w", ManifestName, os.ErrNotExist)
	}
	v := verifier{root: root, judge: j, manifest: m, say: func(format string, args ...any) { say(fmt.Sprintf(format, args...)) }, shown: map[string]inForce{}}
	for _, wrong := range m.Counts.check() {
		v.say("%s: counts do not add up: %s", ManifestName, wrong)
	}
	for _, output := range m.Outputs {
		v.output(output)
	}
	v.counts()
	return v.decisions()
}

type verifier struct {
	root     *os.Root
	judge    *Judge
	manifest *Manifest
	say      func(format string, args ...any)
	shown    map[string]inForce // decisions in shards and excluded rows, by ID
	rows     int64              // of documents in the shards
	excluded int64
}

// output compares one file with the manifest.
func (v *verifier) output(want Output) {
	got, err := outputOf(v.root, want.Name)
	switch {
	case err != nil:
		v.say("%v", err)
		return
	case got.SHA256 != want.SHA256:
		v.say("%s: digest mismatch: the file has %s, the manifest says %s", want.Name, got.SHA256, want.SHA256)
		return // its contents cannot be trusted
	}
	rows := 0
	switch {
	case strings.HasPrefix(want.Name, documentsDir+"/"):
		for d, err := range shard.Read[Document](v.root, want.Name) {
			if err != nil {
				v.say("%v", err)
				return
			}
			rows++
			v.rows++
			v.show(want.Name, d.ID, inForce{signal.Train(d.Train), d.TrainBasis, d.Metadata.Policy, true})
		}
	case strings.HasPrefix(want.Name, "excluded/"):
		for e, err := range jsonl.Rows[Excluded](v.root, want.Name) {
			if err != nil {
				v.say("%v", err)
				break
			}
			rows++
			v.excluded++
			v.show(want.Name, e.ID, inForce{signal.Train(e.Reason), e.Basis, e.Policy, false})
		}
	default:
		rows = got.Rows
	}
	if rows != want.Rows {
		v.say("%s has %d rows, but the manifest says %d", want.Name, rows, want.Rows)
	}
}

func (v *verifier) show(name, id string, d inForce) {
	if _, ok := v.shown[id]; ok {
		v.say("%s: duplicate of document %s", name, id)
	}
	v.shown[id] = d
}

// counts compares the counts of the manifest with the files.
func (v *verifier) counts() {
	c := v.manifest.Counts
	if v.rows != c.Documents {
		v.say("the shards have %d documents, but the manifest says %d", v.rows, c.Documents)
	}
	if all := c.Excluded + c.Refused + c.Hold; v.excluded != all {
		v.say("%d pages are excluded or on hold, but the manifest says %d", v.excluded, all)
	}
}

// decisions derives every decision again and compares.
func (v *verifier) decisions() error {
	met := map[string]bool{}
	err := v.judge.Each(v.root, func(n Judgement) error {
		got, ok := v.shown[n.Evidence.ID]
		if !ok {
			return nil // it had no text, or was purged
		}
		met[n.Evidence.ID] = true
		policy, err := signal.PolicyOf(got.policy)
		if err != nil {
			v.say("%s: %v", n.Evidence.URL, err)
			return nil
		}
		if want := n.Decide(policy); got.train != want.Train || got.basis != want.Basis || got.policy != want.Policy {
			v.say("%s: the recorded decision is %s by %s (%s), but the evidence leads to %s by %s (%s)",
				n.Evidence.URL, got.train, got.basis, got.policy, want.Train, want.Basis, want.Policy)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("verify decisions: %w", err)
	}
	for id := range v.shown {
		if !met[id] {
			v.say("%s has no evidence", id)
		}
	}
	return v.journal()
}

// journal checks that every document of the journal is in a shard, unless it was
// purged or excluded since.
func (v *verifier) journal() error {
	gone, err := Purged(v.root)
	if err != nil {
		return err
	}
	for d, err := range jsonl.Rows[Document](v.root, JournalName) {
		if err != nil {
			return err
		}
		switch _, ok := v.shown[d.ID]; {
		case gone[d.ID] && ok:
			v.say("%s was purged, but is still in a shard", d.ID)
		case gone[d.ID] && d.Text != "":
			v.say("%s was purged, but its text is still in %s", d.ID, JournalName)
		case !gone[d.ID] && !ok:
			v.say("%s is in %s, but not in any shard", d.ID, JournalName)
		}
	}
	return nil
}
