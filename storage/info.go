package storage

import (
	"fmt"

	"go.etcd.io/bbolt"

	"github.com/decorum-crawler/decorum/frontier"
)

// Info describes the crawl of a state file.
type Info struct {
	Run      string // random, different for each crawl
	Schema   int
	Commits  uint64 // transactions on the frontier so far
	Counters frontier.Counters
	Offsets  map[string]int64 // committed length of each output in bytes
}

// Info returns the description of the crawl.
func (s *State) Info() (Info, error) {
	var info Info
	err := s.view(func(tx *bbolt.Tx) error {
		b := tx.Bucket(metaBucket)
		m, err := loadMeta(b)
		info = Info{Run: m.run, Schema: int(b.Get([]byte("schema"))[0]), Commits: m.commits, Counters: m.counters, Offsets: m.offsets}
		return err
	})
	if err != nil {
		return info, fmt.Errorf("read state %s: %w", s.path, err)
	}
	return info, nil
}

// Lookup returns what is known of a canonical URL. The state of an unknown one is
// StateUnknown.
func (s *State) Lookup(item frontier.Item) (frontier.Candidate, frontier.State, error) {
	var known frontier.Known
	err := s.view(func(tx *bbolt.Tx) error {
		record := tx.Bucket(urlsBucket).Get(urlKey(&item))
		if record == nil {
			return nil
		}
		var err error
		known, err = decodeKnown(record)
		return err
	})
	if err != nil {
		return known.Candidate, known.State, fmt.Errorf("look up %s in state %s: %w", item.URL, s.path, err)
	}
	return known.Candidate, known.State, nil
}
