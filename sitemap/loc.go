package sitemap

import (
	"strings"
	"unicode/utf8"

	"github.com/decorum-crawler/decorum/sitemap/internal/address"
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
	case address.IsAbsolute(loc):
	case address.HasScheme(loc):
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
	if host, _ := address.Authority(loc); host == "" {
		r.problem("bad-scheme")
		return "", false
	}
	if strings.IndexByte(loc, '#') >= 0 {
		r.problem("fragment")
	}
	r.judgePlace(loc, placed)
	return loc, true
}

// escape escapes blanks, control characters and everything beyond ASCII; if
// strict, everything after the host that RFC 3986 requires to be escaped. In a
// host, an escape would make it another one, or invalid.
func (r *Reader) escape(loc string) string {
	escaped := address.Escape(loc, r.options.Strict)
	switch {
	case escaped == loc:
	case utf8.ValidString(loc):
		r.problem("unescaped-loc")
	default:
		r.problem("bad-utf8")
	}
	return escaped
}

// href returns the absolute URL of a link and reports what is wrong with it. It is
// returned as written if it cannot be resolved.
func (r *Reader) href(text string) string {
	if r.isPlain(text) {
		return text
	}
	escaped := address.Escape(text, r.options.Strict)
	if escaped != text {
		r.problem("unescaped-href")
	}
	if address.IsAbsolute(escaped) {
		return escaped
	}
	if address.HasScheme(escaped) || r.base == nil {
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

func (r *Reader) withoutUser(loc string) string {
	host, end := address.Authority(loc)
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
	host, end := address.Authority(loc)
	scheme := loc[:strings.Index(loc, "://")]
	if !address.SameHost(r.base, scheme, host) {
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
	host, _ := address.Authority(loc)
	scheme, _, _ := strings.Cut(loc, "://")
	return r.base != nil && address.SameHost(r.base, scheme, host)
}
