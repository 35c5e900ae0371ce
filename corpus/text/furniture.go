package text

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// furniture names the classes of what documentation generators, wikis and blogs put
// between the words of an author: permalinks, edit links, marks of footnotes, jump
// links, indexes of a page.
var furniture = map[string]bool{
	"headerlink": true, "header-anchor": true, "anchorjs-link": true, "hash-link": true, "anchor-link": true, "heading-anchor": true,
	"mw-editsection": true, "mw-jump-link": true, "mw-indicators": true, "mw-empty-elt": true, "mw-references-wrap": true, "mw-cite-backlink": true,
	"mw-portlet": true, "vector-menu": true, "printfooter": true, "catlinks": true, "navbox": true, "vertical-navbox": true, "infobox": true,
	"reference": true, "footnote-ref": true, "footnote-reference": true, "footnote-backref": true, "footnote-back": true, "references": true, "reflist": true, "sistersitebox": true,
	"toc": true, "table-of-contents": true, "toctree-wrapper": true, "tableofcontents": true, "noprint": true, "screen-reader-text": true, "sr-only": true, "visually-hidden": true, "visuallyhidden": true,
	"skip-link": true, "skiplink": true, "copybtn": true, "katex-html": true, "sphinxsidebar": true, "advertisement": true, "adsbygoogle": true,
}

// furnitureID names the elements of MediaWiki's and Sphinx's pages around the text.
var furnitureID = map[string]bool{
	"siteSub": true, "contentSub": true, "contentSub2": true, "jump-to-nav": true, "mw-navigation": true, "mw-panel": true, "mw-head": true, "mw-head-base": true,
	"mw-page-base": true, "catlinks": true, "toc": true, "mw-data-after-content": true, "mw-sidebar-button": true, "p-personal": true, "p-navigation": true, "p-tb": true,
	"column-one": true, "printfooter": true,
}

// isFurniture reports whether an element is none of the author's words.
func isFurniture(n *html.Node) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool {
		switch a.Key {
		case "class":
			return hasFurniture(n.DataAtom, a.Val)
		case "id":
			return furnitureID[a.Val]
		case "role":
			return a.Val == "doc-noteref" || a.Val == "doc-backlink" || a.Val == "doc-toc"
		case "aria-hidden":
			return a.Val == "true" && isInline(n.DataAtom)
		}
		return false
	})
}

// hasFurniture reports whether one of the classes of an element is furniture.
func hasFurniture(tag atom.Atom, classes string) bool {
	switch tag {
	case atom.Section, atom.Html, atom.Body, atom.Article:
		return false
	}
	for class := range strings.FieldsSeq(classes) {
		if furniture[class] {
			return class != "reference" || tag == atom.Sup
		}
	}
	return false
}

func isInline(tag atom.Atom) bool {
	switch tag {
	case atom.A, atom.Span, atom.I, atom.Svg, atom.Sup:
		return true
	}
	return false
}

// isSurrounding reports whether an element is around the main text of a page by its
// tag or role.
func isSurrounding(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Nav, atom.Aside, atom.Footer, atom.Menu, atom.Dialog, atom.Button, atom.Select, atom.Textarea, atom.Noscript:
		return true
	}
	switch attribute(n, "role") {
	case "navigation", "banner", "contentinfo", "complementary", "search", "dialog", "alertdialog", "menu", "menubar", "toolbar", "tablist":
		return true
	}
	return false
}

// suspects are parts of the classes and names of elements that are seldom part of a
// text. Most are those of go-trafilatura.
var suspects = []string{
	"footer", "related", "viral", "share", "sharing", "social", "sociable", "syndication", "newsletter", "subscribe", "subscription",
	"subnav", "cookie", "consent", "gdpr", "tags", "taglist", "tag-list", "tagged", "sidebar", "banner", "meta", "menu", "navbar", "navigation",
	"navbox", "nav-", "-nav", "breadcrumb", "bread-crumb", "author", "byline", "button", "rating", "widget", "timestamp", "user-info", "user-profile",
	"outbrain", "taboola", "criteo", "modal", "popup", "overlay", "most-popular", "most-read", "mostread", "recommend", "teaser", "promo", "sponsor", "advert",
	"-ad-", "comment", "disqus", "reply", "hidden", "pagination", "pager", "toolbar", "login", "signup", "sign-up", "search", "skip",
	"cross-sell", "crosssell", "upsell", "also-", "read-more", "readmore", "copyright", "disclaimer", "signature", "permission", "slide", "carousel",
	"paywall", "donat", "print", "language-sw", "lang-switch", "langswitch", "masthead", "site-header", "topbar", "top-bar", "edit-page", "feedback", "cta", "credit", "buy-", "basket", "cart", "btn", "follow",
}

// suspectWords are like suspects, but whole words between "-", "_" and white space.
var suspectWords = []string{"ad", "ads", "nav", "bar", "more", "tags", "date", "time", "logo", "brand", "tools", "actions", "links", "legal", "poster"}

// isSuspect reports whether the names of an element say that it is no part of the
// text.
func isSuspect(n *html.Node) bool {
	names := strings.ToLower(strings.TrimSpace(attribute(n, "class") + " " + attribute(n, "id")))
	if names == "" {
		return false
	}
	if slices.ContainsFunc(suspects, func(part string) bool { return strings.Contains(names, part) }) {
		return true
	}
	for word := range strings.FieldsFuncSeq(names, func(c rune) bool { return c == ' ' || c == '-' || c == '_' }) {
		if slices.Contains(suspectWords, word) {
			return true
		}
	}
	return false
}
