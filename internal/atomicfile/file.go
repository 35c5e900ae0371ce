package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
)

// ErrTaken means that the draft of a file was removed or replaced while it was
// being written, for example by a second writer.
var ErrTaken = errors.New("atomicfile: draft was replaced by another writer")

// ErrNotRegular means that a pipe, a device or a folder has the name of a file. It is
// not replaced; a link is, and what it leads to stays as it is.
var ErrNotRegular = errors.New("not a regular file")

// DraftName returns the name that a file has until it is complete: hidden, with
// ".new" at the end, in the same folder. The draft of "in/file" is "in/.file.new".
// Folders are separated by "/".
func DraftName(name string) string {
	folder, base := path.Split(name)
	return folder + "." + base + ".new"
}

// A File grows under its draft name until Commit. It is not safe for concurrent
// use.
type File struct {
	root   *os.Root
	name   string
	file   *os.File
	info   fs.FileInfo // identifies the draft
	closed bool
	done   bool  // committed or aborted
	fault  error // of closing
}

// Create starts a file of that name under root. Permissions are mode before the
// umask. The caller must call [File.Commit] or [File.Abort], and keep root open
// until then.
func Create(root *os.Root, name string, mode fs.FileMode) (*File, error) {
	if info, err := root.Lstat(name); err == nil && !info.Mode().IsRegular() && info.Mode()&fs.ModeSymlink == 0 {
		return nil, fmt.Errorf("%s: %w", name, ErrNotRegular)
	}
	draft := DraftName(name)
	if err := removeDraft(root, draft); err != nil {
		return nil, err
	}
	file, err := root.OpenFile(draft, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err != nil {
		return nil, errors.Join(err, file.Close(), root.Remove(draft))
	}
	return &File{root: root, name: name, file: file, info: info}, nil
}

// removeDraft removes the draft of a killed process.
func removeDraft(root *os.Root, draft string) error {
	info, err := root.Lstat(draft)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("draft %s is not a regular file: %w", draft, fs.ErrExist)
	}
	return root.Remove(draft)
}

// Write appends p to the draft.
func (f *File) Write(p []byte) (int, error) { return f.file.Write(p) }

// Commit makes the draft durable and renames it to its final name, replacing a file
// of that name. If it fails, the caller calls Abort. If only syncing the folder
// fails, the file has its final name, but may lose it when the machine crashes.
func (f *File) Commit() error {
	if err := f.publish(); err != nil {
		return err
	}
	return SyncFolder(f.root, path.Dir(f.name))
}

// publish closes and renames the draft without syncing the folder.
func (f *File) publish() error {
	if f.done {
		return fs.ErrClosed
	}
	if err := f.close(); err != nil {
		return err
	}
	if err := f.owned(); err != nil {
		return fmt.Errorf("commit %s: %w", f.name, err)
	}
	if err := f.root.Rename(DraftName(f.name), f.name); err != nil {
		return err
	}
	f.done = true
	return nil
}

// close syncs and closes the draft; later calls return the error of the first.
func (f *File) close() error {
	if !f.closed {
		f.closed = true
		f.fault = errors.Join(f.file.Sync(), f.file.Close())
	}
	return f.fault
}

// owned returns ErrTaken unless the draft is still the file that Create made.
func (f *File) owned() error {
	info, err := f.root.Lstat(DraftName(f.name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return ErrTaken
	case err != nil:
		return err
	case !os.SameFile(info, f.info):
		return ErrTaken
	}
	return nil
}

// Abort removes the draft. It does nothing after a successful Commit, so it can be
// deferred. If the draft cannot be removed, the next writer of the name does it.
func (f *File) Abort() {
	if f.done {
		return
	}
	f.done = true
	if !f.closed {
		f.closed = true
		f.file.Close()
	}
	if f.owned() == nil {
		_ = f.root.Remove(DraftName(f.name)) // otherwise the next writer removes it
	}
}
