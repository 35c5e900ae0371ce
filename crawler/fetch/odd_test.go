package fetch

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// oddServer sends the same raw responses, in turn, on each connection.
func oddServer(t *testing.T, answers ...string) (address string, connections *int) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	connections = new(int)
	go func() { // ends when the listener is closed
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			*connections++
			reader := bufio.NewReader(c)
			for _, answer := range answers {
				if _, err := http.ReadRequest(reader); err != nil {
					break
				}
				for part := range strings.SplitSeq(answer, "|") {
					_, _ = io.WriteString(c, part)
					time.Sleep(time.Millisecond) //nolint:forbidigo // so that parts arrive separately
				}
			}
			_ = c.Close()
		}
	}()
	return "http://" + listener.Addr().String(), connections
}

// TestOddHeadsOnOneConnection has heads that net/http would reject, in parts, on a
// connection that is kept.
func TestOddHeadsOnOneConnection(t *testing.T) {
	address, connections := oddServer(t,
		"HTTP/1.1 200 OK\r\nBroken-|Line\r\nContent-Le|ngth: 3\r\n\r|\none",
		"HTTP/1.1 103 Early Hints\r\nNo colon\r\n\r\nHTTP/1.1 200 OK\r\nX\r\nContent-Length: 3, 3\r\n\r\ntw|o",
		"HTTP/1.1 200 OK\nno colon\nTransfer-Encoding: chunked\n\n5\r\nthree\r\n0\r\n\r\n",
		"\r\n|HTTP/1.1 302 Found\r\nLocation: /a%-b\r\nno colon\r\nContent-Length: 0\r\n\r\n",
	)
	c := newTestClient(t, Options{Timeout: time.Second})
	for i, want := range []string{"one", "two", "three", ""} {
		got, err := c.visit(t.Context(), wish(fmt.Sprintf("%s/%d", address, i)))
		if err != nil || string(got.Body) != want {
			t.Errorf("%d: got %q, %v, want %q", i, got.Body, err, want)
		}
		if i == 3 && Redirect(got.Status, got.Header) != "/a%-b" {
			t.Errorf("got a redirect to %q", Redirect(got.Status, got.Header))
		}
	}
	if *connections != 1 {
		t.Errorf("got %d connections, want 1", *connections)
	}
}

func wish(url string) want { return want{url: url, limit: 1000, robots: true} }

// TestOddHeadAboveTLS checks that heads are repaired over TLS, and recorded
// unchanged when the wire is kept.
func TestOddHeadAboveTLS(t *testing.T) {
	const head = "HTTP/1.1 200 OK\r\nno colon\r\nContent-Length: 4\r\n\r\n"
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		connection, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		_, _ = io.WriteString(connection, head+"body")
		_ = connection.Close()
	}))
	defer server.Close()
	for _, keep := range []bool{false, true} {
		c := newTestClient(t, Options{Timeout: time.Second, KeepWire: keep})
		c.transport.base.TLSClientConfig.RootCAs = server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
		got, err := c.visit(t.Context(), wish(server.URL+"/"))
		if err != nil || string(got.Body) != "body" {
			t.Fatalf("got %q, %v", got.Body, err)
		}
		if keep && string(got.Wire.Head) != head {
			t.Errorf("got the head %q, want it as it came", got.Wire.Head)
		}
	}
}

func TestCutBodyIsReturned(t *testing.T) {
	address, _ := oddServer(t, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nwhat came")
	c := newTestClient(t, Options{Timeout: time.Second})
	got, err := c.visit(t.Context(), wish(address+"/"))
	if Classify(got.Status, err) != FailShort || got.Status != 200 || string(got.Body) != "what came" {
		t.Errorf("got %d %q, %v", got.Status, got.Body, err)
	}
}

func TestRedirectEscapesBytes(t *testing.T) {
	for location, want := range map[string]string{
		"/a%-b":         "/a%-b",
		" /a b ":        "/a b",
		"/caf\xe9":      "/caf%E9",
		"/caf\xc3\xa9?": "/caf%C3%A9?",
		"":              "",
	} {
		if got := Redirect(301, http.Header{"Location": {location}}); got != want {
			t.Errorf("%q: got %q, want %q", location, got, want)
		}
	}
	if got := Redirect(200, http.Header{"Location": {"/x"}}); got != "" {
		t.Errorf("200: got %q, want none", got)
	}
}
