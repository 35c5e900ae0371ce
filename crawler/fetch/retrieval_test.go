package fetch

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/decorum-crawler/decorum/robots"
)

const day = 24 * time.Hour

// retrieving is one row: the response of a site for its robots.txt, and the verdict
// on /x that follows from it.
type retrieving struct {
	name   string
	serve  http.HandlerFunc                       // nil: origin
	origin func(t *testing.T, o *Options) string  // a site that is not an ordinary server
	reason robots.Reason                          // for /x when no copy is retained
	again  time.Duration                          // from now until the next request
	look   func(t *testing.T, d *robots.Document) // further checks; may be nil
}

// TestRetrieval sends requests to real servers (RFC 9309 §2.3.1). Each row is
// tested without a retained copy and with one that is an hour, two days and 31 days
// old.
func TestRetrieval(t *testing.T) {
	for _, row := range retrievals(t) {
		t.Run(row.name, func(t *testing.T) {
			for _, age := range []time.Duration{0, time.Hour, 2 * day, 31 * day} {
				t.Run(fmt.Sprintf("copy=%v", age), func(t *testing.T) { row.try(t, age) })
			}
		})
	}
}

func (row retrieving) try(t *testing.T, age time.Duration) {
	t.Helper()
	before := time.Now()
	options := Options{Delay: -1, Allow: Network{Loopback: true}, Timeout: 5 * time.Second, Robots: &robots.Memory{}}
	var asked atomic.Int64
	var name string
	if row.serve != nil {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked.Add(1)
			row.serve(w, r)
		}))
		defer server.Close()
		name = server.URL
	} else {
		name = row.origin(t, &options)
	}
	if age > 0 {
		retained := &robots.Document{
			Origin: name, FinalURL: name + "/robots.txt", Status: http.StatusOK,
			Body: []byte("User-agent: *\nDisallow: /x/kept\n"), FetchedAt: time.Now().Add(-age),
		}
		if err := options.Robots.Save(t.Context(), retained); err != nil {
			t.Fatal(err)
		}
	}
	client := New(options)
	defer client.Close()
	o, err := client.Site(t.Context(), name+"/x")
	if err != nil {
		t.Fatal(err)
	}
	after := time.Now()

	want := row.expect(age)
	verdict, err := o.Check(name + "/x/kept")
	if err != nil || verdict.Reason != want.reason || o.Stale != want.stale {
		t.Errorf("got %+v, stale %v, %v, want %s, stale %v; status %d, error %q",
			verdict, o.Stale, err, want.reason, want.stale, o.Document.Status, o.Document.Err)
	}
	if low, high := before.Add(want.again), after.Add(want.again); o.Fresh.Before(low) || o.Fresh.After(high) {
		t.Errorf("got asked again at %v, want between %v and %v", o.Fresh, low, high)
	}
	if kept, _ := options.Robots.Load(t.Context(), name); (kept == o.Document) != want.cached {
		t.Errorf("got document cached %v, want %v", kept == o.Document, want.cached)
	}
	count := asked.Load()
	if row.serve != nil && (count > 0) != want.asked {
		t.Errorf("got %d requests, want some: %v", count, want.asked)
	}
	if _, err := client.Site(t.Context(), name+"/x"); err != nil || asked.Load() != count {
		t.Errorf("asked again at once: got %d requests, %v, want %d", asked.Load(), err, count)
	}
	if row.look != nil && age == 0 {
		row.look(t, o.Document)
	}
}

// expectation is the expected result for /x/kept with a copy of some age.
type expectation struct {
	reason               robots.Reason
	again                time.Duration
	stale, cached, asked bool
}

func (row retrieving) expect(age time.Duration) expectation {
	down := row.reason == robots.ReasonUnreachable
	switch {
	case age == time.Hour: // no request at all
		return expectation{robots.ReasonDisallowedByRule, day - age, false, true, false}
	case down && age > 0: // RFC 9309 §2.3.1.4: the copy is used, however old
		return expectation{robots.ReasonDisallowedByRule, row.again, true, true, true}
	default:
		return expectation{row.reason, row.again, false, !down, true}
	}
}

const blockX = "User-agent: *\nDisallow: /x\n"

