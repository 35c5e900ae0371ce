package measure

import (
	"hash/maphash"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// shortLine is how many characters FineWeb wants of a line.
const shortLine = 30

// A text is what the rules need to know of a text.
type text struct {
	source     string
	characters int
	tokens     tokens
	words      []word
	letters    int // words with a letter
	symbols    int
	lines      pieces
	paragraphs pieces

	ellipses, bullets, ended, short int // lines

	kept kept
}

// word is a word of a text.
type word struct {
	hash       uint64
	characters int
}

// pieces counts parts of a text and those that were there before.
type pieces struct {
	seen                          map[uint64]bool
	all, doubled                  int
	characters, doubledCharacters int
}

func (p *pieces) add(hash uint64, characters int) {
	p.all++
	p.characters += characters
	if p.seen[hash] {
		p.doubled++
		p.doubledCharacters += characters
	}
	p.seen[hash] = true
}

// read reads a text once.
func read(source string) text {
	t := text{source: source, lines: pieces{seen: map[uint64]bool{}}, paragraphs: pieces{seen: map[uint64]bool{}}}
	seed := maphash.MakeSeed() // hashes are only compared with each other
	for paragraph := range strings.SplitSeq(source, "\n\n") {
		if paragraph = strings.TrimSpace(paragraph); paragraph != "" {
			t.paragraphs.add(maphash.String(seed, paragraph), utf8.RuneCountInString(paragraph))
		}
	}
	for line := range strings.SplitSeq(source, "\n") {
		if line = strings.TrimSpace(line); line != "" {
			t.line(seed, line)
		}
	}
	t.characters = utf8.RuneCountInString(source)
	return t
}

// line reads one line, without white space around it.
func (t *text) line(seed maphash.Seed, line string) {
	characters := utf8.RuneCountInString(line)
	t.lines.add(maphash.String(seed, line), characters)
	if characters < shortLine {
		t.short++
	}
	t.symbols += strings.Count(line, "#") - heading(line) + strings.Count(line, "...") + strings.Count(line, "…")
	ellipsis := endsInEllipsis(line)
	ended := isEnded(line)
	if ellipsis {
		t.ellipses++
	}
	if ended {
		t.ended++
	}
	if isBullet(line) {
		t.bullets++
	}
	before := len(t.words)
	state := -1
	for rest := line; rest != ""; {
		var piece string
		piece, rest, state = uniseg.FirstWordInString(rest, state)
		t.piece(seed, piece)
	}
	t.kept.line(line, len(t.words)-before, ended && !ellipsis)
}

// piece takes what is between two borders of words.
func (t *text) piece(seed maphash.Seed, piece string) {
	w := word{}
	letter := false
	for _, c := range piece {
		t.tokens.add(c)
		w.characters++
		letter = letter || unicode.IsLetter(c)
	}
	if !letter && strings.IndexFunc(piece, unicode.IsNumber) < 0 {
		return
	}
	if letter {
		t.letters++
	}
	w.hash = maphash.String(seed, piece)
	t.words = append(t.words, w)
}

// heading returns the length of the mark of a heading in Markdown, which is no symbol
// of the text.
func heading(line string) int {
	level := len(line) - len(strings.TrimLeft(line, "#"))
	if level > 6 || !strings.HasPrefix(line[level:], " ") {
		return 0
	}
	return level
}

func endsInEllipsis(line string) bool {
	return strings.HasSuffix(line, "…") || strings.HasSuffix(line, "...")
}

// bullets are what Gopher and its successors take for the mark of an item, and the
// marks that Markdown has.
const bullets = "•‣▶◀◦■□▪▫–●○-*+"

// isBullet reports whether a line begins with a mark of an item and a space.
func isBullet(line string) bool {
	c, size := utf8.DecodeRuneInString(line)
	if !strings.ContainsRune(bullets, c) {
		return false
	}
	return len(line) == size || line[size] == ' ' || c > utf8.RuneSelf
}

// closers follow a mark that ends a sentence, or are the end quotation mark of C4.
const closers = "\"'”’»›)]」』）*_`"

// isEnded reports whether a line ends in a mark that ends a sentence
// (Sentence_Terminal of Unicode), or in a quotation mark, as C4 has it.
func isEnded(line string) bool {
	last, _ := utf8.DecodeLastRuneInString(line)
	if strings.ContainsRune("\"”’»」』", last) {
		return true
	}
	line = strings.TrimRight(line, closers)
	last, _ = utf8.DecodeLastRuneInString(line)
	return last == '…' || unicode.Is(unicode.STerm, last)
}
