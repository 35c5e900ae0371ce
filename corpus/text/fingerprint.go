package text

import (
	"iter"
	"strings"
	"unicode"

	"github.com/cespare/xxhash/v2"
	"golang.org/x/text/unicode/norm"

	"github.com/decorum-crawler/decorum/crawler/content"
)

// Fingerprints returns the digest of a text and its simhash, as [Result] has them.
func Fingerprints(text string) (sha256 string, simhash uint64) {
	form := normal(text)
	return content.SHA256([]byte(form)), simhashOf(form)
}

// normal returns the normal form of a text, from which its fingerprints are
// computed: Unicode NFC, each run of white space (Unicode White_Space) as one
// space, none at either end. Case, punctuation and everything else stay.
func normal(text string) string {
	return strings.Join(strings.Fields(norm.NFC.String(text)), " ")
}

// shingle is how many words are hashed together.
const shingle = 3

// simhashOf returns the simhash of a text in normal form: a fingerprint of which
// few of the 64 bits differ between texts that have most of their shingles in
// common. If one word in a hundred differs, about 5 bits differ; between unrelated
// texts about 32.
//
// A shingle is a sequence of three words, in lower case, hashed by xxHash64; a
// repeated one counts again. A word is a run of letters, marks and digits. In
// scripts that put no spaces between words (Han, kana, Thai, Lao, Khmer,
// Burmese) each character with its marks is a word. A text of fewer than three
// words is one shingle; the fingerprint of a text without words is 0.
func simhashOf(text string) uint64 {
	var votes [64]int
	some := false
	for hash := range Shingles(text, shingle) {
		some = true
		for bit := range votes {
			votes[bit] += int(hash>>bit&1)*2 - 1
		}
	}
	var fingerprint uint64
	for bit, n := range votes {
		if some && n > 0 {
			fingerprint |= 1 << bit
		}
	}
	return fingerprint
}

// maxShingle is how many words a shingle may have.
const maxShingle = 8

// Shingles yields the hash of each sequence of n words of a text, at most 8, as the
// simhash uses them: in lower case, by xxHash64. A text of fewer words has one; one
// without words has none.
func Shingles(text string, n int) iter.Seq[uint64] {
	lower := strings.ToLower(text)
	return func(yield func(uint64) bool) {
		ends := [maxShingle][2]int{} // start and end of the last words in lower
		words, buffer := 0, []byte{}
		hash := func(last int) uint64 {
			buffer = buffer[:0]
			for i := range last {
				word := ends[(words-last+i)%n]
				buffer = append(append(buffer, lower[word[0]:word[1]]...), ' ')
			}
			return xxhash.Sum64(buffer)
		}
		for start, end := range wordsOf(lower) {
			ends[words%n] = [2]int{start, end}
			if words++; words >= n && !yield(hash(n)) {
				return
			}
		}
		if words > 0 && words < n {
			yield(hash(words))
		}
	}
}

// wordsOf yields the start and end of each word of s.
func wordsOf(s string) func(yield func(start, end int) bool) {
	return func(yield func(start, end int) bool) {
		start := -1
		for at, c := range s {
			switch {
			case unicode.IsMark(c) && start >= 0:
			case !isWordRune(c):
				if start >= 0 && !yield(start, at) {
					return
				}
				start = -1
			case start < 0:
				start = at
			case unspaced(c) || unspaced(firstRune(s[start:])):
				if !yield(start, at) {
					return
				}
				start = at
			}
		}
		if start >= 0 {
			yield(start, len(s))
		}
	}
}

func firstRune(s string) rune {
	for _, c := range s {
		return c
	}
	return 0
}

func isWordRune(c rune) bool { return unicode.IsLetter(c) || unicode.IsNumber(c) }

// unspaced reports whether c belongs to a script without spaces between words.
func unspaced(c rune) bool {
	return c >= 0x0e00 && unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}
