package audit

import "hash/maphash"

// seen is a set of strings by their 64-bit hashes: among ten million URLs the
// chance that one is wrongly taken for another is one in 350,000.
type seen struct {
	seed  maphash.Seed
	slots []uint64 // open addressing; 0 is free
	count int
}

func newSeen() *seen {
	return &seen{seed: maphash.MakeSeed(), slots: make([]uint64, 1<<10)}
}

// add reports whether s is new.
func (x *seen) add(s string) bool {
	hash := max(maphash.String(x.seed, s), 1)
	if !put(x.slots, hash) {
		return false
	}
	if x.count++; x.count*4 > len(x.slots)*3 {
		larger := make([]uint64, 2*len(x.slots))
		for _, old := range x.slots {
			if old != 0 {
				put(larger, old)
			}
		}
		x.slots = larger
	}
	return true
}

// put reports whether hash is new in slots, of which some must be free.
func put(slots []uint64, hash uint64) bool {
	mask := uint64(len(slots) - 1)
	for at := hash & mask; ; at = (at + 1) & mask {
		switch slots[at] {
		case 0:
			slots[at] = hash
			return true
		case hash:
			return false
		}
	}
}
