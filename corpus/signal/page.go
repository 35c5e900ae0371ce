package signal

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"golang.org/x/net/html/atom"

	"github.com/decorum-crawler/decorum/crawler/content"
	"github.com/decorum-crawler/decorum/crawler/tag"
	"github.com/decorum-crawler/decorum/robots"
)

// A Page holds the parts of a response that can state a preference: enough to
// judge it again.
type Page struct {
	URL      string              `json:"url"`
	Header   map[string][]string `json:"header"` // the lines of the fields that matter, by canonical name
	Meta     []Meta              `json:"meta"`   // in the order of the page; from the body only those that forbid something
	Licenses []string            `json:"licenses"`
}

// Meta is a meta element.
type Meta struct {
	Name    string `json:"name"` // in lower case
	Content string `json:"content"`
}

// fields are the header fields that matter.
var fields = []string{"Content-Usage", "Content-Signal", "Tdm-Reservation", "X-Robots-Tag", "Link"}

// MaxHead is the number of bytes of a page that are read for its statements;
// scripts before them may be long.
const MaxHead = 2 << 20

// maxMeta is the number of elements of a page that are kept.
const maxMeta = 256

// ReadPage picks the relevant parts of a response: header lines, and meta and link
// elements from head, the beginning of the page in UTF-8. head is nil when the
// page is not HTML or was not read.
func ReadPage(address string, header http.Header, head []byte) Page {
	p := Page{URL: address, Header: map[string][]string{}, Meta: []Meta{}, Licenses: []string{}}
	for _, name := range fields {
		if lines := header.Values(name); len(lines) > 0 {
			p.Header[name] = lines
		}
	}
	for _, line := range p.Header["Link"] {
		for _, link := range content.ParseLinks(line, maxMeta) {
			if isLicense(link.Params["rel"], link.Params["type"]) {
				p.Licenses = append(p.Licenses, link.Target)
			}
		}
	}
	p.readHead(head[:min(len(head), MaxHead)], content.IsXHTML(content.TypeOf(header)))
	return p
}

// readHead reads meta and link elements, including those in noscript elements, which
// clients without scripts see. A meta element after the head counts only if it
// forbids something; search engines also read it there.
func (p *Page) readHead(text []byte, xml bool) {
	tags, inBody := tag.NewScanner(text, xml), false
	for tags.Next() {
		wasInBody := inBody
		switch name := tags.Name(); {
		case tags.Kind() == tag.End:
			inBody = inBody || name == atom.Head
		case name == atom.Body:
			inBody = true
		case name == atom.Meta, name == atom.Link && !inBody:
			p.element(name, attributesOf(tags), inBody)
		}
		if inBody && !wasInBody && !content.HasTag(tags.Rest(), "meta") {
			return // the case of most pages
		}
	}
}

func attributesOf(tags *tag.Scanner) map[string]string {
	found := map[string]string{}
	for name, value := range tags.Attributes() {
		if _, ok := found[string(name)]; !ok && len(found) < maxMeta {
			found[string(name)] = tag.Decode(value)
		}
	}
	return found
}

func (p *Page) element(kind atom.Atom, attributes map[string]string, inBody bool) {
	name := strings.ToLower(strings.TrimSpace(cmp.Or(attributes["name"], attributes["property"])))
	if strings.EqualFold(strings.TrimSpace(attributes["http-equiv"]), "x-robots-tag") {
		name = "robots" // as some pages have it
	}
	switch {
	case kind == atom.Meta && inBody && !forbids(name, attributes["content"]):
	case kind == atom.Meta && slices.Contains(p.Meta, Meta{Name: cut(name), Content: cut(attributes["content"])}):
	case kind == atom.Meta && name != "" && len(p.Meta) < maxMeta && matters(name, attributes["content"]):
		p.Meta = append(p.Meta, Meta{Name: cut(name), Content: cut(attributes["content"])})
	case kind == atom.Link && isLicense(attributes["rel"], attributes["type"]) && len(p.Licenses) < maxMeta:
		p.Licenses = append(p.Licenses, attributes["href"])
	}
}

// matters reports whether a meta element may state a preference, judged by its
// name or, since any name may be that of a bot, by its content.
func matters(name, content string) bool {
	return name == "robots" || strings.HasPrefix(name, "tdm-") || forbids(name, content)
}

// forbids reports whether a meta element forbids anything to any bot.
func forbids(name, content string) bool {
	if name == "tdm-reservation" {
		return strings.TrimSpace(content) == "1"
	}
	var s robots.Statements
	s.AddMeta(name, content)
	return s.Forbid()
}

// isLicense reports whether a link leads to an RSL license.
func isLicense(rel, kind string) bool {
	for word := range strings.FieldsSeq(rel) {
		if strings.EqualFold(word, "license") {
			return content.Media(kind) == "application/rsl+xml"
		}
	}
	return false
}
