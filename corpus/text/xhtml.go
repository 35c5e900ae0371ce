package text

import (
	"bytes"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// expand writes out the elements of an XHTML page that end in their own tag, which
// a parser of HTML would leave open: <script src="x"/> would hide all that follows.
func expand(page []byte) []byte {
	if !bytes.Contains(page, []byte("/>")) {
		return page
	}
	out := make([]byte, 0, len(page)+len(page)/16)
	z := html.NewTokenizer(bytes.NewReader(page))
	for {
		token := z.Next()
		raw := z.Raw()
		if token != html.SelfClosingTagToken {
			out = append(out, raw...)
			if token == html.ErrorToken {
				return out
			}
			continue
		}
		start := bytes.TrimSuffix(raw, []byte("/>"))
		out = append(append(out, start...), '>')
		if name, _ := z.TagName(); !isVoid(atom.Lookup(name)) {
			out = append(append(append(out, "</"...), name...), '>')
		}
		z.NextIsNotRawText()
	}
}

// isVoid reports whether an element has no end tag in HTML (HTML §13.1.2).
func isVoid(name atom.Atom) bool {
	switch name {
	case atom.Area, atom.Base, atom.Br, atom.Col, atom.Embed, atom.Hr, atom.Img, atom.Input, atom.Link, atom.Meta, atom.Source, atom.Track, atom.Wbr:
		return true
	}
	return false
}
