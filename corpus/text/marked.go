package text

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// firstMark is the first character that stands for a text of the page. There is one
// for each of the 131,068 characters for private use in planes 15 and 16.
const firstMark = 0xF0000

// maxMarks is how many texts can be told apart.
const maxMarks = 2 * 0xFFFE

// markOf returns the character for the text with a number.
func markOf(number int) rune {
	if number < 0xFFFE {
		return rune(firstMark + number)
	}
	return rune(firstMark + 0x10000 + number - 0xFFFE)
}

// numberOf returns the number of a text, or -1 if c is no mark.
func numberOf(c rune) int {
	switch {
	case c < firstMark || c&0xFFFF > 0xFFFD:
		return -1
	case c < firstMark+0x10000:
		return int(c - firstMark)
	}
	return int(c-firstMark-0x10000) + 0xFFFE
}

// A marker copies a page for the extractor and puts a mark before each text, by
// which the texts that the extractor chose are found in the page again. It changes
// texts and makes elements of its own, so that nothing else is left of where they
// were.
type marker struct {
	texts []*html.Node // by number
}

// copy returns a copy of a page that the extractor may change.
func (m *marker) copy(doc *html.Node) *html.Node {
	out := &html.Node{Type: html.DocumentNode}
	root := &html.Node{Type: html.ElementNode, Data: "html", DataAtom: atom.Html}
	head := &html.Node{Type: html.ElementNode, Data: "head", DataAtom: atom.Head}
	out.AppendChild(root)
	root.AppendChild(head)
	// The extractor does not search the text for what it has: that was done before.
	for _, name := range []string{"og:title", "og:author"} {
		head.AppendChild(&html.Node{Type: html.ElementNode, Data: "meta", DataAtom: atom.Meta, Attr: []html.Attribute{
			{Key: "property", Val: name}, {Key: "content", Val: "Known Before"},
		}})
	}
	for n := range doc.Descendants() {
		switch n.DataAtom {
		case atom.Body:
			m.node(root, n)
			return out
		case atom.Script:
			if n.FirstChild != nil && strings.Contains(n.FirstChild.Data, "rticleBody") {
				script := &html.Node{Type: html.ElementNode, Data: n.Data, DataAtom: n.DataAtom, Attr: n.Attr}
				script.AppendChild(&html.Node{Type: html.TextNode, Data: n.FirstChild.Data})
				head.AppendChild(script)
			}
		}
	}
	return out
}

func (m *marker) node(parent, n *html.Node) {
	switch n.Type {
	case html.TextNode:
		parent.AppendChild(&html.Node{Type: html.TextNode, Data: m.marked(n)})
	case html.ElementNode:
		switch n.DataAtom {
		case atom.Script, atom.Style, atom.Svg, atom.Noscript, atom.Template, atom.Iframe, atom.Select, atom.Button:
			return
		}
		child := &html.Node{Type: html.ElementNode, DataAtom: n.DataAtom, Data: n.Data, Attr: append([]html.Attribute(nil), n.Attr...)}
		parent.AppendChild(child)
		for inner := range n.ChildNodes() {
			m.node(child, inner)
		}
	}
}

// marked returns a text with its mark. White space has none, so that it stays white
// space.
func (m *marker) marked(n *html.Node) string {
	data := n.Data
	if strings.IndexByte(data, 0xF3) >= 0 || strings.IndexByte(data, 0xF4) >= 0 {
		data = unmarked(data)
	}
	if len(m.texts) == maxMarks || strings.TrimSpace(data) == "" {
		return data
	}
	m.texts = append(m.texts, n)
	return string(markOf(len(m.texts)-1)) + data
}

// unmarked removes the characters that are used as marks.
func unmarked(s string) string {
	return strings.Map(func(c rune) rune {
		if c >= firstMark {
			return -1
		}
		return c
	}, s)
}

// chosen returns the texts whose marks are below n, and the text without a mark: the
// extractor took it from the data of a script.
func (m *marker) chosen(n *html.Node) (texts map[*html.Node]bool, other string) {
	texts = map[*html.Node]bool{}
	var b strings.Builder
	for inner := range n.Descendants() {
		if inner.Type != html.TextNode {
			continue
		}
		found := false
		for _, c := range inner.Data {
			if number := numberOf(c); number >= 0 && number < len(m.texts) {
				texts[m.texts[number]], found = true, true
			}
		}
		if !found {
			b.WriteString(inner.Data)
		}
	}
	return texts, b.String()
}
