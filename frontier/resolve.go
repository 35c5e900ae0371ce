package frontier

import "strings"

// A Base is a canonical URL against which many addresses are resolved, such as
// the links of a page.
type Base struct {
	url    string
	origin string // scheme://host:port
	folder string // up to the last slash of the path
}

// NewBase returns the base for a canonical URL.
func NewBase(canonical string) Base {
	start := strings.Index(canonical, "://") + len("://")
	end := len(canonical)
	if slash := strings.IndexByte(canonical[start:], '/'); slash >= 0 {
		end = start + slash
	}
	path, _, _ := strings.Cut(canonical, "?")
	return Base{url: canonical, origin: canonical[:end], folder: path[:strings.LastIndexByte(path, '/')+1]}
}

// Resolve returns [Canonical] of an address relative to the base. It is faster for
// addresses that are in canonical form already, as most are.
func (b Base) Resolve(address string, maxLength int) (string, error) {
	if maxLength == 0 {
		maxLength = MaxURLLength
	}
	if short, ok := b.short(address); ok && len(short) <= maxLength {
		return short, nil
	}
	return Canonical(b.url, address, maxLength)
}

// short resolves an address of plain characters; ok is false for all others.
func (b Base) short(address string) (resolved string, ok bool) {
	address, _, _ = strings.Cut(address, "#")
	if address == "" || !isShort(address) || strings.Contains(address, "/.") {
		return "", false
	}
	switch {
	case address[0] == '/':
		if strings.HasPrefix(address, "//") {
			return "", false
		}
		return b.origin + address, true
	case strings.HasPrefix(address, "http://"), strings.HasPrefix(address, "https://"):
		host, _, slash := strings.Cut(address[strings.Index(address, "://")+len("://"):], "/")
		if !slash || !isShortHost(host) {
			return "", false
		}
		return address, true
	case address[0] == '?' || address[0] == '.' || strings.IndexByte(address, ':') >= 0:
		return "", false
	}
	return b.folder + address, true
}

// isShort reports whether no octet changes in path and query.
func isShort(address string) bool {
	for i := range len(address) {
		if !shortOctets[address[i]] {
			return false
		}
	}
	return true
}

// shortOctets are the octets that no rule of [Canonical] changes.
var shortOctets = func() (table [256]bool) {
	for _, c := range []byte("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/?:@!$&()*+,;=") {
		table[c] = true
	}
	return table
}()

// isShortHost reports whether a host is a name in its final form: in lower case,
// without port, user, punycode to check or a number at its end.
func isShortHost(host string) bool {
	label := 0
	for i := range len(host) {
		c := host[i]
		switch {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9', c == '-' && label > 0:
			label++
		case c == '.' && label > 0:
			label = 0
		default:
			return false
		}
		if label > 63 {
			return false
		}
	}
	if label == 0 || len(host) > 253 || strings.Contains(host, "--") || strings.Contains(host, "-.") || host[len(host)-1] == '-' {
		return false
	}
	last := host[strings.LastIndexByte(host, '.')+1:]
	return 'a' <= last[0] && last[0] <= 'z'
}
