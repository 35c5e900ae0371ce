package prose

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Read returns the blocks below n.
func Read(n *html.Node) []Block {
	var r reader
	r.children(n)
	r.flush()
	return r.blocks
}

// A reader turns nodes into blocks.
type reader struct {
	blocks []Block
	line   line
}

func (r *reader) children(n *html.Node) {
	for child := range n.ChildNodes() {
		r.node(child)
	}
}

func (r *reader) node(n *html.Node) {
	switch n.Type {
	case html.TextNode:
		r.line.write(n.Data)
	case html.ElementNode:
		switch {
		case unseen(n):
		case formula(n):
			r.formula(n)
		case r.inline(n), r.special(n):
		default:
			r.element(n)
		}
	}
}

// flush ends the paragraph that is being read.
func (r *reader) flush() {
	if spans := r.line.take(); spans != nil {
		r.blocks = append(r.blocks, Block{Kind: Paragraph, Spans: spans})
	}
}

// add appends a block after the paragraph that is being read.
func (r *reader) add(b Block) {
	r.flush()
	r.blocks = append(r.blocks, b)
}

// element reads an element that has no meaning of its own.
func (r *reader) element(n *html.Node) {
	if !isBlock(n.DataAtom) {
		r.children(n)
		return
	}
	r.flush()
	r.children(n)
	r.flush()
}

// styles are the elements that set a style.
var styles = map[atom.Atom]Style{
	atom.B: Strong, atom.Strong: Strong,
	atom.I: Emphasis, atom.Em: Emphasis, atom.Cite: Emphasis, atom.Dfn: Emphasis, atom.Var: Emphasis,
	atom.Code: Fixed, atom.Kbd: Fixed, atom.Samp: Fixed, atom.Tt: Fixed,
	atom.S: Struck, atom.Strike: Struck, atom.Del: Struck,
}

// inline reads an element within a line, and reports whether n is one.
func (r *reader) inline(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Br:
		r.lineEnd()
	case atom.Sub, atom.Sup:
		r.script(n)
	case atom.Ruby:
		r.ruby(n)
	case atom.Q:
		r.line.write("“")
		r.line.blank = false
		r.children(n)
		r.line.blank = false
		r.line.write("”")
	case atom.Input: // a box to tick
		if strings.EqualFold(attribute(n, "type"), "checkbox") && n.Parent != nil && within(n, atom.Li) {
			mark := "[ ]"
			if has(n, "checked") {
				mark = "[x]"
			}
			r.line.piece(mark, 0)
			r.line.blank = true
		}
	default:
		style, ok := styles[n.DataAtom]
		if !ok {
			return false
		}
		before := r.line.style
		r.line.style |= style
		r.children(n)
		r.line.style = before
	}
	return true
}

// lineEnd reads a br element. Two in a row end the paragraph.
func (r *reader) lineEnd() {
	if r.line.last == 0 {
		return
	}
	if r.line.last == '\n' {
		r.flush()
		return
	}
	r.line.blank, r.line.ended = false, false
	r.line.add("\n", 0)
}

// special reads an element that makes blocks of its own kind, and reports whether n
// is one.
func (r *reader) special(n *html.Node) bool {
	switch n.DataAtom {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		r.titled(n, Block{Kind: Heading, Level: int(n.Data[1] - '0')})
	case atom.Summary:
		r.titled(n, Block{Kind: Summary})
	case atom.Pre, atom.Xmp, atom.Listing:
		r.code(n)
	case atom.Blockquote:
		if blocks := Read(n); len(blocks) > 0 {
			r.add(Block{Kind: Quote, Blocks: blocks})
		}
	case atom.Ul, atom.Ol, atom.Menu, atom.Dir:
		r.list(n)
	case atom.Dl:
		r.definitions(n)
	case atom.Table:
		r.table(n)
	case atom.Hr:
		r.add(Block{Kind: Rule})
	default:
		return false
	}
	return true
}

// titled adds a block with the text of n in one line.
func (r *reader) titled(n *html.Node, b Block) {
	if b.Spans = flat(n); b.Spans != nil {
		r.add(b)
	}
}

// flat returns the text of n as one paragraph.
func flat(n *html.Node) []Span {
	var l line
	for i, b := range Read(n) {
		if i > 0 {
			l.blank = true
		}
		l.flat(b)
	}
	return l.take()
}

// flat writes a block and those in it into a line.
func (l *line) flat(b Block) {
	for _, s := range b.Spans {
		l.style = s.Style
		if s.Style&TeX != 0 {
			l.piece(s.Text, s.Style)
			continue
		}
		l.write(s.Text)
	}
	l.style = 0
	if b.Source != "" {
		l.style = Fixed
		l.write(b.Source)
		l.style = 0
	}
	for _, inner := range b.Blocks {
		l.blank = true
		l.flat(inner)
	}
}

// unseen reports whether an element has no text to read.
func unseen(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Head, atom.Style, atom.Template, atom.Noscript, atom.Iframe, atom.Object, atom.Embed,
		atom.Audio, atom.Video, atom.Canvas, atom.Svg, atom.Map, atom.Button, atom.Select, atom.Textarea,
		atom.Datalist, atom.Progress, atom.Meter, atom.Rp, atom.Noframes, atom.Frameset, atom.Title:
		return true
	case atom.Script:
		return !strings.HasPrefix(attribute(n, "type"), "math/")
	}
	return false
}

// isBlock reports whether an element has lines of its own (HTML §15.3).
func isBlock(tag atom.Atom) bool {
	switch tag {
	case atom.Address, atom.Article, atom.Aside, atom.Body, atom.Caption, atom.Center, atom.Dd, atom.Details,
		atom.Dialog, atom.Div, atom.Dt, atom.Fieldset, atom.Figcaption, atom.Figure, atom.Footer, atom.Form,
		atom.Header, atom.Hgroup, atom.Html, atom.Legend, atom.Li, atom.Main, atom.Nav, atom.Optgroup, atom.Option,
		atom.P, atom.Section, atom.Tbody, atom.Td, atom.Tfoot, atom.Th, atom.Thead, atom.Tr:
		return true
	}
	return false
}

// IsBlock reports whether an element has lines of its own, unlike one that is part
// of a line.
func IsBlock(n *html.Node) bool {
	if isBlock(n.DataAtom) {
		return true
	}
	switch n.DataAtom {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Summary, atom.Pre, atom.Xmp, atom.Listing,
		atom.Blockquote, atom.Ul, atom.Ol, atom.Menu, atom.Dir, atom.Dl, atom.Table, atom.Hr:
		return true
	}
	return false
}

func within(n *html.Node, tag atom.Atom) bool {
	for p := n.Parent; p != nil; p = p.Parent {
		if p.DataAtom == tag {
			return true
		}
	}
	return false
}

// attribute returns the value of an attribute, or "" when there is none.
func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func has(n *html.Node, name string) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == name })
}
