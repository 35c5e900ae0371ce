package measure

import (
	"strings"

	"github.com/rivo/uniseg"
)

// fails returns the names of the rules that a text fails.
func (t *text) fails(m Marks, language string) (names []string) {
	for _, rule := range []struct {
		name  string
		fails bool
	}{
		{"c4.sentences", t.kept.sentences < 3},
		{"c4.lorem-ipsum", t.kept.lorem},
		{"c4.curly-bracket", t.kept.curly},
		{"gopher.words", len(t.words) < 50 || len(t.words) > 100_000},
		{"gopher.word-length", t.meanLength() < 3 || t.meanLength() > 10},
		{"gopher.symbols", m.Symbols > 0.1},
		{"gopher.bullets", m.Bullets > 0.9},
		{"gopher.ellipses", m.Ellipses > 0.3},
		{"gopher.letters", ShareOf(t.letters, len(t.words)) < 0.8},
		{"gopher.stop-words", language == "en" && stopWords(t.source) < 2},
		{"gopher.doubled-lines", m.DoubledLines > 0.3},
		{"gopher.doubled-paragraphs", ShareOf(t.paragraphs.doubled, t.paragraphs.all) > 0.3},
		{"gopher.doubled-line-text", m.DoubledText > 0.2},
		{"gopher.doubled-paragraph-text", ShareOf(t.paragraphs.doubledCharacters, t.paragraphs.characters) > 0.2},
		{"fineweb.ended-lines", m.Ended <= 0.12},
		{"fineweb.short-lines", m.ShortLines >= 0.67},
		{"fineweb.doubled-text", m.DoubledText >= 0.1},
	} {
		if rule.fails {
			names = append(names, rule.name)
		}
	}
	return append(names, t.repeated()...)
}

// meanLength returns the mean of the characters of words.
func (t *text) meanLength() float64 {
	if len(t.words) == 0 {
		return 0
	}
	sum := 0
	for _, w := range t.words {
		sum += w.characters
	}
	return float64(sum) / float64(len(t.words))
}

// stopWords returns how many of eight words of English a text has, of which Gopher
// wants two.
func stopWords(text string) (n int) {
	missing := map[string]bool{"the": true, "be": true, "to": true, "of": true, "and": true, "that": true, "have": true, "with": true}
	for word := range strings.FieldsSeq(text) {
		if word = strings.ToLower(word); missing[word] {
			delete(missing, word)
			if n++; n == 2 {
				break
			}
		}
	}
	return n
}

// kept is what C4 would keep of a text: it drops lines before it judges a page.
type kept struct {
	sentences    int
	lorem, curly bool
}

// notices are the phrases by which C4 knows a line as a notice.
var notices = []string{"javascript", "terms of use", "privacy policy", "cookie policy", "uses cookies", "use of cookies", "use cookies"}

func (k *kept) line(line string, words int, ended bool) {
	k.curly = k.curly || strings.Contains(line, "{")
	lower := strings.ToLower(line)
	k.lorem = k.lorem || strings.Contains(lower, "lorem ipsum")
	if !ended || words < 5 {
		return
	}
	for _, notice := range notices {
		if strings.Contains(lower, notice) {
			return
		}
	}
	state := -1
	for rest := line; rest != "" && k.sentences < 3; {
		_, rest, state = uniseg.FirstSentenceInString(rest, state)
		k.sentences++
	}
}
