package fetch

import (
	"context"
	"crypto/tls"
	"errors"
	"net"

	"github.com/decorum-crawler/decorum/crawler/fetch/http1"
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
	return http1.New(c, d.keep), nil
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
		return nil, &handshakeError{err}
	}
	if c.ConnectionState().NegotiatedProtocol == "h2" {
		return c, nil
	}
	return http1.New(c, d.keep), nil
}
