package generate

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/decorum-crawler/decorum/sitemap"
)

// Namespaces of the extensions that are written.
const (
	namespaceXHTML = "http://www.w3.org/1999/xhtml"
	namespaceImage = "http://www.google.com/schemas/sitemap-image/1.1"
)

// appendEntry appends an entry of a urlset, on its own line. An extension is
// declared where it is used, so that plain files stay plain.
func appendEntry(b []byte, entry sitemap.Entry) []byte {
	b = append(b, "<url"...)
	if len(entry.Alternates) > 0 {
		b = append(b, ` xmlns:xhtml="`+namespaceXHTML+`"`...)
	}
	if len(entry.Images) > 0 {
		b = append(b, ` xmlns:image="`+namespaceImage+`"`...)
	}
	b = appendElement(append(b, '>'), "loc", entry.Loc)
	b = appendDate(b, entry.LastMod)
	if entry.ChangeFreq != "" {
		b = appendElement(b, "changefreq", entry.ChangeFreq)
	}
	if entry.HasPriority {
		b = appendElement(b, "priority", formatPriority(entry.Priority))
	}
	for _, a := range entry.Alternates {
		b = appendEscaped(append(b, `<xhtml:link rel="alternate" hreflang="`...), a.HrefLang)
		b = append(appendEscaped(append(b, `" href="`...), a.Href), `"/>`...)
	}
	for _, image := range entry.Images {
		b = append(appendElement(append(b, "<image:image>"...), "image:loc", image.Loc), "</image:image>"...)
	}
	return append(b, "</url>\n"...)
}

func appendElement(b []byte, name, text string) []byte {
	b = append(append(append(b, '<'), name...), '>')
	b = appendEscaped(b, text)
	return append(append(append(b, "</"...), name...), '>')
}

// appendDate appends a lastmod in UTC, if there is a date.
func appendDate(b []byte, date time.Time) []byte {
	if date.IsZero() {
		return b
	}
	b = date.UTC().AppendFormat(append(b, "<lastmod>"...), time.RFC3339)
	return append(b, "</lastmod>"...)
}

// formatPriority formats a priority with at least one decimal, as the protocol
// does.
func formatPriority(priority float64) string {
	text := strconv.FormatFloat(priority, 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return text
}

// appendEscaped appends text, with the five characters escaped that the protocol
// names. What XML forbids is left out.
func appendEscaped(b []byte, text string) []byte {
	for _, r := range text {
		switch {
		case r == '&':
			b = append(b, "&amp;"...)
		case r == '<':
			b = append(b, "&lt;"...)
		case r == '>':
			b = append(b, "&gt;"...)
		case r == '"':
			b = append(b, "&quot;"...)
		case r == '\'':
			b = append(b, "&apos;"...)
		case isCharacter(r):
			b = utf8.AppendRune(b, r)
		}
	}
	return b
}

// isCharacter reports whether XML 1.0 §2.2 allows a character, except U+FFFD,
// which is what a range loop yields for invalid UTF-8.
func isCharacter(r rune) bool {
	return r == '\t' || r == '\n' || r == '\r' || r >= ' ' && r != utf8.RuneError && r != 0xfffe && r != 0xffff
}
