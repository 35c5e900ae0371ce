package sitemap

import (
	"bytes"
	"slices"
	"strings"

	"github.com/decorum-crawler/decorum/sitemap/internal/markup"
)

// namespaceGoogle begins the older namespaces that a urlset or an index may have.
const namespaceGoogle = "http://www.google.com/schemas/sitemap/0."

// A space is the vocabulary that an element belongs to.
type space uint8

const (
	spaceForeign space = iota
	spaceOwn           // of the format: of the root, or the protocol's
	spaceImage
	spaceVideo
	spaceNews
	spaceXHTML
	spaceDublinCore
)

// A binding is a prefix in the scope of an element; the prefix of a default
// namespace is empty.
type binding struct {
	prefix string // in lower case
	space  space
	depth  int // of the element
}

// maxBindings bounds the prefixes in scope; further ones are foreign.
const maxBindings = 256

// conventional are the usual prefixes of extensions. They count without a
// declaration, which a forgiving reader can do without, and with a wrong one.
var conventional = []binding{
	{prefix: "dc", space: spaceDublinCore},
	{prefix: "news", space: spaceNews},
	{prefix: "video", space: spaceVideo},
	{prefix: "image", space: spaceImage},
	{prefix: "xhtml", space: spaceXHTML},
}

// bindRoot binds the prefixes of the root, whose own prefix is given. The
// namespace of the root is that of the format, even if it is wrong or missing.
func (d *document) bindRoot(prefix string, attributes []byte) {
	d.bound = append(d.bound[:0], conventional...)
	d.bound = append(d.bound, binding{"", spaceOwn, 0})
	if prefix != "" {
		d.bound[len(d.bound)-1].space = spaceForeign
		d.bound = append(d.bound, binding{prefix, spaceOwn, 0})
	}
	declared := "xmlns"
	if prefix != "" {
		declared = "xmlns:" + prefix
	}
	d.home, _ = markup.Attribute(attributes, declared)
	d.bind(attributes, 1)
}

// bind puts the namespaces that an element declares in scope.
func (d *document) bind(attributes []byte, depth int) {
	if !bytes.Contains(attributes, []byte("xmlns")) {
		return
	}
	for name, value := range markup.Attributes(attributes) {
		key, prefix, _ := strings.Cut(strings.ToLower(string(name)), ":")
		if key != "xmlns" || len(d.bound) >= maxBindings {
			continue
		}
		found, exact := d.spaceOfURI(prefix, markup.AttributeText(value))
		if !exact && d.reader.options.Strict {
			d.reader.remark("namespace", "the namespace of the prefix "+prefix+" is not that of the extension")
		}
		d.bound = append(d.bound, binding{prefix, found, depth})
	}
}

// unbind ends the scopes of all elements deeper than depth.
func (d *document) unbind(depth int) {
	for len(d.bound) > 0 && d.bound[len(d.bound)-1].depth > depth {
		d.bound = d.bound[:len(d.bound)-1]
	}
}

// spaceOf returns the vocabulary of an element with a prefix.
func (d *document) spaceOf(prefix string) space {
	for i := range slices.Backward(d.bound) {
		if d.bound[i].prefix == prefix {
			return d.bound[i].space
		}
	}
	return spaceForeign
}

// spaceOfURI returns the vocabulary of a namespace that is bound to a prefix. exact
// is false if only the prefix tells which one is meant.
func (d *document) spaceOfURI(prefix, uri string) (found space, exact bool) {
	switch {
	case uri == d.home, d.isFormat(uri):
		return spaceOwn, true
	case prefix == "" && uri == "":
		return spaceOwn, !d.isProtocol() // written by libraries that do not know what it means
	case strings.HasPrefix(uri, "http://www.google.com/schemas/sitemap-image/"):
		return spaceImage, true
	case strings.HasPrefix(uri, "http://www.google.com/schemas/sitemap-video/"):
		return spaceVideo, true
	case strings.HasPrefix(uri, "http://www.google.com/schemas/sitemap-news/"):
		return spaceNews, true
	case uri == "http://www.w3.org/1999/xhtml":
		return spaceXHTML, true
	case uri == "http://purl.org/dc/elements/1.1/":
		return spaceDublinCore, true
	}
	for _, c := range conventional {
		if c.prefix == prefix {
			return c.space, !d.isProtocol()
		}
	}
	return spaceForeign, true
}

// isFormat reports whether a namespace is that of the format, whatever the root
// has.
func (d *document) isFormat(uri string) bool {
	switch d.reader.kind {
	case KindURLSet, KindIndex:
		return uri == Namespace || strings.HasPrefix(uri, namespaceGoogle)
	case KindRSS:
		switch uri {
		case "http://purl.org/rss/1.0/", "http://my.netscape.com/rdf/simple/0.9/", "http://channel.netscape.com/rdf/simple/0.9/":
			return true
		}
	}
	return false
}

// isProtocol reports whether the document is one of sitemaps.org rather than a
// feed.
func (d *document) isProtocol() bool {
	return d.reader.kind == KindURLSet || d.reader.kind == KindIndex
}
