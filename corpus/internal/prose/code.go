package prose

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// code reads a block of code.
func (r *reader) code(n *html.Node) {
	var s source
	s.children(n)
	text := strings.TrimRight(s.text.String(), " \t\n")
	for { // empty lines at the start
		head, rest, ok := strings.Cut(text, "\n")
		if !ok || strings.TrimSpace(head) != "" {
			break
		}
		text = rest
	}
	if strings.TrimSpace(text) != "" {
		r.add(Block{Kind: Code, Source: text, Language: language(n)})
	}
}

// A source collects the lines of code.
type source struct {
	text strings.Builder
	open bool // the line has text
}

func (s *source) children(n *html.Node) {
	for child := range n.ChildNodes() {
		switch {
		case child.Type == html.TextNode:
			s.write(strings.ReplaceAll(strings.ReplaceAll(child.Data, "\r\n", "\n"), "\u00a0", " "))
		case child.Type != html.ElementNode || unseen(child) || isGutter(child):
		case child.DataAtom == atom.Br:
			s.write("\n")
		case isBlock(child.DataAtom):
			s.end()
			s.children(child)
			s.end()
		default:
			s.children(child)
		}
	}
}

func (s *source) write(text string) {
	if text == "" {
		return
	}
	s.text.WriteString(text)
	s.open = !strings.HasSuffix(text, "\n")
}

func (s *source) end() {
	if s.open {
		s.write("\n")
	}
}

// isGutter reports whether an element shows the numbers of lines.
func isGutter(n *html.Node) bool {
	return slices.ContainsFunc(strings.Fields(attribute(n, "class")), func(class string) bool {
		switch class {
		case "lineno", "linenos", "linenumber", "line-number", "line-numbers-rows", "gutter", "lnt", "ln",
			"blob-num", "hljs-ln-numbers", "linenodiv", "copybtn", "copy-button":
			return true
		}
		return false
	})
}

// language returns the language that the page names for a block of code: in a class
// such as "language-go" of the block, of a code element in it, or of one of two
// elements around it.
func language(n *html.Node) string {
	places := []*html.Node{n}
	for child := range n.ChildNodes() {
		if child.DataAtom == atom.Code {
			places = append([]*html.Node{child}, places...)
		}
	}
	if p := n.Parent; p != nil {
		places = append(places, p)
		if p.Parent != nil {
			places = append(places, p.Parent)
		}
	}
	for _, place := range places {
		if name := attribute(place, "data-lang"); isName(name) {
			return name
		}
		for class := range strings.FieldsSeq(attribute(place, "class")) {
			for _, prefix := range []string{"language-", "lang-", "highlight-source-", "highlight-", "brush:"} {
				name, ok := strings.CutPrefix(class, prefix)
				if ok && isName(name) && name != "default" && name != "none" && name != "plaintext" {
					return strings.ToLower(name)
				}
			}
		}
	}
	return ""
}

func isName(s string) bool {
	return s != "" && len(s) <= 20 && strings.Trim(strings.ToLower(s), "abcdefghijklmnopqrstuvwxyz0123456789+#-_") == ""
}
