package corpus

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/decorum-crawler/decorum/crawler/record"
	"github.com/decorum-crawler/decorum/internal/atomicfile"
	"github.com/decorum-crawler/decorum/storage/jsonl"
)

// RemovalsDir holds files of [Removal]; TombstonesName holds those that were
// applied.
const (
	RemovalsDir    = "removals"
	TombstonesName = "tombstones.jsonl"
)

const removalSchema = "decorum.removal/1"

// Removal is a decorum.removal/1 object: a document whose site has opted out
// since.
type Removal struct {
	Schema string `json:"schema"`
	ID     string `json:"id"`
	URL    string `json:"url"`
	At     string `json:"at"`    // when that was seen, RFC 3339
	Basis  string `json:"basis"` // as of a decision
	Policy string `json:"policy"`
}

// Purged returns the IDs of the documents that have a tombstone: they are removed
// for good, or a purge has begun to remove them.
func Purged(root *os.Root) (map[string]bool, error) {
	ids := map[string]bool{}
	for r, err := range jsonl.Rows[Removal](root, TombstonesName) {
		if err != nil {
			return nil, err
		}
		ids[r.ID] = true
	}
	return ids, nil
}

// Purge removes documents from the corpus: their texts from the journal and their
// titles from the crawl's page records in the file named pages. A tombstone of
// each is left. withdraw is called before that with the documents, without their
// texts, to remove them from an archive; it may be nil. The caller publishes
// afterwards, which rewrites the shards. Purge returns how many new tombstones it
// wrote. A purge that was cut short is completed by the next one.
func Purge(root *os.Root, pages string, removals []Removal, withdraw func([]Document) error) (int, error) {
	taken, err := writeTombstones(root, removals)
	if err != nil {
		return 0, err
	}
	ids, err := Purged(root)
	if err != nil || len(ids) == 0 {
		return taken, err
	}
	left, err := unerased(root, ids)
	if err != nil {
		return taken, err
	}
	if len(left) > 0 && withdraw != nil {
		if err := withdraw(left); err != nil {
			return taken, err
		}
	}
	if err := eraseTitles(root, pages, ids); err != nil || len(left) == 0 {
		return taken, err
	}
	return taken, eraseTexts(root, ids) // last: it marks all other steps as done
}

// unerased returns the documents with these IDs that the journal still holds,
// without their texts, which may be long.
func unerased(root *os.Root, ids map[string]bool) ([]Document, error) {
	var left []Document
	for d, err := range jsonl.Rows[Document](root, JournalName) {
		if err != nil {
			return nil, err
		}
		if ids[d.ID] && d.Metadata.Schema != erasedSchema {
			d.Text = ""
			left = append(left, d)
		}
	}
	return left, nil
}

// writeTombstones writes a tombstone for each document that has none yet, and
// returns how many it wrote.
func writeTombstones(root *os.Root, removals []Removal) (int, error) {
	gone := map[string]Removal{}
	for _, r := range removals {
		gone[r.ID] = r
	}
	before, err := Purged(root)
	if err != nil {
		return 0, err
	}
	maps.DeleteFunc(gone, func(id string, _ Removal) bool { return before[id] })
	old, err := root.ReadFile(TombstonesName)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, fmt.Errorf("read tombstones: %w", err)
	}
	taken := 0
	for d, err := range jsonl.Rows[Document](root, JournalName) {
		if err != nil {
			return 0, err
		}
		if r, ok := gone[d.ID]; ok {
			old = append(old, jsonl.Line(r)...)
			taken++
		}
	}
	if taken == 0 {
		return 0, nil
	}
	return taken, atomicfile.WriteData(root, TombstonesName, old)
}

// eraseTexts removes documents from the journal. The journal keeps its length,
// which is part of the crawl's state.
func eraseTexts(root *os.Root, ids map[string]bool) error {
	return atomicfile.ReplaceLines(root, JournalName, func(line []byte) ([]byte, error) {
		var d Document
		if err := json.Unmarshal(line, &d); err != nil || !ids[d.ID] {
			return nil, err
		}
		return erased(d.ID, len(line)), nil
	})
}

