package content

import (
	"net/http"
	"strings"
)

// TypeOf returns the Content-Type of a response. Several header lines are joined
// by commas (RFC 9110 §5.3).
func TypeOf(header http.Header) string { return strings.Join(header.Values("Content-Type"), ", ") }

// Media returns the type and subtype of a Content-Type, in lower case and without
// parameters, or "" when it has none.
func Media(contentType string) string { return parseMedia(contentType).essence }

// CharsetOf returns the label of the charset that a Content-Type has, in lower case,
// or "" when it has none. The label may be unknown.
func CharsetOf(contentType string) string { return parseMedia(contentType).charset }

const mediaXHTML = "application/xhtml+xml"

// IsHTML reports whether to read a body as HTML, according to its Content-Type, or
// to its first bytes when the Content-Type is missing or invalid.
func IsHTML(contentType string, body []byte) bool {
	media := Media(contentType)
	if media == "" {
		media = Media(http.DetectContentType(body))
	}
	return media == "text/html" || media == mediaXHTML
}

// IsXHTML reports whether a Content-Type is that of XHTML.
func IsXHTML(contentType string) bool { return Media(contentType) == mediaXHTML }

// MayBeHTML is like [IsHTML] when only the header is known: without a Content-Type
// a body may be HTML.
func MayBeHTML(contentType string) bool {
	return Media(contentType) == "" || IsHTML(contentType, nil)
}

// saysText reports whether a Content-Type is one of text, including HTML, XML and
// JSON, or missing.
func saysText(contentType string) bool {
	media := Media(contentType)
	return media == "" || strings.HasPrefix(media, "text/") || strings.HasSuffix(media, "xml") || strings.HasSuffix(media, "json")
}

// isPlain reports whether a media type is one of text that nobody stores
// compressed: sitemaps, which are, come as XML.
func isPlain(media string) bool { return media == "text/plain" || media == "text/html" }

// media is a media type with its charset parameter.
type media struct{ essence, charset string }

// parseMedia reads a Content-Type as browsers do: of several values the last valid
// media type is used, with the charset of an earlier one of the same type if it has
// none (Fetch §2.2.2, extract a MIME type).
func parseMedia(contentType string) media {
	var last media
	for value := range splitOutsideQuotes(contentType, ',') {
		next := parseMediaValue(value)
		if next.essence == "" || next.essence == "*/*" {
			continue
		}
		if next.charset == "" && next.essence == last.essence {
			next.charset = last.charset
		}
		last = next
	}
	return last
}

// parseMediaValue reads one media type (MIME Sniffing §4.4). It is lenient: a space
// may end the type, quotes may be missing or single.
func parseMediaValue(value string) media {
	var m media
	first := true
	for part := range splitOutsideQuotes(value, ';') {
		part = strings.Trim(part, htmlSpace)
		if first {
			first = false
			essence, rest, _ := strings.Cut(part, " ")
			if major, minor, ok := strings.Cut(essence, "/"); !ok || major == "" || minor == "" {
				return media{}
			}
			m.essence, part = strings.ToLower(essence), rest
		}
		name, label, ok := strings.Cut(part, "=")
		if ok && m.charset == "" && strings.EqualFold(strings.Trim(name, htmlSpace), "charset") {
			m.charset = strings.ToLower(strings.Trim(label, htmlSpace+`"'\`))
		}
	}
	return m
}

// splitOutsideQuotes yields the parts of text between separators outside quoted
// strings. An unclosed quote extends to the end.
func splitOutsideQuotes(text string, separator byte) func(func(string) bool) {
	return func(yield func(string) bool) {
		start, quoted := 0, false
		for i := 0; i < len(text); i++ {
			switch c := text[i]; {
			case quoted && c == '\\':
				i++
			case c == '"':
				quoted = !quoted
			case c == separator && !quoted:
				if !yield(text[start:i]) {
					return
				}
				start = i + 1
			}
		}
		yield(text[start:])
	}
}
