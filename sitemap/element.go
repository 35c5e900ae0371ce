package sitemap

import (
	"bytes"
	"strconv"
	"strings"
)

// isEntry reports whether an element of this name, at this place, is an entry.
func (d *document) isEntry(local string) bool {
	depth := len(d.stack)
	switch d.reader.kind {
	case KindURLSet:
		return local == "url" && depth >= 2
	case KindIndex:
		return local == "sitemap" && depth >= 2
	case KindRSS:
		return local == "item"
	case KindAtom:
		return local == "entry" && depth >= 2
	}
	return false
}

// begin takes an element that was just put on the stack.
func (d *document) begin(prefix, local string, attributes []byte) {
	r := d.reader
	d.value, d.want, d.tooLong = d.value[:0], false, false
	switch {
	case prefix == "" && local == "sitemap" && r.kind == KindURLSet:
		r.problem("misplaced-sitemap")
	case prefix == "" && local == "url" && r.kind == KindIndex:
		r.problem("misplaced-url")
	case d.isEntry(local) && (!d.open || len(d.stack) <= d.at+1):
		d.beginEntry()
	case d.open:
		d.field(prefix, local, attributes)
	}
}

// beginEntry starts an entry; one that was not closed ends here.
func (d *document) beginEntry() {
	if d.open {
		d.reader.problem("malformed")
		d.giveLate()
		d.stack = append(d.stack[:d.at-1], d.stack[len(d.stack)-1])
	}
	d.open, d.at = true, len(d.stack)
	d.entry = Entry{Line: d.reader.scan.line()}
	d.loc, d.hasLoc, d.dropped, d.guid = "", false, false, ""
}

// field takes the start of an element inside an entry.
func (d *document) field(prefix, local string, attributes []byte) {
	depth := len(d.stack) - d.at
	parent := d.stack[len(d.stack)-2]
	switch {
	case depth == 1 && local == "link" && d.reader.kind == KindAtom:
		d.atomLink(attributes)
	case depth == 1 && local == "link" && d.reader.kind != KindRSS:
		d.alternate(attributes)
	case depth == 1:
		d.want = d.wanted(prefix, local)
		if local == "guid" {
			value, ok := attribute(attributes, "isPermaLink")
			d.noLink = ok && strings.EqualFold(value, "false")
		}
	case depth == 2 && local == "loc" && parent == "image":
		d.want = true
	}
}