func retrievals(t *testing.T) []retrieving {
	t.Helper()
	other := httptest.NewServer(body(blockX))
	t.Cleanup(other.Close)
	const (
		byRule      = robots.ReasonDisallowedByRule
		noGroup     = robots.ReasonNoGroup
		unavailable = robots.ReasonUnavailable
		unreachable = robots.ReasonUnreachable
		never       = 8 * time.Second // after as many failures as a retry would have seen
	)
	return []retrieving{
		{name: "200", serve: body(blockX), reason: byRule, again: day},
		{name: "200 with max-age of an hour", serve: header("Cache-Control", "max-age=3600", body(blockX)), reason: byRule, again: time.Hour},
		{name: "200 with max-age of a week", serve: header("Cache-Control", "max-age=604800", body(blockX)), reason: byRule, again: day},
		{name: "200 with max-age of 0", serve: header("Cache-Control", "max-age=0", body(blockX)), reason: byRule, again: time.Minute},
		{name: "empty 200", serve: body(""), reason: noGroup, again: day},
		{name: "HTML 200", serve: body("<!DOCTYPE html>\n<title>Not found</title>\n<p>User-agent: *\n"), reason: noGroup, again: day},
		{name: "UTF-16 200", serve: body(wide(blockX)), reason: byRule, again: day},
		{name: "204", serve: status(204), reason: noGroup, again: day},
		{name: "301 chain of 5", serve: chain(5), reason: byRule, again: day},
		{name: "301 chain of 6", serve: chain(6), reason: unreachable, again: time.Second},
		{name: "301 loop", serve: redirect("/robots.txt"), reason: unreachable, again: time.Second},
		{name: "301 to another host", serve: redirect(other.URL + "/rules"), reason: byRule, again: day},
		{name: "301 to another scheme", serve: redirect("ftp://shop.example/robots.txt"), reason: unreachable, again: time.Second},
		{name: "301 without a target", serve: status(301), reason: unreachable, again: time.Second},
		{name: "304 unasked", serve: status(304), reason: unreachable, again: time.Second},
		{name: "401", serve: status(401), reason: unavailable, again: day},
		{name: "403", serve: status(403), reason: unavailable, again: day},
		{name: "404", serve: status(404), reason: unavailable, again: day},
		{name: "410", serve: status(410), reason: unavailable, again: day},
		{name: "429 with Retry-After", serve: header("Retry-After", "120", status(429)), reason: unreachable, again: 2 * time.Minute},
		{name: "451", serve: status(451), reason: unavailable, again: day},
		{name: "500", serve: status(500), reason: unreachable, again: time.Second},
		{name: "503", serve: status(503), reason: unreachable, again: time.Second},
		{name: "503 with Retry-After", serve: header("Retry-After", "600", status(503)), reason: unreachable, again: 10 * time.Minute},
		{name: "timeout in connect", origin: fullBacklog, reason: unreachable, again: time.Second},
		{name: "timeout in headers", origin: stalls(""), reason: unreachable, again: time.Second},
		{name: "timeout in body", origin: stalls("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nUser-agent: *\n"), reason: unreachable, again: time.Second},
		{name: "refused connection", origin: refused, reason: unreachable, again: time.Second},
		{name: "no such name", origin: nameserver(3), reason: unreachable, again: never},
		{name: "nameserver fails", origin: nameserver(2), reason: unreachable, again: time.Second},
		{name: "certificate of nobody", origin: untrusted, reason: unreachable, again: never},
		{name: "no TLS at all", origin: plainOnTLS, reason: unreachable, again: never},
		{name: "body cut short", serve: header("Content-Length", "100", body(blockX)), reason: unreachable, again: time.Second},
		{name: "gzip body", serve: header("Content-Encoding", "gzip", body(zipped(blockX))), reason: byRule, again: day},
		{name: "gzip in name only", serve: header("Content-Encoding", "gzip", body(blockX)), reason: byRule, again: day},
		{name: "coding that is none", serve: header("Content-Encoding", "UTF-8", body(blockX)), reason: byRule, again: day},
		{name: "gzip twice", serve: header("Content-Encoding", "gzip, gzip", body(zipped(zipped(blockX)))), reason: byRule, again: day},
		{name: "empty with a coding", serve: header("Content-Encoding", "br", body("")), reason: noGroup, again: day},
		{name: "gzip bomb", serve: header("Content-Encoding", "gzip", body(zipped(blockX+strings.Repeat("\x00", 64<<20)))), reason: byRule, again: day, look: isCut},
		{name: "600 KiB cut in a line", serve: body(halfRule()), reason: robots.ReasonNoMatchingRule, again: day, look: isCut},
	}
}

