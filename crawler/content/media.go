package content

import (
	"net/http"
	"strings"
)

// TypeOf returns the Content-Type of an answer; several header lines are joined
// by commas, as RFC 9110 §5.3 has it.
func TypeOf(header http.Header) string { return strings.Join(header.Values("Content-Type"), ", ") }

// Media returns the type and subtype that a Content-Type names, in lower case
// and without parameters; empty when it names none.
func Media(contentType string) string { return parseMedia(contentType).essence }

// IsHTML reports whether a body is to be read as HTML: by its Content-Type, or
// by its first bytes when the header names none.
func IsHTML(contentType string, body []byte) bool {
	media := Media(contentType)
	if media == "" {
		media = Media(http.DetectContentType(body))
	}
	return media == "text/html" || media == "application/xhtml+xml"
}

// MayBeHTML is [IsHTML] when only the header is known: a missing Content-Type
// may be that of HTML.
func MayBeHTML(contentType string) bool {
	return Media(contentType) == "" || IsHTML(contentType, nil)
}

// saysText reports whether a Content-Type is one of text: HTML, XML and JSON
// too. A missing one is.
func saysText(contentType string) bool {
	media := Media(contentType)
	return media == "" || strings.HasPrefix(media, "text/") || strings.HasSuffix(media, "xml") || strings.HasSuffix(media, "json")
}

// media is a media type, as far as it matters.
type media struct{ essence, charset string }

// parseMedia reads a Content-Type as browsers do: of several values the last one
// that is a media type counts, and the charset of an earlier one of the same
// type stays (Fetch §2.2.2, extract a MIME type).
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

// parseMediaValue reads one media type (MIME Sniffing §4.4). It is lenient: a
// blank may end the type, a quote may be missing or a single one.
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

// splitOutsideQuotes yields the parts of text between separators that are in no
// quoted string. A quote that is not closed reaches to the end.
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
