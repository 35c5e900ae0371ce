// Package whole writes files that are there whole or not at all, also after a
// crash of the machine: one that reads a file finds it as it was before or as
// it was written.
package whole

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path"
)

// Write writes name under root with what write gives, readable by its owner
// only, and takes the place of a file of that name. Until it is whole and on
// the disk it is called name.new. When it cannot be written the file is as it was.
//
// Two calls for one name must not run at the same time.
func Write(root *os.Root, name string, write func(io.Writer) error) error {
	draft := name + ".new"
	file, err := root.OpenFile(draft, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	err = write(file)
	if err = errors.Join(err, file.Sync(), file.Close()); err == nil {
		err = root.Rename(draft, name)
	}
	if err != nil {
		_ = root.Remove(draft) // the error that counts is the first
		return fmt.Errorf("write %s: %w", name, err)
	}
	return SyncFolder(root, path.Dir(name))
}

// WriteData is [Write] of data that is there.
func WriteData(root *os.Root, name string, data []byte) error {
	return Write(root, name, func(out io.Writer) error {
		_, err := out.Write(data)
		return err
	})
}

// SyncFolder makes the names in a folder under root durable.
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
