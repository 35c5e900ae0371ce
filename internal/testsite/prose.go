package testsite

import (
	"math/rand/v2"
	"strings"
)

var (
	adjectives = strings.Fields("quiet amber sturdy narrow woven early plain bright hollow folded salted mended coastal little slow northern copper winter")
	nouns      = strings.Fields("lamp kettle basket chair blanket ladder bowl drawer mirror clock saddle lantern notebook bench curtain jar broom table")
	makers     = strings.Fields("carpenter weaver potter baker fisherman gardener printer sailor teacher neighbour painter glazier")
	verbs      = strings.Fields("repairs carries paints measures keeps finds sells polishes borrows describes remembers moves")
	places     = []string{
		"near the harbour", "behind the old mill", "in a small workshop", "on the upper floor", "by the river",
		"under the stairs", "at the end of the street", "between two windows",
	}
	clauses = []string{
		"because the wood has dried for a whole year", "although nobody asked for it", "before the first boats come in",
		"when the light is good enough to work", "so that it lasts longer than the fashion", "after the market has closed",
		"while the others are still at breakfast", "as it was done two generations ago",
	}
)

// prose generates reproducible text that looks like English.
type prose struct{ *rand.Rand }

func newProse(seed, number uint64) prose {
	return prose{rand.New(rand.NewPCG(seed, number))}
}

func (p prose) pick(words []string) string { return words[p.IntN(len(words))] }

// title returns two or three capitalised words.
func (p prose) title() string {
	words := []string{p.pick(adjectives), p.pick(nouns)}
	if p.IntN(2) == 0 {
		words = []string{p.pick(adjectives), p.pick(makers), p.pick(nouns)}
	}
	for i, word := range words {
		words[i] = strings.ToUpper(word[:1]) + word[1:]
	}
	return strings.Join(words, " ")
}

// sentence returns one sentence of about fifteen words.
func (p prose) sentence() string {
	parts := []string{
		"The", p.pick(adjectives), p.pick(makers), p.pick(verbs), "the", p.pick(adjectives), p.pick(nouns), p.pick(places),
	}
	if p.IntN(3) > 0 {
		parts = append(parts, p.pick(clauses))
	}
	return strings.Join(parts, " ") + "."
}

// paragraphs returns HTML paragraphs with at least that many words in total, and
// less than one sentence more.
func (p prose) paragraphs(words int) string {
	var b strings.Builder
	for words > 0 {
		b.WriteString("<p>")
		for n := 0; n < 5 && words > 0; n++ {
			sentence := p.sentence()
			words -= strings.Count(sentence, " ") + 1
			if n > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(sentence)
		}
		b.WriteString("</p>\n")
	}
	return b.String()
}
