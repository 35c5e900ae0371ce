package fetch

import (
	"fmt"
	"net/http"
	"strings"
)

// Redirect returns the Location of a response that is a redirect, or "". It is to
// be resolved against the URL of the request. Bytes outside ASCII are percent-encoded
// one by one, as in browsers.
func Redirect(status int, header http.Header) string {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
	default:
		return ""
	}
	location := strings.TrimSpace(header.Get("Location"))
	if strings.IndexFunc(location, func(r rune) bool { return r >= 0x80 }) < 0 {
		return location
	}
	var b strings.Builder
	for i := range len(location) {
		if c := location[i]; c < 0x80 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}
