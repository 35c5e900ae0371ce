package fetch

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

func compressed(t *testing.T, encoding string, body io.Reader) []byte {
	t.Helper()
	var out bytes.Buffer
	var w io.WriteCloser
	switch encoding {
	case "gzip":
		w = gzip.NewWriter(&out)
	case "br":
		w = brotli.NewWriterLevel(&out, 5)
	case "zstd":
		z, err := zstd.NewWriter(&out)
		if err != nil {
			t.Fatal(err)
		}
		w = z
	}
	if _, err := io.Copy(w, body); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// zeros returns n zero bytes.
func zeros(n int64) io.Reader { return io.LimitReader(zero{}, n) }

type zero struct{}

func (zero) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// ask sends one request to a server without checking robots.txt.
func ask(t *testing.T, handler http.HandlerFunc, limit int64, timeout time.Duration) (*Response, error) {
	t.Helper()
	server := httptest.NewServer(handler)
	defer server.Close()
	c := newTestClient(t, Options{Timeout: timeout})
	defer c.Close()
	return c.visit(t.Context(), want{url: server.URL + "/", limit: limit, readable: true, robots: true})
}

func TestEncodings(t *testing.T) {
	for _, encoding := range []string{"gzip", "br", "zstd"} {
		t.Run(encoding, func(t *testing.T) {
			small := compressed(t, encoding, strings.NewReader("hello, field"))
			got, err := ask(t, func(w http.ResponseWriter, r *http.Request) {
				if !strings.Contains(r.Header.Get("Accept-Encoding"), encoding) {
					t.Errorf("got Accept-Encoding %q, want %s in it", r.Header.Get("Accept-Encoding"), encoding)
				}
				w.Header().Set("Content-Encoding", encoding)
				_, _ = w.Write(small)
			}, 1000, time.Second)
			if err != nil || string(got.Body) != "hello, field" || got.Truncated {
				t.Errorf("got %q, %v", got.Body, err)
			}
			bomb := compressed(t, encoding, zeros(1<<28))
			got, err = ask(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Encoding", encoding)
				_, _ = w.Write(bomb)
			}, 1<<20, 5*time.Second)
			if err != nil || len(got.Body) != 1<<20 || !got.Truncated {
				t.Errorf("bomb: got %d bytes, truncated %v, %v, want 1 MiB and cut", len(got.Body), got.Truncated, err)
			}
		})
	}
}

func TestBadAnswers(t *testing.T) {
	hijack := func(answer string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			connection, _, err := w.(http.Hijacker).Hijack()
			if err != nil {
				return
			}
			_, _ = io.WriteString(connection, answer)
			_ = connection.Close()
		}
	}
	tests := []struct {
		name    string
		handler http.HandlerFunc
		want    Failure
	}{
		{"gzip in name only", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			fmt.Fprint(w, "plain")
		}, FailNone},
		{"redirect with the coding of no body", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			w.WriteHeader(http.StatusMovedPermanently)
		}, FailNone},
		{"data in no coding", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip, gzip")
			fmt.Fprint(w, "\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a")
		}, FailDecode},
		{"short body", hijack("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc"), FailShort},
		{"no answer", hijack(""), FailReset},
		{"no HTTP", hijack("SSH-2.0-x\r\n"), FailProtocol},
		{"header bomb", func(w http.ResponseWriter, _ *http.Request) {
			for i := range 300 {
				w.Header().Set(fmt.Sprintf("X-%d", i), strings.Repeat("y", 2000))
			}
		}, FailHeaders},
		{"silence", func(_ http.ResponseWriter, r *http.Request) {
			select {
			case <-r.Context().Done():
			case <-time.After(time.Second):
			}
		}, FailTimeout},
		{"endless body in drips", func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				fmt.Fprint(w, "x")
				_ = http.NewResponseController(w).Flush()
				<-time.After(10 * time.Millisecond)
			}
		}, FailTimeout},
		{"429", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTooManyRequests) }, FailThrottled},
		{"500", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) }, FailServer},
		{"404", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound) }, FailNone},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := ask(t, test.handler, 1<<20, 300*time.Millisecond)
			if failed := Classify(got.Status, err); failed != test.want {
				t.Errorf("got %q from %d, %v, want %q", failed, got.Status, err, test.want)
			}
		})
	}
}

