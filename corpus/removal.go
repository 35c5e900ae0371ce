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
// from the journal, and a tombstone of each is left. The caller publishes
// afterwards, which rewrites the shards. It gives how many were taken out.
func Purge(root *os.Root, removals []Removal) (int, error) {
	gone := map[string]Removal{}
	for _, r := range removals {
		gone[r.ID] = r
	}
	taken := []Removal{}
	err := EachRow(root, TombstonesName, func(r Removal) error {
		delete(gone, r.ID) // done before
		return nil
	})
	if err != nil {
		return 0, err
	}
	err = EachRow(root, JournalName, func(d Document) error {
		if r, ok := gone[d.ID]; ok {
			taken = append(taken, r)
		}
		return nil
	})
	if err != nil || len(taken) == 0 {
		return 0, err
	}
	old, err := root.ReadFile(TombstonesName)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, fmt.Errorf("read tombstones: %w", err)
	}
	ids := map[string]bool{}
	for _, r := range taken {
		old = append(old, record("", r).Data...)
		ids[r.ID] = true
	}
	if err := replace(root, TombstonesName, old); err != nil {
		return 0, err
	}
	return len(taken), erase(root, ids)
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

// erased gives a line of a length that says only whose place it is. It is
// shorter than any document.
func erased(id string, length int) []byte {
	line := fmt.Appendf(nil, `{"id":%q,"text":"","source":"","metadata":{"schema":"decorum.erased/1"}`, id)
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
