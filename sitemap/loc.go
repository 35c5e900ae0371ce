package sitemap

import (
	"net/url"
	"strings"
	"unicode/utf8"
)

// address returns the absolute URL of a loc and reports what is wrong with it.
// ok is false if the entry is dropped. placed tells whether the rule on folders
// applies.
func (r *Reader) address(loc string, placed bool) (string, bool) {
	if r.isPlain(loc) {
		return loc, true
	}
	if len(loc) > r.options.MaxLoc {
		r.problem("loc-too-long")
		return "", false
	}
	loc = r.escape(loc)
	switch {
	case isAbsolute(loc):
	case hasScheme(loc):
		r.problem("bad-scheme")
		return "", false
	default:
		if r.base == nil {
			r.problem("bad-scheme")
			return "", false
		}
		resolved, err := r.base.Parse(loc)
		if err != nil {
			r.problem("bad-scheme")
			return "", false
		}
		r.problem("relative-loc")
		loc = resolved.String()
	}
	loc = r.withoutUser(loc)
	if host, _ := authority(loc); host == "" {
		r.problem("bad-scheme")
		return "", false
	}
	if strings.IndexByte(loc, '#') >= 0 {
		r.problem("fragment")
	}
	r.judgePlace(loc, placed)
	return loc, true
}

// hasScheme reports whether an address begins with a scheme (RFC 3986 §3.1).
func hasScheme(address string) bool {
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

// escape escapes blanks, control characters and everything beyond ASCII; if
// strict, everything after the host that RFC 3986 requires to be escaped. In a
// host, an escape would make it another one, or invalid.
func (r *Reader) escape(loc string) string {
	escaped := escapeURI(loc, r.options.Strict)
	switch {
	case escaped == loc:
	case utf8.ValidString(loc):
		r.problem("unescaped-loc")
	default:
		r.problem("bad-utf8")
	}
	return escaped
}

func escapeURI(loc string, strict bool) string {
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

// href returns the absolute URL of a link and reports what is wrong with it. It is
// returned as written if it cannot be resolved.
func (r *Reader) href(text string) string {
	if r.isPlain(text) {
		return text
	}
	escaped := escapeURI(text, r.options.Strict)
	if escaped != text {
		r.problem("unescaped-href")
	}
	if isAbsolute(escaped) {
		return escaped
	}
	if hasScheme(escaped) || r.base == nil {
		if r.options.Strict {
			r.problem("bad-href")
		}
		return escaped
	}
	resolved, err := r.base.Parse(escaped)
	if err != nil {
		return escaped
	}
	r.problem("relative-href")
	return resolved.String()
}

// hostEnd returns the place where the host of an address ends, or 0 if it has
// none.
func hostEnd(address string) int {
	switch {
	case isAbsolute(address):
		_, end := authority(address)
		return end
	case strings.HasPrefix(address, "//"):
		_, end := authority(":" + address)
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

// authority returns the host and port of an absolute URL and the place where
// they end.
func authority(loc string) (host string, end int) {
	start := strings.Index(loc, "://") + len("://")
	end = len(loc)
	if stop := strings.IndexAny(loc[start:], "/?#"); stop >= 0 {
		end = start + stop
	}
	return loc[start:end], end
}

func (r *Reader) withoutUser(loc string) string {
	host, end := authority(loc)
	at := strings.LastIndexByte(host, '@')
	if at < 0 {
		return loc
	}
	r.problem("userinfo")
	return loc[:end-len(host)] + host[at+1:] + loc[end:]
}

// judgePlace reports an address on another host than the file, or above its
// folder.
func (r *Reader) judgePlace(loc string, placed bool) {
	if r.base == nil {
		return
	}
	host, end := authority(loc)
	scheme := loc[:strings.Index(loc, "://")]
	if !sameHost(r.base, scheme, host) {
		r.problem("other-host")
		return
	}
	if r.options.Strict && !strings.EqualFold(scheme, r.base.Scheme) {
		r.problem("other-scheme")
	}
	path := loc[end:]
	if path == "" || path[0] != '/' {
		path = "/"
	}
	base := r.base.EscapedPath()
	folder := base[:strings.LastIndexByte(base, '/')+1]
	if placed && !r.options.Served.Named && !strings.HasPrefix(path, folder) {
		r.problem("above-folder")
	}
}

// isHome reports whether an absolute URL is on the host of the file.
func (r *Reader) isHome(loc string) bool {
	host, _ := authority(loc)
	scheme, _, _ := strings.Cut(loc, "://")
	return r.base != nil && sameHost(r.base, scheme, host)
}

func sameHost(base *url.URL, scheme, host string) bool {
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
