package corpus

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"

	"github.com/decorum-crawler/decorum/corpus/evidence"
	"github.com/decorum-crawler/decorum/corpus/signal"
	"github.com/decorum-crawler/decorum/crawler/content"
	"github.com/decorum-crawler/decorum/crawler/record"
	"github.com/decorum-crawler/decorum/internal/atomicfile"
	"github.com/decorum-crawler/decorum/storage/jsonl"
)

// Part is a corpus that becomes a part of another one.
type Part struct {
	Root     *os.Root
	Manifest *Manifest
}

// Merge writes the documents of several corpora, each once, into an empty directory,
// with their evidence, what they exclude, and the records of their crawls in the files
// named pages and skipped. What any of them purged stays out. The caller publishes the
// result with the number of documents left out that Merge returns. The corpora must
// have the same overrides; [ErrChanged] means that a shard is not as its manifest says.
func Merge(parts []Part, to *os.Root, pages, skipped string) (left int64, err error) {
	m := merger{to: to, parts: parts, purged: map[string]bool{}}
	steps := []func() error{
		m.tombstones, m.overrides, m.evidence, m.documents, m.excluded,
		func() error {
			return m.lines(FailedName, FailedName, idOf, func([]byte) error { m.left--; return nil })
		},
		func() error { return m.lines(EvidenceName, EvidenceName, idOf, nil) },
		func() error { return m.lines(pages, pages, pageOf, m.page) },
		func() error { return m.lines(skipped, skipped, skipOf, nil) },
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return 0, fmt.Errorf("merge corpora: %w", err)
		}
	}
	return m.left, nil
}

type merger struct {
	to     *os.Root
	parts  []Part
	purged map[string]bool
	left   int64 // pages with a document, less what is known of them
}

func (m *merger) tombstones() error {
	for _, p := range m.parts {
		gone, err := Purged(p.Root)
		if err != nil {
			return err
		}
		for id := range gone {
			m.purged[id] = true
		}
	}
	return nil
}

// overrides copies those of the first part, which all must have.
func (m *merger) overrides() error {
	var first string
	for i, p := range m.parts {
		data, err := p.Root.ReadFile(OverridesName)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if i == 0 {
			first = string(data)
		} else if string(data) != first {
			return fmt.Errorf("%s of the corpora are not the same", OverridesName)
		}
	}
	return copyFile(m.parts[0].Root, m.to, OverridesName, OverridesName)
}

// evidence copies the files of sites and the notes on them.
func (m *merger) evidence() error {
	for _, p := range m.parts {
		for _, folder := range []string{evidence.RobotsDir, evidence.FilesDir} {
			entries, err := fs.ReadDir(p.Root.FS(), folder)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			for _, entry := range entries {
				if name := path.Join(folder, entry.Name()); entry.Type().IsRegular() && name != EvidenceName {
					if err := m.file(p.Root, name); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

// file copies a file, unless it is there already.
func (m *merger) file(from *os.Root, name string) error {
	there, err := outputOf(m.to, name)
	if err != nil {
		return err
	}
	if there.Bytes == 0 {
		return copyFile(from, m.to, name, name)
	}
	here, err := outputOf(from, name)
	if err == nil && here.SHA256 != there.SHA256 {
		err = fmt.Errorf("%s of two corpora is not the same: %w", name, ErrChanged)
	}
	return err
}

func (m *merger) documents() error {
	file, err := atomicfile.Create(m.to, JournalName, 0o600)
	if err != nil {
		return err
	}
	defer file.Abort()
	seen := map[string]bool{}
	for _, p := range m.parts {
		for d, err := range published(p.Root, p.Manifest) {
			if err != nil {
				return err
			}
			if seen[d.ID] || m.purged[d.ID] {
				continue
			}
			seen[d.ID] = true
			m.left--
			if _, err := file.Write(jsonl.Line(d)); err != nil {
				return err
			}
		}
	}
	return file.Commit()
}

// excluded writes what any of the corpora excludes, be it by a later decision.
func (m *merger) excluded() error {
	return m.lines(ExcludedName, MovedName, idOf, func(line []byte) error {
		var e Excluded
		err := json.Unmarshal(line, &e)
		if e.Status != 0 || e.Reason == string(signal.TrainHold) {
			m.left--
		}
		return err
	})
}

// page counts the pages that could have a document.
func (m *merger) page(line []byte) error {
	var p record.Page
	err := json.Unmarshal(line, &p)
	if p.RedirectTo == "" && p.Status/100 == 2 {
		m.left++
	}
	return err
}

// lines writes the lines of a file of all corpora, and of a second one, each once by
// its key; take, if not nil, gets them.
func (m *merger) lines(name, second string, key func(Part, []byte) (string, error), take func([]byte) error) error {
	if err := atomicfile.MakeFolder(m.to, path.Dir(name)); err != nil {
		return err
	}
	file, err := atomicfile.Create(m.to, name, 0o600)
	if err != nil {
		return err
	}
	defer file.Abort()
	seen := map[string]bool{}
	for _, p := range m.parts {
		once := func(line []byte) error {
			id, err := key(p, line)
			if err != nil || seen[id] {
				return err
			}
			seen[id] = true
			if take != nil {
				err = take(line)
			}
			_, failed := file.Write(append(slices.Clip(line), '\n'))
			return errors.Join(err, failed)
		}
		for _, from := range unique(name, second) {
			if err := linesOf(p.Root, from, once); err != nil {
				return fmt.Errorf("read %s: %w", from, err)
			}
		}
	}
	return file.Commit()
}

func unique(a, b string) []string {
	if a == b {
		return []string{a}
	}
	return []string{a, b}
}

// linesOf calls take with each line of a file; one that does not exist has none.
func linesOf(root *os.Root, name string, take func([]byte) error) error {
	file, err := root.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	for line, err := range jsonl.Lines(file) {
		if err != nil {
			return err
		}
		if err := take(line); err != nil {
			return err
		}
	}
	return nil
}

func idOf(_ Part, line []byte) (string, error) {
	var row struct{ ID string }
	err := json.Unmarshal(line, &row)
	return row.ID, err
}

// pageOf returns the ID that a document of the page has.
func pageOf(_ Part, line []byte) (string, error) {
	var p record.Page
	err := json.Unmarshal(line, &p)
	return DocumentID(p.URL, p.FetchedAt), err
}

// skipOf returns a key by which a skipped URL of one crawl is the same in all parts of
// it, and that of another crawl is not.
func skipOf(p Part, line []byte) (string, error) {
	return p.Manifest.CrawlID + content.SHA256(line), nil
}
