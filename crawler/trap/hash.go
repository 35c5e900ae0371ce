package trap

import "math/bits"

const prime = 0x9E3779B97F4A7C15

// mix spreads the bits of a hash.
func mix(h uint64) uint64 {
	high, low := bits.Mul64(h^prime, 0xD6E8FEB86659FD93)
	return high ^ low
}

func hashBytes(text []byte) uint64 {
	h := uint64(prime)
	for _, c := range text {
		h = (h ^ uint64(c)) * prime
		h ^= h >> 29
	}
	return h
}

// hashText returns the hash of text without its numbers, and the number of its
// letters; each byte of a letter that is not ASCII counts. Letters next to a digit
// belong to the number ("12th", "8f3a"), and white space does not count.
func hashText(text []byte) (hash uint64, letters int) {
	h, n := uint64(prime), 0
	begin, beginLetters := h, 0 // before the token
	inToken := false
	for at := 0; at < len(text); at++ {
		c := text[at]
		switch {
		case isLetter(c):
			if !inToken {
				begin, beginLetters, inToken = h, n, true
			}
			n++
		case isDigit(c):
			if inToken {
				h, n = begin, beginLetters
			}
			for at+1 < len(text) && isAlphanumeric(text[at+1]) {
				at++
			}
			inToken = false
			continue
		case c <= ' ':
			inToken = false
			continue
		case c >= 0x80:
			inToken = false
			if skip := foreignDigit(text[at:]); skip > 0 {
				at += skip - 1
				continue
			}
			n++
		default:
			inToken = false
			continue
		}
		h = (h ^ uint64(c)) * prime
		h ^= h >> 29
	}
	return h, n
}

// foreignDigit returns the length of an Arabic, Persian or fullwidth digit at the
// beginning of text, or 0.
func foreignDigit(text []byte) int {
	switch {
	case len(text) < 2:
	case text[0] == 0xD9 && 0xA0 <= text[1] && text[1] <= 0xA9, text[0] == 0xDB && 0xB0 <= text[1] && text[1] <= 0xB9:
		return 2
	case len(text) >= 3 && text[0] == 0xEF && text[1] == 0xBC && 0x90 <= text[2] && text[2] <= 0x99:
		return 3
	}
	return 0
}
