package fetch

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"testing"
	"time"
)

// TestCauseText checks the text of an error, and that its class is unchanged.
func TestCauseText(t *testing.T) {
	now := time.Date(2026, 12, 3, 12, 0, 0, 0, time.UTC)
	dial := func(err error) error {
		return &net.OpError{Op: "dial", Net: "tcp", Addr: &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 443}, Err: err}
	}
	refused := func(errno syscall.Errno) error { return dial(os.NewSyscallError("connect", errno)) }
	dated := func(from, to time.Time) error {
		err := x509.CertificateInvalidError{Cert: &x509.Certificate{NotBefore: from, NotAfter: to}, Reason: x509.Expired}
		return &tls.CertificateVerificationError{Err: err}
	}
	shop := &x509.Certificate{DNSNames: []string{"shop.example", "www.shop.example"}}
	for name, test := range map[string]struct {
		err  error
		want string
	}{
		"no name":          {&net.DNSError{Name: "shop.example", IsNotFound: true}, "host name shop.example was not found in DNS"},
		"slow DNS":         {&net.DNSError{Name: "shop.example", IsTimeout: true}, "DNS server did not answer in time for shop.example"},
		"DNS failure":      {&net.DNSError{Name: "shop.example", Err: "server misbehaving"}, "DNS lookup of shop.example failed: server misbehaving"},
		"refused":          {refused(syscall.ECONNREFUSED), "no server listens at 192.0.2.1:443 (connection refused)"},
		"no route":         {refused(syscall.EHOSTUNREACH), "no network route to 192.0.2.1:443"},
		"slow connect":     {dial(os.ErrDeadlineExceeded), "server at 192.0.2.1:443 did not accept a connection in time"},
		"private":          {dial(fmt.Errorf("dial: %w", ErrPrivateAddress)), "192.0.2.1:443 is a private or reserved address, to which requests are not allowed"},
		"other dial error": {dial(errors.New("odd")), ""},
		"expired":          {dated(now.AddDate(-1, 0, 0), now.AddDate(0, 0, -3)), "certificate expired on 2026-11-30, 3 days ago"},
		"expired a day":    {dated(now.AddDate(-1, 0, 0), now.AddDate(0, 0, -1)), "certificate expired on 2026-12-02, 1 day ago"},
		"expired today":    {dated(now.AddDate(-1, 0, 0), now.Add(-time.Hour)), "certificate expired on 2026-12-03"},
		"not yet valid":    {dated(now.AddDate(0, 0, 2), now.AddDate(1, 0, 0)), "certificate is not valid before 2026-12-05"},
		"other name":       {x509.HostnameError{Certificate: shop, Host: "farm.example"}, "certificate is not valid for farm.example, but for shop.example, www.shop.example"},
		"no names":         {x509.HostnameError{Certificate: &x509.Certificate{}, Host: "farm.example"}, "certificate is not valid for farm.example"},
		"unknown signer":   {x509.UnknownAuthorityError{}, "certificate is not signed by a trusted authority, or an intermediate certificate is missing"},
		"no header":        {fmt.Errorf("%w: %w", errHeaderTimeout, os.ErrDeadlineExceeded), errHeaderTimeout.Error()},
		"slow body":        {fmt.Errorf("read: %w", context.DeadlineExceeded), "response was not complete within the timeout"},
		"short body":       {fmt.Errorf("read: %w", io.ErrUnexpectedEOF), "server closed the connection before the end of the response"},
		"reset":            {&net.OpError{Op: "read", Err: syscall.ECONNRESET}, "server reset the connection"},
		"unknown":          {errors.New("odd"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := causeText(test.err, now); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
			if got, want := Classify(0, explained(test.err)), Classify(0, test.err); got != want {
				t.Errorf("got class %q, want %q", got, want)
			}
		})
	}
}
