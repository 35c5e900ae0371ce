package sitemap

import (
	"bytes"
	"strings"

	"github.com/decorum-crawler/decorum/sitemap/internal/markup"
)

// document reads the XML forms.
type document struct {
	reader *Reader
	yield  func(Entry) bool
	stack  []string // local names in lower case, the root first
	ended  bool     // the root was closed
	home   string   // namespace of the root
	bound  []binding
	bases  []xmlBase
	common bool         // entries may have the ordinary form
	tagAt  markup.Place // of the current tag

	open    bool   // inside an entry
	at      int    // depth of the entry's element
	entry   Entry  // as far as it is known
	loc     string // its address as written
	hasLoc  bool
	locAt   markup.Place
	dropped bool     // the entry is not yielded
	guid    string   // of an RSS item without link
	fields  []string // seen in the entry, when strict
	stopped bool     // the caller has stopped

	value   []byte // text of the current element
	want    bool   // the text of the current element matters
	tooLong bool   // it was longer than any value may be
	noLink  bool   // the current guid is not a permalink

	extra extra
}

// read reads the document tag by tag.
func (d *document) read() error {
	s := d.reader.scan
	for {
		if !s.Text(d.takeText()) {
			return d.end()
		}
		if d.common && !d.open && len(d.stack) == 1 {
			d.ordinary()
		}
		if d.stopped {
			return errStopped
		}
		done, err := d.markup()
		if err != nil {
			return err
		}
		if done || d.ended {
			return d.end()
		}
	}
}

func (d *document) takeText() func([]byte) {
	if !d.want {
		return nil
	}
	return d.take
}

// take collects text; a value that is far too long for anything is cut.
func (d *document) take(piece []byte) {
	if limit := 4*d.reader.options.MaxLoc + 1024; len(d.value)+len(piece) > limit {
		piece = piece[:max(0, limit-len(d.value))]
		d.tooLong = true
	}
	d.value = append(d.value, piece...)
}

// markup reads what begins with "<". done reports whether the text ended inside
// it.
func (d *document) markup() (done bool, err error) {
	s := d.reader.scan
	head := s.Peek(len("<![CDATA["))
	switch {
	case len(head) > 1 && head[1] != '!' && head[1] != '?':
	case bytes.HasPrefix(head, []byte("<!--")):
		s.Skip(len("<!--"))
		return !s.Until("-->"), nil
	case bytes.HasPrefix(head, []byte("<![CDATA[")):
		s.Skip(len("<![CDATA["))
		return !s.Collect("]]>", d.takeCDATA), nil
	case bytes.HasPrefix(head, []byte("<?")):
		return !s.Until("?>"), nil
	case bytes.HasPrefix(head, []byte("<!")):
		return d.doctype()
	}
	d.tagAt = s.Place()
	tag, state := s.Tag()
	switch state {
	case markup.TagCut:
		return true, nil
	case markup.TagLong:
		d.reader.problem("malformed")
		return false, nil
	case markup.TagBroken:
		d.reader.problem("malformed")
	case markup.TagWhole:
	}
	if len(tag) > 0 && tag[0] == '/' {
		d.endTag(bytes.TrimSpace(tag[1:]))
		return false, nil
	}
	return false, d.startTag(tag)
}

// takeCDATA collects text without entities, escaped so that decoding restores
// it.
func (d *document) takeCDATA(piece []byte) {
	if d.want {
		d.take(bytes.ReplaceAll(piece, []byte("&"), []byte("&amp;")))
	}
}

