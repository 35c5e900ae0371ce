package storage

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"time"

	"github.com/decorum-crawler/decorum/frontier"
)

// errRecord means that a record of the state cannot be read.
var errRecord = fmt.Errorf("broken record: %w", ErrDamaged)

const (
	hostBytes = 8
	urlBytes  = 12
	sumBytes  = 4
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// seal returns a record with its checksum at the end.
func seal(record []byte) []byte {
	return binary.BigEndian.AppendUint32(record, crc32.Checksum(record, castagnoli))
}

// unseal returns a record without its checksum, or an error when they differ.
func unseal(sealed []byte) ([]byte, error) {
	at := len(sealed) - sumBytes
	if at < 0 || binary.BigEndian.Uint32(sealed[at:]) != crc32.Checksum(sealed[:at], castagnoli) {
		return nil, errRecord
	}
	return sealed[:at], nil
}

// maxCount bounds counters and places in the queue. No crawl reaches it, and the
// sum of a few counters does not overflow.
const maxCount = 1 << 60

// urlKey returns the key of an item in the urls bucket.
func urlKey(item *frontier.Item) []byte {
	key := make([]byte, 0, hostBytes+urlBytes)
	key = append(key, hostKey(item.Host())...)
	sum := sha256.Sum256(append([]byte{byte(item.Kind)}, item.URL...))
	return append(key, sum[:urlBytes]...)
}

// hostKey returns the key of a host in the hosts bucket.
func hostKey(host string) []byte {
	sum := sha256.Sum256([]byte(host))
	return sum[:hostBytes]
}

// queueKey returns the key of a pending URL in the queue bucket. It sorts the
// URLs of a host in the order in which they are fetched.
func queueKey(key []byte, known *frontier.Known) []byte {
	q := make([]byte, 0, hostBytes+1+4+8)
	q = append(q, key[:hostBytes]...)
	q = append(q, known.Rank())
	q = binary.BigEndian.AppendUint32(q, uint32(max(known.Depth, 0)))
	return binary.BigEndian.AppendUint64(q, known.Place)
}

func encodeKnown(k *frontier.Known) []byte {
	b := make([]byte, 0, 48+sumBytes+len(k.URL)+len(k.Via))
	b = append(b, byte(k.State), byte(k.Kind), k.Priority)
	b = binary.AppendUvarint(b, k.Place)
	b = binary.AppendUvarint(b, uint64(max(k.Depth, 0)))
	b = binary.AppendUvarint(b, uint64(max(k.Attempts, 0)))
	b = binary.AppendUvarint(b, uint64(max(k.Redirects, 0)))
	b = appendTime(b, k.NotBefore)
	b = appendString(b, string(k.Source))
	b = appendString(b, string(k.Skip))
	b = appendString(b, k.URL)
	return seal(appendString(b, k.Via))
}

func decodeKnown(b []byte) (frontier.Known, error) {
	d := decode(b)
	var k frontier.Known
	k.State, k.Kind, k.Priority = frontier.State(d.byte()), frontier.Kind(d.byte()), d.byte()
	k.Place = uint64(d.int(maxCount))
	k.Depth, k.Attempts, k.Redirects = int(d.int(math.MaxInt32)), int(d.int(math.MaxInt32)), int(d.int(math.MaxInt32))
	k.NotBefore = d.time()
	k.Source, k.Skip = frontier.Source(d.string()), frontier.Reason(d.string())
	k.URL, k.Via = d.string(), d.string()
	if k.State == frontier.StateUnknown || k.State > frontier.StateTentative || k.Kind > frontier.KindSitemap {
		d.broken = true
	}
	return k, d.end()
}

func encodeHost(h frontier.HostState) []byte {
	b := appendTime(nil, h.NextAt)
	b = binary.AppendUvarint(b, uint64(max(h.Gap, 0)))
	b = binary.AppendUvarint(b, uint64(max(h.Pending, 0)))
	return seal(appendString(b, h.Host))
}

func decodeHost(b []byte) (frontier.HostState, error) {
	d := decode(b)
	h := frontier.HostState{NextAt: d.time(), Gap: time.Duration(d.int(math.MaxInt64)), Pending: d.int(maxCount), Host: d.string()}
	return h, d.end()
}

// appendTime appends nanoseconds since 1970. The zero time is 0.
func appendTime(b []byte, t time.Time) []byte {
	if t.IsZero() {
		return binary.AppendVarint(b, 0)
	}
	return binary.AppendVarint(b, t.UnixNano())
}

func appendString(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// decoder reads what the append functions wrote. After the first fault it returns
// zero values, and end returns an error.
type decoder struct {
	rest   []byte
	broken bool
}

// decode returns a decoder of a sealed record.
func decode(sealed []byte) decoder {
	record, err := unseal(sealed)
	return decoder{rest: record, broken: err != nil}
}

func (d *decoder) byte() byte {
	if len(d.rest) == 0 {
		d.broken = true
		return 0
	}
	c := d.rest[0]
	d.rest = d.rest[1:]
	return c
}

func (d *decoder) uint() uint64 {
	v, n := binary.Uvarint(d.rest)
	if n <= 0 {
		d.broken, d.rest = true, nil
		return 0
	}
	d.rest = d.rest[n:]
	return v
}

// int reads a number of at most limit. A larger one is damage.
func (d *decoder) int(limit int64) int64 {
	v := d.uint()
	if v > uint64(limit) {
		d.broken, d.rest = true, nil
		return 0
	}
	return int64(v)
}

func (d *decoder) time() time.Time {
	v, n := binary.Varint(d.rest)
	if n <= 0 {
		d.broken, d.rest = true, nil
		return time.Time{}
	}
	d.rest = d.rest[n:]
	if v == 0 {
		return time.Time{}
	}
	return time.Unix(0, v).UTC()
}

func (d *decoder) string() string {
	n := d.uint()
	if n > uint64(len(d.rest)) {
		d.broken, d.rest = true, nil
		return ""
	}
	s := string(d.rest[:n])
	d.rest = d.rest[n:]
	return s
}

func (d *decoder) end() error {
	if d.broken || len(d.rest) > 0 {
		return errRecord
	}
	return nil
}
