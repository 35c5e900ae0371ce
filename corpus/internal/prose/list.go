package prose

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// list reads a list. What is in it and not in an item is an item too.
func (r *reader) list(n *html.Node) {
	list := Block{Kind: List, Ordered: n.DataAtom == atom.Ol}
	number, step := first(n)
	var loose reader
	end := func() {
		loose.flush()
		list.Blocks = appendItem(list.Blocks, loose.blocks)
		loose = reader{}
	}
	for child := range n.ChildNodes() {
		if child.Type != html.ElementNode || child.DataAtom != atom.Li {
			loose.node(child)
			continue
		}
		end()
		if value, err := strconv.Atoi(strings.TrimSpace(attribute(child, "value"))); err == nil {
			number = value
		}
		if blocks := Read(child); len(blocks) > 0 {
			list.Blocks = append(list.Blocks, Block{Kind: Item, Number: number, Blocks: blocks})
		}
		number += step
	}
	end()
	if len(list.Blocks) > 0 {
		r.add(list)
	}
}

// appendItem adds blocks that are in no item. A list among them belongs to the item
// before it: that is how some editors nest.
func appendItem(items, blocks []Block) []Block {
	if len(blocks) == 0 {
		return items
	}
	if last := len(items) - 1; last >= 0 && blocks[0].Kind == List {
		items[last].Blocks = append(items[last].Blocks, blocks...)
		return items
	}
	return append(items, Block{Kind: Item, Blocks: blocks})
}

// first returns the number of the first item of an ordered list, and how numbers
// grow.
func first(n *html.Node) (number, step int) {
	start, err := strconv.Atoi(strings.TrimSpace(attribute(n, "start")))
	if !has(n, "reversed") {
		if err != nil {
			start = 1
		}
		return start, 1
	}
	if err != nil {
		start = 0
		for child := range n.ChildNodes() {
			if child.DataAtom == atom.Li {
				start++
			}
		}
	}
	return start, -1
}

// definitions reads a dl element, whose groups may be in div elements.
func (r *reader) definitions(n *html.Node) {
	list := Block{Kind: Definitions}
	list.define(n)
	if len(list.Blocks) > 0 {
		r.add(list)
	}
}

func (b *Block) define(n *html.Node) {
	for child := range n.ChildNodes() {
		switch {
		case child.DataAtom == atom.Dt:
			if spans := flat(child); spans != nil {
				b.Blocks = append(b.Blocks, Block{Kind: Term, Spans: spans})
			}
		case child.DataAtom == atom.Dd:
			if blocks := Read(child); len(blocks) > 0 {
				b.Blocks = append(b.Blocks, Block{Kind: Description, Blocks: blocks})
			}
		case child.DataAtom == atom.Div:
			b.define(child)
		case child.Type == html.ElementNode && !unseen(child):
			if blocks := Read(child); len(blocks) > 0 {
				b.Blocks = append(b.Blocks, Block{Kind: Description, Blocks: blocks})
			}
		}
	}
}
