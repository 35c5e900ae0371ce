package fetch

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"syscall"
	"time"

	"code.dny.dev/ssrf"
)

// ErrPrivateAddress means that a name led to an address that is not on the
// public internet and not allowed.
var ErrPrivateAddress = errors.New("private address")

// azureWireServer is a metadata service on a public address.
var azureWireServer = netip.MustParsePrefix("168.63.129.16/32")

// guard judges each address when it is dialled, so that no second lookup can
// give another answer.
type guard struct {
	public *ssrf.Guardian
	allow  Network
}

func newGuard(allow Network) *guard {
	return &guard{
		public: ssrf.New(ssrf.WithAnyPort(), ssrf.WithDeniedV4Prefixes(azureWireServer)),
		allow:  allow,
	}
}

// dialer gives a dialer for one host:port as the URL names it. A seed typed by
// the user allows itself by that name and port, and nothing else.
func (g *guard) dialer(hostport string) *net.Dialer {
	named := slices.Contains(g.allow.Hosts, hostport)
	return &net.Dialer{
		Timeout: 10 * time.Second,
		Control: func(network, address string, conn syscall.RawConn) error {
			if named || g.allowed(address) {
				return nil
			}
			if err := g.public.Safe(network, address, conn); err != nil {
				return fmt.Errorf("dial %s: %w", address, ErrPrivateAddress)
			}
			return nil
		},
	}
}

func (g *guard) allowed(address string) bool {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return false
	}
	ip := at.Addr().Unmap()
	if g.allow.Loopback && ip.IsLoopback() || g.allow.Private && ip.IsPrivate() {
		return true
	}
	return slices.ContainsFunc(g.allow.Prefixes, func(p netip.Prefix) bool { return p.Contains(ip) })
}
