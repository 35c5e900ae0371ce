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
	"syscall"

	"github.com/decorum-crawler/decorum/internal/atomicfile"
)

// ErrForeign means that a directory contains something other than a crawl.
var ErrForeign = errors.New("directory is not empty and does not contain a decorum crawl")

// Holds reports whether path contains a crawl that [Open] can resume. It returns
// false for a path that [Create] can use: nothing exists there, the directory is
// empty, or an earlier Create was interrupted. It returns an [ErrStateLost] for a
// directory that has outputs but no state, and an [ErrForeign] for any other one.
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

// isDraft reports whether a file is a draft of our settings, left by an
// interrupted Create.
func isDraft(path, name string) bool {
	if name != atomicfile.DraftName(SettingsName) {
		return false
	}
	head, err := readHead(filepath.Join(path, name), len(settingsHead))
	return (err == nil || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)) && strings.HasPrefix(settingsHead, string(head))
}

// readHead returns the first n bytes of a file, or all of it and an error when it
// is shorter.
func readHead(name string, n int) ([]byte, error) {
	file, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe in its place must not block
	if err != nil {
		return nil, err
	}
	defer file.Close()
	head := make([]byte, n)
	n, err = io.ReadFull(file, head)
	return head[:n], err
}
