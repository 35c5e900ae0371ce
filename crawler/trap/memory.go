package trap

import (
	"sync"
	"sync/atomic"
)

const (
	firstBits = 1 << 20 // of a generation
	mostBits  = 1 << 25 // 4 MiB; there are two of them
	perKey    = 16      // bits of a generation for each key
)

// memory remembers keys in a bounded space: a key may be taken for one that was
// remembered, once in a hundred, and one that was not seen for two million others
// is forgotten. It is safe for concurrent use, and takes no space until the first
// key.
type memory struct {
	current atomic.Pointer[generations]

	mu sync.Mutex // replaces current
}

// generations are the newest keys, which are added, and those before.
type generations struct {
	newest, before []atomic.Uint64
	keys           atomic.Int64 // of newest
}

// add remembers a key and reports whether it was not known.
func (m *memory) add(key uint64) bool {
	g := m.current.Load()
	if g == nil || g.keys.Load() >= int64(len(g.newest)*64/perKey) {
		g = m.grow(g)
	}
	if mark(g.newest, key, false) {
		return false
	}
	mark(g.newest, key, true)
	g.keys.Add(1)
	return !mark(g.before, key, false)
}

// grow begins a generation after g, unless another goroutine has done so.
func (m *memory) grow(g *generations) *generations {
	m.mu.Lock()
	defer m.mu.Unlock()
	if now := m.current.Load(); now != g {
		return now
	}
	next := &generations{newest: make([]atomic.Uint64, firstBits/64)}
	if g != nil {
		next.before = g.newest
		next.newest = make([]atomic.Uint64, min(2*len(g.newest), mostBits/64))
	}
	m.current.Store(next)
	return next
}

// mark reports whether both bits of a key are set, and sets them if set is true.
func mark(bits []atomic.Uint64, key uint64, set bool) bool {
	if len(bits) == 0 {
		return false
	}
	known := true
	for _, half := range [2]uint32{uint32(key), uint32(key >> 32)} {
		word, bit := &bits[(half>>6)&uint32(len(bits)-1)], uint64(1)<<(half&63)
		if set {
			word.Or(bit)
		} else if word.Load()&bit == 0 {
			known = false
		}
	}
	return known
}
