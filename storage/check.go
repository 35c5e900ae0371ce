package storage

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"strings"

	"go.etcd.io/bbolt"

	"github.com/decorum-crawler/decorum/frontier"
)

// Check reads the whole state and calls report for every contradiction between
// pages of the file, records, the queue, hosts, counters and the bodies of
// robots.txt. It returns an error when the state cannot be read at all. On a damaged
// file bbolt can panic in a goroutine of its own, which ends the process: check a
// file that may be damaged in a child process.
func (s *State) Check(report func(format string, args ...any)) error {
	err := s.view(func(tx *bbolt.Tx) error {
		for fault := range tx.Check() {
			report("state file: %s", strings.TrimPrefix(fault.Error(), "panic: ")) // bbolt recovers most of its panics
		}
		m, err := loadMeta(tx.Bucket(metaBucket))
		if err != nil {
			return err
		}
		c := checker{report: report, queue: tx.Bucket(queueBucket), tentative: tx.Bucket(tentativeBucket), pending: map[string]int64{}}
		if err := tx.Bucket(urlsBucket).ForEach(c.url); err != nil {
			return err
		}
		c.lists(m)
		if err := tx.Bucket(hostsBucket).ForEach(c.host); err != nil {
			return err
		}
		for host, n := range c.pending {
			report("%d URLs are pending at host %x, which is not recorded", n, host)
		}
		bodies := tx.Bucket(bodiesBucket)
		return tx.Bucket(robotsBucket).ForEach(func(origin, record []byte) error {
			c.robots(origin, record, bodies)
			return nil
		})
	})
	if err != nil {
		return fmt.Errorf("check state %s: %w", s.path, err)
	}
	return nil
}

// checker compares the parts of a state with the records of its URLs.
type checker struct {
	report           func(format string, args ...any)
	queue, tentative *bbolt.Bucket

	// counted from the records
	counters         frontier.Counters
	pending          map[string]int64 // by key of the host
	queued, settling int
}

// url checks a record and that the bucket of its state lists it.
func (c *checker) url(key, record []byte) error {
	known, err := decodeKnown(record)
	if err != nil {
		c.report("record of %x: %v", key, err)
		return nil
	}
	if !bytes.Equal(urlKey(&known.Item), key) {
		c.report("the key %x has the record of %s", key, known.URL)
		return nil
	}
	c.counters.Move(known.Kind, frontier.StateUnknown, known.State)
	switch known.State {
	case frontier.StatePending:
		c.queued++
		c.pending[string(key[:hostBytes])]++
		if !bytes.Equal(c.queue.Get(queueKey(key, &known)), key[hostBytes:]) {
			c.report("%s is pending but not in the queue", known.URL)
		}
	case frontier.StateTentative:
		c.settling++
		if c.tentative.Get(key) == nil {
			c.report("%s is tentative but not in the tentative list", known.URL)
		}
	}
	return nil
}

// lists checks the sizes of the lists and the counters.
func (c *checker) lists(m meta) {
	if n := c.queue.Stats().KeyN; n != c.queued {
		c.report("the queue has %d entries, but %d URLs are pending", n, c.queued)
	}
	if n := c.tentative.Stats().KeyN; n != c.settling {
		c.report("the tentative list has %d entries, but %d URLs are tentative", n, c.settling)
	}
	if c.counters != m.counters {
		c.report("the counters are %+v, but the records add up to %+v", m.counters, c.counters)
	}
}

// host checks the record of a host and takes the host out of pending.
func (c *checker) host(key, record []byte) error {
	h, err := decodeHost(record)
	if err != nil {
		c.report("record of host %x: %v", key, err)
		return nil
	}
	if n := c.pending[string(key)]; n != h.Pending {
		c.report("host %s counts %d pending URLs, but %d are recorded", h.Host, h.Pending, n)
	}
	delete(c.pending, string(key))
	return nil
}

// robots checks the record of a robots.txt and its body.
func (c *checker) robots(origin, record []byte, bodies *bbolt.Bucket) {
	var kept robotsRecord
	if err := unmarshal(record, &kept); err != nil {
		c.report("record of the robots.txt of %s: %v", origin, err)
		return
	}
	if kept.Document.Origin != string(origin) {
		c.report("the origin %s has the robots.txt of %s", origin, kept.Document.Origin)
	}
	if sum := sha256.Sum256(bodies.Get(kept.key())); !bytes.Equal(sum[:], kept.key()) {
		c.report("the body of the robots.txt of %s does not match its digest %s", origin, kept.Digest)
	}
}
