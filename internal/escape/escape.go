// Package escape replaces characters that a terminal executes or that deceive a
// reader by visible escapes. What these characters are, [Unseen] tells for all
// outputs; [JSON] and [XML] write escapes that a decoder turns back into the same
// text, [Text] is for people.
package escape

import (
	"fmt"
	"strings"
	"unicode"
)

// Unseen reports whether a character has an effect but no shape of its own:
// controls (C0, DEL and C1, which terminals execute), line separators, and format
// characters, among them those that reorder text or hide it (Unicode TR36 §2.10,
// "Trojan Source"). The joiners U+200C and U+200D and the soft hyphen are left out,
// since ordinary words of some languages contain them.
func Unseen(r rune) bool {
	switch {
	case r < 0x7f:
		return r < ' '
	case r < 0xa0:
		return true
	case r < 0x600, r == '\u200c', r == '\u200d', 0x2070 <= r && r < 0xfe00: // most letters, before the search of a table
		return false
	}
	return unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029'
}

// Text returns text for a terminal, with \uxxxx for what is [Unseen], but for
// newline and tab. Bytes that are not UTF-8 become U+FFFD, since some terminals
// take single ones for controls.
func Text(text string) string {
	return replaced(text, func(r rune) bool { return r != '\n' && r != '\t' && Unseen(r) })
}

// Line is like [Text] for text that must stay on one line and in one column.
func Line(text string) string { return replaced(text, Unseen) }

func replaced(text string, bad func(rune) bool) string {
	text = strings.ToValidUTF8(text, "\ufffd")
	if !strings.ContainsFunc(text, bad) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		switch {
		case !bad(r):
			b.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}
