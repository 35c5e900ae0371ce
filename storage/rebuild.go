package storage

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"go.etcd.io/bbolt"

	"github.com/decorum-crawler/decorum/frontier"
	"github.com/decorum-crawler/decorum/internal/atomicfile"
)

// ErrTwice means that a URL is to be restored twice.
var ErrTwice = errors.New("URL occurs twice")

// Rebuild replaces the state file at path, which may be damaged or missing, by a new
// one of that run (empty: a new run), to which fill adds what is known; see
// [State.Restore]. The old file is kept under the returned name: path with
// ".damaged" at its end, and a number if that exists; empty if there was none. A
// process that is killed leaves the old file or the new one. After an error the old
// file is unchanged. No other process may open path meanwhile.
func Rebuild(path, run string, fill func(*State) error) (kept string, err error) {
	err = atomicfile.ReplaceFunc(path, func(draft string) error {
		if err := initialise(draft, run); err != nil {
			return err
		}
		s, err := Open(draft, false)
		if err != nil {
			return err
		}
		s.db.NoSync = true // until the end: a draft is worth nothing
		if err = fill(s); err == nil {
			err = guard(func() error { return finish(s.db) })
		}
		if err := errors.Join(err, s.Close()); err != nil {
			return err
		}
		kept, err = keepAside(path)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("rebuild state %s: %w", path, err)
	}
	return kept, nil
}

// keepAside gives an existing file a second name.
func keepAside(path string) (string, error) {
	old, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	aside := path + ".damaged"
	for n := 2; ; n++ {
		switch other, err := os.Lstat(aside); {
		case errors.Is(err, fs.ErrNotExist):
			if err := os.Link(path, aside); err != nil {
				return aside, os.Rename(path, aside) // a file system without hard links
			}
			return aside, nil
		case err != nil:
			return "", err
		case os.SameFile(old, other):
			return aside, nil // a killed process has done it
		}
		aside = fmt.Sprintf("%s.damaged.%d", path, n)
	}
}

// Restore adds URLs in the states that they have, hosts, and the committed lengths
// of outputs, in one transaction. A URL that is known already is an [ErrTwice].
func (s *State) Restore(known []frontier.Known, hosts []frontier.HostState, offsets map[string]int64) error {
	err := guard(func() error {
		return s.db.Update(func(tx *bbolt.Tx) error {
			c, err := newChange(tx)
			if err != nil {
				return err
			}
			for i := range known {
				if err := c.restore(&known[i]); err != nil {
					return err
				}
			}
			return c.apply(&frontier.Batch{Hosts: hosts, Commit: func([]bool) (map[string]int64, error) { return offsets, nil }})
		})
	})
	if err != nil {
		return fmt.Errorf("restore state %s: %w", s.path, err)
	}
	return nil
}

func (c *change) restore(next *frontier.Known) error {
	key := urlKey(&next.Item)
	if c.urls.Get(key) != nil {
		return fmt.Errorf("%s: %w", next.URL, ErrTwice)
	}
	return c.replace(key, &frontier.Known{}, next)
}

// Offer offers URLs to a state that is being rebuilt. Those that would have a line
// in an output because they are skipped are left out.
func (s *State) Offer(candidates []frontier.Candidate) error {
	batch := &frontier.Batch{Commit: func([]bool) (map[string]int64, error) { return nil, nil }}
	for _, c := range candidates {
		if c.Skip == "" || c.Skip.Tentative() {
			batch.Add = append(batch.Add, c)
		}
	}
	if len(batch.Add) == 0 {
		return nil
	}
	return s.Apply(context.Background(), batch)
}
