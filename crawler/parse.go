package crawler

import (
	"cmp"
	"net/http"
	"path"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/atom"

	"github.com/decorum-crawler/decorum/crawler/content"
	"github.com/decorum-crawler/decorum/crawler/tag"
	"github.com/decorum-crawler/decorum/crawler/trap"
	"github.com/decorum-crawler/decorum/frontier"
	"github.com/decorum-crawler/decorum/robots"
)

const maxTitle = 1024

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
	more       int // links beyond the limit, which are left out
	statements robots.Statements
}

// parser reads the tags of one page.
type parser struct {
	tags     *tag.Scanner
	maxLinks int
	news     *trap.Page
	page     markup
	hasTitle bool
	hasBase  bool
}

// parseHTML returns the title, links and directives of a page in UTF-8. xml tells
// whether it is XHTML. The text between tags is read by news, which may be nil.
func parseHTML(text []byte, xml bool, maxLinks int, news *trap.Page) markup {
	p := parser{tags: tag.NewScanner(text, xml), maxLinks: maxLinks, news: news}
	for p.tags.Next() {
		if p.news.Open() {
			p.news.Text(p.tags.Before())
		}
		if p.tags.Kind() != tag.End {
			p.start()
		}
	}
	return p.page
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

func (p *parser) start() {
	switch p.tags.Name() {
	case atom.Title, atom.Base:
		if p.tags.Foreign() {
			return // those of SVG are not the page's
		}
	case atom.Img:
		p.image()
		return
	case atom.A, atom.Area, atom.Link, atom.Iframe, atom.Frame, atom.Embed, atom.Object, atom.Meta:
	default:
		return
	}
	if p.tags.Name() == atom.Title {
		p.title()
		return
	}
	var a attributes
	for name, value := range p.tags.Attributes() {
		a.set(name, value)
	}
	p.element(p.tags.Name(), a)
}

// title sets the title of the page; the first one counts.
func (p *parser) title() {
	if p.hasTitle {
		return
	}
	p.hasTitle = true
	text := p.tags.Text()
	text = text[:min(len(text), 8*maxTitle)] // references are longer than what they stand for
	if p.news.Open() {
		p.news.Text(text)
	}
	p.page.title = cutText(strings.Join(strings.Fields(tag.DecodeText(text)), " "), maxTitle)
}

// image reads the address of an image for the search for new text.
func (p *parser) image() {
	if !p.news.Open() {
		return
	}
	for name, value := range p.tags.Attributes() {
		if string(name) == "src" {
			p.news.Image(value)
			return
		}
	}
}

// attributes holds the attributes that matter here.
type attributes struct {
	href, xlink, src, data, kind, rel, name, property, httpEquiv, content attribute
}

// attribute is the value of an attribute; of several with the same name the first
// counts.
type attribute struct {
	value string
	set   bool
}

func (a *attributes) set(name, value []byte) {
	var to *attribute
	switch string(name) {
	case "href":
		to = &a.href
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
	if !to.set {
		*to = attribute{tag.Decode(value), true}
	}
}

func (p *parser) element(name atom.Atom, a attributes) {
	switch name {
	case atom.A, atom.Area:
		p.link(cmp.Or(a.href.value, a.xlink.value), hasWord(a.rel.value, "nofollow"))
	case atom.Iframe, atom.Frame:
		p.link(a.src.value, false)
	case atom.Embed, atom.Object:
		if href := cmp.Or(a.src.value, a.data.value); isPage(a.kind.value, href) {
			p.link(href, false)
		}
	case atom.Base:
		if !p.hasBase && a.href.set { // the first one counts, even if it is empty
			p.hasBase, p.page.base = true, strings.TrimSpace(a.href.value)
		}
	case atom.Meta:
		switch equiv := strings.TrimSpace(a.httpEquiv.value); {
		case strings.EqualFold(equiv, "refresh") && p.page.refresh.href == "":
			p.page.refresh = parseRefresh(a.content.value)
		case strings.EqualFold(equiv, "x-robots-tag"):
			p.page.statements.AddHeader(a.content.value)
		case a.name.value != "" || a.property.value != "":
			p.page.statements.AddMeta(cmp.Or(a.name.value, a.property.value), a.content.value)
		}
	case atom.Link:
		if hasWord(a.rel.value, "canonical") && p.page.canonical == "" {
			p.page.canonical = strings.TrimSpace(a.href.value)
		}
		if hasWord(a.rel.value, "canonical") || hasWord(a.rel.value, "next") || hasWord(a.rel.value, "alternate") {
			p.link(a.href.value, hasWord(a.rel.value, "nofollow"))
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
