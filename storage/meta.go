package storage

import (
	"encoding/binary"
	"math"

	"go.etcd.io/bbolt"

	"github.com/decorum-crawler/decorum/frontier"
)

// meta is what the state says of itself. It changes with every transaction.
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
	d := decoder{rest: b.Get([]byte("state"))}
	m.run = d.string()
	m.commits, m.sequence = d.uint(), d.uint()
	m.counters = frontier.Counters{
		Pending: d.int(math.MaxInt64), Done: d.int(math.MaxInt64), Skipped: d.int(math.MaxInt64), Tentative: d.int(math.MaxInt64),
	}
	if err := d.end(); err != nil {
		return m, err
	}
	cursor := b.Cursor()
	for key, value := cursor.Seek([]byte(offsetPrefix)); len(key) > len(offsetPrefix) && string(key[:len(offsetPrefix)]) == offsetPrefix; key, value = cursor.Next() {
		if len(value) != 8 {
			return m, errRecord
		}
		m.offsets[string(key[len(offsetPrefix):])] = int64(binary.BigEndian.Uint64(value))
	}
	return m, nil
}

func (m *meta) save(b *bbolt.Bucket) error {
	record := appendString(nil, m.run)
	for _, number := range []uint64{
		m.commits, m.sequence,
		uint64(m.counters.Pending), uint64(m.counters.Done), uint64(m.counters.Skipped), uint64(m.counters.Tentative),
	} {
		record = binary.AppendUvarint(record, number)
	}
	for name, offset := range m.offsets {
		if err := b.Put([]byte(offsetPrefix+name), binary.BigEndian.AppendUint64(nil, uint64(offset))); err != nil {
			return err
		}
	}
	return b.Put([]byte("state"), record)
}