func (d *document) wanted(_, local string) bool {
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

func (d *document) atomLink(attributes []byte) {
	relation, _ := attribute(attributes, "rel")
	if relation != "" && !strings.EqualFold(relation, "alternate") || d.hasLoc {
		return
	}
	if href, ok := attribute(attributes, "href"); ok {
		d.loc, d.hasLoc = href, href != ""
	}
}

func (d *document) alternate(attributes []byte) {
	language, _ := attribute(attributes, "hreflang")
	href, ok := attribute(attributes, "href")
	if ok && language != "" && len(d.entry.Alternates) < d.reader.options.MaxExtras {
		d.entry.Alternates = append(d.entry.Alternates, Alternate{HrefLang: language, Href: href})
	}
}

// endTag takes a closing tag. One that matches an element further out closes
// everything in between; one that matches none is passed over.
func (d *document) endTag(name []byte) error {
	_, local := d.names(name)
	at := len(d.stack) - 1
	for at >= 0 && d.stack[at] != local {
		at--
	}
	if at < 0 {
		d.reader.problem("malformed")
		return nil
	}
	if at < len(d.stack)-1 {
		d.reader.problem("malformed")
	} else if d.want {
		d.finishValue(local)
	}
	d.want = false
	d.stack = d.stack[:at]
	if at == 0 {
		d.ended = true
	}
	if d.open && at < d.at {
		return d.give()
	}
	return nil
}

// finishValue takes the text of an element that was closed properly.
func (d *document) finishValue(local string) {
	r := d.reader
	text, unknown, raw := unescapeXML(bytes.TrimSpace(d.validText(d.value)))
	if raw {
		r.problem("raw-ampersand")
	}
	if unknown {
		r.problem("unknown-entity")
		d.dropped = d.dropped || local == "loc" && len(d.stack)-d.at == 1
		return
	}
	text = strings.TrimSpace(text)
	if len(d.stack)-d.at == 2 {
		if text != "" && !d.tooLong && len(d.entry.Images) < r.options.MaxExtras {
			d.entry.Images = append(d.entry.Images, text)
		}
		return
	}
	switch local {
	case "loc", "link":
		d.finishLoc(text)
	case "guid":
		if !d.noLink && isAbsolute(text) {
			d.guid = text
		}
	case "lastmod", "updated", "published", "pubdate":
		d.finishDate(local, text)
	case "changefreq":
		if d.entry.ChangeFreq = parseChangeFreq(text); d.entry.ChangeFreq == "" && text != "" {
			r.problem("bad-changefreq")
		}
	case "priority":
		d.finishPriority(text)
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
	if text == "" || local == "published" && !d.entry.LastMod.IsZero() {
		return
	}
	expected := w3cForms
	if local == "pubdate" {
		expected = feedForms
	}
	date, odd, ok := parseDate(text, expected)
	switch {
	case !ok:
		d.reader.problem("bad-date")
		return
	case odd:
		d.reader.problem("date-form")
	}
	d.entry.LastMod = date
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

// give ends the entry at hand and hands it over.
func (d *document) give() error {
	if !d.giveLate() {
		return errStopped
	}
	return nil
}

// giveLate is give for places that cannot stop the reading; it reports whether
// the caller wants more.
func (d *document) giveLate() bool {
	d.open = false
	if d.dropped {
		return true
	}
	if !d.hasLoc && d.guid != "" {
		d.loc, d.hasLoc = d.guid, true
	}
	if !d.hasLoc {
		d.reader.problem("missing-loc")
		return true
	}
	loc, ok := d.reader.address(d.loc, d.reader.kind != KindIndex)
	if !ok {
		return true
	}
	d.entry.Loc = loc
	return d.yield(d.entry)
}

// unescapeXML decodes the five entities and numeric references. unknown says
// that there was another entity; raw that there was an ampersand which starts
// none, which stays.
func unescapeXML(value []byte) (text string, unknown, raw bool) {
	at := bytes.IndexByte(value, '&')
	if at < 0 {
		return string(value), false, false
	}
	out := make([]byte, 0, len(value))
	for at >= 0 {
		out = append(out, value[:at]...)
		value = value[at:]
		decoded, n, known := reference(value)
		switch {
		case known:
			out = append(out, decoded...)
		case n > 1:
			unknown = true
		default:
			raw = true
			out = append(out, '&')
		}
		value = value[n:]
		at = bytes.IndexByte(value, '&')
	}
	return string(append(out, value...)), unknown, raw
}

// reference reads the reference at the start of value: what it stands for, its
// length, and whether it is known. Length 1 means that it is no reference.
func reference(value []byte) (decoded string, n int, known bool) {
	end := bytes.IndexByte(value[:min(len(value), 64)], ';')
	if end < 2 {
		return "", 1, false
	}
	name := string(value[1:end])
	switch name {
	case "amp":
		return "&", end + 1, true
	case "lt":
		return "<", end + 1, true
	case "gt":
		return ">", end + 1, true
	case "quot":
		return `"`, end + 1, true
	case "apos":
		return "'", end + 1, true
	}
	if name[0] == '#' {
		number, base := name[1:], 10
		if strings.HasPrefix(number, "x") || strings.HasPrefix(number, "X") {
			number, base = number[1:], 16
		}
		code, err := strconv.ParseUint(number, base, 32)
		if err != nil || !validRune(rune(code)) {
			return "", end + 1, err == nil
		}
		return string(rune(code)), end + 1, true
	}
	for i := range len(name) {
		if !isNameByte(name[i], i == 0) {
			return "", 1, false
		}
	}
	return "", end + 1, false
}

// isNameByte reports whether c may stand in the name of an entity.
func isNameByte(c byte, first bool) bool {
	if 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' {
		return true
	}
	return !first && ('0' <= c && c <= '9' || c == '-' || c == '.' || c == '_')
}
