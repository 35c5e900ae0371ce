package content

import (
	"bytes"
	"strings"
)

const (
	htmlSpace = " \t\r\n\f"
	xmlSpace  = " \t\r\n"
)

// rawText are the elements whose content is not markup.
var rawText = []string{"script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes"}

// isTag reports whether text begins with the start tag of an element.
func isTag(text []byte, name string) bool {
	end := 1 + len(name)
	return len(text) > end && text[1]|0x20 == name[0] && bytes.EqualFold(text[1:end], []byte(name)) &&
		strings.IndexByte(htmlSpace+"/>", text[end]) >= 0
}

// HasTag reports whether text may have a start tag of an element. Tags in comments
// and scripts count as well.
func HasTag(text []byte, name string) bool {
	for {
		at := bytes.IndexByte(text, '<')
		if at < 0 {
			return false
		}
		if text = text[at:]; isTag(text, name) {
			return true
		}
		text = text[1:]
	}
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// afterTag returns the text after the tag at its beginning. With raw it skips the
// content of a raw text element as well.
func afterTag(text []byte, raw bool) []byte {
	rest := text[tagLength(text):]
	if !raw {
		return rest
	}
	for _, name := range rawText {
		if isTag(text, name) {
			return afterElement(rest, name)
		}
	}
	return rest
}

// tagLength returns the length of the tag at the beginning of text, which ends at
// the first ">" outside a quoted value.
func tagLength(text []byte) int {
	var last byte // other than white space
	for i := 1; i < len(text); i++ {
		switch c := text[i]; c {
		case '>':
			return i + 1
		case ' ', '\t', '\r', '\n', '\f':
		case '"', '\'':
			if last == '=' {
				end := bytes.IndexByte(text[i+1:], c)
				if end < 0 {
					return len(text)
				}
				i += 1 + end
			}
			last = c
		default:
			last = c
		}
	}
	return len(text)
}

// afterElement returns text from the end tag of an element.
func afterElement(text []byte, name string) []byte {
	for {
		at := bytes.Index(text, []byte("</"))
		if at < 0 {
			return nil
		}
		text = text[at:]
		if len(text) >= 2+len(name) && bytes.EqualFold(text[2:2+len(name)], []byte(name)) {
			return text
		}
		text = text[2:]
	}
}

// tagAttributes reads the attributes of a tag (HTML §13.2.3.2, get an
// attribute). After the last one, rest is the text after the tag.
type tagAttributes struct{ rest []byte }

// next returns the name and the value of an attribute in lower case.
func (a *tagAttributes) next() (name, value string, ok bool) {
	a.rest = bytes.TrimLeft(a.rest, htmlSpace+"/")
	if len(a.rest) == 0 {
		return "", "", false
	}
	if a.rest[0] == '>' {
		a.rest = a.rest[1:]
		return "", "", false
	}
	end := bytes.IndexAny(a.rest[1:], htmlSpace+"/>=") // a name may begin with "="
	if end < 0 {
		a.rest = nil
		return "", "", false
	}
	name = lower(a.rest[:1+end])
	a.rest = bytes.TrimLeft(a.rest[1+end:], htmlSpace)
	if !bytes.HasPrefix(a.rest, []byte("=")) {
		return name, "", true
	}
	a.rest = bytes.TrimLeft(a.rest[1:], htmlSpace)
	return name, a.value(), true
}

func (a *tagAttributes) value() string {
	if len(a.rest) == 0 {
		return ""
	}
	if quote := a.rest[0]; quote == '"' || quote == '\'' {
		value, rest, _ := bytes.Cut(a.rest[1:], []byte{quote})
		a.rest = rest
		return lower(value)
	}
	end := bytes.IndexAny(a.rest, htmlSpace+">")
	if end < 0 {
		end = len(a.rest)
	}
	value := a.rest[:end]
	a.rest = a.rest[end:]
	return lower(value)
}

// lower returns text in lower case, cut to a length that is enough for labels.
func lower(text []byte) string {
	const most = 1024
	return strings.ToLower(string(text[:min(len(text), most)]))
}
