package fetch

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// sightings counts the requests that a server has seen, by path.
type sightings struct {
	mu      sync.Mutex
	paths   map[string]int
	accepts atomic.Int32
}

func (s *sightings) see(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.paths == nil {
		s.paths = map[string]int{}
	}
	s.paths[path]++
}

func (s *sightings) of(path string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.paths[path]
}

// serve runs answer on each connection that l accepts until the test ends.
func serve(tb testing.TB, l net.Listener, seen *sightings, answer func(net.Conn)) {
	tb.Helper()
	var running sync.WaitGroup
	var mu sync.Mutex
	var open []net.Conn
	running.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			seen.accepts.Add(1)
			mu.Lock()
			open = append(open, conn)
			mu.Unlock()
			running.Go(func() {
				defer conn.Close()
				answer(conn)
			})
		}
	})
	tb.Cleanup(func() {
		l.Close()
		mu.Lock()
		for _, conn := range open {
			conn.Close()
		}
		mu.Unlock()
		running.Wait()
	})
}

// rawServer starts a raw server; answer gets each request and reports whether the
// connection is kept.
func rawServer(tb testing.TB, answer func(net.Conn, *http.Request) bool) (string, *sightings) {
	tb.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	seen := &sightings{}
	serve(tb, l, seen, func(conn net.Conn) {
		for r := bufio.NewReader(conn); ; {
			request, err := http.ReadRequest(r)
			if err != nil {
				return
			}
			seen.see(request.URL.Path)
			if !answer(conn, request) {
				return
			}
		}
	})
	return "http://" + l.Addr().String(), seen
}

const page = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

// framing is the server's side of one HTTP/2 connection.
type framing struct {
	*http2.Framer
	conn net.Conn
}

// status sends headers on a stream.
func (f framing) status(stream uint32, status string, extra ...hpack.HeaderField) error {
	var block bytes.Buffer
	encoder := hpack.NewEncoder(&block)
	for _, field := range append([]hpack.HeaderField{{Name: ":status", Value: status}}, extra...) {
		if err := encoder.WriteField(field); err != nil {
			return err
		}
	}
	return f.WriteHeaders(http2.HeadersFrameParam{
		StreamID: stream, BlockFragment: block.Bytes(), EndHeaders: true,
	})
}

// http2Server starts a raw HTTP/2 server; answer gets each request and reports
// whether the connection is kept.
func http2Server(tb testing.TB, answer func(f framing, stream uint32, path string) bool) (string, *sightings, *tls.Config) {
	tb.Helper()
	certified := httptest.NewTLSServer(http.NotFoundHandler())
	certified.Close()
	client := certified.Client().Transport.(*http.Transport).TLSClientConfig
	l, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{
		Certificates: certified.TLS.Certificates, NextProtos: []string{"h2"},
	})
	if err != nil {
		tb.Fatal(err)
	}
	seen := &sightings{}
	serve(tb, l, seen, func(conn net.Conn) {
		if _, err := io.ReadFull(conn, make([]byte, len(http2.ClientPreface))); err != nil {
			return
		}
		f := framing{http2.NewFramer(conn, conn), conn}
		f.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
		f.WriteSettings()
		for {
			frame, err := f.ReadFrame()
			if err != nil {
				return
			}
			switch frame := frame.(type) {
			case *http2.SettingsFrame:
				if !frame.IsAck() {
					f.WriteSettingsAck()
				}
			case *http2.MetaHeadersFrame:
				path := frame.PseudoValue("path")
				seen.see(path)
				if !frame.StreamEnded() {
					seen.see("body after headers")
				}
				if !answer(f, frame.StreamID, path) {
					return
				}
			}
		}
	})
	return "https://" + l.Addr().String(), seen, &tls.Config{RootCAs: client.RootCAs, ServerName: "example.com"}
}

func plain(trust *tls.Config) *http.Transport {
	return &http.Transport{
		TLSClientConfig: trust, ForceAttemptHTTP2: true, DisableCompression: true,
		ResponseHeaderTimeout: 2 * time.Second, MaxResponseHeaderBytes: 64 << 10,
	}
}