// eraseTitles removes the titles of documents from the records of their pages.
// Everything else in a record stays as it was written.
func eraseTitles(root *os.Root, pages string, ids map[string]bool) error {
	return atomicfile.ReplaceLines(root, pages, func(line []byte) ([]byte, error) {
		var p record.Page
		if err := json.Unmarshal(line, &p); err != nil || p.Title == "" || !ids[DocumentID(p.URL, p.FetchedAt)] {
			return nil, err
		}
		before, rest, _ := bytes.Cut(line, titleKey) // in a text its quotes would be escaped
		title := json.NewDecoder(bytes.NewReader(rest))
		if _, err := title.Token(); err != nil {
			return nil, err
		}
		return padded(slices.Concat(before, titleKey, []byte(`""`), rest[title.InputOffset():]), len(line)), nil
	})
}

var titleKey = []byte(`"title":`)

// erasedSchema replaces the schema of a document.
const erasedSchema = "decorum.erased/1"

// erased returns a line of the given length that holds only the ID. Without
// padding it is shorter than any document.
func erased(id string, length int) []byte {
	return padded(fmt.Appendf(nil, `{"id":%q,"text":"","source":"","metadata":{"schema":%q}}`+"\n", id, erasedSchema), length)
}

// padded returns a line of that length with the same object, if line is shorter.
func padded(line []byte, length int) []byte {
	object := bytes.TrimSuffix(line, []byte("}\n"))
	blanks := bytes.Repeat([]byte(" "), max(0, length-len(line)))
	return slices.Concat(object, blanks, []byte("}\n"))
}

// WriteRemovals writes removals found at that time into a new file under
// [RemovalsDir] and returns its name.
func WriteRemovals(root *os.Root, at time.Time, removals []Removal) (string, error) {
	if err := atomicfile.MakeFolder(root, RemovalsDir); err != nil {
		return "", fmt.Errorf("write removals: %w", err)
	}
	name, err := freeName(root, RemovalsDir+"/"+at.UTC().Format("2006-01-02T150405Z"))
	if err != nil {
		return "", fmt.Errorf("write removals: %w", err)
	}
	var lines []byte
	for _, r := range removals {
		lines = append(lines, jsonl.Line(r)...)
	}
	return name, atomicfile.WriteData(root, name, lines)
}

// freeName returns the name of a file that does not exist yet. Names with the
// same beginning sort in the order in which they were made.
func freeName(root *os.Root, name string) (string, error) {
	for {
		_, err := root.Lstat(name + ".jsonl")
		if errors.Is(err, fs.ErrNotExist) {
			return name + ".jsonl", nil
		}
		if err != nil {
			return "", err
		}
		name += "_" // sorts after "."
	}
}

// ReadRemovals reads a file of removals; one that does not exist has none.
func ReadRemovals(root *os.Root, name string) ([]Removal, error) {
	var all []Removal
	for r, err := range jsonl.Rows[Removal](root, name) {
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}

// PendingRemovals returns the IDs in the removals files that have no tombstone
// yet: the documents for the next [Purge] to remove.
func PendingRemovals(root *os.Root) (map[string]bool, error) {
	pending := map[string]bool{}
	files, err := RemovalFiles(root)
	if err != nil {
		return nil, err
	}
	purged, err := Purged(root)
	if err != nil {
		return nil, err
	}
	for _, name := range files {
		removals, err := ReadRemovals(root, name)
		if err != nil {
			return nil, err
		}
		for _, r := range removals {
			if !purged[r.ID] {
				pending[r.ID] = true
			}
		}
	}
	return pending, nil
}

// RemovalFiles returns the names of the removals files of a corpus, oldest first.
func RemovalFiles(root *os.Root) ([]string, error) {
	entries, err := fs.ReadDir(root.FS(), RemovalsDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read removals: %w", err)
	}
	var names []string
	for _, entry := range entries {
		if strings.HasSuffix(entry.Name(), ".jsonl") {
			names = append(names, RemovalsDir+"/"+entry.Name())
		}
	}
	slices.Sort(names)
	return names, nil
}
