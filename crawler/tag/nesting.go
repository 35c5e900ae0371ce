package tag

import (
	"slices"

	"golang.org/x/net/html/atom"
)

// nesting tells where the reader is within SVG and MathML, where no element holds
// raw text (HTML §13.2.6.5).
type nesting struct {
	xml bool // the page is XHTML, where no tag ends SVG by its name

	open []atom.Atom // svg, math, and the elements in them that hold HTML
}

// maxNesting bounds the memory; deeper elements are not noted.
const maxNesting = 64

// start notes a start tag. It reports whether it is within SVG or MathML.
func (n *nesting) start(name atom.Atom, selfClosing bool) bool {
	if !n.xml && n.foreign() && breaksOut(name) {
		n.open = n.open[:0]
	}
	inside := n.foreign()
	if !selfClosing && len(n.open) < maxNesting && (name == atom.Svg || name == atom.Math || inside && holdsHTML(name)) {
		n.open = append(n.open, name)
	}
	return inside
}

// end notes an end tag.
func (n *nesting) end(name atom.Atom) {
	for i, open := range slices.Backward(n.open) {
		if open == name {
			n.open = n.open[:i]
			return
		}
	}
}

func (n *nesting) foreign() bool {
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