func tripper(tb testing.TB, base *http.Transport) http.RoundTripper {
	tb.Helper()
	tb.Cleanup(base.CloseIdleConnections)
	return newOnce(base)
}

// get reads a page completely.
func get(ctx context.Context, rt http.RoundTripper, address string) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return "", err
	}
	response, err := rt.RoundTrip(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return string(body), err
}

func mustGet(t *testing.T, rt http.RoundTripper, address string) {
	t.Helper()
	if body, err := get(t.Context(), rt, address); err != nil || body != "ok" {
		t.Fatalf("GET %s: got %q, %v; want ok", address, body, err)
	}
}

func wantSeen(t *testing.T, seen *sightings, path string, want int) {
	t.Helper()
	if got := seen.of(path); got != want {
		t.Errorf("requests of %s seen: got %d, want %d", path, got, want)
	}
}

func TestClosedAfterRequestIsNotSentAgain(t *testing.T) {
	for _, hard := range []bool{false, true} {
		t.Run(fmt.Sprintf("reset=%v", hard), func(t *testing.T) {
			base, seen := rawServer(t, func(conn net.Conn, r *http.Request) bool {
				if r.URL.Path != "/drop" {
					io.WriteString(conn, page)
					return true
				}
				if hard {
					conn.(*net.TCPConn).SetLinger(0)
				}
				return false
			})
			rt := tripper(t, plain(nil))
			mustGet(t, rt, base+"/kept")
			_, err := get(t.Context(), rt, base+"/drop")
			if !errors.Is(err, errUnanswered) || !errors.Is(err, io.EOF) || !isStreamReset(err) {
				t.Errorf("got error %v, want errUnanswered", err)
			}
			wantSeen(t, seen, "/drop", 1)
		})
	}
}

func TestClosedBeforeRequestIsReplaced(t *testing.T) {
	base, seen := rawServer(t, func(conn net.Conn, _ *http.Request) bool {
		io.WriteString(conn, page)
		return false
	})
	rt := tripper(t, plain(nil))
	for _, path := range []string{"/1", "/2", "/3"} {
		mustGet(t, rt, base+path)
		time.Sleep(50 * time.Millisecond) //nolint:forbidigo // the close arrives
	}
	for _, path := range []string{"/1", "/2", "/3"} {
		wantSeen(t, seen, path, 1)
	}
}

func TestHTTP2IsNotSentAgain(t *testing.T) {
	reset := func(code http2.ErrCode) func(framing, uint32) bool {
		return func(f framing, stream uint32) bool { return f.WriteRSTStream(stream, code) == nil }
	}
	tests := map[string]func(framing, uint32) bool{
		"REFUSED_STREAM":    reset(http2.ErrCodeRefusedStream),
		"PROTOCOL_ERROR":    reset(http2.ErrCodeProtocol),
		"INTERNAL_ERROR":    reset(http2.ErrCodeInternal),
		"CANCEL":            reset(http2.ErrCodeCancel),
		"ENHANCE_YOUR_CALM": reset(http2.ErrCodeEnhanceYourCalm),
		"GOAWAY": func(f framing, _ uint32) bool {
			return f.WriteGoAway(0, http2.ErrCodeNo, nil) == nil
		},
		"GOAWAY with an error": func(f framing, _ uint32) bool {
			return f.WriteGoAway(0, http2.ErrCodeEnhanceYourCalm, nil) == nil
		},
		"GOAWAY and close": func(f framing, stream uint32) bool {
			f.WriteGoAway(stream, http2.ErrCodeNo, nil)
			return false
		},
		"close": func(framing, uint32) bool { return false },
	}
	for name, refuse := range tests {
		for _, first := range []string{"fresh", "kept"} {
			t.Run(name+"/"+first, func(t *testing.T) {
				base, seen, trust := http2Server(t, func(f framing, stream uint32, path string) bool {
					if path == "/refused" {
						return refuse(f, stream)
					}
					f.status(stream, "200")
					return f.WriteData(stream, true, []byte("ok")) == nil
				})
				rt := tripper(t, plain(trust))
				if first == "kept" {
					mustGet(t, rt, base+"/")
				}
				_, err := get(t.Context(), rt, base+"/refused")
				if !isStreamReset(err) {
					t.Errorf("got error %v, want a reset", err)
				}
				if errors.Is(err, context.Canceled) || errors.Is(err, io.ErrUnexpectedEOF) {
					t.Errorf("got error %v, want neither canceled nor cut short", err)
				}
				mustGet(t, rt, base+"/after")
				wantSeen(t, seen, "/refused", 1)
				wantSeen(t, seen, "/after", 1)
				wantSeen(t, seen, "body after headers", 0)
			})
		}
	}
}

