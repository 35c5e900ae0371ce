package prose

import (
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxSpan bounds the columns and rows of a cell, which a page can set to any
// number.
const maxSpan = 50

// table reads a table: as rows if it holds data, else as the blocks of its cells.
func (r *reader) table(n *html.Node) {
	rows, caption := parts(n)
	if isLayout(n, rows) {
		r.flush()
		for _, row := range rows {
			for child := range row.ChildNodes() {
				if child.Type == html.ElementNode && !isGutter(child) {
					r.flush()
					r.children(child)
					r.flush()
				}
			}
		}
		return
	}
	table := Block{Kind: Table}
	if caption != nil {
		table.Spans = flat(caption)
	}
	for _, row := range grid(rows) {
		table.Blocks = append(table.Blocks, Block{Kind: Row, Blocks: row})
	}
	if len(table.Blocks) > 0 || table.Spans != nil {
		r.add(table)
	}
}

// parts returns the rows of a table, without those of tables in it, and its
// caption.
func parts(n *html.Node) (rows []*html.Node, caption *html.Node) {
	for child := range n.ChildNodes() {
		switch child.DataAtom {
		case atom.Caption:
			caption = child
		case atom.Tr:
			rows = append(rows, child)
		case atom.Thead, atom.Tbody, atom.Tfoot:
			inner, _ := parts(child)
			rows = append(rows, inner...)
		}
	}
	return rows, caption
}

// isLayout reports whether a table only puts blocks beside each other.
func isLayout(n *html.Node, rows []*html.Node) bool {
	if role := attribute(n, "role"); role == "presentation" || role == "none" {
		return true
	}
	columns, heads := 0, false
	for _, row := range rows {
		width := 0
		for cell := range row.ChildNodes() {
			if cell.DataAtom != atom.Td && cell.DataAtom != atom.Th {
				continue
			}
			width++
			heads = heads || cell.DataAtom == atom.Th
			if hasLayout(cell) {
				return true
			}
		}
		columns = max(columns, width)
	}
	return columns < 2 && !heads
}

// hasLayout reports whether a cell holds what a cell with data does not: headings,
// code, tables, or several paragraphs.
func hasLayout(cell *html.Node) bool {
	paragraphs := 0
	for n := range cell.Descendants() {
		switch n.DataAtom {
		case atom.Table, atom.Pre, atom.H1, atom.H2, atom.H3, atom.H4, atom.Blockquote, atom.Article, atom.Section:
			return true
		case atom.P:
			if n.FirstChild != nil {
				paragraphs++
			}
		}
	}
	return paragraphs > 2
}

// grid returns the cells of each row. A cell that spans several columns or rows is
// followed by empty ones.
func grid(rows []*html.Node) [][]Block {
	var all [][]Block
	var below cover
	for _, row := range rows {
		if cells := below.row(row); slices.ContainsFunc(cells, func(c Block) bool { return c.Spans != nil }) {
			all = append(all, cells)
		}
	}
	return all
}

// cover holds how many more rows a cell from above covers each column.
type cover []int

// row returns the cells of a row.
func (c *cover) row(row *html.Node) (cells []Block) {
	for n := range row.ChildNodes() {
		if n.DataAtom != atom.Td && n.DataAtom != atom.Th {
			continue
		}
		cells = c.skip(cells)
		cell := Block{Kind: Cell, Head: n.DataAtom == atom.Th, Spans: flat(n)}
		deep := span(n, "rowspan")
		for i := range span(n, "colspan") {
			if i > 0 {
				cell = Block{Kind: Cell, Head: cell.Head}
			}
			for len(*c) <= len(cells) {
				*c = append(*c, 0)
			}
			(*c)[len(cells)] = deep - 1
			cells = append(cells, cell)
		}
	}
	return c.skip(cells)
}

// skip appends empty cells for the columns that are covered.
func (c *cover) skip(cells []Block) []Block {
	for len(cells) < len(*c) && (*c)[len(cells)] > 0 {
		(*c)[len(cells)]--
		cells = append(cells, Block{Kind: Cell})
	}
	return cells
}

func span(n *html.Node, name string) int {
	count, err := strconv.Atoi(strings.TrimSpace(attribute(n, name)))
	if err != nil {
		return 1
	}
	return min(max(count, 1), maxSpan)
}
