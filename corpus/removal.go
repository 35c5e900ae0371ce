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
)

// RemovalsDir holds files of [Removal], and TombstonesName those that were
// applied.
const (
	RemovalsDir    = "removals"
	TombstonesName = "tombstones.jsonl"
)

const removalSchema = "decorum.removal/1"

// Removal is a decorum.removal/1 object: a document whose site has since said
// no.
type Removal struct {
	Schema string `json:"schema"`
	ID     string `json:"id"`
	URL    string `json:"url"`
	At     string `json:"at"`    // when that was seen, RFC 3339
	Basis  string `json:"basis"` // as of a decision
	Policy string `json:"policy"`
}

// Purged gives the IDs of the documents that are gone for good.
func Purged(root *os.Root) (map[string]bool, error) {
	ids := map[string]bool{}
	err := EachRow(root, TombstonesName, func(r Removal) error {
		ids[r.ID] = true
		return nil
	})
	return ids, err
}

// Purge takes the documents of a removals file out of the corpus: their texts
// from the journal, their titles from the crawl's page records in the file named
// pages, and a tombstone of each is left. withdraw is called with the documents
// before, to take them out of an archive; it may be nil. The caller publishes
// afterwards, which rewrites the shards. It gives how many were taken out. A
// purge that was cut short is completed by the next one.
func Purge(root *os.Root, pages string, removals []Removal, withdraw func([]Document) error) (int, error) {
	taken, err := entomb(root, removals)
	if err != nil {
		return 0, err
	}
	ids, err := Purged(root)
	if err != nil || len(ids) == 0 {
		return taken, err
	}
	var there []Document // without their texts, which may be long
	err = EachRow(root, JournalName, func(d Document) error {
		if ids[d.ID] && d.Metadata.Schema != erasedSchema {
			d.Text = ""
			there = append(there, d)
		}
		return nil
	})
	if err == nil && len(there) > 0 && withdraw != nil {
		err = withdraw(there)
	}
	if err == nil {
		err = untitle(root, pages, ids)
	}
	if err != nil || len(there) == 0 {
		return taken, err
	}
	return taken, erase(root, ids) // last, for it says that all else was done
}

// entomb writes the tombstones of documents that have none yet, and gives how
// many.
func entomb(root *os.Root, removals []Removal) (int, error) {
	gone := map[string]Removal{}
	for _, r := range removals {
		gone[r.ID] = r
	}
	before, err := Purged(root)
	maps.DeleteFunc(gone, func(id string, _ Removal) bool { return before[id] })
	if err != nil {
		return 0, err
	}
	old, err := root.ReadFile(TombstonesName)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, fmt.Errorf("read tombstones: %w", err)
	}
	taken := 0
	err = EachRow(root, JournalName, func(d Document) error {
		if r, ok := gone[d.ID]; ok {
			old = append(old, lineOf("", r).Data...)
			taken++
		}
		return nil
	})
	if err != nil || taken == 0 {
		return 0, err
	}
	return taken, atomicfile.WriteData(root, TombstonesName, old)
}

// erase takes documents out of the journal; its length is a part of the crawl's
// state and stays.
func erase(root *os.Root, ids map[string]bool) error {
	return atomicfile.ReplaceLines(root, JournalName, func(line []byte) ([]byte, error) {
		var d Document
		if err := json.Unmarshal(line, &d); err != nil || !ids[d.ID] {
			return nil, err
		}
		return erased(d.ID, len(line)), nil
	})
}

// untitle takes the titles of documents out of the records of their pages. All
// else of a record stays as it was written.
func untitle(root *os.Root, pages string, ids map[string]bool) error {
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

// erasedSchema stands in the place of a document's.
const erasedSchema = "decorum.erased/1"

// erased gives a line of a length that says only whose place it is. It is
// shorter than any document.
func erased(id string, length int) []byte {
	return padded(fmt.Appendf(nil, `{"id":%q,"text":"","source":"","metadata":{"schema":%q}}`+"\n", id, erasedSchema), length)
}

// padded gives a line of that length with the same object, if it is shorter.
func padded(line []byte, length int) []byte {
	object := bytes.TrimSuffix(line, []byte("}\n"))
	blanks := bytes.Repeat([]byte(" "), max(0, length-len(line)))
	return slices.Concat(object, blanks, []byte("}\n"))
}

// WriteRemovals writes removals found at that time into a new file under
// [RemovalsDir] and gives its name.
func WriteRemovals(root *os.Root, at time.Time, removals []Removal) (string, error) {
	if err := root.MkdirAll(RemovalsDir, 0o700); err != nil {
		return "", fmt.Errorf("write removals: %w", err)
	}
	name, err := freeName(root, RemovalsDir+"/"+at.UTC().Format("2006-01-02T150405Z"))
	if err != nil {
		return "", fmt.Errorf("write removals: %w", err)
	}
	var lines []byte
	for _, r := range removals {
		lines = append(lines, lineOf("", r).Data...)
	}
	return name, atomicfile.WriteData(root, name, lines)
}

// freeName gives the name of a file that is not there yet. Names that begin
// alike are in order.
func freeName(root *os.Root, name string) (string, error) {
	for {
		_, err := root.Lstat(name + ".jsonl")
		if errors.Is(err, fs.ErrNotExist) {
			return name + ".jsonl", nil
		}
		if err != nil {
			return "", err
		}
		name += "_" // behind "." in the order of names
	}
}

// ReadRemovals reads a file of removals.
func ReadRemovals(root *os.Root, name string) ([]Removal, error) {
	var all []Removal
	err := EachRow(root, name, func(r Removal) error {
		all = append(all, r)
		return nil
	})
	return all, err
}

// Named gives the IDs of documents that a file of removals names.
func Named(root *os.Root) (map[string]bool, error) {
	named := map[string]bool{}
	files, err := RemovalFiles(root)
	if err != nil {
		return nil, err
	}
	for _, name := range files {
		removals, err := ReadRemovals(root, name)
		if err != nil {
			return nil, err
		}
		for _, r := range removals {
			named[r.ID] = true
		}
	}
	return named, nil
}

// RemovalFiles gives the names of the removals of a corpus, oldest first.
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
