package http1

import (
	"bytes"
	"net"
	"sync"
)

// Conn is an HTTP/1.1 connection that repairs the heads of responses.
type Conn struct {
	net.Conn
	Tap *Tap // records the heads as they come; nil without one

	mu      sync.Mutex // guards what follows
	waiting bool       // for the head of a response, because a request was written
	head    []byte     // as far as it has arrived
	ready   []byte     // repaired, not yet read
}

// New returns a connection over c; with record it has a [Tap].
func New(c net.Conn, record bool) *Conn {
	if !record {
		return &Conn{Conn: c}
	}
	tap := &Tap{Conn: c}
	return &Conn{Conn: tap, Tap: tap}
}

// Write notes that a response will follow.
func (c *Conn) Write(p []byte) (int, error) {
	c.mu.Lock()
	c.waiting = true
	c.mu.Unlock()
	return c.Conn.Write(p)
}

// Read returns bodies as they arrive, and heads once they are complete.
func (c *Conn) Read(p []byte) (int, error) {
	for {
		if n := c.take(p); n > 0 {
			return n, nil
		}
		n, err := c.Conn.Read(p)
		if c.pass(p[:n]) {
			return n, err
		}
		if err != nil {
			c.flush()
			if n := c.take(p); n > 0 {
				return n, nil // the next read returns the error again
			}
			return 0, err
		}
	}
}

// take copies from ready.
func (c *Conn) take(p []byte) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := copy(p, c.ready)
	c.ready = c.ready[n:]
	return n
}

// pass reports whether data belongs to a body, so that it can be returned. Data of
// a head is kept.
func (c *Conn) pass(data []byte) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.waiting {
		return true
	}
	from := max(len(c.head)-3, 0)
	c.head = append(c.head, data...)
	if from == 0 {
		c.head = bytes.TrimLeft(c.head, "\r\n") // some servers begin with the end of the last body
	}
	for {
		end := headEnd(c.head[from:])
		switch {
		case end >= 0:
			whole := c.head[:from+end]
			c.ready = append(c.ready, repair(whole)...)
			c.head = c.head[len(whole):]
			from = 0
			if interim(whole) {
				continue
			}
		case len(c.head) <= MaxHead:
			return false
		} // otherwise it is too long, and the transport rejects it
		c.ready = append(c.ready, c.head...)
		c.head, c.waiting = nil, false
		return false
	}
}

// flush makes an incomplete head ready.
func (c *Conn) flush() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ready, c.head, c.waiting = append(c.ready, c.head...), nil, false
}
