package content

import (
	"net/http"
	"strings"
)

// IsHTML reports whether a body is to be read as HTML: by its Content-Type, or
// by its first bytes when the header names none.
func IsHTML(contentType string, body []byte) bool {
	contentType = strings.TrimSpace(contentType)
	if contentType == "" {
		contentType = http.DetectContentType(body)
	}
	contentType = strings.ToLower(contentType)
	return strings.HasPrefix(contentType, "text/html") || strings.HasPrefix(contentType, "application/xhtml+xml")
}

// MayBeHTML is [IsHTML] when only the header is known: a missing Content-Type
// may be that of HTML.
func MayBeHTML(contentType string) bool {
	return strings.TrimSpace(contentType) == "" || IsHTML(contentType, nil)
}

// saysText reports whether a Content-Type is one of text: HTML, XML and JSON
// too. A missing one is.
func saysText(contentType string) bool {
	media, _, _ := strings.Cut(strings.ToLower(contentType), ";")
	media = strings.TrimSpace(media)
	return media == "" || strings.HasPrefix(media, "text/") || strings.HasSuffix(media, "xml") || strings.HasSuffix(media, "json")
}
