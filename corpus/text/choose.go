package text

import (
	"net/url"
	"slices"
	"strings"
	"unicode"

	"github.com/markusmobius/go-trafilatura"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/decorum-crawler/decorum/corpus/internal/prose"
)

// enough is how many characters the extractor must choose before its choice counts.
// Below, it takes whatever the page has, menus included.
const enough = 250

// choose removes from a page what is no part of its main text. It returns the text
// that the page has only in the data of a script, if that is all there is.
//
// The extractor chooses texts, not nodes: it does not know where they were. Around
// the texts that it chose the chooser keeps what belongs to them.
func choose(doc *html.Node, address *url.URL) (script string) {
	var m marker
	found, err := trafilatura.ExtractDocument(m.copy(doc), trafilatura.Options{
		OriginalURL: address, ExcludeComments: true, HtmlDateMode: trafilatura.Disabled,
	})
	c := chooser{weights: map[*html.Node]weight{}}
	if err == nil {
		c.chosen, script = m.chosen(found.ContentNode)
	}
	body := bodyOf(doc)
	if body == nil {
		return script
	}
	c.total = c.weigh(body, false)
	if len(c.chosen) == 0 && len([]rune(script)) > 100 {
		return script
	}
	if c.total.got < enough {
		c.short = true
		body = c.named(body)
	} else {
		body = c.middle(body)
	}
	c.isolate(body)
	c.inside(body)
	c.bareHeadings(body)
	return ""
}

// weight is how much text an element has, in characters that are not white space.
type weight struct{ all, linked, got int }

func (w *weight) add(v weight) {
	w.all += v.all
	w.linked += v.linked
	w.got += v.got
}

// isLinks reports whether most of a text are links.
func (w weight) isLinks() bool { return w.linked*5 > w.all*4 }

type chooser struct {
	chosen  map[*html.Node]bool // texts
	weights map[*html.Node]weight
	total   weight
	passed  int  // characters chosen before the node that is being looked at
	short   bool // the choice of the extractor does not count
}

// weigh returns the weight of n and notes that of each element in it.
func (c *chooser) weigh(n *html.Node, linked bool) weight {
	var w weight
	switch n.Type {
	case html.TextNode:
		for _, r := range n.Data {
			if !unicode.IsSpace(r) {
				w.all++
			}
		}
		if linked {
			w.linked = w.all
		}
		if c.chosen[n] {
			w.got = w.all
		}
		return w
	case html.ElementNode:
		switch n.DataAtom {
		case atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Select, atom.Button, atom.Svg, atom.Iframe:
			return w
		}
	}
	linked = linked || n.DataAtom == atom.A
	for child := range n.ChildNodes() {
		w.add(c.weigh(child, linked))
	}
	c.weights[n] = w
	return w
}

func (c *chooser) of(n *html.Node) weight {
	if n.Type == html.TextNode {
		return c.weigh(n, false)
	}
	return c.weights[n]
}

// middle returns the smallest element below n with nearly all of the chosen text.
func (c *chooser) middle(n *html.Node) *html.Node {
	for {
		var next *html.Node
		for child := range n.ChildNodes() {
			if c.weights[child].got*100 >= c.total.got*85 && prose.IsBlock(child) {
				next = child
			}
		}
		if next == nil || isText(next.DataAtom) {
			return n
		}
		n = next
	}
}

// isText reports whether an element is one part of a text and not a place for some.
func isText(tag atom.Atom) bool {
	switch tag {
	case atom.P, atom.Ul, atom.Ol, atom.Dl, atom.Table, atom.Pre, atom.Blockquote, atom.Li, atom.Tbody, atom.Tr, atom.Td:
		return true
	}
	return false
}

// named returns the element below n that the page names as the main one, if it has
// text, else n.
func (c *chooser) named(body *html.Node) *html.Node {
	var found *html.Node
	rank := 0
	for n := range body.Descendants() {
		if r := rankOf(n); r > rank && c.weights[n].all > 0 {
			found, rank = n, r
		}
	}
	if found == nil || c.weights[found].all*5 < c.total.all {
		if rank < 3 {
			return body
		}
	}
	return found
}

func rankOf(n *html.Node) int {
	switch {
	case n.Type != html.ElementNode:
		return 0
	case attribute(n, "id") == "mw-content-text":
		return 4
	case n.DataAtom == atom.Main || attribute(n, "role") == "main":
		return 3
	case n.DataAtom == atom.Article:
		return 2
	}
	switch attribute(n, "id") {
	case "content", "main", "main-content", "article":
		return 2
	}
	return 0
}

// isolate removes what is beside n and its ancestors, unless it was chosen or is the
// heading of the page.
func (c *chooser) isolate(n *html.Node) {
	for ; n.Parent != nil && n.DataAtom != atom.Body; n = n.Parent {
		before := true
		for _, sibling := range childrenOf(n.Parent) {
			if sibling == n {
				before = false
				continue
			}
			if sibling.Type == html.ElementNode || sibling.Type == html.TextNode {
				c.beside(sibling, before)
			}
		}
	}
}

// beside removes from n what is beside the main part of a page.
func (c *chooser) beside(n *html.Node, before bool) {
	w := c.of(n)
	switch {
	case before && (n.DataAtom == atom.H1 || hasTitle(n) && w.all < 300):
		c.titles(n)
	case c.short || w.got == 0 || isSurrounding(n):
		remove(n)
	case n.Type == html.ElementNode && prose.IsBlock(n) && !isText(n.DataAtom) && !isHeading(n):
		for _, child := range childrenOf(n) {
			c.beside(child, before)
		}
	}
}

// hasTitle reports whether there is a heading of the first level in n.
func hasTitle(n *html.Node) bool {
	if isSurrounding(n) {
		return false
	}
	for inner := range n.Descendants() {
		if inner.DataAtom == atom.H1 {
			return true
		}
	}
	return false
}

