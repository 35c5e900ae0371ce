package wellformed

import (
	"bytes"
	"regexp"
	"strings"
	"unicode/utf8"
)

// declaration is an XML declaration (§2.8), of version 1.0.
var declaration = regexp.MustCompile(`^<\?xml[ \t\r\n]+version[ \t\r\n]*=[ \t\r\n]*(?:"1\.0"|'1\.0')` +
	`(?:[ \t\r\n]+encoding[ \t\r\n]*=[ \t\r\n]*(?:"[A-Za-z][A-Za-z0-9._-]*"|'[A-Za-z][A-Za-z0-9._-]*'))?` +
	`(?:[ \t\r\n]+standalone[ \t\r\n]*=[ \t\r\n]*(?:"(?:yes|no)"|'(?:yes|no)'))?[ \t\r\n]*\?>$`)

// instruction reads the target of a processing instruction, or an XML declaration.
func (c *Checker) instruction() bool {
	rest := c.rest()
	end := bytes.IndexAny(rest[2:], " \t\r\n?")
	switch {
	case len(rest) > maxName && (end < 0 || end > maxName):
		return c.fail(0, "a processing instruction without a target")
	case end < 0:
		return c.more(unfinished[inInstruction])
	}
	target := rest[2 : 2+end]
	switch {
	case strings.EqualFold(string(target), "xml"):
		return c.declaration()
	case !isNCName(target):
		return c.fail(0, "a processing instruction without a target")
	}
	if rest[2+end] == '?' {
		if len(rest) < 2+end+2 {
			return c.more(unfinished[inInstruction])
		}
		if rest[2+end+1] != '>' {
			return c.fail(0, "a processing instruction without a target")
		}
	}
	c.at += 2 + end
	c.mode = inInstruction
	return true
}

// declaration reads an XML declaration, which only the start of the text may have.
func (c *Checker) declaration() bool {
	rest := c.rest()
	if c.offset > 0 || c.at > 0 {
		return c.fail(0, "an XML declaration after the start of the file")
	}
	end := bytes.Index(rest, []byte("?>"))
	switch {
	case end < 0 && len(rest) <= maxName:
		return c.more("the text ends inside the XML declaration")
	case end < 0 || !declaration.Match(rest[:end+2]):
		return c.fail(0, "a broken XML declaration")
	}
	c.at += end + 2
	return true
}

// tag reads an opening or closing tag.
func (c *Checker) tag() bool {
	rest := c.rest()
	end, fault := tagEnd(rest)
	switch {
	case fault:
		return c.fail(end, "< inside a tag")
	case end > maxTag, end < 0 && len(rest) > maxTag:
		return c.fail(0, "a tag of more than 64 KiB")
	case end < 0:
		return c.more("the text ends inside a tag")
	}
	var ok bool
	if rest[1] == '/' {
		ok = c.endTag(rest[2:end])
	} else {
		ok = c.startTag(rest[1:end])
	}
	if ok {
		c.at += end + 1
	}
	return ok
}

// tagEnd returns the place of the ">" that ends a tag, or -1. fault reports a "<"
// before it, at that place.
func tagEnd(text []byte) (at int, fault bool) {
	quote := byte(0)
	for at := 1; at < len(text); at++ {
		switch b := text[at]; {
		case nameByte[b&0x7f] && b < utf8.RuneSelf: // nearly always
		case b == '<':
			return at, true
		case quote != 0:
			if b == quote {
				quote = 0
			}
		case b == '>':
			return at, false
		case b == '"' || b == '\'':
			quote = b
		}
	}
	return -1, false
}

// endTag handles the inside of a closing tag.
func (c *Checker) endTag(name []byte) bool {
	for len(name) > 0 && isSpace(name[len(name)-1]) {
		name = name[:len(name)-1]
	}
	top := len(c.open) - 1
	switch {
	case top < 0:
		return c.fail(0, "a closing tag without its element")
	case c.open[top] != string(name):
		return c.fail(0, "</"+shown(name)+"> where </"+c.open[top]+"> is due")
	}
	c.close()
	return true
}

