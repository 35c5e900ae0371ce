package frontier

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"

	whatwg "github.com/nlnwa/whatwg-url/url"
)

// MaxURLLength is the default for the length of a canonical URL in bytes.
const MaxURLLength = 2048

// Errors of [Canonical]. Each is one reason of skipped.jsonl.
var (
	// ErrBadURL means that the text is not a URL that can be requested.
	ErrBadURL = errors.New("bad-url")
	// ErrScheme means that the URL is neither http nor https.
	ErrScheme = errors.New("scheme")
	// ErrTooLong means that the URL is longer than the limit.
	ErrTooLong = errors.New("url-too-long")
)

// Canonical returns the one spelling of a URL, resolved against base when base is
// not empty. The rules, in order:
//
//   - it is parsed by the WHATWG URL standard, as in browsers: surrounding blanks,
//     tabs, line ends, dot segments and the default port are removed, "\" counts
//     as "/", the host becomes lower case and punycode, other octets are escaped;
//   - a "%" that does not start an escape becomes "%25" (as the fetch layer sends it);
//   - only http and https are accepted; userinfo and fragment are removed
//     (RFC 9110 §4.2.4, §7.1);
//   - an escaped unreserved octet is unescaped, the hex digits of other escapes
//     become capitals (RFC 3986 §6.2.2.1 and §6.2.2.2);
//   - a bare "?" at the end stays, and so do the order and case of everything
//     else in path and query, since servers distinguish them.
//
// The result is at most maxLength bytes; 0 means [MaxURLLength]. Canonical of a
// canonical URL is that URL.
func Canonical(base, rawURL string, maxLength int) (string, error) {
	if maxLength == 0 {
		maxLength = MaxURLLength
	}
	// Escaping can make a URL three times as long, never shorter than a third
	// of what remains; far longer text need not be parsed at all.
	if len(rawURL) > 16*maxLength {
		return "", fmt.Errorf("canonicalise URL of %d bytes: %w", len(rawURL), ErrTooLong)
	}
	parsed, err := parse(base, rawURL)
	if err != nil {
		return "", fmt.Errorf("canonicalise %q: %w", rawURL, ErrBadURL)
	}
	scheme := parsed.Scheme()
	if scheme != "http" && scheme != "https" {
		return "", fmt.Errorf("canonicalise %q: %w", rawURL, ErrScheme)
	}
	if !validHost(parsed.Hostname()) {
		return "", fmt.Errorf("canonicalise %q: host %q: %w", rawURL, parsed.Hostname(), ErrBadURL)
	}
	path, err := settledPath(unescape(parsed.Pathname()))
	if err != nil {
		return "", fmt.Errorf("canonicalise %q: %w", rawURL, ErrBadURL)
	}
	text := scheme + "://" + parsed.Host() + path
	if href := parsed.Href(true); parsed.Search() != "" || strings.HasSuffix(href, "?") {
		text += "?" + unescape(strings.TrimPrefix(parsed.Search(), "?"))
	}
	if len(text) > maxLength {
		return "", fmt.Errorf("canonicalise URL of %d bytes: %w", len(text), ErrTooLong)
	}
	return text, nil
}

func parse(base, rawURL string) (*whatwg.Url, error) {
	parser := whatwg.NewParser()
	if base == "" {
		return parser.Parse(rawURL)
	}
	return parser.ParseRef(base, rawURL)
}

// settledPath removes the dot segments that unescaping may have produced.
func settledPath(path string) (string, error) {
	if !strings.Contains(path, "/.") {
		return path, nil
	}
	parsed, err := parse("", "http://h"+path)
	if err != nil {
		return "", err
	}
	return parsed.Pathname(), nil
}

// validHost reports whether a resolver can know a host. It refuses an empty
// label, one of over 63 octets, a name of over 253 (RFC 1035 §2.3.4), and any
// octet but letters, digits, "-" and the "_" that some names have.
func validHost(host string) bool {
	if strings.HasPrefix(host, "[") {
		_, err := netip.ParseAddr(strings.Trim(host, "[]"))
		return err == nil
	}
	name := strings.TrimSuffix(host, ".")
	if name == "" || len(name) > 253 {
		return false
	}
	for label := range strings.SplitSeq(name, ".") {
		if label == "" || len(label) > 63 || strings.ContainsFunc(label, notHostRune) {
			return false
		}
	}
	return true
}

func notHostRune(r rune) bool {
	return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' && r != '_'
}

// unescape returns s with its escapes in normal form (RFC 3986 §6.2.2). A "%"
// that does not start an escape is escaped: it could start one together with
// what is unescaped after it, as in "%%341".
func unescape(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	const upperHex = "0123456789ABCDEF"
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); i++ {
		octet, ok := escapeAt(s, i)
		switch {
		case !ok && s[i] == '%':
			b.WriteString("%25")
			continue
		case !ok:
			b.WriteByte(s[i])
			continue
		case isUnreserved(octet):
			b.WriteByte(octet)
		default:
			b.Write([]byte{'%', upperHex[octet>>4], upperHex[octet&15]})
		}
		i += 2
	}
	return b.String()
}

func escapeAt(s string, i int) (octet byte, ok bool) {
	if s[i] != '%' || i+2 >= len(s) {
		return 0, false
	}
	high, low := strings.IndexByte(hexDigits, s[i+1]), strings.IndexByte(hexDigits, s[i+2])
	if high < 0 || low < 0 {
		return 0, false
	}
	return hexValue(high)<<4 | hexValue(low), true
}

const hexDigits = "0123456789abcdefABCDEF"

// hexValue returns the value of the digit at index i of hexDigits.
func hexValue(i int) byte {
	if i > 15 {
		i -= 6
	}
	return byte(i)
}

func isUnreserved(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' ||
		c == '-' || c == '.' || c == '_' || c == '~'
}
