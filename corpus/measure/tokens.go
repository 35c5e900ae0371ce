package measure

import "unicode"

// tokens counts characters by how many of them make a token.
type tokens struct{ ascii, spaced, ideographs, syllables, unspaced int }

func (t *tokens) add(c rune) {
	switch {
	case c < 0x80:
		t.ascii++
	case c < 0x0e00:
		t.spaced++
	case unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana):
		t.ideographs++
	case unicode.Is(unicode.Hangul, c):
		t.syllables++
	case unicode.In(c, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar):
		t.unspaced++
	default:
		t.spaced++
	}
}

// estimate returns how many tokens a vocabulary of some 200,000 makes of the text. The
// weights are those of o200k_base on the 30 pages of corpus/text/testdata, of which 28
// are within a quarter.
func (t *tokens) estimate() int64 {
	return int64(float64(t.ascii)/4.2 + float64(t.spaced)/2.6 + float64(t.ideographs)/1.1 + float64(t.syllables)/1.3 + float64(t.unspaced)/2.2 + 0.5)
}
