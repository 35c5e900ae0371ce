package fetch

import (
	"bytes"
	"net"
	"strings"
	"sync"
)

// mended is a connection that speaks HTTP/1.1 and mends the heads of answers:
// net/http gives up an answer for one odd line that browsers skip.
type mended struct {
	net.Conn

	mu      sync.Mutex // guards what follows
	waiting bool       // for the head of an answer: a request has been written
	head    []byte     // of it, as far as it has come
	ready   []byte     // mended, not yet read
}

// Write notes that an answer will follow.
func (m *mended) Write(p []byte) (int, error) {
	m.mu.Lock()
	m.waiting = true
	m.mu.Unlock()
	return m.Conn.Write(p)
}

// Read returns bodies as they come, and heads once they are whole.
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
				return n, nil // the error comes again
			}
			return 0, err
		}
	}
}

// take copies what is ready.
func (m *mended) take(p []byte) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := copy(p, m.ready)
	m.ready = m.ready[n:]
	return n
}

// pass reports whether data is of a body, and so to be passed on. Data of a head
// is kept.
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
		} // else the transport refuses it
		m.ready = append(m.ready, m.head...)
		m.head, m.waiting = nil, false
		return false
	}
}

// flush makes a head ready that will not become whole.
func (m *mended) flush() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ready, m.head, m.waiting = append(m.ready, m.head...), nil, false
}

// interim reports whether a head is one of status 1xx before the answer
// (RFC 9110 §15.2).
func interim(head []byte) bool {
	_, code, ok := bytes.Cut(head[:min(len(head), 16)], []byte(" "))
	return ok && len(code) >= 3 && code[0] == '1' && !bytes.HasPrefix(code, []byte("101"))
}

// mend returns a head that net/http can read, as browsers would. A line without
// a colon or with a name that is no token is dropped with its continuations, as
// are lengths that are no number and transfer codings but chunked; control
// characters become blanks.
func mend(head []byte) []byte {
	out := make([]byte, 0, len(head))
	var dropping, chunked bool
	first := true
	for line := range bytes.Lines(head) {
		text := bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
		switch {
		case first:
			out, first = append(out, mendStatus(text)...), false
			out, dropping = append(out, "\r\n"...), true // no line to continue
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

// mendStatus returns a status line with a version that net/http knows.
func mendStatus(line []byte) []byte {
	version, rest, _ := bytes.Cut(line, []byte(" "))
	upper := bytes.ToUpper(version)
	if !bytes.HasPrefix(upper, []byte("HTTP/")) {
		return line
	}
	if v := string(upper); v != "HTTP/1.0" {
		upper = []byte("HTTP/1.1") // what we asked for
	}
	return append(append(upper, ' '), bytes.TrimLeft(rest, " \t")...)
}

// mendField returns the name of a field in lower case, and its line as it should
// be; false for a line to drop.
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

// oneLength returns the length of a field that may repeat it (RFC 9110 §8.6).
// Different ones are returned as they are, for net/http to refuse.
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
		if !('a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0) {
			return false
		}
	}
	return len(name) > 0
}
