package atomicfile

import (
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
)

// A Set is a set of files that are published together. It is not safe for
// concurrent use.
type Set struct {
	root  *os.Root
	mode  fs.FileMode
	files []*File // those that do not have their final names yet
}

// NewSet returns an empty set of files under root, which the caller keeps open
// until Commit or Abort. Permissions are mode before the umask.
func NewSet(root *os.Root, mode fs.FileMode) *Set {
	return &Set{root: root, mode: mode}
}

// Create starts a file of the set. Closing it makes it durable under its draft
// name; only Commit renames it to its final name.
func (s *Set) Create(name string) (io.WriteCloser, error) {
	file, err := Create(s.root, name, s.mode)
	if err != nil {
		return nil, err
	}
	s.files = append(s.files, file)
	return member{file}, nil
}

// member is a file of a set.
type member struct{ *File }

func (m member) Close() error { return m.close() }

// Commit makes all files durable, closing those that are open, and renames them to
// their final names in the order of their Create calls. After an error the files
// before the failed one have their final names; the caller calls Abort to remove
// the rest.
func (s *Set) Commit() error {
	for _, file := range s.files {
		if err := file.close(); err != nil {
			return err
		}
	}
	var folders []string
	for len(s.files) > 0 {
		file := s.files[0]
		if err := file.publish(); err != nil {
			return err
		}
		s.files = s.files[1:]
		if folder := path.Dir(file.name); !slices.Contains(folders, folder) {
			folders = append(folders, folder)
		}
	}
	for _, folder := range folders {
		if err := SyncFolder(s.root, folder); err != nil {
			return err
		}
	}
	return nil
}

// Abort removes the drafts of the files that Commit has not renamed. It does
// nothing after a successful Commit, so it can be deferred.
func (s *Set) Abort() {
	for _, file := range s.files {
		file.Abort()
	}
	s.files = nil
}
