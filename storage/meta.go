package storage

import (
	"encoding/binary"
	"fmt"
	"math"

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

const offsetPrefix = "offset:"

func loadMeta(b *bbolt.Bucket) (meta, error) {
	m := meta{offsets: map[string]int64{}}
	d := decode(b.Get([]byte("state")))
	m.run = d.string()
	m.commits, m.sequence = d.uint(), uint64(d.int(maxCount))
	m.counters = frontier.Counters{
		Pending: d.int(maxCount), Done: d.int(maxCount), Skipped: d.int(maxCount), Tentative: d.int(maxCount),
	}
	if err := d.end(); err != nil {
		return m, err
	}
	cursor := b.Cursor()
	for key, value := cursor.Seek([]byte(offsetPrefix)); len(key) > len(offsetPrefix) && string(key[:len(offsetPrefix)]) == offsetPrefix; key, value = cursor.Next() {
		value, err := unseal(value)
		if err != nil || len(value) != 8 || value[0] > math.MaxInt8 {
			return m, fmt.Errorf("offset of %s: %w", key[len(offsetPrefix):], errRecord)
		}
		m.offsets[string(key[len(offsetPrefix):])] = int64(binary.BigEndian.Uint64(value))
	}
	return m, nil
}

func (m *meta) save(b *bbolt.Bucket) error {
	n := m.counters
	if low, high := min(n.Pending, n.Done, n.Skipped, n.Tentative), max(n.Pending, n.Done, n.Skipped, n.Tentative); low < 0 || high > maxCount {
		return fmt.Errorf("counters %+v contradict the records: %w", n, ErrDamaged)
	}
	record := appendString(nil, m.run)
	for _, number := range []uint64{
		m.commits, m.sequence,
		uint64(m.counters.Pending), uint64(m.counters.Done), uint64(m.counters.Skipped), uint64(m.counters.Tentative),
	} {
		record = binary.AppendUvarint(record, number)
	}
	for name, offset := range m.offsets {
		if err := b.Put([]byte(offsetPrefix+name), seal(binary.BigEndian.AppendUint64(nil, uint64(offset)))); err != nil {
			return err
		}
	}
	return b.Put([]byte("state"), seal(record))
}
