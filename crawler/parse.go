package crawler

import (
	"bytes"
	"cmp"
	"errors"
	"net/http"
	"path"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/decorum-crawler/decorum/crawler/content"
	"github.com/decorum-crawler/decorum/frontier"
	"github.com/decorum-crawler/decorum/robots"
)

const (
	maxTitle = 1024
	maxToken = 4 << 20 // a longer tag or script ends the reading of the page
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
	refresh    declaredRefresh
	links      []link
	more       int  // links beyond the limit, which are left out
	cut        bool // a tag was too long, so the rest was not read
	statements robots.Statements
}

// parser reads the tags of one page. It builds no tree, so the depth of nesting
// does not matter.
type parser struct {
	nesting  content.Nesting
	maxLinks int
	page     markup
	inTitle  bool
	hasTitle bool
	hasBase  bool
}

// parseHTML returns the title, links and directives of a page in UTF-8. xml tells
// whether it is XHTML.
func parseHTML(text []byte, xml bool, maxLinks int) markup {
	p := parser{nesting: content.Nesting{XML: xml}, maxLinks: maxLinks}
	z := html.NewTokenizer(bytes.NewReader(text))
	z.SetMaxBuf(maxToken)
	z.AllowCDATA(xml)
	for {
		switch token := z.Next(); token {
		case html.ErrorToken:
			p.page.cut = errors.Is(z.Err(), html.ErrBufferExceeded)
			p.page.title = strings.Join(strings.Fields(p.page.title), " ")
			return p.page
		case html.StartTagToken, html.SelfClosingTagToken:
			name, hasAttributes := z.TagName()
			tag := atom.Lookup(name)
			markup := p.nesting.Start(tag, token == html.SelfClosingTagToken)
			if !markup || tag != atom.Title && tag != atom.Base { // those of SVG are not the page's
				p.start(z, tag, hasAttributes)
			}
			if markup {
				z.NextIsNotRawText()
			}
		case html.EndTagToken:
			name, _ := z.TagName()
			p.nesting.End(atom.Lookup(name))
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
	case atom.A, atom.Area, atom.Link, atom.Iframe, atom.Frame, atom.Embed, atom.Object, atom.Base, atom.Meta:
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
	href, xlink, src, data, kind, rel, name, property, httpEquiv, content string

	hasHref bool
}

// set sets an attribute; of several with the same name the first is kept.
func (a *attributes) set(key string, value []byte) {
	var to *string
	switch key {
	case "href":
		a.hasHref, to = true, &a.href
	case "xlink:href":
		to = &a.xlink
	case "src":
		to = &a.src
	case "data":
		to = &a.data
	case "type":
		to = &a.kind
	case "rel":
		to = &a.rel
	case "name":
		to = &a.name
	case "property":
		to = &a.property
	case "http-equiv":
		to = &a.httpEquiv
	case "content":
		to = &a.content
	default:
		return
	}
	if *to == "" {
		*to = string(value)
	}
}

func (p *parser) element(tag atom.Atom, a attributes) {
	switch tag {
	case atom.A, atom.Area:
		p.link(cmp.Or(a.href, a.xlink), hasWord(a.rel, "nofollow"))
	case atom.Iframe, atom.Frame:
		p.link(a.src, false)
	case atom.Embed, atom.Object:
		if href := cmp.Or(a.src, a.data); isPage(a.kind, href) {
			p.link(href, false)
		}
	case atom.Base:
		if !p.hasBase && a.hasHref { // the first one counts, even if it is empty
			p.hasBase, p.page.base = true, strings.TrimSpace(a.href)
		}
	case atom.Meta:
		switch equiv := strings.TrimSpace(a.httpEquiv); {
		case strings.EqualFold(equiv, "refresh") && p.page.refresh.href == "":
			p.page.refresh = parseRefresh(a.content)
		case strings.EqualFold(equiv, "x-robots-tag"):
			p.page.statements.AddHeader(a.content)
		case a.name != "" || a.property != "":
			p.page.statements.AddMeta(cmp.Or(a.name, a.property), a.content)
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

// isPage reports whether an embedded object is an HTML page, judged by its type or,
// without one, by the extension of its address.
func isPage(kind, href string) bool {
	if kind != "" {
		return content.IsHTML(kind, nil)
	}
	href, _, _ = strings.Cut(href, "#")
	href, _, _ = strings.Cut(href, "?")
	switch strings.ToLower(path.Ext(href)) {
	case ".html", ".htm", ".xhtml":
		return true
	}
	return false
}

func (p *parser) link(href string, nofollow bool) {
	href = strings.TrimSpace(href)
	if href == "" || href[0] == '#' {
		return
	}
	if len(p.page.links) >= p.maxLinks {
		p.page.more++
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

// headers adds the directives and links in the header of the response.
func (m *markup) headers(address string, header http.Header, maxLinks int) {
	for _, value := range header.Values("X-Robots-Tag") {
		m.statements.AddHeader(value)
	}
	if r := parseRefresh(header.Get("Refresh")); r.href != "" {
		m.refresh = r
	}
	base := frontier.NewBase(address) // whatever base the page names (RFC 8288 §3.1)
	for _, line := range header.Values("Link") {
		for _, l := range content.ParseLinks(line, maxLinks-len(m.links)) {
			target, err := base.Resolve(l.Target, frontier.MaxURLLength)
			if _, other := l.Params["anchor"]; other || err != nil {
				continue // a link of something else, or none
			}
			if l.Rel("canonical") && m.canonical == "" {
				m.canonical = target
			}
			if l.Rel("canonical") || l.Rel("next") || l.Rel("alternate") {
				m.links = append(m.links, link{href: target, nofollow: l.Rel("nofollow")})
			}
		}
	}
}
