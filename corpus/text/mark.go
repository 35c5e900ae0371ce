package text

import (
	"crypto/sha256"
	"encoding/hex"
	"math/bits"
	"strings"
	"unicode"

	"github.com/cespare/xxhash/v2"
	"golang.org/x/text/unicode/norm"
)

// Normal gives the form of a text that its marks are made of: Unicode NFC, each
// run of white space (Unicode White_Space) as one space, none at either end.
// Case, punctuation and everything else stay.
func Normal(text string) string {
	return strings.Join(strings.Fields(norm.NFC.String(text)), " ")
}

// Digest gives the SHA-256 of the Normal form of a text, in lower-case hex.
func Digest(text string) string { return digestOf(Normal(text)) }

func digestOf(normal string) string {
	sum := sha256.Sum256([]byte(normal))
	return hex.EncodeToString(sum[:])
}

// Simhash gives a mark that differs in few of its 64 bits for texts that have
// most of their shingles in common: a text with one word in a hundred changed
// is about 5 bits away, an unrelated one about 32.
//
// A shingle is three words in a row, hashed by xxHash64, in lower case; a
// repeated one counts again. A word is a run of letters, marks and digits. In
// scripts that put no spaces between words (Han, kana, Thai, Lao, Khmer,
// Burmese) each character with its marks is a word. A text of fewer than three
// words is one shingle, one of none has the mark 0.
func Simhash(text string) uint64 { return simhashOf(Normal(text)) }

// shingle is how many words are hashed together.
const shingle = 3

func simhashOf(normal string) uint64 {
	lower := strings.ToLower(normal)
	ends := [shingle][2]int{} // the last words, as places in lower
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
	var mark uint64
	for bit, n := range votes {
		if n > 0 {
			mark |= 1 << bit
		}
	}
	return mark
}

// Distance gives the number of bits in which two marks differ, 0 to 64.
func Distance(a, b uint64) int { return bits.OnesCount64(a ^ b) }

// wordsOf gives where each word of s begins and ends.
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

// unspaced reports whether c is of a script without spaces between words.
func unspaced(c rune) bool {
	return c >= 0x0e00 && unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}
