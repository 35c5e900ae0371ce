package content

import (
	"bytes"
	"strings"
)

const (
	prescanned = 1024      // bytes that the HTML standard examines first
	scanned    = 256 << 10 // bytes that are searched for a later meta element
)

// declaredCharset returns the label of the encoding that a document declares, and
// source "meta" for a meta element or "xml" for an XML declaration; both are empty
// without a declaration.
//
// The first 1,024 bytes are read by the steps of HTML §13.2.3.2. A browser also
// obeys a later meta element and starts again (§13.2.3.5), so the rest is searched
// in the same way, except in scripts and other raw text.
func declaredCharset(body []byte, media string) (label, source string) {
	body = body[:min(len(body), scanned)]
	isXML := strings.HasSuffix(media, "/xml") || strings.HasSuffix(media, "+xml")
	if isXML { // where a meta element declares nothing
		if label := xmlEncoding(body); label != "" {
			return label, "xml"
		}
	}
	if !isXML && media != "" && media != "text/html" {
		return "", ""
	}
	if mayDeclare(body) {
		if label := prescan(body); label != "" {
			return label, "meta"
		}
	}
	if label := xmlEncoding(body); label != "" {
		return label, "xml"
	}
	return "", ""
}

// mayDeclare reports whether anything looks like a meta element with an encoding.
// Most pages without one need no further search.
func mayDeclare(body []byte) bool {
	for {
		at := bytes.IndexByte(body, '<')
		if at < 0 {
			return false
		}
		body = body[at:]
		if isTag(body, "meta") && hasFold(body[:tagLength(body)], "charset") {
			return true
		}
		body = body[1:]
	}
}

// hasFold reports whether text has a word of ASCII letters, in any case.
func hasFold(text []byte, word string) bool {
	for at := 0; at+len(word) <= len(text); at++ {
		if text[at]|0x20 == word[0] && bytes.EqualFold(text[at:at+len(word)], []byte(word)) {
			return true
		}
	}
	return false
}

// prescan returns the label of the first meta element that names an encoding.
func prescan(body []byte) string {
	for at := 0; at < len(body); {
		next := bytes.IndexByte(body[at:], '<')
		if next < 0 {
			return ""
		}
		at += next
		rest := body[at:]
		switch {
		case bytes.HasPrefix(rest, []byte("<!--")):
			end := bytes.Index(rest[2:], []byte("-->")) // "<!-->" is also a comment
			if end < 0 {
				return ""
			}
			at += 2 + end + len("-->")
		case isTag(rest, "meta"):
			attributes := tagAttributes{rest: rest[len("<meta"):]}
			if label := metaLabel(&attributes); label != "" {
				return label
			}
			at = len(body) - len(attributes.rest)
		case len(rest) > 1 && (isLetter(rest[1]) || rest[1] == '/' && len(rest) > 2 && isLetter(rest[2])):
			at = len(body) - len(afterTag(rest, at >= prescanned))
		case len(rest) > 1 && (rest[1] == '!' || rest[1] == '/' || rest[1] == '?'):
			end := bytes.IndexByte(rest, '>')
			if end < 0 {
				return ""
			}
			at += end + 1
		default:
			at++
		}
	}
	return ""
}

// metaLabel returns the label in the attributes of a meta element: in charset, or
// in content together with http-equiv=content-type.
func metaLabel(attributes *tagAttributes) string {
	var charset, inContent string
	var pragma, hasCharset bool
	seen := map[string]bool{}
	for {
		name, value, ok := attributes.next()
		if !ok {
			break
		}
		if seen[name] {
			continue
		}
		seen[name] = true
		switch name {
		case "http-equiv":
			pragma = value == "content-type"
		case "content":
			inContent = charsetIn(value)
		case "charset":
			charset, hasCharset = strings.TrimSpace(value), true
		}
	}
	switch {
	case hasCharset && known(charset):
		return charset
	case !hasCharset && pragma && known(inContent):
		return inContent
	}
	return ""
}

// known reports whether a label names an encoding.
func known(label string) bool {
	_, _, ok := lookup(label)
	return ok
}

// charsetIn extracts an encoding from the content of a meta element (HTML
// §2.7.4).
func charsetIn(content string) string {
	for {
		_, after, ok := strings.Cut(content, "charset")
		if !ok {
			return ""
		}
		content = strings.TrimLeft(after, htmlSpace)
		value, ok := strings.CutPrefix(content, "=")
		if !ok {
			continue
		}
		value = strings.TrimLeft(value, htmlSpace)
		if value == "" {
			return ""
		}
		if quote := value[0]; quote == '"' || quote == '\'' {
			label, _, closed := strings.Cut(value[1:], string(quote))
			if !closed {
				return ""
			}
			return strings.TrimSpace(label)
		}
		if end := strings.IndexAny(value, htmlSpace+";"); end >= 0 {
			value = value[:end]
		}
		return value
	}
}

// xmlEncoding returns the encoding in the XML declaration at the beginning of a
// document, or "".
func xmlEncoding(body []byte) string {
	if !bytes.HasPrefix(body, []byte("<?xml")) {
		return ""
	}
	declaration, _, ok := bytes.Cut(body, []byte(">"))
	if !ok {
		return ""
	}
	_, value, ok := bytes.Cut(declaration, []byte("encoding"))
	if !ok {
		return ""
	}
	value = bytes.TrimLeft(value, xmlSpace)
	value, ok = bytes.CutPrefix(value, []byte("="))
	value = bytes.TrimLeft(value, xmlSpace)
	if !ok || len(value) == 0 || value[0] != '"' && value[0] != '\'' {
		return ""
	}
	label, _, ok := bytes.Cut(value[1:], value[:1])
	if !ok {
		return ""
	}
	return strings.ToLower(string(label))
}
