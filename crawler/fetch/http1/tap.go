package http1

import (
	"net"
	"sync"
)

// A Tap records the head of each request and
// response.
type Tap struct {
	net.Conn

	mu       sync.Mutex // guards what follows
	request  headNote
	response headNote
}

// Read records what is received.
func (t *Tap) Read(p []byte) (int, error) {
	n, err := t.Conn.Read(p)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.response.add(p[:n])
	for t.response.done && interim(t.response.head) {
		rest := t.response.rest
		t.response = headNote{}
		t.response.add(rest)
	}
	return n, err
}

// Write records what is sent before sending it: the response may have arrived
// when writing returns.
func (t *Tap) Write(p []byte) (int, error) {
	t.mu.Lock()
	t.request.add(p)
	t.mu.Unlock()
	return t.Conn.Write(p)
}

// Begin discards the previous exchange.
func (t *Tap) Begin() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.request, t.response = headNote{}, headNote{}
}

// Heads returns what was recorded since Begin.
func (t *Tap) Heads() (request, response []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.request.head, t.response.head
}

// headNote is the head of a message as far as it has arrived.
type headNote struct {
	head []byte
	rest []byte // of the data that ended the head, in the reader's buffer
	done bool
}

func (h *headNote) add(data []byte) {
	if h.done {
		h.rest = nil
		return
	}
	from := max(len(h.head)-3, 0)
	before := len(h.head)
	h.head = append(h.head, data...)
	if end := headEnd(h.head[from:]); end >= 0 {
		h.head, h.done = h.head[:from+end], true
		h.rest = data[len(h.head)-before:]
	} else if len(h.head) > MaxHead+bufferSlack {
		h.done = true // the transport will reject it
	}
}

// bufferSlack is how far a buffered reader may read ahead.
const bufferSlack = 64 << 10
