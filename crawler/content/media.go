package content

import (
	"net/http"
	"strings"
)

// IsHTML reports whether to read a body as HTML, according to its Content-Type,
// or to its first bytes when contentType is empty.
func IsHTML(contentType string, body []byte) bool {
	contentType = strings.TrimSpace(contentType)
	if contentType == "" {
		contentType = http.DetectContentType(body)
	}
	contentType = strings.ToLower(contentType)
	return strings.HasPrefix(contentType, "text/html") || strings.HasPrefix(contentType, "application/xhtml+xml")
}

// MayBeHTML is like [IsHTML] when only the header is known: without a
// Content-Type a body may be HTML.
func MayBeHTML(contentType string) bool {
	return strings.TrimSpace(contentType) == "" || IsHTML(contentType, nil)
}
