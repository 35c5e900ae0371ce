package text

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxMeta bounds the content of a meta element in bytes, because the extractor
// searches it with regular expressions.
const maxMeta = 4096

// tidy removes furniture and what no reader sees from the page, and cuts long meta
// elements.
func tidy(doc *html.Node) {
	var found []*html.Node
	for n := range doc.Descendants() {
		if n.DataAtom == atom.Meta {
			for i := range n.Attr {
				n.Attr[i].Val = head(n.Attr[i].Val, maxMeta)
			}
		}
		if n.Type == html.ElementNode && (isHidden(n) || isFurniture(n)) && !hasFormula(n) {
			found = append(found, n)
			continue
		}
		unstyle(n)
	}
	for _, n := range found {
		n.Parent.RemoveChild(n)
	}
}

// isHidden reports whether an element is not shown: a template, or one that is
// hidden but not until it is found (HTML §6.1). A page that is hidden as a whole is
// shown by its script.
func isHidden(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Template:
		return true
	case atom.Html, atom.Body:
		return false
	}
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool {
		switch a.Key {
		case "hidden":
			return !strings.EqualFold(a.Val, "until-found")
		case "popover":
			return true
		case "style":
			return unshown.MatchString(a.Val)
		}
		return false
	})
}

// unshown matches a style whose element is not shown.
var unshown = regexp.MustCompile(`(?i)(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)\s*(?:!\s*important\s*)?(?:;|$)`)

// unstyle removes the style of an element that is shown: the extractor takes any
// "hidden" in it, such as that of overflow, for a hidden element.
func unstyle(n *html.Node) {
	n.Attr = slices.DeleteFunc(n.Attr, func(a html.Attribute) bool {
		return a.Key == "style" && strings.Contains(strings.ToLower(a.Val), "hidden")
	})
}

// hasFormula reports whether there is MathML in an element, which many pages hide
// behind a picture of it.
func hasFormula(n *html.Node) bool {
	for inner := range n.Descendants() {
		if inner.DataAtom == atom.Math {
			return true
		}
	}
	return false
}

// maxJSON bounds a JSON-LD script in bytes, because the extractor searches it with
// regular expressions.
const maxJSON = 256 << 10

// disarm removes each JSON-LD script that is too long or whose article body is
// HTML: the extractor would parse that as another page, without our limits.
func disarm(doc *html.Node) {
	var armed []*html.Node
	for n := range doc.Descendants() {
		if n.DataAtom == atom.Script && strings.Contains(attribute(n, "type"), "ld+json") && isArmed(n) {
			armed = append(armed, n)
		}
	}
	for _, n := range armed {
		n.Parent.RemoveChild(n)
	}
}

func isArmed(script *html.Node) bool {
	if script.FirstChild == nil {
		return false
	}
	if len(script.FirstChild.Data) > maxJSON {
		return true
	}
	written := html.UnescapeString(script.FirstChild.Data)
	if !strings.Contains(written, "<") && !strings.Contains(strings.ToLower(written), `\u003c`) {
		return false
	}
	var value any
	if json.Unmarshal([]byte(strings.TrimSpace(written)), &value) != nil {
		return false
	}
	return hasMarkup(value)
}

// hasMarkup reports whether value contains a string with "<p>", which is what the
// extractor looks for. encoding/json limits the nesting.
func hasMarkup(value any) bool {
	switch v := value.(type) {
	case string:
		return strings.Contains(v, "<p>")
	case []any:
		return slices.ContainsFunc(v, hasMarkup)
	case map[string]any:
		for _, element := range v {
			if hasMarkup(element) {
				return true
			}
		}
	}
	return false
}
