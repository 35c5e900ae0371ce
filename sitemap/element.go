package sitemap

import (
	"bytes"
	"slices"
	"strings"

	"github.com/decorum-crawler/decorum/sitemap/internal/address"
	"github.com/decorum-crawler/decorum/sitemap/internal/date"
	"github.com/decorum-crawler/decorum/sitemap/internal/markup"
)

// isEntry reports whether an element of this name, at this place, is an entry.
func (d *document) isEntry(in space, local string) bool {
	if in != spaceOwn {
		return false
	}
	depth := len(d.stack)
	switch d.reader.kind {
	case KindURLSet:
		return local == "url" && depth >= 2
	case KindIndex:
		return local == "sitemap" && depth >= 2
	case KindRSS:
		return local == "item"
	case KindAtom:
		return local == "entry" && depth >= 2 && !d.isQuoted()
	}
	return false
}

// begin handles an element that was just put on the stack.
func (d *document) begin(in space, local string, attributes []byte) {
	r := d.reader
	d.value, d.want, d.tooLong = d.value[:0], false, false
	switch {
	case local == "sitemap" && r.kind == KindURLSet && in == spaceOwn:
		r.problem("misplaced-sitemap")
	case local == "url" && r.kind == KindIndex && in == spaceOwn:
		r.problem("misplaced-url")
	case d.isEntry(in, local):
		d.beginEntry()
	case d.open:
		d.field(in, local, attributes)
	case r.options.Strict && len(d.stack) == 2 && in == spaceOwn:
		d.strange(local)
	}
}

// strange reports an element where the protocol has none of that name.
func (d *document) strange(local string) {
	if d.reader.kind == KindURLSet || d.reader.kind == KindIndex {
		d.reader.remark("unknown-element", "the protocol has no element "+local+" here")
	}
}

// strict reports an element of an entry that a forgiving reader accepts.
func (d *document) strict(local string) {
	if known := d.wanted(local) && (d.reader.kind != KindIndex || local == "loc" || local == "lastmod"); !known {
		d.strange(local)
		return
	}
	if slices.Contains(d.fields, local) && local != "loc" {
		d.reader.remark("repeated-element", "the entry has "+local+" more than once")
	}
	d.fields = append(d.fields, local)
}

// beginEntry starts an entry. An entry that was not closed ends here.
func (d *document) beginEntry() {
	if d.open {
		d.reader.problem("malformed")
		d.give()
		d.stack = append(d.stack[:d.at-1], d.stack[len(d.stack)-1])
	}
	d.open, d.at = true, len(d.stack)
	d.entry = Entry{Line: d.tagAt.Line, Offset: d.tagAt.Offset}
	d.loc, d.hasLoc, d.dropped, d.guid, d.fields = "", false, false, "", d.fields[:0]
	d.extra.space, d.extra.bytes = spaceForeign, 0
}

// field handles the start of an element inside an entry.
func (d *document) field(in space, local string, attributes []byte) {
	depth := len(d.stack) - d.at
	switch {
	case depth > 1:
		d.want = d.extra.space != spaceForeign && d.extraWanted(in, local, depth)
	case local == "link" && d.reader.kind == KindAtom:
		if in == spaceOwn {
			d.atomLink(attributes)
		}
	case local == "link" && d.reader.kind != KindRSS:
		if d.reader.options.Strict && in == spaceOwn {
			d.strange(local)
		}
		d.alternate(attributes)
	default:
		d.child(in, local, attributes)
	}
}

// child handles the start of an element directly inside an entry, other than a link.
func (d *document) child(in space, local string, attributes []byte) {
	if d.reader.options.Strict && in == spaceOwn {
		d.strict(local)
	}
	if d.isProtocol() {
		d.beginExtra(in, local)
	}
	d.want = in == spaceOwn && d.wanted(local) || d.isDublinCoreDate(in, local)
	if d.want && !d.hasLoc {
		d.locAt = d.tagAt
	}
	if local == "guid" {
		value, ok := markup.Attribute(attributes, "isPermaLink")
		d.noLink = ok && strings.EqualFold(value, "false")
	}
}

// isDublinCoreDate reports whether an element is the pubDate of RSS 1.0.
func (d *document) isDublinCoreDate(in space, local string) bool {
	return d.reader.kind == KindRSS && in == spaceDublinCore && local == "date"
}

func (d *document) wanted(local string) bool {
	switch d.reader.kind {
	case KindRSS:
		return local == "link" || local == "guid" || local == "pubdate"
	case KindAtom:
		return local == "updated" || local == "published"
	}
	switch local {
	case "loc", "lastmod", "changefreq", "priority":
		return true
	}
	return false
}