// isCut checks that a document was cut at the limit.
func isCut(t *testing.T, d *robots.Document) {
	t.Helper()
	if !d.Truncated || len(d.Body) > robots.MaxBytes {
		t.Errorf("got %d bytes, truncated %v, want at most %d, truncated", len(d.Body), d.Truncated, robots.MaxBytes)
	}
}

// halfRule has the limit in the middle of a line whose first part is a rule against
// /x.
func halfRule() string {
	const head, rule = "User-agent: *\n", "Disallow: /x"
	padding := robots.MaxBytes - len(head) - len(rule) - 1
	return head + strings.Repeat("#", padding) + "\n" + rule + strings.Repeat("y", 100<<10)
}

func body(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, text) }
}

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

func header(name, value string, next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(name, value)
		next(w, r)
	}
}

func redirect(to string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, http.StatusMovedPermanently) }
}

// chain answers with rules after that many redirects.
func chain(hops int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		at := 0
		_, _ = fmt.Sscanf(r.URL.Path, "/hop%d", &at)
		if at == hops {
			fmt.Fprint(w, blockX)
			return
		}
		http.Redirect(w, r, fmt.Sprintf("/hop%d", at+1), http.StatusMovedPermanently)
	}
}

func zipped(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	fmt.Fprint(w, text)
	w.Close()
	return b.String()
}

// wide returns text in UTF-16LE with a byte order mark.
func wide(text string) string {
	var b strings.Builder
	for _, unit := range utf16.Encode([]rune("\ufeff" + text)) {
		b.Write([]byte{byte(unit), byte(unit >> 8)})
	}
	return b.String()
}

const briefly = 50 * time.Millisecond

// stalls starts a server that sends these bytes and then nothing.
func stalls(text string) func(*testing.T, *Options) string {
	return func(t *testing.T, o *Options) string {
		t.Helper()
		o.Timeout = briefly
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			connection, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				return
			}
			fmt.Fprint(connection, text)
			t.Cleanup(func() { connection.Close() })
		}))
		t.Cleanup(server.Close)
		return server.URL
	}
}

// fullBacklog returns a port where the kernel does not answer new connections.
func fullBacklog(t *testing.T, o *Options) string {
	t.Helper()
	o.Timeout = briefly
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Close(socket) })
	if err := syscall.Bind(socket, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Listen(socket, 0); err != nil {
		t.Fatal(err)
	}
	at, err := syscall.Getsockname(socket)
	if err != nil {
		t.Fatal(err)
	}
	address := fmt.Sprintf("127.0.0.1:%d", at.(*syscall.SockaddrInet4).Port)
	for range 2 {
		dialer := net.Dialer{Timeout: briefly}
		if connection, err := dialer.DialContext(t.Context(), "tcp", address); err == nil {
			t.Cleanup(func() { connection.Close() })
		}
	}
	return "http://" + address
}

func refused(*testing.T, *Options) string { return "http://127.0.0.1:1" }

// nameserver returns a name whose server answers with one code (RFC 1035 §4.1.1).
func nameserver(code byte) func(*testing.T, *Options) string {
	return func(t *testing.T, _ *Options) string {
		t.Helper()
		server, err := net.ListenPacket("udp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan struct{})
		go func() { // ends when the server is closed
			defer close(done)
			message := make([]byte, 512)
			for {
				n, from, err := server.ReadFrom(message)
				if err != nil {
					return
				}
				message[2], message[3] = 0x81, 0x80|code
				_, _ = server.WriteTo(message[:n], from)
			}
		}()
		old := net.DefaultResolver
		net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "udp", server.LocalAddr().String())
		}}
		t.Cleanup(func() {
			net.DefaultResolver = old
			server.Close()
			<-done
		})
		return "http://shop.example"
	}
}

func untrusted(t *testing.T, _ *Options) string {
	t.Helper()
	server := httptest.NewUnstartedServer(body(blockX))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	return server.URL
}

func plainOnTLS(t *testing.T, _ *Options) string {
	t.Helper()
	server := httptest.NewServer(body(blockX))
	t.Cleanup(server.Close)
	return strings.Replace(server.URL, "http:", "https:", 1)
}
