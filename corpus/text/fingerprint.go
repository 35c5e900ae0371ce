package text

import (
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
	lower := strings.ToLower(text)
	ends := [shingle][2]int{} // start and end of the last words in lower
	var votes [64]int
	words, buffer := 0, []byte{}
	vote := func(last int) {
		buffer = buffer[:0]
		for i := range last {
			word := ends[(words-last+i)%shingle]
			buffer = append(append(buffer, lower[word[0]:word[1]]...), ' ')
		}
		hash := xxhash.Sum64(buffer)
		for bit := range votes {
			votes[bit] += int(hash>>bit&1)*2 - 1
		}
	}
	for start, end := range wordsOf(lower) {
		ends[words%shingle] = [2]int{start, end}
		if words++; words >= shingle {
			vote(shingle)
		}
	}
	if words < shingle {
		if words == 0 {
			return 0
		}
		vote(words)
	}
	var fingerprint uint64
	for bit, n := range votes {
		if n > 0 {
			fingerprint |= 1 << bit
		}
	}
	return fingerprint
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
