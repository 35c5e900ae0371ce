package corpus

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// RemovalsDir holds files of [Removal], and TombstonesName those that were
// applied.
const (
	RemovalsDir    = "removals"
	TombstonesName = "tombstones.jsonl"
)

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

// tombstones reads which documents are gone for good.
func (b *publisher) tombstones() error {
	return EachRow(b.root, TombstonesName, func(r Removal) error {
		b.removed[r.ID] = true
		return nil
	})
}

// Purge takes the documents of a removals file out of the corpus: their texts
// from the journal, and a tombstone of each is left. withdraw is called with
// the documents before, to take them out of an archive; it may be nil. The
// caller publishes afterwards, which rewrites the shards. It gives how many
// were taken out. A purge that was cut short is completed by the next one.
func Purge(root *os.Root, removals []Removal, withdraw func([]Document) error) (int, error) {
	taken, err := entomb(root, removals)
	if err != nil {
		return 0, err
	}
	ids := map[string]bool{}
	err = EachRow(root, TombstonesName, func(r Removal) error {
		ids[r.ID] = true
		return nil
	})
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
	if err != nil || len(there) == 0 {
		return taken, err
	}
	return taken, erase(root, ids)
}

// entomb writes the tombstones of documents that have none yet, and gives how
// many.
func entomb(root *os.Root, removals []Removal) (int, error) {
	gone := map[string]Removal{}
	for _, r := range removals {
		gone[r.ID] = r
	}
	err := EachRow(root, TombstonesName, func(r Removal) error {
		delete(gone, r.ID)
		return nil
	})
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
			old = append(old, record("", r).Data...)
			taken++
		}
		return nil
	})
	if err != nil || taken == 0 {
		return 0, err
	}
	return taken, replace(root, TombstonesName, old)
}

// erase overwrites documents in the journal where they stand: its length is a
// part of the crawl's state. Doing it twice does no harm.
func erase(root *os.Root, ids map[string]bool) error {
	file, err := root.OpenFile(JournalName, os.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("erase documents: %w", err)
	}
	defer file.Close()
	in := bufio.NewReaderSize(file, 256<<10)
	for offset := int64(0); ; {
		line, err := in.ReadBytes('\n')
		var d Document
		if len(line) > 0 && json.Unmarshal(line, &d) == nil && ids[d.ID] {
			if _, err := file.WriteAt(erased(d.ID, len(line)), offset); err != nil {
				return fmt.Errorf("erase %s: %w", d.ID, err)
			}
		}
		if offset += int64(len(line)); errors.Is(err, io.EOF) {
			return file.Sync()
		}
		if err != nil {
			return fmt.Errorf("erase documents: %w", err)
		}
	}
}

// erasedSchema stands in the place of a document's.
const erasedSchema = "decorum.erased/1"

// erased gives a line of a length that says only whose place it is. It is
// shorter than any document.
func erased(id string, length int) []byte {
	line := fmt.Appendf(nil, `{"id":%q,"text":"","source":"","metadata":{"schema":%q}`, id, erasedSchema)
	line = append(line, bytes.Repeat([]byte(" "), max(0, length-len(line)-2))...)
	return append(line, '}', '\n')
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
