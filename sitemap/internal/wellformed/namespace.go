package wellformed

import (
	"bytes"
	"slices"
	"strings"
)

// The namespaces of the reserved prefixes (Namespaces in XML 1.0 §3).
const (
	spaceXML   = "http://www.w3.org/XML/1998/namespace"
	spaceXMLNS = "http://www.w3.org/2000/xmlns/"
)

// A binding is a prefix in scope.
type binding struct {
	prefix, uri string
	depth       int // of the element that declares it
}

// namespaces declares the namespaces of the tag just read and checks its prefixes.
func (c *Checker) namespaces(name []byte) bool {
	for _, a := range c.attributes {
		if !c.declare(a) {
			return false
		}
	}
	if prefix, _ := split(name); prefix != nil {
		if _, bound := c.uri(prefix); !bound {
			return c.fail(0, "the prefix "+shown(prefix)+" is not declared")
		}
	}
	for i, a := range c.attributes {
		if len(a.prefix) == 0 || string(a.prefix) == "xmlns" {
			continue
		}
		uri, bound := c.uri(a.prefix)
		if !bound {
			return c.fail(a.at, "the prefix "+shown(a.prefix)+" is not declared")
		}
		for _, b := range c.attributes[:i] {
			if other, _ := c.uri(b.prefix); len(b.prefix) > 0 && other == uri && bytes.Equal(a.local, b.local) {
				return c.fail(a.at, "the attribute "+shown(a.local)+" twice, with two prefixes of one namespace")
			}
		}
	}
	return true
}

// declare puts the namespace that an attribute declares in scope, if it is one.
func (c *Checker) declare(a attribute) bool {
	prefix := ""
	switch {
	case string(a.prefix) == "xmlns":
		prefix = string(a.local)
	case string(a.name) != "xmlns":
		return true
	}
	uri := unescape(string(a.value))
	switch {
	case prefix == "xmlns", uri == spaceXMLNS, (prefix == "xml") != (uri == spaceXML):
		return c.fail(a.at, "a reserved prefix or namespace is declared")
	case prefix != "" && uri == "":
		return c.fail(a.at, "the prefix "+shown(a.local)+" is declared without a namespace")
	case len(c.bound) >= maxBindings:
		return c.fail(a.at, "more than 256 namespaces")
	}
	c.bound = append(c.bound, binding{prefix, uri, len(c.open)})
	return true
}

// unbind ends the scopes of elements deeper than depth.
func (c *Checker) unbind(depth int) {
	for len(c.bound) > 0 && c.bound[len(c.bound)-1].depth > depth {
		c.bound = c.bound[:len(c.bound)-1]
	}
}

// uri returns the namespace of a prefix.
func (c *Checker) uri(prefix []byte) (uri string, bound bool) {
	for i := range slices.Backward(c.bound) {
		if c.bound[i].prefix == string(prefix) {
			return c.bound[i].uri, true
		}
	}
	return spaceXML, string(prefix) == "xml"
}

// unescape decodes the references of a value that was checked.
func unescape(value string) string {
	if !strings.Contains(value, "&") {
		return value
	}
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(value, "&")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		name, rest, _ := strings.Cut(rest, ";")
		value = rest
		switch name {
		case "amp":
			b.WriteByte('&')
		case "lt":
			b.WriteByte('<')
		case "gt":
			b.WriteByte('>')
		case "quot":
			b.WriteByte('"')
		case "apos":
			b.WriteByte('\'')
		default:
			r, _ := parseRune(strings.TrimPrefix(name, "#"))
			b.WriteRune(r)
		}
	}
}