// doctype skips a DOCTYPE with its subset. One of HTML ends the reading.
func (d *document) doctype() (done bool, err error) {
	s := d.reader.scan
	if head := strings.ToLower(string(s.Peek(64))); strings.HasPrefix(head, "<!doctype") {
		if name := strings.Fields(head[len("<!doctype"):] + " ")[:]; len(name) > 0 && strings.HasPrefix(name[0], "html") {
			return false, ErrHTML
		}
	}
	d.reader.problem("doctype")
	depth, quote := 0, byte(0)
	for {
		head := s.Peek(len("<!--"))
		if len(head) == 0 {
			return true, nil
		}
		if quote == 0 && string(head) == "<!--" {
			s.Skip(len(head))
			if !s.Until("-->") {
				return true, nil
			}
			continue
		}
		c := head[0]
		s.Skip(1)
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '<':
			depth++
		case c == '>':
			if depth--; depth <= 0 {
				return false, nil
			}
		}
	}
}

// startTag handles the inside of an opening tag.
func (d *document) startTag(tag []byte) error {
	tag, closed := bytes.CutSuffix(tag, []byte("/"))
	name, attributes := tag, []byte(nil)
	for i, c := range tag {
		if markup.IsSpace(c) {
			name, attributes = tag[:i], tag[i:]
			break
		}
	}
	if len(name) == 0 {
		d.reader.problem("malformed")
		return nil
	}
	prefix, local := d.names(name)
	if len(d.stack) == 0 {
		if err := d.root(prefix, local, attributes, string(name)); err != nil {
			return err
		}
		d.common = string(name) == local && d.reader.faster()
	}
	if len(d.stack) >= d.reader.options.MaxDepth {
		return ErrTooDeep
	}
	d.stack = append(d.stack, local)
	if len(attributes) > 0 {
		if len(d.stack) > 1 {
			d.bind(attributes, len(d.stack))
		}
		d.pushBase(attributes, len(d.stack))
	}
	d.begin(d.spaceOf(prefix), local, attributes)
	if closed {
		d.endTag(name)
	}
	return nil
}

// names returns prefix and local name in lower case. Common names do not
// allocate.
func (d *document) names(name []byte) (prefix, local string) {
	if colon := bytes.IndexByte(name, ':'); colon >= 0 {
		prefix, name = intern(name[:colon]), name[colon+1:]
	}
	return prefix, intern(name)
}

// intern returns a name as a string in lower case.
func intern(name []byte) string {
	switch string(name) {
	case "url":
		return "url"
	case "loc":
		return "loc"
	case "lastmod":
		return "lastmod"
	case "changefreq":
		return "changefreq"
	case "priority":
		return "priority"
	case "sitemap":
		return "sitemap"
	case "image":
		return "image"
	case "link":
		return "link"
	case "xhtml":
		return "xhtml"
	case "item":
		return "item"
	case "title":
		return "title"
	case "caption":
		return "caption"
	case "video":
		return "video"
	case "news":
		return "news"
	}
	return strings.ToLower(string(name[:min(len(name), 64)]))
}

// root determines the format from the outermost element.
func (d *document) root(prefix, local string, attributes []byte, written string) error {
	r := d.reader
	switch local {
	case "urlset":
		r.kind = KindURLSet
	case "sitemapindex":
		r.kind = KindIndex
	case "rss", "rdf":
		r.kind = KindRSS
	case "feed":
		r.kind = KindAtom
	case "html", "head", "body":
		return ErrHTML
	default:
		return ErrUnknownFormat
	}
	d.bindRoot(prefix, attributes)
	if !d.isProtocol() {
		return nil
	}
	if !strings.HasSuffix(written, local) {
		r.problem("tag-case")
	}
	if d.home != Namespace && !strings.HasPrefix(d.home, namespaceGoogle) {
		r.problem("namespace")
	}
	return nil
}

// end closes the document where the text ends.
func (d *document) end() error {
	if d.stopped {
		return errStopped
	}
	if d.ended {
		return nil // what follows the root is not part of the document
	}
	r := d.reader
	if err := r.failed(); err != nil {
		return err
	}
	if len(d.stack) == 0 {
		return ErrUnknownFormat
	}
	r.problem("truncated")
	if d.open && d.hasLoc {
		d.give()
	}
	return nil
}
