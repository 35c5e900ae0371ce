package crawldir

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/decorum-crawler/decorum/internal/atomicfile"
)

// ErrForeign means that a directory holds something other than a crawl.
var ErrForeign = errors.New("directory is not empty and holds no crawl of decorum")

// Holds reports whether path holds a crawl that [Open] can resume. It is false
// for a path that [Create] can make a crawl of: nothing exists there, or the
// directory is empty, or making it was interrupted. Other directories are an
// [ErrForeign]; one that has outputs but no state is an [ErrStateLost].
func Holds(path string) (bool, error) {
	entries, err := os.ReadDir(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("open crawl directory: %w", err)
	}
	if len(entries) == 0 || len(entries) == 1 && isDraft(path, entries[0].Name()) {
		return false, nil
	}
	head, err := readHead(filepath.Join(path, SettingsName), len(settingsHead))
	if err != nil || !bytes.Equal(head, []byte(settingsHead)) {
		return false, fmt.Errorf("open crawl directory %s: %w", path, ErrForeign)
	}
	if slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == StateName }) {
		return true, nil
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return false, fmt.Errorf("open crawl directory: %w", err)
	}
	return false, errors.Join(checkNew(root, Options{}), root.Close())
}

// isDraft reports whether a file is our settings, not yet whole when their
// process ended.
func isDraft(path, name string) bool {
	if name != atomicfile.DraftName(SettingsName) {
		return false
	}
	head, err := readHead(filepath.Join(path, name), len(settingsHead))
	return (err == nil || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)) && strings.HasPrefix(settingsHead, string(head))
}

// readHead returns the first n bytes of a file; when it is shorter, what it has
// and an error.
func readHead(name string, n int) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	head := make([]byte, n)
	n, err = io.ReadFull(file, head)
	return head[:n], err
}
