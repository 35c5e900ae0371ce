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
	var counters frontier.Counters
	queued, weak := 0, 0
	err := tx.Bucket(urlsBucket).ForEach(func(key, value []byte) error {
		known, err := decodeKnown(value)
		if err != nil {
			say("record of %x: %v", key, err)
			return nil
		}
		counters.Move(known.Kind, frontier.StateUnknown, known.State)
		switch known.State {
		case frontier.StatePending:
			queued++
			if !bytes.Equal(queue.Get(queueKey(key, &known)), key[hostBytes:]) {
				say("%s is pending and not in the queue", known.URL)
			}
		case frontier.StateTentative:
			weak++
			if tentative.Get(key) == nil {
				say("%s is tentative and not in its list", known.URL)
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
	if counters != m.counters {
		say("the counters say %+v, the records %+v", m.counters, counters)
	}
	return err
}
