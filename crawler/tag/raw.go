package tag

import (
	"bytes"

	"golang.org/x/net/html/atom"
)

// isRaw reports whether the content of an element is text, whatever it contains.
// Elements for clients without scripts are read as such clients do.
func isRaw(name atom.Atom) bool {
	switch name {
	case atom.Iframe, atom.Plaintext, atom.Script, atom.Style, atom.Textarea, atom.Title, atom.Xmp:
		return true
	}
	return false
}

// rawLength returns the length of the content of such an element, up to its end
// tag or the end of the text.
func rawLength(text []byte, name atom.Atom) int {
	switch name {
	case atom.Plaintext:
		return len(text)
	case atom.Script:
		return scriptLength(text)
	}
	for at := 0; ; at++ {
		open := bytes.Index(text[at:], []byte("</"))
		if open < 0 {
			return len(text)
		}
		at += open
		if isTag(text[at+2:], name.String()) {
			return at
		}
	}
}

// isTag reports whether text begins with the name of a tag, in any case, and a byte
// that ends it.
func isTag(text []byte, name string) bool {
	return len(text) > len(name) && endsName[text[len(name)]] && bytes.EqualFold(text[:len(name)], []byte(name))
}

// scriptLength returns the length of a script. Within "<!--" and "-->" a pair of
// script tags belongs to it (§13.2.5.15 to 31).
func scriptLength(text []byte) int {
	const name = "script"
	escaped, double := false, false
	for at := 0; at < len(text); at++ {
		if !escaped {
			open := bytes.IndexByte(text[at:], '<')
			if open < 0 {
				return len(text)
			}
			at += open
		}
		rest := text[at:]
		switch {
		case escaped && bytes.HasPrefix(rest, []byte("-->")):
			escaped, double = false, false
		case rest[0] != '<' || len(rest) < 2:
		case !escaped && bytes.HasPrefix(rest, []byte("<!--")):
			escaped = true
			at++ // "<!-->" is a whole comment
		case rest[1] == '/' && isTag(rest[2:], name):
			if !double {
				return at
			}
			double = false
		case escaped && isTag(rest[1:], name):
			double = true
		}
	}
	return len(text)
}
