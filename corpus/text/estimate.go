package text

import (
	"bytes"
	"context"
	"errors"
	"io"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// estimateNodes estimates from the tags of a page how many nodes its tree will
// have, without building it, and stops above limit. An attribute counts as a
// quarter of a node.
//
// The parser reopens a formatting element that was left open in each block that
// follows (HTML standard, "reconstruct the active formatting elements"), so n
// tags can make n² nodes. The estimate assumes that each other tag reopens them:
// that is too many for a page with sloppy markup, and too few by at most a
// constant factor. A second html or body element adds its attributes to those of
// the first, and costs as much as all of them.
func estimateNodes(ctx context.Context, page []byte, limit int) (int, error) {
	z := html.NewTokenizer(bytes.NewReader(page))
	open, nodes, attributes := formatting{}, 0, 0
	merged := map[atom.Atom]int{}
	for step := 0; nodes+attributes/4 <= limit; step++ {
		if step%1024 == 0 && ctx.Err() != nil {
			return 0, ctx.Err()
		}
		nodes++
		switch z.Next() {
		case html.ErrorToken:
			if !errors.Is(z.Err(), io.EOF) {
				return 0, z.Err()
			}
			return nodes + attributes/4, nil
		case html.StartTagToken, html.SelfClosingTagToken:
			raw := string(z.Raw())
			name, more := z.TagName()
			tag := atom.Lookup(name)
			own := countAttributes(z, more)
			if tag == atom.Html || tag == atom.Body {
				merged[tag] += own
				own = merged[tag]
			}
			attributes += own
			nodes += open.start(tag, raw)
		case html.EndTagToken:
			name, _ := z.TagName()
			nodes += open.end(atom.Lookup(name)) - 1
		}
	}
	return nodes + attributes/4, nil
}

func countAttributes(z *html.Tokenizer, more bool) int {
	n := 0
	for ; more; n++ {
		_, _, more = z.TagAttr()
	}
	return n
}

// formatting tracks the open formatting elements.
type formatting struct {
	tags  map[atom.Atom][]string // as written, the last opened last
	total int
}

// start returns how many elements may be reopened before a tag.
func (f *formatting) start(tag atom.Atom, raw string) int {
	if !isFormatting(tag) {
		return f.total
	}
	if f.tags == nil {
		f.tags = map[atom.Atom][]string{}
	}
	open := f.tags[tag]
	switch n := len(open); {
	case n > 0 && (tag == atom.A || tag == atom.Nobr): // closes the one before
		return 0
	case n >= 3 && open[n-1] == raw && open[n-2] == raw && open[n-3] == raw: // the standard's limit
		return 0
	}
	f.tags[tag] = append(open, raw)
	f.total++
	return 0
}

// end is like start for an end tag.
func (f *formatting) end(tag atom.Atom) int {
	if !isFormatting(tag) {
		return f.total
	}
	if open := f.tags[tag]; len(open) > 0 {
		f.tags[tag] = open[:len(open)-1]
		f.total--
	}
	return 0
}

// isFormatting reports whether tag is a formatting element of the HTML standard.
func isFormatting(tag atom.Atom) bool {
	switch tag {
	case atom.A, atom.B, atom.Big, atom.Code, atom.Em, atom.Font, atom.I, atom.Nobr, atom.S,
		atom.Small, atom.Strike, atom.Strong, atom.Tt, atom.U:
		return true
	}
	return false
}
