package sitemap

import (
	"bytes"
	"net/url"
	"slices"
	"strings"

	"github.com/decorum-crawler/decorum/sitemap/internal/address"
	"github.com/decorum-crawler/decorum/sitemap/internal/markup"
)

// An xmlBase is the xml:base in the scope of an element.
type xmlBase struct {
	url   *url.URL
	depth int // of the element
}

// pushBase notes the xml:base of an element of Atom (RFC 4287 §2).
func (d *document) pushBase(attributes []byte, depth int) {
	if d.reader.kind != KindAtom || !bytes.Contains(attributes, []byte("xml:base")) {
		return
	}
	value, ok := markup.Attribute(attributes, "xml:base")
	if !ok {
		return
	}
	u, err := url.Parse(value)
	if err != nil {
		return
	}
	outer := d.reader.base
	if n := len(d.bases); n > 0 {
		outer = d.bases[n-1].url
	}
	if outer != nil {
		u = outer.ResolveReference(u)
	}
	d.bases = append(d.bases, xmlBase{u, depth})
}

// popBases ends the scopes of all elements deeper than depth.
func (d *document) popBases(depth int) {
	for len(d.bases) > 0 && d.bases[len(d.bases)-1].depth > depth {
		d.bases = d.bases[:len(d.bases)-1]
	}
}

// atomLink takes the address of an entry from a link element.
func (d *document) atomLink(attributes []byte) {
	relation, _ := markup.Attribute(attributes, "rel")
	if relation != "" && !strings.EqualFold(relation, "alternate") || d.hasLoc {
		return
	}
	href, ok := markup.Attribute(attributes, "href")
	if !ok {
		return
	}
	if n := len(d.bases); n > 0 && !address.IsAbsolute(href) {
		if resolved, err := d.bases[n-1].url.Parse(href); err == nil && resolved.IsAbs() {
			href = resolved.String()
		}
	}
	d.loc, d.hasLoc, d.locAt = href, href != "", d.tagAt
}

// isQuoted reports whether the current element is inside one of an open entry of
// Atom that may have entries of its own (RFC 4287 §4.1.3, §4.2.11).
func (d *document) isQuoted() bool {
	if !d.open || d.reader.kind != KindAtom {
		return false
	}
	return slices.ContainsFunc(d.stack[d.at:len(d.stack)-1], func(name string) bool { return name == "content" || name == "source" })
}
