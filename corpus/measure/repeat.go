package measure

import "fmt"

// The limits of table A1 of Gopher: of the characters in the most frequent sequence of
// 2 to 4 words, and in sequences of 5 to 10 words that were there before.
var (
	mostFrequent = map[int]Share{2: 0.20, 3: 0.18, 4: 0.16}
	doubled      = map[int]Share{5: 0.15, 6: 0.14, 7: 0.13, 8: 0.12, 9: 0.11, 10: 0.10}
)

// repeated returns the rules on sequences of words that a text fails.
func (t *text) repeated() (names []string) {
	all := 0
	for _, w := range t.words {
		all += w.characters
	}
	seen := newCounter(len(t.words))
	for n := 2; n <= 4; n++ {
		times, characters := t.frequent(n, seen)
		if times < 2 {
			return names // then no longer one is there twice
		}
		if ShareOf(characters, all) > mostFrequent[n] {
			names = append(names, fmt.Sprintf("gopher.frequent-%d-words", n))
		}
	}
	for n := 5; n <= 10; n++ {
		characters := t.doubled(n, seen)
		if characters == 0 {
			return names
		}
		if ShareOf(characters, all) > doubled[n] {
			names = append(names, fmt.Sprintf("gopher.doubled-%d-words", n))
		}
	}
	return names
}

// sequence returns the hash of n words and their characters.
func (t *text) sequence(at, n int) (hash uint64, characters int) {
	for _, w := range t.words[at : at+n] {
		hash = (hash ^ w.hash) * 0x9E3779B97F4A7C15
		hash ^= hash >> 29
		characters += w.characters
	}
	return hash, characters
}

// frequent returns how often the sequence of n words that is there most often is
// there, and how many characters that makes.
func (t *text) frequent(n int, seen *counter) (times, characters int) {
	seen.clear()
	for at := 0; at+n <= len(t.words); at++ {
		hash, length := t.sequence(at, n)
		if got := seen.add(hash); got > times || got == times && got*length > characters {
			times, characters = got, got*length
		}
	}
	return times, characters
}

// doubled returns the characters in sequences of n words that were there before.
// Those that are counted do not overlap.
func (t *text) doubled(n int, seen *counter) (characters int) {
	seen.clear()
	for at := 0; at+n <= len(t.words); {
		hash, length := t.sequence(at, n)
		if seen.add(hash) == 1 {
			at++
			continue
		}
		characters += length
		at += n
	}
	return characters
}

// A counter counts hashes. It is a table with open addressing: five times as fast as
// a map here, where each document fills it several times.
type counter struct {
	hashes []uint64
	counts []int32
}

func newCounter(n int) *counter {
	size := 16
	for size < 2*n {
		size *= 2
	}
	return &counter{make([]uint64, size), make([]int32, size)}
}

func (c *counter) clear() { clear(c.counts) }

// add counts a hash and returns how often it was added.
func (c *counter) add(hash uint64) int {
	mask := uint64(len(c.counts) - 1)
	at := hash & mask
	for c.counts[at] != 0 && c.hashes[at] != hash {
		at = (at + 1) & mask
	}
	c.hashes[at] = hash
	c.counts[at]++
	return int(c.counts[at])
}
