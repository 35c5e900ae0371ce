package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Write calls write to write the file name under root, readable only by its
// owner, and replaces a file of that name. If it fails before the rename, the old
// file is unchanged.
func Write(root *os.Root, name string, write func(io.Writer) error) error {
	file, err := Create(root, name, 0o600)
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	defer file.Abort()
	if err := write(file); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	if err := file.Commit(); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

// WriteData is like [Write] with the contents given as data.
func WriteData(root *os.Root, name string, data []byte) error {
	return Write(root, name, func(out io.Writer) error {
		_, err := out.Write(data)
		return err
	})
}

// CreateFunc makes the file at path, an operating system path, by calling fill with
// the path of its draft. fill creates, syncs and closes the draft. An existing file
// is not replaced: the error is [fs.ErrExist].
func CreateFunc(path string, fill func(draft string) error) error {
	return makeFunc(path, fill, func(root *os.Root, base string) error {
		_, err := root.Lstat(base)
		switch {
		case err == nil:
			return fs.ErrExist
		case !errors.Is(err, fs.ErrNotExist):
			return err
		}
		return nil
	})
}

// ReplaceFunc is like [CreateFunc], but replaces an existing file.
func ReplaceFunc(path string, fill func(draft string) error) error {
	return makeFunc(path, fill, func(*os.Root, string) error { return nil })
}

func makeFunc(path string, fill func(draft string) error, check func(root *os.Root, base string) error) error {
	folder, base := filepath.Split(path)
	root, err := os.OpenRoot(filepath.Clean(folder))
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }() // it was only used for names
	if err := check(root, base); err != nil {
		return err
	}
	draft := DraftName(base)
	if err := removeDraft(root, draft); err != nil {
		return err
	}
	err = fill(filepath.Join(folder, draft))
	if err == nil {
		err = root.Rename(draft, base)
	}
	if err != nil {
		_ = root.Remove(draft) // the first error counts
		return err
	}
	return SyncFolder(root, ".")
}

// SyncFolder makes the names in a folder under root durable; "." is root itself.
func SyncFolder(root *os.Root, name string) error {
	folder, err := root.Open(name)
	if err != nil {
		return fmt.Errorf("sync folder %s: %w", name, err)
	}
	if err := errors.Join(folder.Sync(), folder.Close()); err != nil {
		return fmt.Errorf("sync folder %s: %w", name, err)
	}
	return nil
}
