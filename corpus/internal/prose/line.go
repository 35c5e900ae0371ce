package prose

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A line collects the spans of a paragraph and keeps account of white space.
type line struct {
	spans  []Span
	text   []byte // of the last span
	blank  bool   // a space is due
	ended  bool   // the white space has a line end of the source in it
	indent int    // no-break spaces at the start of a line
	last   rune   // the last character, 0 at the start, '\n' after a line end
	style  Style
}

// write adds text in the style of the line.
func (l *line) write(text string) {
	start := -1 // of a run without white space
	for at, c := range text {
		if c > ' ' && c < 0x80 || !dropped(c) && !unicode.IsSpace(c) {
			if start < 0 {
				l.separate(c)
				start = at
			}
			continue
		}
		if start >= 0 {
			l.add(text[start:at], l.style)
			start = -1
		}
		l.space(c)
	}
	if start >= 0 {
		l.add(text[start:], l.style)
	}
}

// dropped reports whether c is never shown: soft hyphens and byte order marks.
func dropped(c rune) bool { return c == '\u00ad' || c == '\ufeff' }

// space notes white space.
func (l *line) space(c rune) {
	switch {
	case dropped(c):
	case c == '\u00a0' && l.last == '\n':
		l.indent++
	case c == '\u00a0' && l.style&Fixed != 0 && l.last != 0:
		l.add(" ", l.style)
	default:
		l.blank = true
		l.ended = l.ended || c == '\n'
	}
}

// separate writes the space that is due before c.
func (l *line) separate(c rune) {
	switch {
	case l.last == '\n':
		l.add(strings.Repeat(" ", l.indent), 0)
	case l.blank && l.last != 0 && l.last != ' ' && (!l.ended || !wide(l.last) || !wide(c)):
		style := Style(0)
		if n := len(l.spans); n > 0 {
			style = l.spans[n-1].Style & l.style &^ TeX
		}
		l.add(" ", style)
	}
	l.blank, l.ended, l.indent = false, false, 0
}

// add appends text as it is.
func (l *line) add(text string, style Style) {
	if text == "" {
		return
	}
	l.last, _ = utf8.DecodeLastRuneInString(text)
	if n := len(l.spans); n > 0 && l.spans[n-1].Style == style && style&TeX == 0 {
		l.text = append(l.text, text...)
		return
	}
	l.settle()
	l.spans = append(l.spans, Span{Style: style})
	l.text = append(l.text, text...)
}

// settle sets the text of the last span.
func (l *line) settle() {
	if n := len(l.spans); n > 0 {
		l.spans[n-1].Text = string(l.text)
	}
	l.text = l.text[:0]
}

// piece adds text that is one unit, such as a formula.
func (l *line) piece(text string, style Style) {
	if text == "" {
		return
	}
	first, _ := utf8.DecodeRuneInString(text)
	l.separate(first)
	l.add(text, style)
}

// take returns the spans and starts another line. Line ends at either end are
// removed.
func (l *line) take() []Span {
	l.settle()
	spans := l.spans
	*l = line{style: l.style, text: l.text}
	for n := len(spans) - 1; n >= 0; n-- {
		spans[n].Text = strings.TrimRight(spans[n].Text, "\n ")
		if spans[n].Text != "" {
			return spans[:n+1]
		}
	}
	return nil
}

// wide reports whether c belongs to a script that puts no space where a line of
// the source ends (CSS Text 3, §4.1.3).
func wide(c rune) bool {
	if c < 0x2e80 {
		return false
	}
	return c >= 0x3000 && c <= 0x303f || c >= 0xff01 && c <= 0xff60 ||
		unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Bopomofo, unicode.Yi) || c == 'ー'
}
