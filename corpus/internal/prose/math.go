package prose

import (
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// formula reports whether an element is a formula, or what shows one: MathML, a
// script with TeX, the wrappers of KaTeX, MathJax and MediaWiki, and a picture of
// TeX.
func formula(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Math:
		return true
	case atom.Script:
		return strings.HasPrefix(attribute(n, "type"), "math/")
	case atom.Img:
		return attribute(n, "alt") != "" && shows(n, "tex", "latex", "math", "mwe-math-fallback-image-inline", "mwe-math-fallback-image-display")
	case atom.Span, atom.Div:
		return shows(n, "katex", "katex-display", "mwe-math-element", "MathJax", "MathJax_Display", "MathJax_Preview", "MathJax_SVG")
	}
	return n.Data == "mjx-container"
}

func shows(n *html.Node, names ...string) bool {
	for _, a := range n.Attr {
		if a.Key == "class" {
			for class := range strings.FieldsSeq(a.Val) {
				if slices.Contains(names, class) {
					return true
				}
			}
		}
	}
	return false
}

// formula reads a formula. One that is displayed is a paragraph.
func (r *reader) formula(n *html.Node) {
	text, tex := notation(n)
	if !tex {
		text = strings.Join(strings.Fields(text), " ")
	}
	style, block := r.line.style, displayed(n)
	if tex {
		style = TeX
	}
	if tex && block {
		style |= Display
	}
	if block {
		r.flush()
	}
	r.line.piece(text, style)
	if block {
		r.flush()
	}
}

// notation returns a formula in TeX if the page has it, else in one line.
func notation(n *html.Node) (text string, tex bool) {
	switch n.DataAtom {
	case atom.Script:
		return clean(rawText(n)), true
	case atom.Img:
		return clean(attribute(n, "alt")), true
	case atom.Math:
		return mathML(n)
	}
	picture := ""
	for inner := range n.Descendants() {
		switch inner.DataAtom {
		case atom.Math:
			return mathML(inner)
		case atom.Img:
			picture = attribute(inner, "alt")
		}
	}
	return clean(picture), true
}

func mathML(n *html.Node) (text string, tex bool) {
	for inner := range n.Descendants() {
		if inner.Data == "annotation" && strings.Contains(strings.ToLower(attribute(inner, "encoding")), "tex") {
			return clean(rawText(inner)), true
		}
	}
	if alt := attribute(n, "alttext"); alt != "" {
		return clean(alt), true
	}
	return strings.TrimSpace(linear(n)), false
}

// displayed reports whether a formula has lines of its own.
func displayed(n *html.Node) bool {
	if n.DataAtom == atom.Script {
		return strings.Contains(attribute(n, "type"), "mode=display")
	}
	if attribute(n, "display") == "block" || attribute(n, "mode") == "display" || attribute(n, "display") == "true" {
		return true
	}
	if shows(n, "katex-display", "MathJax_Display", "mwe-math-fallback-image-display") {
		return true
	}
	for inner := range n.Descendants() {
		if inner.DataAtom == atom.Math {
			return attribute(inner, "display") == "block"
		}
	}
	return false
}

// clean returns TeX in one line, without what only sets its size.
func clean(tex string) string {
	tex = strings.Join(strings.Fields(tex), " ")
	for _, size := range []string{`\displaystyle`, `\textstyle`} {
		if inner, ok := strings.CutPrefix(tex, "{"+size); ok && strings.HasSuffix(inner, "}") {
			tex = strings.TrimSpace(strings.TrimSuffix(inner, "}"))
		}
		tex = strings.TrimSpace(strings.TrimPrefix(tex, size))
	}
	return tex
}

func rawText(n *html.Node) string {
	var b strings.Builder
	for inner := range n.Descendants() {
		if inner.Type == html.TextNode {
			b.WriteString(inner.Data)
		}
	}
	return b.String()
}

// linear returns presentation MathML in one line: (-b ± √(b² - 4ac))/(2a).
func linear(n *html.Node) string {
	if n.Type == html.TextNode {
		return strings.Join(strings.Fields(n.Data), " ")
	}
	parts := operands(n)
	switch n.Data {
	case "mo":
		return operator(strings.Join(parts, ""))
	case "mtext":
		return rawText(n)
	case "mspace":
		return " "
	case "annotation", "annotation-xml", "mphantom":
		return ""
	case "msqrt":
		return "√" + grouped(strings.Join(parts, ""))
	case "mtr":
		return strings.Join(parts, ", ")
	case "mtable":
		return strings.Join(parts, "; ")
	case "mfenced":
		return fenced(n, parts)
	}
	if len(parts) >= 2 {
		if text, ok := scripts(n.Data, parts); ok {
			return text
		}
	}
	return strings.Join(parts, "")
}

// scripts returns the elements that put a part above, below or over another.
func scripts(name string, parts []string) (string, bool) {
	base := strings.TrimSpace(parts[0])
	switch name {
	case "mfrac":
		return grouped(base) + "/" + grouped(parts[1]), true
	case "mroot":
		return scripted(strings.TrimSpace(parts[1]), true) + "√" + grouped(base), true
	case "msup", "mover":
		return base + scripted(strings.TrimSpace(parts[1]), true), true
	case "msub", "munder":
		return base + scripted(strings.TrimSpace(parts[1]), false), true
	case "msubsup", "munderover":
		if len(parts) > 2 {
			return base + scripted(strings.TrimSpace(parts[1]), false) + scripted(strings.TrimSpace(parts[2]), true), true
		}
	}
	return "", false
}

func operands(n *html.Node) []string {
	var parts []string
	for child := range n.ChildNodes() {
		if child.Type == html.ElementNode || child.Type == html.TextNode && strings.TrimSpace(child.Data) != "" {
			parts = append(parts, linear(child))
		}
	}
	return parts
}

// operator returns an operator with the spaces that a reader expects around it.
func operator(sign string) string {
	switch sign {
	case "=", "+", "-", "−", "±", "<", ">", "≤", "≥", "≠", "≈", "→", "∈", "⇒", "↦", "×", "·", "∪", "∩", "⊂", "⊆", "≡", "∼":
		return " " + sign + " "
	case ",", ";":
		return sign + " "
	case "\u2061", "\u2062", "\u2063", "\u2064": // invisible
		return ""
	}
	return sign
}

func fenced(n *html.Node, parts []string) string {
	open, closing, between := "(", ")", ", "
	if has(n, "open") {
		open = attribute(n, "open")
	}
	if has(n, "close") {
		closing = attribute(n, "close")
	}
	if has(n, "separators") {
		between = attribute(n, "separators") + " "
	}
	return open + strings.Join(parts, between) + closing
}

// grouped returns a part in parentheses unless it is one character or number.
func grouped(part string) string {
	part = strings.TrimSpace(part)
	if utf8.RuneCountInString(part) <= 1 || strings.IndexFunc(part, func(c rune) bool { return c < '0' || c > '9' }) < 0 {
		return part
	}
	return "(" + part + ")"
}
