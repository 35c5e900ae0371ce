package storage

import (
	"bytes"
	"fmt"

	"go.etcd.io/bbolt"

	"github.com/decorum-crawler/decorum/frontier"
)

// Check reads the whole state and tells of everything that does not fit: pages
// of the file, records, the queue and the counters. It returns an error when
// the state cannot be read at all.
func (s *State) Check(say func(format string, args ...any)) error {
	err := s.view(func(tx *bbolt.Tx) error {
		for fault := range tx.Check() {
			say("state file: %v", fault)
		}
		m, err := loadMeta(tx.Bucket(metaBucket))
		if err != nil {
			return err
		}
		return checkEntries(tx, m, say)
	})
	if err != nil {
		return fmt.Errorf("check state %s: %w", s.path, err)
	}
	return nil
}

func checkEntries(tx *bbolt.Tx, m meta, say func(string, ...any)) error {
	queue, tentative := tx.Bucket(queueBucket), tx.Bucket(tentativeBucket)
	c := change{state: meta{}}
	queued, weak := 0, 0
	err := tx.Bucket(urlsBucket).ForEach(func(key, value []byte) error {
		e, err := decodeEntry(value)
		if err != nil {
			say("record of %x: %v", key, err)
			return nil
		}
		c.count(e.Kind, e.state, 1)
		switch e.state {
		case frontier.StatePending:
			queued++
			if !bytes.Equal(queue.Get(queueKey(key, e.Item, e.sequence)), key[hostBytes:]) {
				say("%s is pending and not in the queue", e.URL)
			}
		case frontier.StateTentative:
			weak++
			if tentative.Get(key) == nil {
				say("%s is tentative and not in its list", e.URL)
			}
		}
		return nil
	})
	if n := queue.Stats().KeyN; n != queued {
		say("the queue has %d entries, %d URLs are pending", n, queued)
	}
	if n := tentative.Stats().KeyN; n != weak {
		say("the tentative list has %d entries, %d URLs are tentative", n, weak)
	}
	if c.state.counters != m.counters {
		say("the counters say %+v, the records %+v", m.counters, c.state.counters)
	}
	return err
}
