package http1

import (
	"bytes"
	"strings"
)

// repair returns a head in a form that net/http accepts, read as browsers do. It drops
// lines without a colon or whose name is not a token, with their continuations, and
// lengths that are not numbers and transfer codings other than chunked. Control
// characters become spaces.
func repair(head []byte) []byte {
	out := make([]byte, 0, len(head))
	var dropping, chunked bool
	first := true
	for line := range bytes.Lines(head) {
		text := clean(bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r")))
		switch {
		case first:
			out, first = append(out, repairStatus(text)...), false
			out, dropping = append(out, "\r\n"...), true // a status line has no continuation
			continue
		case len(text) == 0:
		case text[0] == ' ' || text[0] == '\t':
			if dropping {
				continue
			}
		default:
			name, value, ok := repairField(text)
			if dropping = !ok || chunked && name == "transfer-encoding"; dropping {
				continue
			}
			chunked = chunked || name == "transfer-encoding"
			text = value
		}
		out = append(append(out, text...), "\r\n"...)
	}
	return out
}

// clean returns a line with spaces in place of control characters.
func clean(line []byte) []byte {
	line = bytes.Clone(line)
	for i, c := range line {
		if c < ' ' && c != '\t' || c == 0x7f {
			line[i] = ' '
		}
	}
	return line
}

// repairStatus returns a status line with a version that net/http accepts.
func repairStatus(line []byte) []byte {
	version, rest, _ := bytes.Cut(line, []byte(" "))
	upper := bytes.ToUpper(version)
	if !bytes.HasPrefix(upper, []byte("HTTP/")) {
		return line
	}
	if v := string(upper); v != "HTTP/1.0" {
		upper = []byte("HTTP/1.1") // the version of the request
	}
	return append(append(upper, ' '), bytes.TrimLeft(rest, " \t")...)
}

// repairField returns the name of a field in lower case and its repaired line; ok is
// false if the line must be dropped.
func repairField(line []byte) (name string, text []byte, ok bool) {
	raw, value, ok := bytes.Cut(line, []byte(":"))
	raw = bytes.TrimRight(raw, " \t")
	if !ok || !isToken(raw) {
		return "", nil, false
	}
	name = strings.ToLower(string(raw))
	switch name {
	case "content-length":
		length, ok := oneLength(string(value))
		return name, []byte("Content-Length: " + length), ok
	case "transfer-encoding":
		coding, chunked := transferCoding(string(value))
		text := "Transfer-Encoding: chunked"
		if coding != "" { // removed with the content codings, since it was applied after them
			text += "\r\nContent-Encoding: " + coding
		}
		return name, []byte(text), chunked
	case "trailer":
		return "", nil, false // net/http rejects names in it, and nobody reads trailers
	}
	return name, append(append(bytes.Clone(raw), ':'), value...), true
}

// transferCoding returns the coding under "chunked", if there is one, and whether a
// message is chunked (RFC 9112 §6.1).
func transferCoding(value string) (coding string, chunked bool) {
	for part := range strings.SplitSeq(strings.ToLower(value), ",") {
		switch part = strings.TrimSpace(part); part {
		case "chunked":
			chunked = true
		case "gzip", "x-gzip", "deflate":
			coding = part
		}
	}
	return coding, chunked
}

// oneLength returns the length in a field that may repeat it (RFC 9110 §8.6). A
// field with different lengths is returned unchanged, and net/http rejects it.
func oneLength(value string) (string, bool) {
	first := ""
	for part := range strings.SplitSeq(value, ",") {
		part = strings.TrimSpace(part)
		if part == "" || len(part) > 18 || strings.Trim(part, "0123456789") != "" {
			return "", false
		}
		if first != "" && part != first {
			return value, true
		}
		first = part
	}
	return first, true
}

// isToken reports whether a name is a token (RFC 9110 §5.6.2).
func isToken(name []byte) bool {
	for _, c := range name {
		switch {
		case 'a' <= c|0x20 && c|0x20 <= 'z', '0' <= c && c <= '9', strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0:
		default:
			return false
		}
	}
	return len(name) > 0
}
