package http1

import "bytes"

// MaxHead is the maximum size of a head in bytes. What is longer is passed on as it
// came, for net/http to refuse.
const MaxHead = 256 << 10

// headEnd returns the length of a head with its empty line, or -1.
func headEnd(data []byte) int {
	for at := 0; ; {
		i := bytes.IndexByte(data[at:], '\n')
		if i < 0 {
			return -1
		}
		at += i + 1
		switch rest := data[at:]; {
		case len(rest) > 0 && rest[0] == '\n':
			return at + 1
		case len(rest) > 1 && rest[0] == '\r' && rest[1] == '\n':
			return at + 2
		}
	}
}

// interim reports whether a head is that of a 1xx response before the final one
// (RFC 9110 §15.2).
func interim(head []byte) bool {
	_, code, ok := bytes.Cut(head[:min(len(head), 16)], []byte(" "))
	return ok && len(code) >= 3 && code[0] == '1' && !bytes.HasPrefix(code, []byte("101"))
}
