package wellformed

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// isQName reports whether a name has the form of Namespaces in XML 1.0 §4.
func isQName(name []byte) bool {
	prefix, local := split(name)
	return (prefix == nil || isNCName(prefix)) && isNCName(local)
}

// split returns the prefix of a name, nil if it has none, and the rest.
func split(name []byte) (prefix, local []byte) {
	if colon := bytes.IndexByte(name, ':'); colon >= 0 {
		return name[:colon:colon], name[colon+1:]
	}
	return nil, name
}

// isNCName reports whether a name is one without a colon.
func isNCName(name []byte) bool {
	for i := 0; i < len(name); {
		if b := name[i]; b < utf8.RuneSelf {
			if !nameByte[b] || i == 0 && (b == '-' || b == '.' || '0' <= b && b <= '9') {
				return false
			}
			i++
			continue
		}
		r, length := utf8.DecodeRune(name[i:])
		if r == utf8.RuneError && length == 1 || !unicode.Is(nameStart, r) && (i == 0 || !unicode.Is(nameRest, r)) {
			return false
		}
		i += length
	}
	return len(name) > 0
}

// nameByte are the ASCII characters of a name, except the colon.
var nameByte = func() (table [utf8.RuneSelf]bool) {
	for b := range table {
		table[b] = 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9' || b == '_' || b == '-' || b == '.'
	}
	return table
}()

// nameStart and nameRest are the characters beyond ASCII that may begin a name and
// those that may only follow (XML 1.0 §2.3).
var (
	nameStart = &unicode.RangeTable{
		R16: []unicode.Range16{
			{Lo: 0xc0, Hi: 0xd6, Stride: 1},
			{Lo: 0xd8, Hi: 0xf6, Stride: 1},
			{Lo: 0xf8, Hi: 0x2ff, Stride: 1},
			{Lo: 0x370, Hi: 0x37d, Stride: 1},
			{Lo: 0x37f, Hi: 0x1fff, Stride: 1},
			{Lo: 0x200c, Hi: 0x200d, Stride: 1},
			{Lo: 0x2070, Hi: 0x218f, Stride: 1},
			{Lo: 0x2c00, Hi: 0x2fef, Stride: 1},
			{Lo: 0x3001, Hi: 0xd7ff, Stride: 1},
			{Lo: 0xf900, Hi: 0xfdcf, Stride: 1},
			{Lo: 0xfdf0, Hi: 0xfffd, Stride: 1},
		},
		R32: []unicode.Range32{{Lo: 0x10000, Hi: 0xeffff, Stride: 1}},
	}
	nameRest = &unicode.RangeTable{
		R16: []unicode.Range16{{Lo: 0xb7, Hi: 0xb7, Stride: 1}, {Lo: 0x300, Hi: 0x36f, Stride: 1}, {Lo: 0x203f, Hi: 0x2040, Stride: 1}},
	}
)
