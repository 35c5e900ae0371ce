// Package neardup finds texts that are nearly the same, by MinHash and bands (Broder
// 1997; Leskovec, Rajaraman, Ullman, "Mining of Massive Datasets", chapter 3), with the
// figures of FineWeb: sequences of 5 words, 112 hashes in 14 bands of 8. Two texts are
// in one cluster if all hashes of a band agree. That finds 77 % of the pairs that share
// three quarters of their sequences, 92 % of those with 0.80 and 99.9 % of those with
// 0.90, and 5 % of those with half.
//
// Texts are not kept. A text costs 116 bytes, and 40 more while clusters are made: 160
// MB for a million. It is own code because the libraries for it keep an index of all
// bands at a time.
package neardup

import (
	"encoding/binary"
	"math"

	"github.com/cespare/xxhash/v2"

	"github.com/decorum-crawler/decorum/corpus/text"
)

// Method names the figures; other ones get another name.
const Method = "minhash/1"

// The figures.
const (
	Words = 5 // of a sequence
	Bands = 14
	Rows  = 8 // hashes of a band
)

// A Finder takes texts one after another; its zero value is empty. It is not safe for
// concurrent use.
type Finder struct {
	keys  [][Bands]uint64
	empty []bool // texts without words
}

// Add adds a text.
func (f *Finder) Add(source string) {
	var least [Bands * Rows]uint64
	for i := range least {
		least[i] = math.MaxUint64
	}
	some := false
	for hash := range text.Shingles(source, Words) {
		some = true
		for i, p := range permutations {
			least[i] = min(least[i], p[0]*hash+p[1])
		}
	}
	var keys [Bands]uint64
	var band [Rows * 8]byte
	for b := range keys {
		for r := range Rows {
			binary.LittleEndian.PutUint64(band[r*8:], least[b*Rows+r])
		}
		keys[b] = xxhash.Sum64(band[:])
	}
	f.keys, f.empty = append(f.keys, keys), append(f.empty, !some)
}

// Clusters returns for each text the number of the first one of its cluster, its own
// if there is none before it.
func (f *Finder) Clusters() []int32 {
	first := make([]int32, len(f.keys))
	for i := range first {
		first[i] = int32(i) //nolint:gosec // a corpus has fewer documents
	}
	for b := range Bands {
		seen := make(map[uint64]int32, len(f.keys))
		for i := range f.keys {
			if f.empty[i] {
				continue
			}
			before, ok := seen[f.keys[i][b]]
			if !ok {
				seen[f.keys[i][b]] = int32(i) //nolint:gosec // see above
				continue
			}
			join(first, before, int32(i)) //nolint:gosec // see above
		}
	}
	for i := range first {
		first[i] = root(first, int32(i)) //nolint:gosec // see above
	}
	return first
}

// join makes one cluster of two; the lower number stands for it.
func join(first []int32, a, b int32) {
	a, b = root(first, a), root(first, b)
	first[max(a, b)] = min(a, b)
}

func root(first []int32, i int32) int32 {
	for first[i] != i {
		first[i] = first[first[i]]
		i = first[i]
	}
	return i
}

// permutations are pairs of an odd factor and a summand, always the same.
var permutations = func() (all [Bands * Rows][2]uint64) {
	state := uint64(0)
	next := func() uint64 { // splitmix64
		state += 0x9E3779B97F4A7C15
		z := state
		z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
		z = (z ^ z>>27) * 0x94D049BB133111EB
		return z ^ z>>31
	}
	for i := range all {
		all[i] = [2]uint64{next() | 1, next()}
	}
	return all
}()
