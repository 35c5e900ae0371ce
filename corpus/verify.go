package corpus

import (
	"fmt"
	"os"
	"strings"

	"github.com/decorum-crawler/decorum/corpus/signal"
	"github.com/decorum-crawler/decorum/corpus/text"
	"github.com/decorum-crawler/decorum/storage/jsonl"
)

// Verify holds a corpus against its manifest, its journal and its evidence:
//
//   - every file is named by the manifest, or known to belong to a corpus;
//   - digests, lengths and numbers of rows, and the sums of the counts;
//   - each document against its row in the journal and its own digest and ID;
//   - every decision, derived again, with its signals and the rule of robots.txt.
//
// It calls say with each difference. known reports whether a file that no corpus
// has is one of its crawl; nil: none is. It returns an error if it cannot finish:
// no manifest ([os.ErrNotExist]), a damaged line ([jsonl.ErrRow]), or a file of a
// site that cannot be loaded. It keeps the decisions on all documents in memory.
func (j *Judge) Verify(root *os.Root, known func(name string) bool, say func(string)) error {
	m, err := ReadManifest(root)
	if err != nil {
		return err
	}
	if m == nil {
		return fmt.Errorf("verify corpus: %s: %w", ManifestName, os.ErrNotExist)
	}
	v := verifier{
		root: root, judge: j, manifest: m, say: func(format string, args ...any) { say(fmt.Sprintf(format, args...)) },
		shown: map[string]shown{}, marks: newMarker(),
	}
	for _, wrong := range m.Counts.check() {
		v.say("%s: counts do not add up: %s", ManifestName, wrong)
	}
	for _, output := range m.Outputs {
		v.output(output)
	}
	for _, journal := range m.Journals {
		v.beginning(journal)
	}
	if err := v.files(known); err != nil {
		return fmt.Errorf("verify files: %w", err)
	}
	v.counts()
	return v.decisions()
}

type verifier struct {
	root     *os.Root
	judge    *Judge
	manifest *Manifest
	say      func(format string, args ...any)
	shown    map[string]shown // rows of shards and excluded rows, by ID
	marks    marker
	rows     int64 // of documents in the shards
	excluded int64
}

// shown is what a row says.
type shown struct {
	inForce
	url     string
	signals uint64
	robots  robotsRule // of a document
	row     marks      // of a document
	dupOf   string     // of a document
	near    string     // of a document
}

// robotsRule is the rule by which a page was fetched.
type robotsRule struct {
	digest, rule string
	line         int64
}

// output compares one file with the manifest.
func (v *verifier) output(want Output) {
	got, err := outputOf(v.root, want.Name)
	switch {
	case err != nil:
		v.say("%v", err)
		return
	case v.missing(want):
		return
	case got.SHA256 != want.SHA256:
		v.say("%s: digest mismatch: the file has %s, the manifest says %s", want.Name, got.SHA256, want.SHA256)
		return // its contents cannot be trusted
	}
	rows := 0
	switch {
	case strings.HasPrefix(want.Name, documentsDir+"/"):
		for d, err := range Documents(v.root, want.Name) {
			if err != nil {
				v.say("%v", err)
				return
			}
			rows++
			v.rows++
			v.document(want.Name, d)
		}
	case strings.HasPrefix(want.Name, excludedDir+"/"):
		for e, err := range jsonl.Rows[Excluded](v.root, want.Name) {
			if err != nil {
				v.say("%v", err)
				break
			}
			rows++
			v.excluded++
			v.show(want.Name, e.ID, shown{
				inForce: inForce{signal.Train(e.Reason), e.Basis, e.Policy, false}, url: e.URL, signals: v.marks.of(e.Signals),
			})
		}
	default:
		rows = got.Rows
	}
	if rows != want.Rows {
		v.say("%s has %d rows, but the manifest says %d", want.Name, rows, want.Rows)
	}
}

// document compares a row of a shard with itself and with its folder.
func (v *verifier) document(name string, d Document) {
	if sha256, simhash := text.Fingerprints(d.Text); sha256 != d.TextSHA256 || FormatSimhash(simhash) != d.Simhash {
		v.say("%s: the text of %s has the digest %s and the simhash %016x, but the row says %s and %s", name, d.URL, sha256, simhash, d.TextSHA256, d.Simhash)
	}
	if folder := directoryOf(v.manifest.Unknown, d.Train); !strings.HasPrefix(name, folder+"/") {
		v.say("%s has %s, which belongs into %s", name, d.URL, folder)
	}
	v.show(name, d.ID, shown{
		inForce: inForce{signal.Train(d.Train), d.TrainBasis, d.Metadata.Policy, true}, url: d.URL, signals: v.marks.of(d.Metadata.Signals),
		robots: robotsRule{d.Metadata.RobotsDigest, d.Metadata.RobotsRule, d.Metadata.RobotsLine}, row: v.marks.row(d), dupOf: d.DupOf, near: d.NearDupOf,
	})
}

