package fetch

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"
	"time"
)

// A cause is the error of a request in words that a site owner knows. It wraps
// the error of net/http.
type cause struct {
	text string
	err  error
}

// Error returns the text.
func (c *cause) Error() string { return c.text }

// Unwrap returns the wrapped error.
func (c *cause) Unwrap() error { return c.err }

// explained returns err as a [cause], or unchanged if there is no better text.
func explained(err error) error {
	if text := causeText(err, time.Now()); text != "" {
		return &cause{text, err}
	}
	return err
}

func causeText(err error, now time.Time) string {
	if name, ok := errors.AsType[*net.DNSError](err); ok {
		return dnsText(name)
	}
	if text := certificateText(err, now); text != "" {
		return text
	}
	if text := handshakeText(err); text != "" {
		return text
	}
	if dial, ok := errors.AsType[*net.OpError](err); ok && dial.Op == "dial" && dial.Addr != nil {
		return dialText(dial)
	}
	switch {
	case errors.Is(err, errHeaderTimeout):
		return errHeaderTimeout.Error()
	case errors.Is(err, context.DeadlineExceeded):
		return "response was not complete within the timeout"
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "server closed the connection before the end of the response"
	case errors.Is(err, io.EOF):
		return "server closed the connection without a response"
	case errors.Is(err, syscall.ECONNRESET):
		return "server reset the connection"
	}
	return ""
}

func dnsText(name *net.DNSError) string {
	switch {
	case name.IsNotFound:
		return fmt.Sprintf("host name %s was not found in DNS", name.Name)
	case name.IsTimeout:
		return "DNS server did not answer in time for " + name.Name
	}
	return fmt.Sprintf("DNS lookup of %s failed: %s", name.Name, name.Err)
}

func dialText(dial *net.OpError) string {
	switch {
	case errors.Is(dial, ErrPrivateAddress):
		return fmt.Sprintf("%s is a private or reserved address, to which requests are not allowed", dial.Addr)
	case errors.Is(dial, syscall.ECONNREFUSED):
		return fmt.Sprintf("no server listens at %s (connection refused)", dial.Addr)
	case errors.Is(dial, syscall.EHOSTUNREACH), errors.Is(dial, syscall.ENETUNREACH):
		return fmt.Sprintf("no network route to %s", dial.Addr)
	case dial.Timeout():
		return fmt.Sprintf("server at %s did not accept a connection in time", dial.Addr)
	}
	return ""
}

func certificateText(err error, now time.Time) string {
	if invalid, ok := errors.AsType[x509.CertificateInvalidError](err); ok && invalid.Reason == x509.Expired && invalid.Cert != nil {
		return expiryText(invalid.Cert, now)
	}
	if name, ok := errors.AsType[x509.HostnameError](err); ok && name.Certificate != nil {
		if names := name.Certificate.DNSNames; len(names) > 0 {
			return fmt.Sprintf("certificate is not valid for %s, but for %s", name.Host, strings.Join(names[:min(len(names), 3)], ", "))
		}
		return "certificate is not valid for " + name.Host
	}
	if unknown, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		if c := unknown.Cert; c != nil && bytes.Equal(c.RawIssuer, c.RawSubject) {
			return "certificate is self-signed, so no authority vouches for it"
		}
		return "certificate is not signed by a trusted authority, or an intermediate certificate is missing"
	}
	return ""
}

// A handshakeError means that a connection was made, but not TLS on it.
type handshakeError struct{ err error }

// Error returns the text of the wrapped error.
func (e *handshakeError) Error() string { return e.err.Error() }

// Unwrap returns the wrapped error.
func (e *handshakeError) Unwrap() error { return e.err }

// handshakeText returns why two sides that reached each other do not agree on TLS.
func handshakeText(err error) string {
	failed, ok := errors.AsType[*handshakeError](err)
	if !ok || isBroken(err) {
		return ""
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return "server does not speak TLS at this port"
	}
	text := failed.Error()
	if strings.Contains(text, "protocol version") {
		return "server offers only versions of TLS before 1.2, which are not secure"
	}
	return "server and crawler do not agree on a TLS connection: " + strings.TrimPrefix(strings.TrimPrefix(text, "remote error: "), "tls: ")
}

func expiryText(c *x509.Certificate, now time.Time) string {
	if now.Before(c.NotBefore) {
		return "certificate is not valid before " + c.NotBefore.UTC().Format(time.DateOnly)
	}
	text := "certificate expired on " + c.NotAfter.UTC().Format(time.DateOnly)
	switch days := int(now.Sub(c.NotAfter) / (24 * time.Hour)); days {
	case 0:
		return text
	case 1:
		return text + ", 1 day ago"
	default:
		return fmt.Sprintf("%s, %d days ago", text, days)
	}
}
