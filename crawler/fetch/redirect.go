package fetch

import (
	"fmt"
	"net/http"
	"strings"
)

// Redirect returns the address to which an answer redirects, as its Location has
// it and to be resolved against its own URL; empty when it redirects nowhere.
// Bytes outside ASCII are escaped one by one, as browsers do.
func Redirect(status int, header http.Header) string {
	if status/100 != 3 {
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
