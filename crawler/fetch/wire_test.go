package fetch

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// kept returns the options of a client that keeps the wire.
func kept() Options { return Options{MaxPageBytes: 1000, KeepWire: true} }

// serveParts answers each connection with the same bytes, in parts.
func serveParts(t *testing.T, parts ...string) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var connections sync.WaitGroup
	t.Cleanup(func() {
		_ = listener.Close()
		connections.Wait()
	})
	connections.Go(func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			connections.Go(func() { answerParts(connection, parts) })
		}
	})
	return "http://" + listener.Addr().String() + "/"
}

func answerParts(connection net.Conn, parts []string) {
	defer connection.Close()
	var request []byte
	buffer := make([]byte, 4096)
	for !bytes.HasSuffix(request, []byte("\r\n\r\n")) {
		n, err := connection.Read(buffer)
		if err != nil {
			return
		}
		request = append(request, buffer[:n]...)
	}
	for _, part := range parts {
		if part == "wait" { // until the client gives up
			_, _ = connection.Read(buffer)
			return
		}
		_, _ = io.WriteString(connection, part)
	}
}

func TestWireIsKeptAsItCame(t *testing.T) {
	head := "HTTP/1.1 200 Fine\r\nset-cookie: a=1\r\nContent-Type: text/html\r\nSet-Cookie: b=2\r\nX-odd:   c\r\n"
	small := string(compressed(t, "gzip", strings.NewReader("hello, field")))
	long := strings.Repeat("x", 4000)
	tests := map[string]struct {
		parts []string
		want  Wire
	}{
		"plain":       {[]string{head + "Content-Length: 4\r\n\r\nbody"}, Wire{Head: []byte(head + "Content-Length: 4\r\n\r\n"), Body: []byte("body")}},
		"in parts":    {[]string{head[:7], head[7:], "Content-Length: 4\r\n\r", "\nbo", "dy"}, Wire{Head: []byte(head + "Content-Length: 4\r\n\r\n"), Body: []byte("body")}},
		"chunks":      {[]string{head + "Transfer-Encoding: chunked\r\n\r\n2\r\nbo\r\n2;x=y\r\ndy\r\n0\r\n\r\n"}, Wire{Head: []byte(head + "Transfer-Encoding: chunked\r\n\r\n"), Body: []byte("body")}},
		"to the end":  {[]string{head + "\r\nbody"}, Wire{Head: []byte(head + "\r\n"), Body: []byte("body")}},
		"LF alone":    {[]string{"HTTP/1.1 200 OK\nA: b\n\nbody"}, Wire{Head: []byte("HTTP/1.1 200 OK\nA: b\n\n"), Body: []byte("body")}},
		"interim":     {[]string{"HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n", head + "\r\nbody"}, Wire{Head: []byte(head + "\r\n"), Body: []byte("body")}},
		"gzip":        {[]string{head + "Content-Encoding: gzip\r\n\r\n" + small}, Wire{Head: []byte(head + "Content-Encoding: gzip\r\n\r\n"), Body: []byte(small), Decoded: []byte("hello, field")}},
		"no gzip":     {[]string{head + "Content-Encoding: gzip\r\nContent-Length: 4000\r\n\r\n" + long}, Wire{Head: []byte(head + "Content-Encoding: gzip\r\nContent-Length: 4000\r\n\r\n"), Cut: CutLength}},
		"too long":    {[]string{head + "\r\n" + long}, Wire{Head: []byte(head + "\r\n"), Body: []byte(long[:1000]), Cut: CutLength}},
		"broken off":  {[]string{head + "Content-Length: 99\r\n\r\nbody"}, Wire{Head: []byte(head + "Content-Length: 99\r\n\r\n"), Body: []byte("body"), Cut: CutDisconnect}},
		"too slow":    {[]string{head + "Content-Length: 99\r\n\r\nbody", "wait"}, Wire{Head: []byte(head + "Content-Length: 99\r\n\r\n"), Body: []byte("body"), Cut: CutTime}},
		"no body":     {[]string{"HTTP/1.1 204 None\r\n\r\n"}, Wire{Head: []byte("HTTP/1.1 204 None\r\n\r\n")}},
		"redirect":    {[]string{"HTTP/1.1 301 Moved\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n"}, Wire{Head: []byte("HTTP/1.1 301 Moved\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n")}},
		"other types": {[]string{"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 4\r\n\r\nbody"}, Wire{Head: []byte("HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 4\r\n\r\n"), Cut: CutUnspecified}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			options := kept()
			if test.want.Cut == CutTime {
				options.Timeout = 300 * time.Millisecond // enough for the head even on a busy machine
			}
			c := newTestClient(t, options)
			address := serveParts(t, test.parts...)
			got, err := c.visit(t.Context(), want{url: address, limit: 1000, readable: true, robots: true})
			w := got.Wire
			if w == nil {
				t.Fatalf("got no wire; %v", err)
			}
			host := strings.Trim(address, "htp:/")
			request := "GET / HTTP/1.1\r\nHost: " + host + "\r\nUser-Agent: decorum/0.1\r\nAccept: " + accept + "\r\nAccept-Encoding: gzip\r\n\r\n"
			if string(w.Request) != request {
				t.Errorf("got request %q, want %q", w.Request, request)
			}
			if w.IP != "127.0.0.1" {
				t.Errorf("got IP %q", w.IP)
			}
			if name == "no gzip" {
				w.Body = nil // how much was read before the limit depends on the decoder
				test.want.Cut = w.Cut
			}
			if string(w.Head) != string(test.want.Head) || string(w.Body) != string(test.want.Body) || w.Cut != test.want.Cut {
				t.Errorf("got %q, %q, cut %q, want %q, %q, cut %q", w.Head, w.Body, w.Cut, test.want.Head, test.want.Body, test.want.Cut)
			}
		})
	}
}

