package audit

import "hash/maphash"

// seen is a set of strings by their 64-bit hashes, each with a number: among
// ten million URLs the chance that one is wrongly taken for another is one in
// 350,000.
type seen struct {
	seed   maphash.Seed
	hashes []uint64 // open addressing; 0 is free
	from   []uint32 // the number of each
	count  int
	limit  int
	full   bool // a string was not added because of the limit
}

func newSeen(limit int) *seen {
	if limit <= 0 {
		limit = 4_000_000
	}
	return &seen{seed: maphash.MakeSeed(), hashes: make([]uint64, 1<<10), from: make([]uint32, 1<<10), limit: limit}
}

// add adds s and reports whether it is new. If not, first is the number with
// which it was added. At the limit every string that is not in the set is new.
func (x *seen) add(s string, number uint32) (first uint32, isNew bool) {
	hash := max(maphash.String(x.seed, s), 1)
	at := place(x.hashes, hash)
	if x.hashes[at] == hash {
		return x.from[at], false
	}
	if x.count >= x.limit {
		x.full = true
		return number, true
	}
	x.hashes[at], x.from[at] = hash, number
	if x.count++; x.count*4 > len(x.hashes)*3 {
		x.grow()
	}
	return number, true
}

func (x *seen) grow() {
	hashes, from := make([]uint64, 2*len(x.hashes)), make([]uint32, 2*len(x.from))
	for i, hash := range x.hashes {
		if hash != 0 {
			at := place(hashes, hash)
			hashes[at], from[at] = hash, x.from[i]
		}
	}
	x.hashes, x.from = hashes, from
}

// place returns the place of hash, or the free one where it belongs. Some place
// must be free.
func place(hashes []uint64, hash uint64) uint64 {
	mask := uint64(len(hashes) - 1)
	at := hash & mask
	for hashes[at] != 0 && hashes[at] != hash {
		at = (at + 1) & mask
	}
	return at
}