func TestEndlessBodyIsGivenUp(t *testing.T) {
	sent := 0
	got, err := ask(t, func(w http.ResponseWriter, r *http.Request) {
		chunk := bytes.Repeat([]byte("x"), 32<<10)
		for r.Context().Err() == nil {
			n, err := w.Write(chunk)
			if sent += n; err != nil {
				return
			}
		}
	}, 100<<10, 5*time.Second)
	if err != nil || !got.Truncated || len(got.Body) != 100<<10 {
		t.Errorf("got %d bytes, %v, want 100 KiB, cut", len(got.Body), err)
	}
}

func TestUntrustedCertificate(t *testing.T) {
	server := httptest.NewTLSServer(http.NotFoundHandler())
	defer server.Close()
	server.Config.ErrorLog = nil
	c := newTestClient(t, Options{})
	_, err := c.visit(t.Context(), want{url: server.URL + "/", limit: 10, robots: true})
	if failed := classifyError(err); failed != FailTLS {
		t.Errorf("got %q from %v, want tls", failed, err)
	}
}

func TestHTTP2(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.Proto) }))
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	c := newTestClient(t, Options{})
	c.transport.base.TLSClientConfig.RootCAs = server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	got, err := c.visit(t.Context(), want{url: server.URL + "/", limit: 100, robots: true})
	if err != nil || string(got.Body) != "HTTP/2.0" {
		t.Errorf("got %q, %v, want HTTP/2.0", got.Body, err)
	}
}

// TestGuardAddresses lists addresses to which a public name must not resolve.
func TestGuardAddresses(t *testing.T) {
	refused := []string{
		"127.0.0.1", "127.1.2.3", "0.0.0.0", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "100.100.100.200",
		"192.0.0.192", "198.18.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255", "168.63.129.16",
		"::1", "::", "::ffff:127.0.0.1", "::7f00:1", "fe80::1", "fc00::1", "fd00:ec2::254", "ff02::1", "64:ff9b::7f00:1", "2002:7f00:1::", "2001::1", "fec0::1",
	}
	public := newGuard(Network{})
	control := func(g *guard, hostport, address string) error {
		ip := netip.MustParseAddr(address)
		network := "tcp4"
		if ip.Is6() && !ip.Is4In6() {
			network = "tcp6"
		}
		return g.dialer(hostport).Control(network, netip.AddrPortFrom(ip.Unmap(), 80).String(), nil)
	}
	for _, address := range refused {
		if err := control(public, "name.example:80", address); classifyError(err) != FailPrivate {
			t.Errorf("%s: got %v, want it refused", address, err)
		}
	}
	for _, address := range []string{"93.184.216.34", "2606:4700::1111"} {
		if err := control(public, "name.example:80", address); err != nil {
			t.Errorf("%s: got %v, want it allowed", address, err)
		}
	}
	named := newGuard(Network{Hosts: []string{"10.0.0.1:8080"}})
	if control(named, "10.0.0.1:8080", "10.0.0.1") != nil || control(named, "10.0.0.1:80", "10.0.0.1") == nil {
		t.Error("a named host allows itself by its port, and nothing else")
	}
	prefix := newGuard(Network{Prefixes: []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16")}})
	if control(prefix, "x:80", "10.1.2.3") != nil || control(prefix, "x:80", "10.2.0.1") == nil {
		t.Error("a prefix allows what it holds, and nothing else")
	}
}

func TestProxyOfTheEnvironmentIsNotUsed(t *testing.T) {
	trap, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer trap.Close()
	t.Setenv("HTTP_PROXY", "http://"+trap.Addr().String())
	request := httptest.NewRequest(http.MethodGet, "http://shop.example/", nil)
	if proxy, err := newTransport(newGuard(Network{}), time.Second, 0, 1, func(string, net.Addr) {}).base.Proxy(request); proxy != nil || err != nil {
		t.Errorf("got %v, %v, want no proxy", proxy, err)
	}
}
