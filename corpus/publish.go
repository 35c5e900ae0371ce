package corpus

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/decorum-crawler/decorum/corpus/evidence"
	"github.com/decorum-crawler/decorum/corpus/shard"
	"github.com/decorum-crawler/decorum/internal/atomicfile"
	"github.com/decorum-crawler/decorum/storage/jsonl"
)

// The files of a corpus, except its shards. Journal, Excluded, Failed and
// Evidence grow with the crawl; [Publish] makes the rest.
const (
	JournalName  = "corpus.jsonl" // every document, in the order of the crawl
	ExcludedName = excludedDir + "/part-00000.jsonl"
	MovedName    = excludedDir + "/part-00001.jsonl" // documents that a later decision excludes
	FailedName   = "failed.jsonl"
	EvidenceName = evidence.FilesDir + "/pages.jsonl"
	documentsDir = "documents"
	excludedDir  = "excluded"
)

// Publication is what a manifest states in addition to what the files hold.
type Publication struct {
	Tool         string
	Operator     Operator
	CrawlID      string
	ConfigSHA256 string
	Policy       string
	Unknown      Unknown
	TextFormat   string // that texts were asked for in, "plain" or "markdown"
	Near         string // [NearMethod], or "": near duplicates are not looked for
	Scope        []string
	Finished     bool
	Pending      int64
	Pages        string // file of the crawl's page records
	Skipped      string // file of its records of skipped URLs
	Shards       shard.Options
	// Place returns the archive file and the offset of the response that a document
	// was made from. It is called in the order of the journal; nil: no archive.
	Place    func(Document) (file string, offset int64, err error)
	Files    []string // further outputs that the manifest lists, such as archives
	Journals []string // further files that grow with the crawl
	// Inputs and Unjudged are written to the manifest; nil: as in the last manifest.
	Inputs   []Input
	Unjudged []string
	Exported *Exported // the corpus is a part of another one
	Merged   []string  // digests of the manifests of corpora that were merged
	LeftOut  int64     // documents of those
}

// Publish writes the documents of the journal into shards and then the manifest,
// which it returns. Equal documents make equal shards. Purged documents are left
// out, and later decisions replace the first ones. A damaged line is
// [jsonl.ErrRow]. After an error the old manifest still exists, but may name
// shards that were replaced; call Publish again.
func Publish(root *os.Root, p Publication) (*Manifest, error) {
	last, err := ReadManifest(root)
	if err != nil {
		return nil, err
	}
	m := &Manifest{
		Schema: "decorum.manifest/1", Tool: p.Tool, Operator: p.Operator, CrawlID: p.CrawlID, ConfigSHA256: p.ConfigSHA256,
		Policy: p.Policy, Unknown: p.Unknown, TextFormat: p.TextFormat, Near: p.Near, Scope: p.Scope, Finished: p.Finished, Removals: []string{},
		Inputs: []Input{}, Unjudged: []string{}, Gaps: []string{}, Hosts: []HostSignals{}, Evidence: []FileEvidence{}, Journals: []Output{},
	}
	if last != nil {
		m.RecheckOf, m.Removals, m.Inputs, m.Unjudged = last.RecheckOf, last.Removals, last.Inputs, last.Unjudged
	}
	m.Exported, m.Merged, m.Counts.LeftOut = p.Exported, p.Merged, p.LeftOut
	if p.Inputs != nil {
		m.Inputs, m.Unjudged = p.Inputs, p.Unjudged
	}
	b := &publisher{root: root, p: p, manifest: m, texts: duplicates{}, hosts: map[string]map[string]map[string]int64{}}
	if b.removed, err = Purged(root); err != nil {
		return nil, fmt.Errorf("publish corpus: %w", err)
	}
	if b.pending, err = PendingRemovals(root); err != nil {
		m.Gaps = append(m.Gaps, "pending removals could not be counted: "+err.Error())
	}
	steps := []func() error{b.decisions, b.nearDuplicates, b.documents, b.moveOut, b.excluded, b.failed, b.crawl, b.evidence, b.files, b.journals}
	for _, step := range steps {
		if err := step(); err != nil {
			return nil, fmt.Errorf("publish corpus: %w", err)
		}
	}
	b.finish()
	return m, m.write(root)
}

type publisher struct {
	root     *os.Root
	p        Publication
	manifest *Manifest
	removed  map[string]bool // purged documents, by ID
	pending  map[string]bool // documents that are listed in removals and not purged
	due      int64           // how many of them are in the shards
	texts    duplicates
	near     map[string]string // IDs of the first documents of clusters by those of the others
	later    map[string]Decision
	moved    []byte // documents that are excluded by a later decision
	hosts    map[string]map[string]map[string]int64
	shards   []shard.Shard
}

// directoryOf returns the directory of the documents with a decision.
func directoryOf(unknown Unknown, train string) string {
	if unknown == UnknownInclude {
		return documentsDir + "/train=in_favor_or_none"
	}
	return documentsDir + "/train=" + train
}

