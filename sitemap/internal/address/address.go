// Package address has the rules on URLs that sitemaps need: forgiving, on text, and
// without parsing what has no fault.
package address

import (
	"net/url"
	"strings"
)

// IsAbsolute reports whether an address is an http or https URL.
func IsAbsolute(address string) bool {
	return hasPrefixFold(address, "http://") || hasPrefixFold(address, "https://")
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) > len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// HasScheme reports whether an address begins with a scheme (RFC 3986 §3.1).
func HasScheme(address string) bool {
	for i := range len(address) {
		switch c := address[i]; {
		case c == ':':
			return i > 0
		case 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z':
		case i > 0 && ('0' <= c && c <= '9' || c == '+' || c == '-' || c == '.'):
		default:
			return false
		}
	}
	return false
}

// Escape escapes blanks, control characters and everything beyond ASCII; if
// strict, everything after the host that RFC 3986 requires to be escaped.
func Escape(loc string, strict bool) string {
	host := hostEnd(loc)
	wrong := func(at int) bool { return loc[at] <= ' ' || loc[at] >= 0x7f }
	if strict {
		wrong = func(at int) bool { return !isURIByte(loc, at, host) }
	}
	at := 0
	for at < len(loc) && !wrong(at) {
		at++
	}
	if at == len(loc) {
		return loc
	}
	const upperHex = "0123456789ABCDEF"
	var b strings.Builder
	b.Grow(3 * len(loc))
	for i := range len(loc) {
		if c := loc[i]; c <= ' ' || c >= 0x7f || i >= host && wrong(i) {
			b.Write([]byte{'%', upperHex[c>>4], upperHex[c&15]})
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// hostEnd returns the place where the host of an address ends, or 0 if it has
// none.
func hostEnd(address string) int {
	switch {
	case IsAbsolute(address):
		_, end := Authority(address)
		return end
	case strings.HasPrefix(address, "//"):
		_, end := Authority(":" + address)
		return end - 1
	}
	return 0
}

// isURIByte reports whether the byte at a place of an address, whose host ends
// at hostEnd, is allowed there (RFC 3986 §2 and appendix A).
func isURIByte(address string, at, hostEnd int) bool {
	switch c := address[at]; {
	case 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9':
		return true
	case c == '%':
		return at+2 < len(address) && isHex(address[at+1]) && isHex(address[at+2])
	case c == '[' || c == ']': // of an IPv6 address
		return at < hostEnd
	default:
		return strings.IndexByte("-._~:/?#@!$&'()*+,;=", c) >= 0
	}
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

// Authority returns the host and port of an absolute URL and the place where
// they end.
func Authority(loc string) (host string, end int) {
	start := strings.Index(loc, "://") + len("://")
	end = len(loc)
	if stop := strings.IndexAny(loc[start:], "/?#"); stop >= 0 {
		end = start + stop
	}
	return loc[start:end], end
}

// SameHost reports whether an address with a scheme and a host is on the host of
// base. The default ports of http and https are the same.
func SameHost(base *url.URL, scheme, host string) bool {
	if strings.EqualFold(host, base.Host) {
		return true
	}
	return strings.EqualFold(withPort(scheme, host), withPort(base.Scheme, base.Host)) ||
		strings.EqualFold(hostOnly(scheme, host), hostOnly(base.Scheme, base.Host))
}

// withPort returns the host with its port, the default one if it has none.
func withPort(scheme, host string) string {
	if colon := strings.LastIndexByte(host, ':'); colon > strings.LastIndexByte(host, ']') {
		return host
	}
	if strings.EqualFold(scheme, "http") {
		return host + ":80"
	}
	return host + ":443"
}

// hostOnly removes the default port of the scheme, so that http and https of one
// name are the same host.
func hostOnly(scheme, host string) string {
	if strings.EqualFold(scheme, "http") {
		return strings.TrimSuffix(host, ":80")
	}
	return strings.TrimSuffix(host, ":443")
}
