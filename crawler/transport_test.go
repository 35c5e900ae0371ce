package crawler

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

	"github.com/decorum-crawler/decorum/crawler/content"
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

// zeros gives n bytes of nothing.
func zeros(n int64) io.Reader { return io.LimitReader(zero{}, n) }

type zero struct{}

func (zero) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

func get(t *testing.T, handler http.HandlerFunc, limit int64, timeout time.Duration) fetched {
	t.Helper()
	server := httptest.NewServer(handler)
	defer server.Close()
	f := newFetcher(Options{Timeout: timeout, Allow: Network{Loopback: true}}.withDefaults())
	defer f.close()
	return f.fetch(t.Context(), permit{url: server.URL + "/", limit: limit, accept: true})
}

func TestEncodings(t *testing.T) {
	for _, encoding := range []string{"gzip", "br", "zstd"} {
		t.Run(encoding, func(t *testing.T) {
			small := compressed(t, encoding, strings.NewReader("hello, field"))
			got := get(t, func(w http.ResponseWriter, r *http.Request) {
				if !strings.Contains(r.Header.Get("Accept-Encoding"), encoding) {
					t.Errorf("got Accept-Encoding %q, want %s in it", r.Header.Get("Accept-Encoding"), encoding)
				}
				w.Header().Set("Content-Encoding", encoding)
				_, _ = w.Write(small)
			}, 1000, time.Second)
			if got.err != nil || string(got.exchange.body) != "hello, field" || got.exchange.truncated {
				t.Errorf("got %q, %v", got.exchange.body, got.err)
			}
			bomb := compressed(t, encoding, zeros(1<<28))
			got = get(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Encoding", encoding)
				_, _ = w.Write(bomb)
			}, 1<<20, 5*time.Second)
			if got.err != nil || len(got.exchange.body) != 1<<20 || !got.exchange.truncated {
				t.Errorf("bomb: got %d bytes, truncated %v, %v, want 1 MiB and cut", len(got.exchange.body), got.exchange.truncated, got.err)
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
		want    failure
	}{
		{"gzip that is none", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			fmt.Fprint(w, "plain")
		}, failDecode},
		{"stacked encodings", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip, gzip")
			fmt.Fprint(w, "x")
		}, failDecode},
		{"short body", hijack("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc"), failShort},
		{"no answer", hijack(""), failReset},
		{"no HTTP", hijack("SSH-2.0-x\r\n"), failProtocol},
		{"header bomb", func(w http.ResponseWriter, _ *http.Request) {
			for i := range 300 {
				w.Header().Set(fmt.Sprintf("X-%d", i), strings.Repeat("y", 2000))
			}
		}, failHeaders},
		{"silence", func(_ http.ResponseWriter, r *http.Request) {
			select {
			case <-r.Context().Done():
			case <-time.After(time.Second):
			}
		}, failTimeout},
		{"endless body in drips", func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				fmt.Fprint(w, "x")
				_ = http.NewResponseController(w).Flush()
				<-time.After(10 * time.Millisecond)
			}
		}, failTimeout},
		{"429", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTooManyRequests) }, failThrottled},
		{"500", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) }, failServer},
		{"404", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound) }, failNone},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := get(t, test.handler, 1<<20, 300*time.Millisecond)
			if failed := classify(got.status, got.err); failed != test.want {
				t.Errorf("got %q from %d, %v, want %q", failed, got.status, got.err, test.want)
			}
		})
	}
}

func TestEndlessBodyIsGivenUp(t *testing.T) {
	sent := 0
	got := get(t, func(w http.ResponseWriter, r *http.Request) {
		chunk := bytes.Repeat([]byte("x"), 32<<10)
		for r.Context().Err() == nil {
			n, err := w.Write(chunk)
			if sent += n; err != nil {
				return
			}
		}
	}, 100<<10, 5*time.Second)
	if got.err != nil || !got.exchange.truncated || len(got.exchange.body) != 100<<10 {
		t.Errorf("got %d bytes, %v, want 100 KiB, cut", len(got.exchange.body), got.err)
	}
}

func TestUntrustedCertificate(t *testing.T) {
	server := httptest.NewTLSServer(http.NotFoundHandler())
	defer server.Close()
	server.Config.ErrorLog = nil
	f := newFetcher(Options{Allow: Network{Loopback: true}}.withDefaults())
	defer f.close()
	got := f.fetch(t.Context(), permit{url: server.URL + "/", limit: 10})
	if failed := classifyError(got.err); failed != failTLS {
		t.Errorf("got %q from %v, want tls", failed, got.err)
	}
}

func TestHTTP2(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.Proto) }))
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	f := newFetcher(Options{Allow: Network{Loopback: true}}.withDefaults())
	defer f.close()
	f.transport.base.TLSClientConfig.RootCAs = server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	got := f.fetch(t.Context(), permit{url: server.URL + "/", limit: 100})
	if got.err != nil || string(got.exchange.body) != "HTTP/2.0" {
		t.Errorf("got %q, %v, want HTTP/2.0", got.exchange.body, got.err)
	}
}

// TestGuardAddresses is the table of what a public name may not lead to.
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
		if err := control(public, "name.example:80", address); classifyError(err) != failPrivate {
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
	if newTransport(newGuard(Network{}), time.Second, 0).base.Proxy != nil {
		t.Error("got a proxy, want none")
	}
}

func TestParseHTMLIsBounded(t *testing.T) {
	page := parseHTML(bytes.Repeat([]byte("<div>"), 1_000_000), "decorum", 10)
	if len(page.links) != 0 || page.cut {
		t.Errorf("got %d links, cut %v, want the page read to its end", len(page.links), page.cut)
	}
	page = parseHTML(bytes.Repeat([]byte(`<a href=x>`), 1000), "decorum", 10)
	if len(page.links) != 10 || !page.cut {
		t.Errorf("got %d links, cut %v, want 10 and cut", len(page.links), page.cut)
	}
	page = parseHTML([]byte(`<a href="`+strings.Repeat("x", 2<<20)+`"><a href=y>`), "decorum", 10)
	if !page.cut {
		t.Error("got an endless tag read, want the page cut")
	}
}

func FuzzParseHTML(f *testing.F) {
	f.Add([]byte(`<a href="x" rel=nofollow><base href=y><title>t</title>`))
	f.Fuzz(func(t *testing.T, body []byte) {
		text, _ := content.Decode(body, "text/html")
		if page := parseHTML(text, "decorum", 100); len(page.links) > 100 || len(page.title) > maxTitle+8 {
			t.Fatalf("got %d links, a title of %d bytes", len(page.links), len(page.title))
		}
	})
}
