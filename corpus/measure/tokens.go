package measure

import "unicode"

// tokens counts characters by how many of them make a token.
type tokens struct{ ascii, spaced, unspaced int }

func (t *tokens) add(c rune) {
	switch {
	case c < 0x80:
		t.ascii++
	case c >= 0x0e00 && unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar):
		t.unspaced++
	default:
		t.spaced++
	}
}

// estimate returns how many tokens a vocabulary of some 200,000 makes of the text: one
// of 4.4 ASCII characters, of 2.6 others, or of 1.3 in scripts that write no
// spaces or whole syllables.
func (t *tokens) estimate() int64 {
	return int64(float64(t.ascii)/4.4 + float64(t.spaced)/2.6 + float64(t.unspaced)/1.3 + 0.5)
}
