package fetch

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/decorum-crawler/decorum/internal/testsite/names"
)

func resolver(t *testing.T) *names.Server {
	t.Helper()
	s, err := names.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// accepts serves an address. The count of its connections takes those in that were
// made before it was asked for.
func accepts(t *testing.T, address string) (port string, connections func() int64) {
	t.Helper()
	listener, err := net.Listen("tcp", address)
	if err != nil {
		t.Skip(err) // no such address on this machine
	}
	var count atomic.Int64
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Connection", "close")
		w.WriteHeader(http.StatusNotFound)
	}))
	server.Listener.Close()
	server.Listener = listener
	server.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			count.Add(1)
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	var own int64
	return strconv.Itoa(listener.Addr().(*net.TCPAddr).Port), func() int64 {
		t.Helper()
		// They are accepted in the order in which they were made.
		own++
		response, err := server.Client().Get(server.URL)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		return count.Load() - own
	}
}

func parsed(texts ...string) (all []netip.Addr) {
	for _, text := range texts {
		all = append(all, netip.MustParseAddr(text))
	}
	return all
}

// getOnce requests a page with a client of its own that trusts 127.0.0.2, which
// plays the public internet.
func getOnce(t *testing.T, address string) error {
	t.Helper()
	c := New(Options{Delay: -1, MaxRetries: -1, Contact: "me@shop.example", Allow: Network{Prefixes: []netip.Prefix{netip.MustParsePrefix("127.0.0.2/32")}}})
	defer c.Close()
	conn, err := c.transport.base.DialContext(t.Context(), "tcp", strings.TrimPrefix(address, "http://"))
	if err == nil {
		conn.Close()
	}
	if _, robots := c.Robots(context.Background(), address+"/"); robots != nil {
		err = errors.Join(err, robots)
	}
	return err
}

// TestNamesOfPrivateAddresses has a name with each kind of address that is not the
// public internet. A listener on all addresses of the machine gets no connection.
func TestNamesOfPrivateAddresses(t *testing.T) {
	dns := resolver(t)
	port, connections := accepts(t, ":0")
	for _, address := range []string{
		"127.0.0.1", "127.9.9.9", "0.0.0.0", "::1", "::", "::ffff:127.0.0.1", "::7f00:1", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254",
		"100.64.0.1", "100.100.100.200", "192.0.0.192", "198.18.0.1", "240.0.0.1", "255.255.255.255", "168.63.129.16", "224.0.0.1", "192.0.2.1",
		"fe80::1", "fc00::1", "fd00:ec2::254", "ff02::1", "64:ff9b::7f00:1", "2002:7f00:1::1", "2001:0:7f00:1::1", "fec0::1", "::ffff:10.0.0.1", "2001:db8::1",
	} {
		dns.Set("host.example", parsed(address))
		if err := getOnce(t, "http://host.example:"+port); !errors.Is(err, ErrPrivateAddress) {
			t.Errorf("%s: got %v, want it refused", address, err)
		}
	}
	if n := connections(); n != 0 {
		t.Errorf("got %d connections, want none", n)
	}
}

// TestNameThatChangesItsAddress has a name that is public when it is looked up
// first, and private later.
func TestNameThatChangesItsAddress(t *testing.T) {
	dns := resolver(t)
	port, private := accepts(t, "127.0.0.1:0")
	_, public := accepts(t, "127.0.0.2:"+port)
	dns.Set("host.example", parsed("127.0.0.2"), parsed("127.0.0.1"))
	if err := getOnce(t, "http://host.example:"+port); err != nil && !errors.Is(err, ErrPrivateAddress) {
		t.Errorf("got %v", err)
	}
	if err := getOnce(t, "http://host.example:"+port); !errors.Is(err, ErrPrivateAddress) {
		t.Errorf("got %v, want the second address refused", err)
	}
	if private() != 0 || public() == 0 {
		t.Errorf("got %d connections to the private address, %d to the public one", private(), public())
	}
}

// TestNameWithAPrivateAddressAmongOthers has a public address where nobody listens
// beside a private one where somebody does.
func TestNameWithAPrivateAddressAmongOthers(t *testing.T) {
	dns := resolver(t)
	port, private := accepts(t, "127.0.0.1:0")
	for _, set := range [][]netip.Addr{parsed("127.0.0.2", "127.0.0.1"), parsed("127.0.0.1", "127.0.0.2"), parsed("::1", "127.0.0.2")} {
		dns.Set("host.example", set)
		if err := getOnce(t, "http://host.example:"+port); err == nil {
			t.Errorf("%v: got no error", set)
		}
	}
	if private() != 0 {
		t.Errorf("got %d connections, want none", private())
	}
}

// TestUnknownName has a name that does not exist.
func TestUnknownName(t *testing.T) {
	resolver(t)
	if err := getOnce(t, "http://nobody.example:80"); err == nil || !strings.Contains(explained(err).Error(), "nobody.example was not found in DNS") {
		t.Errorf("got %v", err)
	}
}