func (v *verifier) show(name, id string, s shown) {
	if _, ok := v.shown[id]; ok {
		v.say("%s: duplicate of document %s", name, id)
	}
	v.shown[id] = s
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
		if id := DocumentID(n.Evidence.URL, n.at); id != n.Evidence.ID {
			v.say("%s: the evidence has the ID %s, but URL and time make %s", n.Evidence.URL, n.Evidence.ID, id)
		}
		got, ok := v.shown[n.Evidence.ID]
		if !ok {
			return nil // it had no text, or was purged
		}
		met[n.Evidence.ID] = true
		v.decision(n, got)
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

// decision compares what a row says with what its evidence leads to.
func (v *verifier) decision(n Judgement, got shown) {
	page := n.Evidence.URL
	if got.url != page {
		v.say("%s: the row says that its URL is %s", page, got.url)
	}
	policy, err := signal.PolicyOf(got.policy)
	if err != nil {
		v.say("%s: %v", page, err)
		return
	}
	want := n.Decide(policy)
	if got.train != want.Train || got.basis != want.Basis || got.policy != want.Policy {
		v.say("%s: the recorded decision is %s by %s (%s), but the evidence leads to %s by %s (%s)",
			page, got.train, got.basis, got.policy, want.Train, want.Basis, want.Policy)
	}
	if got.signals != v.marks.of(signalsOf(want.Signals)) {
		v.say("%s: the recorded signals are not those of the evidence", page)
	}
	if rule := n.rule(); got.document && got.robots != rule {
		v.say("%s: the row says that it was fetched by %q, line %d of robots.txt %.12s, but the evidence says by %q, line %d of %.12s",
			page, got.robots.rule, got.robots.line, got.robots.digest, rule.rule, rule.line, rule.digest)
	}
}

// journal compares every document of the journal with its row in a shard, unless
// it was purged or excluded since.
func (v *verifier) journal() error {
	gone, err := Purged(v.root)
	if err != nil {
		return err
	}
	first, near := duplicates{}, nearness{}
	for d, err := range jsonl.Rows[Document](v.root, JournalName) {
		if err != nil {
			return err
		}
		switch row, ok := v.shown[d.ID]; {
		case gone[d.ID] && ok:
			v.say("%s was purged, but is still in a shard", d.ID)
		case gone[d.ID] && d.Text != "":
			v.say("%s was purged, but its text is still in %s", d.ID, JournalName)
		case !gone[d.ID] && !ok:
			v.say("%s is in %s, but not in any shard", d.ID, JournalName)
		case ok && row.document:
			if dupOf := first.of(d); row.dupOf != dupOf {
				v.say("%s: the row says that its text is that of %q, but in %s it is that of %q", d.URL, row.dupOf, JournalName, dupOf)
			}
			if v.manifest.Near != "" {
				near.add(d)
			} else if row.near != "" {
				v.say("%s: the row says that its text is nearly that of %s, but near duplicates were not looked for", d.URL, row.near)
			}
			for _, field := range row.row.differences(v.marks.row(d)) {
				v.say("%s: %s in the shard is not as it is in %s", d.URL, field, JournalName)
			}
		}
	}
	v.nearDuplicates(near)
	return nil
}

// nearDuplicates compares the rows with the near duplicates that are found again.
func (v *verifier) nearDuplicates(near nearness) {
	firsts, clusters := near.firsts()
	for _, id := range near.ids {
		if row := v.shown[id]; row.near != firsts[id] {
			v.say("%s: the row says that its text is nearly that of %q, but it is nearly that of %q", row.url, row.near, firsts[id])
		}
	}
	if c := v.manifest.Counts; c.NearClusters != clusters || c.NearDuplicates != int64(len(firsts)) {
		v.say("%s says that %d documents are near duplicates in %d clusters, but there are %d in %d",
			ManifestName, c.NearDuplicates, c.NearClusters, len(firsts), clusters)
	}
}
