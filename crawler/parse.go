package crawler

import (
	"bytes"
	"errors"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/decorum-crawler/decorum/robots"
)

const (
	maxTitle = 1024
	maxToken = 1 << 20 // a longer tag ends the reading of the page
)

// link is an address that a page names, as written.
type link struct {
	href     string
	nofollow bool
}

// markup holds what is read from an HTML page.
type markup struct {
	title      string
	base       string // of the first base element; empty: the page's own URL
	canonical  string
	links      []link
	cut        bool // there were more links than the limit, or a tag was too long
	directives robots.Directives
}

// parser reads the tags of one page. It builds no tree, so the depth of nesting
// does not matter.
type parser struct {
	agent    string
	maxLinks int
	page     markup
	inTitle  bool
	hasTitle bool
}

// parseHTML returns the title, links and directives of a page in UTF-8.
func parseHTML(text []byte, agent string, maxLinks int) markup {
	p := parser{agent: agent, maxLinks: maxLinks}
	z := html.NewTokenizer(bytes.NewReader(text))
	z.SetMaxBuf(maxToken)
	for {
		switch z.Next() {
		case html.ErrorToken:
			p.page.cut = p.page.cut || errors.Is(z.Err(), html.ErrBufferExceeded)
			p.page.title = strings.Join(strings.Fields(p.page.title), " ")
			return p.page
		case html.StartTagToken, html.SelfClosingTagToken:
			name, hasAttributes := z.TagName()
			p.start(z, atom.Lookup(name), hasAttributes)
		case html.EndTagToken:
			if p.inTitle {
				p.inTitle, p.hasTitle = false, true
			}
		case html.TextToken:
			if p.inTitle && len(p.page.title) < maxTitle {
				p.page.title += cutText(string(z.Text()), maxTitle-len(p.page.title))
			}
		}
	}
}

func cutText(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

func (p *parser) start(z *html.Tokenizer, tag atom.Atom, hasAttributes bool) {
	switch tag {
	case atom.Title:
		p.inTitle = !p.hasTitle
		return
	case atom.A, atom.Area, atom.Link, atom.Iframe, atom.Base, atom.Meta:
	default:
		return
	}
	a := attributes{}
	for hasAttributes {
		var key, value []byte
		key, value, hasAttributes = z.TagAttr()
		a.set(string(key), value)
	}
	p.element(tag, a)
}

// attributes holds the attributes that matter here.
type attributes struct {
	href, src, rel, name, content string
}

func (a *attributes) set(key string, value []byte) {
	switch key {
	case "href":
		a.href = string(value)
	case "src":
		a.src = string(value)
	case "rel":
		a.rel = string(value)
	case "name":
		a.name = string(value)
	case "content":
		a.content = string(value)
	}
}

func (p *parser) element(tag atom.Atom, a attributes) {
	switch tag {
	case atom.A, atom.Area:
		p.link(a.href, hasWord(a.rel, "nofollow"))
	case atom.Iframe:
		p.link(a.src, false)
	case atom.Base:
		if p.page.base == "" {
			p.page.base = strings.TrimSpace(a.href)
		}
	case atom.Meta:
		if a.name != "" {
			p.page.directives.AddMeta(p.agent, a.name, a.content)
		}
	case atom.Link:
		if hasWord(a.rel, "canonical") && p.page.canonical == "" {
			p.page.canonical = strings.TrimSpace(a.href)
		}
		if hasWord(a.rel, "canonical") || hasWord(a.rel, "next") || hasWord(a.rel, "alternate") {
			p.link(a.href, hasWord(a.rel, "nofollow"))
		}
	}
}

func (p *parser) link(href string, nofollow bool) {
	href = strings.TrimSpace(href)
	if href == "" || href[0] == '#' {
		return
	}
	if len(p.page.links) >= p.maxLinks {
		p.page.cut = true
		return
	}
	p.page.links = append(p.page.links, link{href: href, nofollow: nofollow})
}

// hasWord reports whether a list of words separated by spaces contains word,
// ignoring case.
func hasWord(list, word string) bool {
	if len(list) < len(word) {
		return false
	}
	for w := range strings.FieldsSeq(list) {
		if strings.EqualFold(w, word) {
			return true
		}
	}
	return false
}
