package content

import (
	"slices"

	"golang.org/x/net/html/atom"
)

// Nesting tells a reader of tags where the content of an element is markup,
// although elements of its name hold raw text in HTML: within SVG and MathML, and
// after a tag that ends its element, in both and in XHTML (HTML §13.2.6.5), and in
// elements for clients without scripts, such as this one. The zero value is for
// HTML.
type Nesting struct {
	XML bool // the page is XHTML

	open []atom.Atom // svg, math, and the elements in them that hold HTML
}

// maxNesting bounds the memory; deeper elements are not noted.
const maxNesting = 64

// Start notes a start tag. It reports whether the content of the element is
// markup, whatever its name.
func (n *Nesting) Start(name atom.Atom, selfClosing bool) bool {
	switch {
	case name == atom.Noscript, name == atom.Noframes, name == atom.Noembed:
		return true
	case n.XML:
		return selfClosing
	}
	if n.Foreign() && breaksOut(name) {
		n.open = n.open[:0]
	}
	inside := n.Foreign()
	if !selfClosing && len(n.open) < maxNesting && (name == atom.Svg || name == atom.Math || inside && holdsHTML(name)) {
		n.open = append(n.open, name)
	}
	return inside
}

// End notes an end tag.
func (n *Nesting) End(name atom.Atom) {
	for i, open := range slices.Backward(n.open) {
		if open == name {
			n.open = n.open[:i]
			return
		}
	}
}

// Foreign reports whether the reader is within SVG or MathML.
func (n *Nesting) Foreign() bool {
	if len(n.open) == 0 {
		return false
	}
	last := n.open[len(n.open)-1]
	return last == atom.Svg || last == atom.Math
}

// holdsHTML reports whether an element of SVG or MathML holds HTML.
func holdsHTML(name atom.Atom) bool {
	switch name {
	case atom.ForeignObject, atom.Foreignobject, atom.Desc, atom.Title, atom.AnnotationXml:
		return true
	}
	return false
}

// breaksOut reports whether a start tag ends SVG and MathML that were left open.
func breaksOut(name atom.Atom) bool {
	switch name {
	case atom.B, atom.Big, atom.Blockquote, atom.Body, atom.Br, atom.Center, atom.Code, atom.Dd, atom.Div, atom.Dl, atom.Dt,
		atom.Em, atom.Embed, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Head, atom.Hr, atom.I, atom.Img, atom.Li,
		atom.Listing, atom.Menu, atom.Meta, atom.Nobr, atom.Ol, atom.P, atom.Pre, atom.Ruby, atom.S, atom.Small, atom.Span,
		atom.Strong, atom.Strike, atom.Sub, atom.Sup, atom.Table, atom.Tt, atom.U, atom.Ul, atom.Var:
		return true
	}
	return false
}
