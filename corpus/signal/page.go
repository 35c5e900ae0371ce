package signal

import (
	"bytes"
	"net/http"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// A Page holds the parts of a response that can state a preference: enough to
// judge it again.
type Page struct {
	URL      string              `json:"url"`
	Header   map[string][]string `json:"header"` // the lines of the fields that matter, by canonical name
	Meta     []Meta              `json:"meta"`   // in the order of the page
	Licenses []string            `json:"licenses"`
}

// Meta is a meta element of the head.
type Meta struct {
	Name    string `json:"name"` // in lower case
	Content string `json:"content"`
}

// fields are the header fields that matter.
var fields = []string{"Content-Usage", "Content-Signal", "Tdm-Reservation", "X-Robots-Tag", "Link"}

const (
	maxHead = 256 << 10 // of a page that is read for its head
	maxMeta = 64        // elements of a page that are kept
)

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
		p.Licenses = append(p.Licenses, linkedLicenses(line)...)
	}
	p.readHead(head[:min(len(head), maxHead)])
	return p
}

// readHead reads meta and link elements up to the end of the head.
func (p *Page) readHead(text []byte) {
	if len(text) == 0 {
		return // saves the buffers of a tokenizer
	}
	z := html.NewTokenizer(bytes.NewReader(text))
	z.SetMaxBuf(maxHead)
	for {
		switch z.Next() {
		case html.ErrorToken:
			return
		case html.EndTagToken:
			if name, _ := z.TagName(); atom.Lookup(name) == atom.Head {
				return
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			name, more := z.TagName()
			switch atom.Lookup(name) {
			case atom.Body:
				return
			case atom.Meta, atom.Link:
				p.element(atom.Lookup(name), attributesOf(z, more))
			}
		}
	}
}

func attributesOf(z *html.Tokenizer, more bool) map[string]string {
	found := map[string]string{}
	for more {
		var key, value []byte
		key, value, more = z.TagAttr()
		if _, ok := found[string(key)]; !ok && len(found) < maxMeta {
			found[string(key)] = string(value)
		}
	}
	return found
}

func (p *Page) element(tag atom.Atom, attributes map[string]string) {
	name := strings.ToLower(strings.TrimSpace(attributes["name"]))
	switch {
	case tag == atom.Meta && name != "" && len(p.Meta) < maxMeta && matters(name, attributes["content"]):
		p.Meta = append(p.Meta, Meta{Name: cut(name), Content: cut(attributes["content"])})
	case tag == atom.Link && isLicense(attributes["rel"], attributes["type"]) && len(p.Licenses) < maxMeta:
		p.Licenses = append(p.Licenses, attributes["href"])
	}
}

// matters reports whether a meta element may state a preference, judged by its
// name or, since any name may be that of a bot, by its content.
func matters(name, content string) bool {
	if name == "robots" || strings.HasPrefix(name, "tdm-") {
		return true
	}
	for part := range strings.SplitSeq(strings.ToLower(content), ",") {
		switch strings.TrimSpace(part) {
		case "noai", "noml", "noimageai", "noindex", "none", "noarchive", "nosnippet":
			return true
		}
	}
	return false
}

// isLicense reports whether a link leads to an RSL license.
func isLicense(rel, kind string) bool {
	for word := range strings.FieldsSeq(rel) {
		if strings.EqualFold(word, "license") {
			return strings.EqualFold(strings.TrimSpace(kind), "application/rsl+xml")
		}
	}
	return false
}

// linkedLicenses returns the licenses in a Link header (RFC 8288 §3).
func linkedLicenses(line string) []string {
	var found []string
	for line != "" && len(found) < maxMeta {
		_, rest, ok := strings.Cut(line, "<")
		target, rest, closed := strings.Cut(rest, ">")
		if !ok || !closed {
			return found
		}
		end := endOfLink(rest)
		if parameters := parametersOf(rest[:end]); isLicense(parameters["rel"], parameters["type"]) {
			found = append(found, strings.TrimSpace(target))
		}
		line = rest[end:]
	}
	return found
}

// endOfLink returns the index of the comma that ends a link's parameters.
func endOfLink(parameters string) int {
	quoted := false
	for i := range len(parameters) {
		switch parameters[i] {
		case '"':
			quoted = !quoted
		case ',':
			if !quoted {
				return i
			}
		}
	}
	return len(parameters)
}

func parametersOf(text string) map[string]string {
	found := map[string]string{}
	for part := range strings.SplitSeq(text, ";") {
		name, value, ok := strings.Cut(part, "=")
		name = strings.ToLower(strings.TrimSpace(name))
		if _, again := found[name]; ok && !again {
			found[name] = strings.Trim(strings.TrimSpace(value), `"`)
		}
	}
	return found
}