func TestHTTP2ClosedBeforeRequestIsReplaced(t *testing.T) {
	base, seen, trust := http2Server(t, func(f framing, stream uint32, _ string) bool {
		f.status(stream, "200")
		f.WriteData(stream, true, []byte("ok"))
		return false
	})
	rt := tripper(t, plain(trust))
	for _, path := range []string{"/1", "/2"} {
		mustGet(t, rt, base+path)
		time.Sleep(50 * time.Millisecond) //nolint:forbidigo // the close arrives
		wantSeen(t, seen, path, 1)
	}
}

func TestConnectionsAreKept(t *testing.T) {
	base, seen := rawServer(t, func(conn net.Conn, _ *http.Request) bool {
		_, err := io.WriteString(conn, page)
		return err == nil
	})
	base2, seen2, trust := http2Server(t, func(f framing, stream uint32, _ string) bool {
		f.status(stream, "200")
		return f.WriteData(stream, true, []byte("ok")) == nil
	})
	rt := tripper(t, plain(trust))
	for range 200 {
		mustGet(t, rt, base+"/")
		mustGet(t, rt, base2+"/")
	}
	for name, s := range map[string]*sightings{"HTTP/1": seen, "HTTP/2": seen2} {
		if got := s.accepts.Load(); got != 1 {
			t.Errorf("%s: got %d connections, want 1", name, got)
		}
	}
}

func TestBytesOfRequest(t *testing.T) {
	sent := func(wrap func(*http.Transport) http.RoundTripper) string {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		got := make(chan string, 1)
		serve(t, l, &sightings{}, func(conn net.Conn) {
			buffer := make([]byte, 64<<10)
			n := 0
			for !bytes.Contains(buffer[:n], []byte("\r\n\r\n")) {
				m, err := conn.Read(buffer[n:])
				if err != nil {
					break
				}
				n += m
			}
			conn.SetReadDeadline(time.Now().Add(50 * time.Millisecond)) // a body would follow
			m, _ := conn.Read(buffer[n:])
			got <- string(buffer[:n+m])
			io.WriteString(conn, page)
		})
		base := plain(nil)
		defer base.CloseIdleConnections()
		address := "http://" + l.Addr().String()
		request, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, address+"/a?b=c", nil)
		request.Header.Set("User-Agent", "test/1")
		request.Header.Set("X-Long", strings.Repeat("x", 9000))
		response, err := wrap(base).RoundTrip(request)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		return strings.ReplaceAll(<-got, l.Addr().String(), "host")
	}
	want := sent(func(base *http.Transport) http.RoundTripper { return base })
	if got := sent(newOnce); got != want {
		t.Errorf("got request %q, want %q", got, want)
	}
}

func TestSwitchingProtocols(t *testing.T) {
	closed := make(chan error, 1)
	base, seen := rawServer(t, func(conn net.Conn, _ *http.Request) bool {
		io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n")
		conn.SetReadDeadline(time.Now().Add(5 * time.Second))
		_, err := conn.Read(make([]byte, 1))
		closed <- err
		return false
	})
	if _, err := get(t.Context(), tripper(t, plain(nil)), base+"/"); !errors.Is(err, errSwitched) {
		t.Errorf("got error %v, want errSwitched", err)
	}
	if err := <-closed; !errors.Is(err, io.EOF) {
		t.Errorf("server's end: got %v, want closed", err)
	}
	wantSeen(t, seen, "/", 1)
}

