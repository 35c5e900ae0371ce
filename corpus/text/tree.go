package text

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"golang.org/x/net/html"
)

// tree parses a page within the limits; page is valid UTF-8.
func (r reader) tree(ctx context.Context, page []byte) (*html.Node, error) {
	nodes, err := estimateNodes(ctx, page, r.options.MaxNodes)
	if err != nil {
		return nil, err
	}
	if nodes > r.options.MaxNodes {
		return nil, r.tooManyNodes()
	}
	doc, err := parse(ctx, page)
	if err != nil {
		return nil, err
	}
	nodes, depth := measure(doc)
	if nodes > r.options.MaxNodes {
		return nil, r.tooManyNodes()
	}
	if depth > r.options.MaxDepth {
		return nil, &Error{Reason: ReasonTooDeep, Err: fmt.Errorf("%d levels, at most %d", depth, r.options.MaxDepth)}
	}
	return doc, nil
}

// parse returns the tree of a page. It rejects only excessive depth.
func parse(ctx context.Context, page []byte) (*html.Node, error) {
	doc, err := html.Parse(&hurried{ctx, bytes.NewReader(page)})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, &Error{Reason: ReasonTooDeep, Err: err}
	}
	return doc, nil
}

func (r reader) tooManyNodes() error {
	return &Error{Reason: ReasonTooManyNodes, Err: fmt.Errorf("more than %d", r.options.MaxNodes)}
}

// hurried reads a page in small pieces until ctx is done, which also ends the
// parser.
type hurried struct {
	ctx  context.Context //nolint:containedctx // an io.Reader has no other way to end
	page io.Reader
}

func (h *hurried) Read(p []byte) (int, error) {
	if err := h.ctx.Err(); err != nil {
		return 0, err
	}
	return h.page.Read(p[:min(len(p), 4096)])
}

// measure returns the number of nodes below doc and of levels.
func measure(doc *html.Node) (nodes, depth int) {
	for n, level := doc, 0; ; {
		switch {
		case n.FirstChild != nil:
			n, level = n.FirstChild, level+1
		default:
			for n != doc && n.NextSibling == nil {
				n, level = n.Parent, level-1
			}
			if n == doc {
				return nodes, depth
			}
			n = n.NextSibling
		}
		nodes, depth = nodes+1, max(depth, level)
	}
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
