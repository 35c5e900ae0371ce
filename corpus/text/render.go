package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// render returns the chosen nodes as text: an empty line between blocks, a line
// end between the items of a list and the rows of a table, a tab between cells,
// code unchanged.
func render(body *html.Node) string {
	var w writer
	w.children(body)
	return w.text.String()
}

// A writer collects text and the separator that is due before the next part.
type writer struct {
	text  strings.Builder
	gap   int  // line ends due: 0, 1 or 2
	cell  bool // a tab is due
	blank bool // a space is due
	joint bool // a space is due between words, but not before punctuation
	code  bool // white space is kept
	last  rune
}

func (w *writer) children(n *html.Node) {
	for child := range n.ChildNodes() {
		switch child.Type {
		case html.TextNode:
			w.write(child.Data)
		case html.ElementNode:
			w.element(child)
		}
	}
}

func (w *writer) element(n *html.Node) {
	switch tagOf(n) {
	case atom.Br:
		w.owe(1)
	case atom.Li, atom.Tr, atom.Dt, atom.Dd, atom.Summary:
		w.owe(1)
		w.children(n)
		w.owe(1)
	case atom.Td, atom.Th:
		w.children(n)
		w.cell = w.gap == 0
	case atom.Pre, atom.Code:
		w.listing(n)
	case atom.P, atom.Div, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Ul, atom.Ol,
		atom.Dl, atom.Table, atom.Blockquote, atom.Hr, atom.Section, atom.Article, atom.Details, atom.Body:
		block := 2
		if inItem(n) {
			block = 1
		}
		w.owe(block)
		w.children(n)
		w.owe(block)
	default:
		w.inline(n)
	}
}

// inline writes an element within a line. The extractor trims the texts in items
// and cells, so a space is put between words that would run together.
func (w *writer) inline(n *html.Node) {
	trimmed := inItem(n)
	w.joint = w.joint || trimmed
	w.children(n)
	w.joint = w.joint || trimmed
}

// listing writes code, as a block if it has several lines.
func (w *writer) listing(n *html.Node) {
	if tagOf(n) == atom.Code && !isBlock(n) {
		w.inline(n)
		return
	}
	w.owe(2)
	before := w.code
	w.code = true
	w.children(n)
	w.code = before
	w.owe(2)
}

func isBlock(code *html.Node) bool {
	if code.Parent == nil || tagOf(code.Parent) == atom.Body {
		return true
	}
	for n := range code.Descendants() {
		if n.Type == html.TextNode && strings.Contains(strings.TrimSpace(n.Data), "\n") {
			return true
		}
	}
	return false
}

// inItem reports whether n is part of an item or a cell.
func inItem(n *html.Node) bool {
	for p := n.Parent; p != nil; p = p.Parent {
		switch tagOf(p) {
		case atom.Li, atom.Td, atom.Th, atom.Dd, atom.Dt:
			return true
		}
	}
	return false
}

// tagOf returns the tag of an element. The extractor does not set DataAtom in the
// elements that it makes.
func tagOf(n *html.Node) atom.Atom { return atom.Lookup([]byte(n.Data)) }

func (w *writer) owe(lines int) { w.gap = max(w.gap, lines) }

func (w *writer) write(data string) {
	if w.code {
		if w.text.Len() == 0 || w.gap > 0 {
			data = strings.TrimLeft(data, "\r\n")
		}
		if data != "" {
			w.part(rune(0))
			w.text.WriteString(data)
			w.last, _ = utf8.DecodeLastRuneInString(data)
		}
		return
	}
	for _, c := range data {
		if unicode.IsSpace(c) {
			w.blank = true
			continue
		}
		w.part(c)
		w.text.WriteRune(c)
		w.last = c
	}
}

// part writes the separator that is due before c.
func (w *writer) part(c rune) {
	switch {
	case w.text.Len() == 0:
	case w.gap > 0:
		if w.last == '\n' { // code ended with a line end
			w.gap--
		}
		w.text.WriteString("\n\n"[:w.gap])
	case w.cell:
		w.text.WriteByte('\t')
	case unicode.IsSpace(w.last):
	case w.blank, w.joint && isWordRune(c) && !unspaced(c) && !opens(w.last):
		w.text.WriteByte(' ')
	}
	w.gap, w.cell, w.blank, w.joint = 0, false, false, false
}

// opens reports whether c must not be followed by a space.
func opens(c rune) bool { return unicode.In(c, unicode.Ps, unicode.Pi) || unspaced(c) }
