package fetch

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"strings"
	"syscall"
	"time"

	"github.com/decorum-crawler/decorum/crawler/fetch/http1"
	"github.com/decorum-crawler/decorum/frontier"
)

// dial makes the connections of a transport. HTTP/1.1 connections repair heads and,
// when the wire is kept, record them.
type dial struct {
	guard  *guard
	config *tls.Config
	keep   bool   // HTTP/2 has no header lines, so it is not offered then
	full   func() // closes what is open and not in use
	noted  func(host string, remote net.Addr)
}

// fullPause is how long a dial waits for another file of this process to be closed.
const fullPause = 50 * time.Millisecond

// connect makes a connection. When this process has too many files open, it waits
// for one to be closed: the server is not to blame.
func (d *dial) connect(ctx context.Context, network, address string) (net.Conn, error) {
	for {
		c, err := d.guard.dialer(address).DialContext(ctx, network, address)
		if e, ok := ctx.Value(exchangeKey{}).(*exchange); ok && err == nil {
			d.noted(frontier.HostOf(e.permit.url), c.RemoteAddr())
		}
		if !isFull(err) {
			return c, err
		}
		d.full()
		pause := time.NewTimer(fullPause)
		select {
		case <-ctx.Done():
			pause.Stop()
			return nil, errors.Join(ctx.Err(), err)
		case <-pause.C:
		}
	}
}

// isFull reports whether an error comes from the limit on open files, of this
// process or of the machine.
func isFull(err error) bool {
	if errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
		return true
	}
	name, ok := errors.AsType[*net.DNSError](err) // wraps nothing
	return ok && (strings.Contains(name.Err, syscall.EMFILE.Error()) || strings.Contains(name.Err, syscall.ENFILE.Error()))
}

func (d *dial) plain(ctx context.Context, network, address string) (net.Conn, error) {
	c, err := d.connect(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return http1.New(c, d.keep), nil
}

// secret makes a TLS connection here, because net/http would put its own TLS on top
// of what plain returns.
func (d *dial) secret(ctx context.Context, network, address string) (net.Conn, error) {
	plain, err := d.connect(ctx, network, address)
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
