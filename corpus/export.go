package corpus

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path"
	"strings"

	"github.com/decorum-crawler/decorum/corpus/evidence"
	"github.com/decorum-crawler/decorum/internal/atomicfile"
	"github.com/decorum-crawler/decorum/storage/jsonl"
)

// Exported tells of which corpus a corpus is a part.
type Exported struct {
	From  string `json:"from"`  // SHA-256 of the manifest of that corpus, in hex
	Where string `json:"where"` // what selected the documents
}

// Export copies the documents of a corpus that keep selects into the empty directory
// of another one, with everything that its decisions rest on: evidence, excluded pages,
// and the given records of the crawl. Archives are not copied. The caller publishes the
// copy, with the [Exported] and the number of documents left out that Export returns.
// It reads m.Outputs of the corpus, so what was changed since is refused.
func Export(from, to *os.Root, m *Manifest, records []string, keep func(Document) (bool, error)) (left int64, err error) {
	for _, name := range append([]string{FailedName, OverridesName}, records...) {
		if err := copyFile(from, to, name, name); err != nil {
			return 0, fmt.Errorf("export corpus: %w", err)
		}
	}
	for _, folder := range []string{evidence.RobotsDir, evidence.FilesDir} {
		if err := copyFolder(from, to, folder); err != nil {
			return 0, fmt.Errorf("export corpus: %w", err)
		}
	}
	if err := copyFile(from, to, ExcludedName, ExcludedName, MovedName); err != nil {
		return 0, fmt.Errorf("export corpus: %w", err)
	}
	kept, err := copyDocuments(from, to, m, keep)
	if err != nil {
		return 0, fmt.Errorf("export corpus: %w", err)
	}
	return m.Counts.Documents - kept + m.Counts.Purged + m.Counts.LeftOut, nil
}

// copyDocuments writes the journal of the copy from the shards: they have the
// decisions in force, and the places in the archive.
func copyDocuments(from, to *os.Root, m *Manifest, keep func(Document) (bool, error)) (kept int64, err error) {
	file, err := atomicfile.Create(to, JournalName, 0o600)
	if err != nil {
		return 0, err
	}
	defer file.Abort()
	for d, err := range published(from, m) {
		if err != nil {
			return 0, err
		}
		wanted, err := keep(d)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", d.URL, err)
		}
		if !wanted {
			continue
		}
		kept++
		if _, err := file.Write(jsonl.Line(d)); err != nil {
			return 0, err
		}
	}
	return kept, file.Commit()
}

// published yields the documents of the shards that a manifest names. The error is
// [ErrChanged] when one has another digest.
func published(root *os.Root, m *Manifest) iter.Seq2[Document, error] {
	return func(yield func(Document, error) bool) {
		for _, output := range m.Outputs {
			if !strings.HasPrefix(output.Name, documentsDir+"/") {
				continue
			}
			now, err := outputOf(root, output.Name)
			if err == nil && now.SHA256 != output.SHA256 {
				err = fmt.Errorf("%s is not as %s says: %w", output.Name, ManifestName, ErrChanged)
			}
			if err != nil {
				yield(Document{}, err)
				return
			}
			for d, err := range Documents(root, output.Name) {
				if !yield(d, err) {
					return
				}
			}
		}
	}
}

// ErrChanged means that a file is not the one that the manifest names.
var ErrChanged = errors.New("corpus: file was changed")

func copyFolder(from, to *os.Root, name string) error {
	entries, err := fs.ReadDir(from.FS(), name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if !entry.Type().IsRegular() {
			continue
		}
		file := path.Join(name, entry.Name())
		if err := copyFile(from, to, file, file); err != nil {
			return err
		}
	}
	return nil
}

// copyFile writes a file of the contents of files, one after another; those that do
// not exist are empty. Nothing is written when none exists.
func copyFile(from, to *os.Root, name string, parts ...string) error {
	if err := atomicfile.MakeFolder(to, path.Dir(name)); err != nil {
		return err
	}
	var file *atomicfile.File
	for _, part := range parts {
		in, err := from.Open(part)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		defer in.Close()
		if file == nil {
			if file, err = atomicfile.Create(to, name, 0o600); err != nil {
				return err
			}
			defer file.Abort()
		}
		if _, err := io.Copy(file, in); err != nil {
			return err
		}
	}
	if file == nil {
		return nil
	}
	return file.Commit()
}
