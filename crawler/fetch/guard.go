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

// ErrPrivateAddress means that a host name resolved to an address that is neither
// on the public internet nor allowed by [Options.Allow].
var ErrPrivateAddress = errors.New("private address")

// azureWireServer is a metadata service on a public address.
var azureWireServer = netip.MustParsePrefix("168.63.129.16/32")

// guard checks each address when it is dialed, so that a second lookup cannot
// return a different one.
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

// dialer returns a dialer for one host:port as written in the URL. A seed that
// the user typed allows that host and port, and nothing else.
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