func TestInformationalFlood(t *testing.T) {
	const hint = "HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n"
	for _, test := range []struct {
		name  string
		pause time.Duration
		want  error
	}{{"fast", 0, errHeaders}, {"slow", 20 * time.Millisecond, errHeaderTimeout}} {
		flood := func(send func() error) bool {
			for send() == nil {
				time.Sleep(test.pause) //nolint:forbidigo // a slow server
			}
			return false
		}
		base, seen := rawServer(t, func(conn net.Conn, _ *http.Request) bool {
			return flood(func() error { _, err := io.WriteString(conn, hint); return err })
		})
		base2, seen2, trust := http2Server(t, func(f framing, stream uint32, _ string) bool {
			return flood(func() error {
				return f.status(stream, "103", hpack.HeaderField{Name: "link", Value: "</a.css>; rel=preload"})
			})
		})
		for name, server := range map[string]struct {
			address string
			seen    *sightings
		}{"HTTP1": {base, seen}, "HTTP2": {base2, seen2}} {
			t.Run(test.name+"/"+name, func(t *testing.T) {
				limits := plain(trust)
				if test.pause > 0 {
					limits.ResponseHeaderTimeout = 300 * time.Millisecond
				}
				_, err := get(t.Context(), tripper(t, limits), server.address+"/")
				if !errors.Is(err, test.want) || isStreamReset(err) {
					t.Errorf("got error %v, want %v", err, test.want)
				}
				wantSeen(t, server.seen, "/", 1)
			})
		}
	}
}

func TestHTTP2ResponseHeaderTimeout(t *testing.T) {
	base, seen, trust := http2Server(t, func(framing, uint32, string) bool { return true })
	limits := plain(trust)
	limits.ResponseHeaderTimeout = 100 * time.Millisecond
	_, err := get(t.Context(), tripper(t, limits), base+"/")
	timed, ok := errors.AsType[net.Error](err)
	if !errors.Is(err, errHeaderTimeout) || !ok || !timed.Timeout() {
		t.Errorf("got error %v, want errHeaderTimeout", err)
	}
	wantSeen(t, seen, "/", 1)
}

func TestHTTP2ResponseHeaderLimit(t *testing.T) {
	base, _, trust := http2Server(t, func(f framing, stream uint32, _ string) bool {
		for i := range 8 { // just above the limit: far above, HTTP/2 ends the connection
			block := bytes.Buffer{}
			hpack.NewEncoder(&block).WriteField(hpack.HeaderField{Name: "x", Value: strings.Repeat("x", 8256), Sensitive: true})
			if i == 0 {
				head := bytes.Buffer{}
				hpack.NewEncoder(&head).WriteField(hpack.HeaderField{Name: ":status", Value: "200"})
				f.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, EndStream: true, BlockFragment: append(head.Bytes(), block.Bytes()...)})
				continue
			}
			f.WriteContinuation(stream, i == 7, block.Bytes())
		}
		return true
	})
	if _, err := get(t.Context(), tripper(t, plain(trust)), base+"/"); !errors.Is(err, errHeaders) {
		t.Errorf("got error %v, want errHeaders", err)
	}
}

func TestHTTP2ResetInBody(t *testing.T) {
	base, _, trust := http2Server(t, func(f framing, stream uint32, _ string) bool {
		f.status(stream, "200")
		f.WriteData(stream, false, []byte("o"))
		return f.WriteRSTStream(stream, http2.ErrCodeInternal) == nil
	})
	_, err := get(t.Context(), tripper(t, plain(trust)), base+"/")
	if !isStreamReset(&url.Error{Op: "Get", URL: base, Err: err}) {
		t.Errorf("got error %v, want a reset", err)
	}
}

func TestCanceledByCaller(t *testing.T) {
	base, _ := rawServer(t, func(net.Conn, *http.Request) bool { return true })
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := get(ctx, tripper(t, plain(nil)), base+"/"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got error %v, want deadline exceeded", err)
	}
}

func BenchmarkOnce(b *testing.B) {
	base, _ := rawServer(b, func(conn net.Conn, _ *http.Request) bool {
		_, err := io.WriteString(conn, page)
		return err == nil
	})
	for name, wrap := range map[string]func(*http.Transport) http.RoundTripper{
		"plain": func(t *http.Transport) http.RoundTripper { return t },
		"once":  newOnce,
	} {
		b.Run(name, func(b *testing.B) {
			transport := plain(nil)
			defer transport.CloseIdleConnections()
			rt := wrap(transport)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := get(b.Context(), rt, base+"/"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
