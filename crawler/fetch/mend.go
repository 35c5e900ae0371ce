package fetch

import (
	"bytes"
	"net"
	"strings"
	"sync"
)

// mended is an HTTP/1.1 connection that repairs the heads of responses: net/http
// rejects a response because of one invalid line that browsers skip.
type mended struct {
	net.Conn

	mu      sync.Mutex // guards what follows
	waiting bool       // for the head of a response, because a request was written
	head    []byte     // as far as it has arrived
	ready   []byte     // repaired, not yet read
}

// Write notes that a response will follow.
func (m *mended) Write(p []byte) (int, error) {
	m.mu.Lock()
	m.waiting = true
	m.mu.Unlock()
	return m.Conn.Write(p)
}

// Read returns bodies as they arrive, and heads once they are complete.
func (m *mended) Read(p []byte) (int, error) {
	for {
		if n := m.take(p); n > 0 {
			return n, nil
		}
		n, err := m.Conn.Read(p)
		if m.pass(p[:n]) {
			return n, err
		}
		if err != nil {
			m.flush()
			if n := m.take(p); n > 0 {
				return n, nil // the next read returns the error again
			}
			return 0, err
		}
	}
}

// take copies from ready.
func (m *mended) take(p []byte) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := copy(p, m.ready)
	m.ready = m.ready[n:]
	return n
}

// pass reports whether data belongs to a body, so that it can be returned. Data of
// a head is kept.
func (m *mended) pass(data []byte) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.waiting {
		return true
	}
	from := max(len(m.head)-3, 0)
	m.head = append(m.head, data...)
	for {
		end := headEnd(m.head[from:])
		switch {
		case end >= 0:
			whole := m.head[:from+end]
			m.ready = append(m.ready, mend(whole)...)
			m.head = m.head[len(whole):]
			from = 0
			if interim(whole) {
				continue
			}
		case len(m.head) <= maxHeaderBytes:
			return false
		} // otherwise it is too long, and the transport rejects it
		m.ready = append(m.ready, m.head...)
		m.head, m.waiting = nil, false
		return false
	}
}

// flush makes an incomplete head ready.
func (m *mended) flush() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ready, m.head, m.waiting = append(m.ready, m.head...), nil, false
}

// interim reports whether a head is that of a 1xx response before the final one
// (RFC 9110 §15.2).
func interim(head []byte) bool {
	_, code, ok := bytes.Cut(head[:min(len(head), 16)], []byte(" "))
	return ok && len(code) >= 3 && code[0] == '1' && !bytes.HasPrefix(code, []byte("101"))
}

// mend returns a head in a form that net/http accepts, read as browsers do. It drops
// lines without a colon or whose name is not a token, with their continuations, and
// lengths that are not numbers and transfer codings other than chunked. Control
// characters become spaces.
func mend(head []byte) []byte {
	out := make([]byte, 0, len(head))
	var dropping, chunked bool
	first := true
	for line := range bytes.Lines(head) {
		text := bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
		switch {
		case first:
			out, first = append(out, mendStatus(text)...), false
			out, dropping = append(out, "\r\n"...), true // a status line has no continuation
			continue
		case len(text) == 0:
		case text[0] == ' ' || text[0] == '\t':
			if dropping {
				continue
			}
		default:
			name, value, ok := mendField(text)
			if dropping = !ok || chunked && name == "transfer-encoding"; dropping {
				continue
			}
			chunked = chunked || name == "transfer-encoding"
			text = value
		}
		for _, c := range text {
			if c < ' ' && c != '\t' || c == 0x7f {
				c = ' '
			}
			out = append(out, c)
		}
		out = append(out, "\r\n"...)
	}
	return out
}

// mendStatus returns a status line with a version that net/http accepts.
func mendStatus(line []byte) []byte {
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

// mendField returns the name of a field in lower case and its repaired line; ok is
// false if the line must be dropped.
func mendField(line []byte) (name string, text []byte, ok bool) {
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
		ok := strings.Contains(strings.ToLower(string(value)), "chunked")
		return name, []byte("Transfer-Encoding: chunked"), ok
	}
	return name, append(append(bytes.Clone(raw), ':'), value...), true
}

// oneLength returns the length in a field that may repeat it (RFC 9110 §8.6). A
// field with different lengths is returned unchanged, and net/http rejects it.
func oneLength(value string) (string, bool) {
	first := ""
	for part := range strings.SplitSeq(value, ",") {
		part = strings.TrimSpace(part)
		if part == "" || strings.Trim(part, "0123456789") != "" {
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
