package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
)

// MkdirAll makes the folder name, an operating system path, with the folders above
// it that do not exist, as [os.MkdirAll] does, and makes their names durable. The
// folder that all of them stand in need not be one that may be read.
func MkdirAll(name string, perm fs.FileMode) error {
	name = filepath.Clean(name)
	made := []string{name} // perhaps by a process that died before it synced; then those above it
	for at := filepath.Dir(name); at != filepath.Dir(at); at = filepath.Dir(at) {
		if _, err := os.Stat(at); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		made = append(made, at)
	}
	if err := os.MkdirAll(name, perm); err != nil {
		return err
	}
	for i, folder := range slices.Backward(made) {
		err := syncPath(filepath.Dir(folder))
		if existed := i == len(made)-1; err != nil && (!existed || !errors.Is(err, fs.ErrPermission)) {
			return err
		}
	}
	return nil
}

// MakeFolder makes a folder under root, for its owner alone, with the folders above
// it, and makes the names of those that it made durable.
func MakeFolder(root *os.Root, name string) error {
	name = path.Clean(name)
	switch _, err := root.Stat(name); {
	case err == nil:
		return nil
	case !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("make folder %s: %w", name, err)
	}
	above := path.Dir(name)
	if err := MakeFolder(root, above); err != nil {
		return err
	}
	if err := root.Mkdir(name, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("make folder %s: %w", name, err)
	}
	return SyncFolder(root, above)
}

func syncPath(name string) error {
	root, err := os.OpenRoot(name)
	if err != nil {
		return fmt.Errorf("sync folder %s: %w", name, err)
	}
	return errors.Join(SyncFolder(root, "."), root.Close())
}