// TestWireOfOneConnection separates the exchanges of one connection.
func TestWireOfOneConnection(t *testing.T) {
	for _, secret := range []bool{false, true} {
		server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X-Path", r.URL.Path)
			fmt.Fprint(w, r.Proto, r.URL.Path)
		}))
		server.EnableHTTP2 = true
		start := server.Start
		if secret {
			start = server.StartTLS
		}
		start()
		c := newTestClient(t, kept())
		if secret {
			c.transport.base.TLSClientConfig.RootCAs = server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
		}
		for _, path := range []string{"/one", "/two", "/three"} {
			got, err := c.visit(t.Context(), want{url: server.URL + path, limit: 1000, robots: true})
			w := got.Wire
			if err != nil || w == nil {
				t.Fatalf("TLS %v: got %v, %v", secret, w, err)
			}
			if string(w.Body) != "HTTP/1.1"+path || !strings.HasPrefix(string(w.Request), "GET "+path+" ") ||
				strings.Count(string(w.Head), "X-Path: "+path+"\r\n") != 1 || strings.Count(string(w.Head), "X-Path") != 1 {
				t.Errorf("TLS %v, %s: got %q, %q, %q", secret, path, w.Request, w.Head, w.Body)
			}
		}
		c.Close()
		server.Close()
	}
}

func TestWireKeepsUntrustedCertificatesOut(t *testing.T) {
	server := httptest.NewTLSServer(http.NotFoundHandler())
	defer server.Close()
	c := newTestClient(t, kept())
	got, err := c.visit(t.Context(), want{url: server.URL + "/", limit: 10, robots: true})
	if failed := classifyError(err); failed != FailTLS || got.Wire != nil {
		t.Errorf("got %q from %v, want tls and no wire", failed, err)
	}
}

// TestRobotsAreDatedAsTheirRecords compares the document with the wire: a reader of
// the archive must find the same time.
func TestRobotsAreDatedAsTheirRecords(t *testing.T) {
	options := kept()
	var asked time.Time
	options.Wire = func(_ context.Context, w *Wire) error {
		asked = w.StartedAt
		return nil
	}
	c := newTestClient(t, options)
	site := serveParts(t, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
	o, err := c.Site(t.Context(), site)
	if err != nil {
		t.Fatal(err)
	}
	if got := o.Document.FetchedAt; asked.IsZero() || !got.Equal(asked) {
		t.Errorf("got %v, want %v, when it was asked for", got, asked)
	}
}
