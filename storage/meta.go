package storage

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"

	"go.etcd.io/bbolt"

	"github.com/decorum-crawler/decorum/frontier"
)

// meta describes the state. It changes with every transaction.
type meta struct {
	run      string
	commits  uint64
	sequence uint64
	counters frontier.Counters
	offsets  map[string]int64
}

// loadMeta reads the record, which is one so that its checksum covers all of it: an
// offset that was lost would cut an output to nothing.
func loadMeta(b *bbolt.Bucket) (meta, error) {
	m := meta{offsets: map[string]int64{}}
	d := decode(b.Get([]byte("state")))
	m.run = d.string()
	m.commits, m.sequence = d.uint(), uint64(d.int(maxCount))
	m.counters = frontier.Counters{
		Pending: d.int(maxCount), Done: d.int(maxCount), Skipped: d.int(maxCount), Tentative: d.int(maxCount),
	}
	for n := d.uint(); n > 0 && !d.broken; n-- {
		name := d.string()
		m.offsets[name] = d.int(math.MaxInt64)
	}
	return m, d.end()
}

func (m *meta) save(b *bbolt.Bucket) error {
	n := m.counters
	if low, high := min(n.Pending, n.Done, n.Skipped, n.Tentative), max(n.Pending, n.Done, n.Skipped, n.Tentative); low < 0 || high > maxCount {
		return fmt.Errorf("counters %+v contradict the records: %w", n, ErrDamaged)
	}
	return b.Put([]byte("state"), m.encode())
}

func (m *meta) encode() []byte {
	record := appendString(nil, m.run)
	for _, number := range []uint64{
		m.commits, m.sequence,
		uint64(m.counters.Pending), uint64(m.counters.Done), uint64(m.counters.Skipped), uint64(m.counters.Tentative),
		uint64(len(m.offsets)),
	} {
		record = binary.AppendUvarint(record, number)
	}
	for _, name := range slices.Sorted(maps.Keys(m.offsets)) {
		record = binary.AppendUvarint(appendString(record, name), uint64(m.offsets[name]))
	}
	return seal(record)
}