func (d *document) alternate(attributes []byte) {
	var language, href string
	for name, value := range markup.Attributes(attributes) {
		switch {
		case len(name) == len("hreflang") && bytes.EqualFold(name, []byte("hreflang")) && language == "":
			language = markup.AttributeText(value)
		case len(name) == len("href") && bytes.EqualFold(name, []byte("href")) && href == "":
			href = markup.AttributeText(value)
		}
	}
	if d.reader.options.Strict && href != "" && language != "" && !isHrefLang(language) {
		d.reader.remark("bad-hreflang", messages["bad-hreflang"]+", not "+language)
	}
	if href != "" && language != "" && len(d.entry.Alternates) < d.reader.options.MaxExtras {
		if d.entry.Alternates == nil {
			d.entry.Alternates = make([]Alternate, 0, 4)
		}
		d.entry.Alternates = append(d.entry.Alternates, Alternate{HrefLang: language, Href: d.reader.href(href)})
	}
}

// endTag handles a closing tag. One that matches an outer element closes
// everything in between. One that matches none is ignored.
func (d *document) endTag(name []byte) {
	_, local := d.names(name)
	at := len(d.stack) - 1
	for at >= 0 && d.stack[at] != local {
		at--
	}
	if at < 0 {
		d.reader.problem("malformed")
		return
	}
	if at < len(d.stack)-1 {
		d.reader.problem("malformed")
	} else if d.want {
		d.finishValue(local)
	}
	d.want = false
	d.stack = d.stack[:at]
	d.unbind(at)
	d.popBases(at)
	if d.extra.space != spaceForeign && at <= d.at {
		d.endExtra()
	}
	if at == 0 {
		d.ended = true
	}
	if d.open && at < d.at {
		d.give()
	}
}

// finishValue handles the text of an element that was closed properly.
func (d *document) finishValue(local string) {
	r := d.reader
	text, unknown, raw := markup.Unescape(bytes.TrimSpace(r.validText(d.value)))
	if raw {
		r.problem("raw-ampersand")
	}
	text = strings.TrimSpace(text)
	if len(d.stack)-d.at > 1 {
		if unknown {
			r.remark("unknown-entity", "an entity that XML does not define; it was kept as written")
		}
		d.finishExtra(local, text)
		return
	}
	if unknown {
		r.problem("unknown-entity")
		d.dropped = d.dropped || local == "loc"
		return
	}
	switch local {
	case "loc", "link":
		d.finishLoc(text)
	case "guid":
		if !d.noLink && address.IsAbsolute(text) {
			d.guid = text
		}
	case "lastmod", "updated", "published", "pubdate", "date":
		d.finishDate(local, text)
	case "changefreq":
		d.finishChangeFreq(text)
	case "priority":
		d.finishPriority(text)
	}
	if text == "" && r.options.Strict && d.isProtocol() && local != "loc" {
		r.remark("empty-element", "the element "+local+" is empty")
	}
}

func (d *document) finishLoc(text string) {
	switch {
	case d.hasLoc:
		if text != "" {
			d.reader.problem("second-loc")
		}
	case d.tooLong:
		d.reader.problem("loc-too-long")
		d.dropped = true
	case text != "":
		d.loc, d.hasLoc = text, true
	}
}

func (d *document) finishDate(local, text string) {
	if text == "" || (local == "published" || local == "date") && !d.entry.LastMod.IsZero() {
		return
	}
	expected := date.W3C
	if local == "pubdate" {
		expected = date.RFC822
	}
	if t := d.date(text, expected); !t.IsZero() {
		d.entry.LastMod = t
	}
}

func (d *document) finishChangeFreq(text string) {
	word := parseChangeFreq(text)
	switch {
	case text == "":
	case word == "":
		d.reader.problem("bad-changefreq")
	case word != text && d.reader.options.Strict:
		d.reader.problem("changefreq-case")
	}
	d.entry.ChangeFreq = word
}

func (d *document) finishPriority(text string) {
	if text == "" {
		return
	}
	value, exact, ok := parsePriority(text)
	if !exact {
		d.reader.problem("bad-priority")
	}
	if ok {
		d.entry.Priority, d.entry.HasPriority = value, true
	}
}

// give ends the current entry and yields it, unless it is dropped.
func (d *document) give() {
	d.open = false
	if d.dropped || d.stopped {
		return
	}
	if !d.hasLoc && d.guid != "" {
		d.loc, d.hasLoc = d.guid, true
	}
	r := d.reader
	if !d.hasLoc {
		r.pin = markup.Place{Line: d.entry.Line, Offset: d.entry.Offset}
		r.problem("missing-loc")
		r.pin = markup.Place{}
		return
	}
	r.pin = d.locAt
	loc, ok := r.address(d.loc, r.kind != KindIndex)
	r.pin = markup.Place{}
	if ok {
		d.entry.Loc = loc
		d.stopped = !d.yield(d.entry)
	}
}
