package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/decorum-crawler/decorum/storage/whole"
)

// stage makes files of a folder under hidden names, until all of them are
// whole.
type stage struct {
	root  *os.Root
	names []string
}

func newStage(folder string) (*stage, error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, fmt.Errorf("make output directory: %w", err)
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, fmt.Errorf("open output directory: %w", err)
	}
	return &stage{root: root}, nil
}

func hidden(name string) string { return "." + name + ".tmp" }

// create makes a file that has its name only after publish.
func (s *stage) create(name string) (io.WriteCloser, error) {
	file, err := s.root.OpenFile(hidden(name), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return nil, err
	}
	s.names = append(s.names, name)
	return synced{file}, nil
}

// synced is a file that is on the disk once it is closed.
type synced struct{ *os.File }

// Close syncs first.
func (f synced) Close() error { return errors.Join(f.Sync(), f.File.Close()) }

// publish gives the files their names, in the order in which they were made.
func (s *stage) publish() error {
	for len(s.names) > 0 {
		if err := s.root.Rename(hidden(s.names[0]), s.names[0]); err != nil {
			return fmt.Errorf("name output: %w", err)
		}
		s.names = s.names[1:]
	}
	return whole.SyncFolder(s.root, ".")
}

// close removes what was not published.
func (s *stage) close() error {
	var faults []error
	for _, name := range s.names {
		faults = append(faults, s.root.Remove(hidden(name)))
	}
	return errors.Join(append(faults, s.root.Close())...)
}