// titles removes from n all but its headings of the first level, and what was
// chosen.
func (c *chooser) titles(n *html.Node) {
	if n.DataAtom == atom.H1 {
		if c.weights[n].linked == c.weights[n].all && within(n, atom.Header) {
			remove(n) // the name of the site
		}
		return
	}
	for _, child := range childrenOf(n) {
		switch {
		case child.DataAtom == atom.H1 || child.Type == html.ElementNode && hasTitle(child):
			c.titles(child)
		case c.short || c.of(child).got == 0:
			remove(child)
		}
	}
}

// inside removes from n what does not belong to the chosen text around it.
func (c *chooser) inside(n *html.Node) {
	var run []*html.Node // nodes within a line
	for _, child := range childrenOf(n) {
		if child.Type == html.ElementNode && (prose.IsBlock(child) || c.hasBlock(child)) {
			c.line(run)
			run = nil
			c.block(child)
			continue
		}
		if child.Type == html.ElementNode && isSurrounding(child) {
			remove(child)
			continue
		}
		if child.Type == html.ElementNode || child.Type == html.TextNode {
			run = append(run, child)
		}
	}
	c.line(run)
}

func (c *chooser) hasBlock(n *html.Node) bool {
	if c.weights[n].all == 0 {
		return false
	}
	for inner := range n.Descendants() {
		if inner.Type == html.ElementNode && prose.IsBlock(inner) {
			return true
		}
	}
	return false
}

// line removes a line that is no part of the text: one that was not chosen and is
// mostly links.
func (c *chooser) line(run []*html.Node) {
	var w weight
	suspect := false
	for _, n := range run {
		w.add(c.of(n))
		suspect = suspect || n.Type == html.ElementNode && isSuspect(n)
	}
	if w.all == 0 {
		return
	}
	if (c.short || w.got == 0) && (w.isLinks() || suspect || !c.within(w)) {
		for _, n := range run {
			remove(n)
		}
		return
	}
	c.passed += w.got
}

// within reports whether what is being looked at is between parts of the chosen
// text.
func (c *chooser) within(w weight) bool {
	return c.short || c.passed > 0 && c.passed < c.total.got || c.passed == 0 && w.all > 60
}

// block looks at a block in the main part of a page.
func (c *chooser) block(n *html.Node) {
	w := c.weights[n]
	got := w.got
	if c.short {
		got = 0
	}
	switch {
	case isSurrounding(n):
		remove(n)
	case w.all == 0:
	case got == 0 && (isSuspect(n) || w.isLinks() && !isHeading(n) || !isHeading(n) && !c.within(w)):
		remove(n)
	case isWhole(n):
		c.trim(n)
	default:
		c.inside(n)
		return
	}
	c.passed += w.got
}

func isHeading(n *html.Node) bool {
	switch n.DataAtom {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		return true
	}
	return false
}

// isWhole reports whether a block is kept or removed as a whole.
func isWhole(n *html.Node) bool {
	switch n.DataAtom {
	case atom.P, atom.Pre, atom.Dl, atom.Ul, atom.Ol, atom.Blockquote, atom.Summary:
		return true
	}
	return isHeading(n)
}

// trim removes from a kept block what is never text.
func (c *chooser) trim(n *html.Node) {
	var found []*html.Node
	for inner := range n.Descendants() {
		if inner.Type == html.ElementNode && isSurrounding(inner) {
			found = append(found, inner)
		}
	}
	for _, inner := range found {
		remove(inner)
	}
}

// bareHeadings removes each heading whose section was removed, and those at the end.
func (c *chooser) bareHeadings(body *html.Node) {
	var open []*html.Node // headings without text since
	cut := false          // something was removed since the last of them
	end := func(level byte) {
		for len(open) > 0 {
			last := open[len(open)-1]
			if last.Data[1] < level || !cut && level > '0' {
				return
			}
			remove(last)
			open = open[:len(open)-1]
		}
	}
	for _, n := range slices.Collect(body.Descendants()) { // some are removed on the way
		switch {
		case n.Type == html.CommentNode && n.Data == cutMark:
			cut = true
		case n.Type == html.ElementNode && isHeading(n):
			end(n.Data[1])
			open, cut = append(open, n), false
		case n.Type == html.TextNode && strings.TrimSpace(n.Data) != "" && !inHeading(n, body), n.DataAtom == atom.Img, n.DataAtom == atom.Math:
			open, cut = open[:0], false
		}
	}
	if !c.short {
		end('0')
	}
}

// inHeading reports whether a node is part of a heading of body.
func inHeading(n, body *html.Node) bool {
	for p := n.Parent; p != nil && p != body; p = p.Parent {
		if isHeading(p) {
			return true
		}
	}
	return false
}

// cutMark is the comment that stays where something was removed.
const cutMark = "cut"

// remove takes a node out of the page.
func remove(n *html.Node) {
	if n.Parent == nil {
		return
	}
	n.Parent.InsertBefore(&html.Node{Type: html.CommentNode, Data: cutMark}, n)
	n.Parent.RemoveChild(n)
}

// childrenOf returns the child nodes of n, which may change meanwhile.
func childrenOf(n *html.Node) []*html.Node {
	var all []*html.Node
	for child := range n.ChildNodes() {
		all = append(all, child)
	}
	return all
}

func within(n *html.Node, tag atom.Atom) bool {
	for p := n.Parent; p != nil; p = p.Parent {
		if p.DataAtom == tag {
			return true
		}
	}
	return false
}

func bodyOf(doc *html.Node) *html.Node {
	for n := range doc.Descendants() {
		if n.DataAtom == atom.Body {
			return n
		}
	}
	return nil
}
