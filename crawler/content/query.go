package content

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
)

// EncodeQuery returns an address with the query in the charset of the page that it
// is a link of, as browsers send it (URL standard, query state). The charset is a
// [Charset.Name]; that of Unicode changes nothing, and the rest of an address is
// never changed.
func EncodeQuery(address, charset string) string {
	path, query, ok := strings.Cut(address, "?")
	if !ok || isASCII(query) || strings.HasPrefix(charset, "utf-") {
		return address
	}
	to, err := htmlindex.Get(charset)
	if err != nil {
		return address
	}
	query, fragment, hasFragment := strings.Cut(query, "#")
	if hasFragment {
		fragment = "#" + fragment
	}
	return path + "?" + encodeQuery(query, to) + fragment
}

func encodeQuery(query string, to encoding.Encoding) string {
	encoder := to.NewEncoder()
	var b strings.Builder
	for _, r := range query {
		if r < utf8.RuneSelf {
			b.WriteRune(r)
			continue
		}
		encoded, err := encoder.String(string(r))
		if err != nil { // as a character reference, escaped
			fmt.Fprintf(&b, "%%26%%23%d%%3B", r)
			continue
		}
		for i := range len(encoded) {
			if c := encoded[i]; c <= ' ' || c >= 0x7f || strings.IndexByte("\"#<>'", c) >= 0 {
				fmt.Fprintf(&b, "%%%02X", c)
			} else {
				b.WriteByte(c)
			}
		}
	}
	return b.String()
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
