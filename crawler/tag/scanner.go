// Package tag reads the tags of an HTML page, without a tree: which tags there
// are, with which attributes, and the text of a title. It reads as the tokenizer
// of browsers does (HTML §13.2.5): tags in comments, scripts, styles and text
// areas are no tags, those in elements for clients without scripts are.
//
// It jumps from "<" to "<", so most of a page is never looked at.
package tag

import (
	"bytes"

	"golang.org/x/net/html/atom"
)

// A Scanner reads the tags of a page in order. It must not be used by several
// goroutines at the same time.
type Scanner struct {
	text    []byte
	from    int // of the text that follows the tag before
	open    int // of the tag
	at      int // of the text that follows the tag
	xml     bool
	nesting nesting

	name        atom.Atom
	kind        Kind
	foreign     bool
	first, last int       // of the attributes
	raw         atom.Atom // whose content follows the tag
	lower       []byte    // the name of the last attribute
}

// Kind is the kind of a tag.
type Kind byte

// Kinds of tags.
const (
	Start Kind = iota
	SelfClosing
	End
)

// NewScanner returns a scanner of a page in UTF-8. xml tells whether the page is
// XHTML.
func NewScanner(text []byte, xml bool) *Scanner {
	return &Scanner{text: text, xml: xml, nesting: nesting{xml: xml}}
}

// Next reads the next tag. It reports whether there is one.
func (s *Scanner) Next() bool {
	if s.raw != 0 {
		s.at += rawLength(s.text[s.at:], s.raw)
		s.raw = 0
	}
	s.from = s.at
	for {
		open := bytes.IndexByte(s.text[s.at:], '<')
		if open < 0 || s.at+open+1 >= len(s.text) {
			s.at = len(s.text)
			return false
		}
		s.open = s.at + open
		s.at = s.open + 1
		switch c := s.text[s.at]; {
		case isLetter(c):
			return s.start()
		case c == '/':
			s.at++
			if s.at < len(s.text) && isLetter(s.text[s.at]) {
				return s.end()
			}
			s.skip(">")
		case c == '!':
			s.at++
			s.declaration()
		case c == '?':
			s.skip(">")
		}
	}
}

// Name returns the name of the tag, or 0 for a name that HTML does not have.
func (s *Scanner) Name() atom.Atom { return s.name }

// Kind returns the kind of the tag.
func (s *Scanner) Kind() Kind { return s.kind }

// Foreign reports whether the start tag is within SVG or MathML.
func (s *Scanner) Foreign() bool { return s.foreign }

// Before returns what is between the tag before and the tag, as written: text, with
// the comments in it, but not the content of scripts and the like.
func (s *Scanner) Before() []byte { return s.text[s.from:s.open] }

// Rest returns the text that follows the tag.
func (s *Scanner) Rest() []byte { return s.text[s.at:] }

// Text returns the text up to the next tag, as written. After the start tag of a
// title or another element without markup it is its whole content.
func (s *Scanner) Text() []byte {
	rest := s.Rest()
	if s.raw != 0 {
		return rest[:rawLength(rest, s.raw)]
	}
	for at := 0; ; at++ {
		open := bytes.IndexByte(rest[at:], '<')
		if open < 0 || at+open+1 >= len(rest) {
			return rest
		}
		at += open
		if c := rest[at+1]; isLetter(c) || c == '/' || c == '!' || c == '?' {
			return rest[:at]
		}
	}
}

func (s *Scanner) start() bool {
	if !s.tag() {
		return false
	}
	s.kind = Start
	if s.closesItself() {
		s.kind = SelfClosing
	}
	s.foreign = s.nesting.start(s.name, s.kind == SelfClosing)
	empty := s.xml && s.kind == SelfClosing
	if isRaw(s.name) && !s.foreign && !empty {
		s.raw = s.name
	}
	return true
}

func (s *Scanner) end() bool {
	if !s.tag() {
		return false
	}
	s.kind, s.foreign = End, false
	s.nesting.end(s.name)
	return true
}

// tag reads a tag from its name. It reports false if the page ends within it.
func (s *Scanner) tag() bool {
	begin := s.at
	for s.at < len(s.text) && !endsName[s.text[s.at]] {
		s.at++
	}
	s.name = lookup(s.text[begin:s.at])
	s.first = s.at
	close := bytes.IndexByte(s.text[s.at:], '>')
	if close >= 0 && bytes.IndexByte(s.text[s.at:s.at+close], '=') < 0 { // no value that could contain ">"
		s.at += close
	} else {
		for a := (attributes{s.text, s.at}); ; {
			if _, _, ok := a.next(); !ok {
				s.at = a.at
				break
			}
		}
	}
	s.last = s.at
	s.at = min(s.at+1, len(s.text))
	return s.last < len(s.text)
}

// closesItself reports whether the tag ends in a "/" that is not part of a value.
func (s *Scanner) closesItself() bool {
	if s.last == s.first || s.text[s.last-1] != '/' {
		return false
	}
	end := 0
	for a := (attributes{s.text, s.first}); ; {
		_, value, ok := a.next()
		if !ok {
			return end != s.last
		}
		if len(value) > 0 {
			end = a.at
		}
	}
}

// skip reads up to a mark and past it.
func (s *Scanner) skip(mark string) {
	at := bytes.Index(s.text[s.at:], []byte(mark))
	if at < 0 {
		s.at = len(s.text)
		return
	}
	s.at += at + len(mark)
}

// declaration reads what begins with "<!": a comment, a CDATA section of XHTML or
// anything else up to ">".
func (s *Scanner) declaration() {
	switch rest := s.text[s.at:]; {
	case bytes.HasPrefix(rest, []byte("--")):
		s.at += len("--")
		s.at += commentLength(s.text[s.at:])
	case s.xml && bytes.HasPrefix(rest, []byte("[CDATA[")):
		s.skip("]]>")
	default:
		s.skip(">")
	}
}

// commentLength returns the length of a comment without its beginning (§13.2.5.43
// to 51).
func commentLength(text []byte) int {
	for at := 0; ; {
		close := bytes.IndexByte(text[at:], '>')
		if close < 0 {
			return len(text)
		}
		at += close + 1
		switch data := text[:at-1]; {
		case len(data) == 0, string(data) == "-", bytes.HasSuffix(data, []byte("--")), bytes.HasSuffix(data, []byte("--!")):
			return at
		}
	}
}

// maxName is the number of bytes of the longest name that matters.
const maxName = 16

func lookup(name []byte) atom.Atom {
	if len(name) > maxName {
		return 0
	}
	var buffer [maxName]byte
	return atom.Lookup(appendLower(buffer[:0], name))
}

func appendLower(to, text []byte) []byte {
	for _, c := range text {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		to = append(to, c)
	}
	return to
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f' }

// endsName are the bytes that end the name of a tag.
var endsName = [256]bool{' ': true, '\n': true, '\t': true, '\r': true, '\f': true, '/': true, '>': true}
