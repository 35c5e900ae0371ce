package trap

import (
	"bytes"
	"net/url"
	"strings"
)

const (
	maxNews    = 8   // new runs of a page that are remembered
	minLetters = 3   // of a run
	minPiece   = 64  // bytes after which a sentence or line ends a piece of a run
	maxPiece   = 512 // bytes of a piece
	maxWords   = 16  // of the URL
)

// A Page is a page that is looked at. It must not be used by several goroutines at
// the same time. A nil Page takes no text.
type Page struct {
	detector *Detector
	address  string
	keys     [2]key // of the pattern and the family
	left     int    // new runs to find
	words    []string
	split    bool // words is set
}

// key counts the news of a page for a pattern.
type key struct {
	value  uint64
	weight uint32 // 0: it does not count
	news   int
}

// Open reports whether more text of the page may matter.
func (p *Page) Open() bool { return p != nil && p.left > 0 }

// Text reads text between two tags, as written.
func (p *Page) Text(text []byte) {
	text = bytes.TrimSpace(text)
	for len(text) > 0 && p.left > 0 {
		n := pieceLength(text)
		p.run(text[:n])
		text = text[n:]
	}
}

// Image reads the address of an image, which is what the pages of a gallery differ
// in.
func (p *Page) Image(src []byte) {
	src, _, _ = bytes.Cut(src, []byte("?"))
	if len(src) > 0 && !bytes.HasPrefix(src, []byte("data:")) {
		p.add(hashBytes(src), nil)
	}
}

// End counts the page and returns what it closed.
func (p *Page) End() []Closing {
	if p == nil {
		return nil
	}
	return p.detector.end(p)
}

// pieceLength returns the length of the part of a run that is compared as a whole.
func pieceLength(text []byte) int {
	if len(text) <= minPiece {
		return len(text)
	}
	part := text[:min(len(text), maxPiece)]
	if at := bytes.IndexAny(part[minPiece:], ".\n"); at >= 0 {
		return minPiece + at + 1
	}
	return len(part)
}

func (p *Page) run(text []byte) {
	if hash, letters := hashText(text); letters >= minLetters {
		p.add(hash, text)
	}
}

// add remembers a run. It is news unless it repeats a word of the URL.
func (p *Page) add(hash uint64, text []byte) {
	repeats, judged := false, false
	for i := range p.keys {
		k := &p.keys[i]
		if k.weight == 0 || !p.detector.known.add(mix(hash^k.value)) {
			continue
		}
		if !judged {
			repeats, judged = p.repeats(text), true
		}
		if !repeats {
			k.news++
			p.left = p.missing()
		}
	}
}

// missing returns how many news would settle the page.
func (p *Page) missing() int {
	missing := 0
	for _, k := range p.keys {
		if k.weight > 0 {
			missing = max(missing, maxNews-k.news)
		}
	}
	return missing
}

// repeats reports whether text has a word of the page's own URL: that of a search
// is on the page that finds nothing.
func (p *Page) repeats(text []byte) bool {
	if len(text) == 0 {
		return false
	}
	if !p.split {
		p.words, p.split = wordsOf(p.address), true
	}
	if len(p.words) == 0 {
		return false
	}
	lower := bytes.ToLower(text)
	for _, word := range p.words {
		if bytes.Contains(lower, []byte(word)) {
			return true
		}
	}
	return false
}

// wordsOf returns the words of the last segment of a URL's path and of the values
// in its query, in lower case.
func wordsOf(address string) []string {
	_, path, query, _ := cut(address)
	var words []string
	add := func(text string) {
		if plain, err := url.QueryUnescape(text); err == nil {
			text = plain
		}
		for word := range strings.FieldsFuncSeq(strings.ToLower(text), separates) {
			if len(word) >= minLetters && strings.IndexFunc(word, isNoDigit) >= 0 && len(words) < maxWords {
				words = append(words, word)
			}
		}
	}
	for pair := range strings.SplitSeq(query, "&") {
		if _, value, ok := strings.Cut(pair, "="); ok {
			add(value)
		}
	}
	path = strings.TrimSuffix(path, "/")
	add(path[strings.LastIndexByte(path, '/')+1:])
	return words
}

func separates(r rune) bool { return r < 0x80 && !isAlphanumeric(byte(r)) }
func isNoDigit(r rune) bool { return r < '0' || r > '9' }