// documents writes the shards.
func (b *publisher) documents() error {
	writers := map[string]*shard.Writer[Document]{}
	err := b.fill(writers)
	for _, name := range slices.Sorted(maps.Keys(writers)) {
		if err != nil {
			writers[name].Abort()
			continue
		}
		err = writers[name].Close()
		b.shards = append(b.shards, writers[name].Shards()...)
	}
	if err != nil {
		return err
	}
	return b.sweep(writers)
}

// fill appends the documents of the journal to the shards of their decisions;
// it opens the writers that it needs.
func (b *publisher) fill(writers map[string]*shard.Writer[Document]) error {
	for d, err := range jsonl.Rows[Document](b.root, JournalName) {
		if err != nil {
			return err
		}
		if b.removed[d.ID] {
			b.manifest.Counts.Purged++
			continue
		}
		if later, ok := b.later[d.ID]; ok && b.move(&d, later) {
			continue
		}
		if err := b.place(&d); err != nil {
			return err
		}
		if b.pending[d.ID] {
			b.due++
		}
		d.DupOf, d.NearDupOf = b.texts.of(d), b.near[d.ID]
		b.tally(d)
		name := directoryOf(b.p.Unknown, d.Train)
		if writers[name] == nil {
			w, err := shard.Open[Document](b.root, name, 0, b.p.Shards)
			if err != nil {
				return err
			}
			writers[name] = w
		}
		if err := writers[name].Append(d); err != nil {
			return err
		}
	}
	return nil
}

// duplicates are the IDs of documents by the digests of their texts.
type duplicates map[string]string

// of returns the ID of the first document with the same text, or "" when this is
// the first one. The order of the journal decides which is first, because pages are
// read by many workers.
func (f duplicates) of(d Document) string {
	if first, ok := f[d.TextSHA256]; ok {
		return first
	}
	f[d.TextSHA256] = d.ID
	return ""
}

// place sets the archive file and offset of a document.
func (b *publisher) place(d *Document) (err error) {
	if b.p.Place != nil {
		d.Metadata.WARCFile, d.Metadata.WARCOffset, err = b.p.Place(*d)
	}
	return err
}

// sweep removes the directories that no longer have documents.
func (b *publisher) sweep(writers map[string]*shard.Writer[Document]) error {
	entries, err := fs.ReadDir(b.root.FS(), documentsDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, entry := range entries {
		name := documentsDir + "/" + entry.Name()
		if entry.IsDir() && strings.HasPrefix(entry.Name(), "train=") && writers[name] == nil {
			if err := b.root.RemoveAll(name); err != nil {
				return err
			}
		}
	}
	return nil
}

// move sets the later decision of a document, and reports whether that excludes
// it.
func (b *publisher) move(d *Document, later Decision) bool {
	d.Train, d.TrainBasis = string(later.Train), later.Basis
	d.Metadata.Policy, d.Metadata.Signals = later.Policy, later.Signals
	if later.keeps() {
		return false
	}
	b.moved = append(b.moved, jsonl.Line(Excluded{
		Schema: excludedSchema, ID: d.ID, URL: d.URL, Reason: string(later.Train), Basis: later.Basis, Policy: later.Policy,
		Status: int(d.Metadata.HTTPStatus), Signals: later.Signals,
	})...)
	return true
}

// moveOut writes the documents that a later decision excludes.
func (b *publisher) moveOut() error {
	if len(b.moved) > 0 {
		return atomicfile.WriteData(b.root, MovedName, b.moved)
	}
	if err := b.root.Remove(MovedName); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// evidence lists the files of sites.
func (b *publisher) evidence() (err error) {
	b.manifest.Evidence, err = notesOf(b.root)
	return err
}

// notesOf returns what is noted of the files of sites, in order.
func notesOf(root *os.Root) ([]FileEvidence, error) {
	notes := []FileEvidence{}
	for note, err := range evidence.New(root).Notes() {
		if err != nil {
			return nil, err
		}
		notes = append(notes, FileEvidence{
			URL: note.URL, Status: note.Status, FetchedAt: note.FetchedAt, SHA256: note.SHA256, Error: note.Error,
		})
	}
	slices.SortFunc(notes, func(x, y FileEvidence) int {
		return cmp.Or(cmp.Compare(x.URL, y.URL), cmp.Compare(x.FetchedAt, y.FetchedAt), cmp.Compare(x.SHA256, y.SHA256))
	})
	return notes, nil
}

// journals lists the files that grow with the crawl.
func (b *publisher) journals() error {
	for _, name := range append([]string{JournalName, b.p.Pages, b.p.Skipped}, b.p.Journals...) {
		output, err := outputOf(b.root, name)
		if err != nil {
			return err
		}
		b.manifest.Journals = append(b.manifest.Journals, output)
	}
	return nil
}

// files lists all outputs with their digests.
func (b *publisher) files() error {
	for _, s := range b.shards {
		b.manifest.Outputs = append(b.manifest.Outputs, Output{s.Name, s.Rows, s.Bytes, s.SHA256})
	}
	names := []string{ExcludedName, FailedName, EvidenceName}
	if len(b.moved) > 0 {
		names = append(names, MovedName)
	}
	names = append(names, b.p.Files...)
	for _, name := range names {
		output, err := outputOf(b.root, name)
		if err != nil {
			return err
		}
		b.manifest.Outputs = append(b.manifest.Outputs, output)
	}
	return nil
}
