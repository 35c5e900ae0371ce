package fetch

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
)

// dial makes the connections of a transport. HTTP/1.1 connections repair heads and,
// when the wire is kept, record them.
type dial struct {
	guard  *guard
	config *tls.Config
	keep   bool // HTTP/2 has no header lines, so it is not offered then
}

func (d *dial) plain(ctx context.Context, network, address string) (net.Conn, error) {
	c, err := d.guard.dialer(address).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return d.http1(c), nil
}

// secret makes a TLS connection here, because net/http would put its own TLS on top
// of what plain returns.
func (d *dial) secret(ctx context.Context, network, address string) (net.Conn, error) {
	plain, err := d.guard.dialer(address).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	config := d.config.Clone()
	config.NextProtos = []string{"h2", "http/1.1"}
	if d.keep {
		config.NextProtos = config.NextProtos[1:]
	}
	if config.ServerName, _, err = net.SplitHostPort(address); err != nil {
		return nil, errors.Join(err, plain.Close())
	}
	ctx, cancel := context.WithTimeout(ctx, handshakeTimeout)
	defer cancel()
	c := tls.Client(plain, config)
	if err := c.HandshakeContext(ctx); err != nil {
		_ = plain.Close()
		return nil, err
	}
	if c.ConnectionState().NegotiatedProtocol == "h2" {
		return c, nil
	}
	return d.http1(c), nil
}

func (d *dial) http1(c net.Conn) net.Conn {
	if d.keep {
		c = &tap{Conn: c}
	}
	return &mended{Conn: c}
}

// tapOf returns the tap of a connection, or nil when it has none.
func tapOf(c net.Conn) *tap {
	if m, ok := c.(*mended); ok {
		t, _ := m.Conn.(*tap)
		return t
	}
	return nil
}