func (c *Checker) close() {
	c.unbind(len(c.open) - 1)
	c.open = c.open[:len(c.open)-1]
	c.ended = len(c.open) == 0
}

// startTag handles the inside of an opening tag.
func (c *Checker) startTag(tag []byte) bool {
	tag, empty := bytes.CutSuffix(tag, []byte("/"))
	name, attributes := tag, []byte(nil)
	for i, b := range tag {
		if isSpace(b) {
			name, attributes = tag[:i], tag[i:]
			break
		}
	}
	switch {
	case c.ended:
		return c.fail(0, "a second root element")
	case len(name) > maxName:
		return c.fail(0, "a name of more than 1,024 bytes")
	case !isQName(name):
		return c.fail(0, "a tag without a proper name")
	case len(c.open) >= maxDepth:
		return c.fail(0, "more than 256 nested elements")
	}
	c.rooted = true
	c.open = append(c.open, c.intern(name))
	if !c.readAttributes(attributes, 1+len(name)) || !c.namespaces(name) {
		return false
	}
	if empty {
		c.close()
	}
	return true
}

// intern returns a name as a string. Names that are open or common do not allocate.
func (c *Checker) intern(name []byte) string {
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
	case "xhtml:link":
		return "xhtml:link"
	case "image:image":
		return "image:image"
	case "image:loc":
		return "image:loc"
	}
	return string(name)
}

// An attribute is one of a tag.
type attribute struct {
	name   []byte // as written
	value  []byte
	at     int // bytes ahead
	prefix []byte
	local  []byte
}

// readAttributes reads what follows the name of a tag, n bytes ahead.
func (c *Checker) readAttributes(text []byte, n int) bool {
	c.attributes = c.attributes[:0]
	for {
		before := len(text)
		text = trimLeft(text)
		n += before - len(text)
		if len(text) == 0 {
			return true
		}
		if before == len(text) {
			return c.fail(n, "no blank before an attribute")
		}
		a, length, message := cutAttribute(text)
		if message != "" {
			return c.fail(n, message)
		}
		a.at = n
		if !c.value(a.value, n+length-1-len(a.value), false) || !c.addAttribute(a) {
			return false
		}
		text, n = text[length:], n+length
	}
}

func trimLeft(text []byte) []byte {
	for len(text) > 0 && isSpace(text[0]) {
		text = text[1:]
	}
	return text
}

// cutAttribute reads the attribute at the start of text and returns its length, or
// what is wrong with it.
func cutAttribute(text []byte) (a attribute, length int, message string) {
	end := bytes.IndexAny(text, "= \t\r\n\"'")
	if end < 0 {
		end = len(text)
	}
	a.name = text[:end]
	if !isQName(a.name) || len(a.name) > maxName {
		return a, 0, "an attribute without a proper name"
	}
	rest := trimLeft(text[end:])
	if len(rest) == 0 || rest[0] != '=' {
		return a, 0, "the attribute " + shown(a.name) + " without a value"
	}
	rest = trimLeft(rest[1:])
	if len(rest) == 0 || rest[0] != '"' && rest[0] != '\'' {
		return a, 0, "the attribute " + shown(a.name) + " without quotes"
	}
	last := bytes.IndexByte(rest[1:], rest[0])
	if last < 0 {
		return a, 0, "the attribute " + shown(a.name) + " without its closing quote"
	}
	a.value = rest[1 : 1+last]
	a.prefix, a.local = split(a.name)
	return a, len(text) - len(rest) + last + 2, ""
}

func (c *Checker) addAttribute(a attribute) bool {
	if len(c.attributes) >= maxAttributes {
		return c.fail(a.at, "more than 256 attributes")
	}
	for _, b := range c.attributes {
		if bytes.Equal(a.name, b.name) {
			return c.fail(a.at, "the attribute "+shown(a.name)+" twice")
		}
	}
	c.attributes = append(c.attributes, a)
	return true
}

// shown returns a name for a message.
func shown(name []byte) string { return strings.ToValidUTF8(string(name[:min(len(name), 64)]), "?") }
