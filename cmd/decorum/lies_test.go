package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/decorum-crawler/decorum/internal/testsite"
)

// raw answers a path with bytes as they are and closes the connection.
func raw(site *testsite.Site, path, answer string) {
	site.Handle(path, func(w http.ResponseWriter, _ *http.Request) {
		connection, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		_, _ = io.WriteString(connection, answer)
		_ = connection.Close()
	})
}

// TestLengthsThatLie has bodies whose length is not what the head says, and chunks
// that are none: no part of a body is taken for the whole.
func TestLengthsThatLie(t *testing.T) {
	const head, page = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n", "<title>whole</title>"
	web := testsite.New()
	defer web.Close()
	answers := map[string]string{
		"/short":      head + "Content-Length: 999\r\n\r\n" + page,
		"/huge":       head + "Content-Length: 999999999999999\r\n\r\n" + page,
		"/two":        head + "Content-Length: 5\r\nContent-Length: 20\r\n\r\n" + page,
		"/chunk-cut":  head + "Transfer-Encoding: chunked\r\n\r\nff\r\n" + page,
		"/chunk-huge": head + "Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n" + page,
		"/chunk-none": head + "Transfer-Encoding: chunked\r\n\r\nzz\r\n" + page,
		"/extensions": head + "Transfer-Encoding: chunked\r\n\r\n" + strings.Repeat("1;"+strings.Repeat("x", 200)+"\r\na\r\n", 2000) + "0\r\n\r\n",
		"/000":        "HTTP/1.1 000 Nothing\r\nContent-Length: 0\r\n\r\n",
	}
	answers["/both"] = head + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n14\r\n" + page + "\r\n0\r\n\r\n"
	var seeds []string
	for path, answer := range answers { // a host each, since one that fails five times is left for a while
		site := web.Site(path[1:])
		raw(site, path, answer)
		seeds = append(seeds, site.URL()+path)
	}
	lines := crawlOf(t, seeds...)
	for line := range strings.Lines(lines) {
		both := strings.Contains(line, "/both\"")
		if strings.Contains(line, `"error":""`) && (!both || !strings.Contains(line, `"bytes":20,`)) {
			t.Errorf("got %s", line[max(0, len(line)-300):])
		}
	}
	if n := strings.Count(lines, "\n"); n != len(answers) {
		t.Errorf("got %d lines, want %d: %s", n, len(answers), lines)
	}
	site := web.Site("none")
	raw(site, "/000", answers["/000"])
	if code, _, errs := invoke("crawl", "-o", t.TempDir()+"/x", "--delay", "0", "--max-retries", "0", "--progress", "none", site.URL()+"/000"); code != exitNothing || strings.Contains(errs, "could not be fetched: \n") {
		t.Errorf("got %d, %q, want the cause", code, errs)
	}
}

// TestEndlessRobots has a robots.txt behind a redirect that never ends.
func TestEndlessRobots(t *testing.T) {
	var sent atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			http.Redirect(w, r, "/rules.txt", http.StatusFound)
			return
		}
		_, _ = io.WriteString(w, "User-agent: *\nDisallow: /private\n")
		for line := bytes.Repeat([]byte("# "), 16<<10); ; {
			n, err := w.Write(line)
			sent.Add(int64(n))
			if err != nil {
				return
			}
		}
	}))
	defer server.Close()
	code, out, errs := invoke("robots", "check", "--delay", "0", server.URL+"/private")
	if code != exitFindings || !strings.Contains(out, "line 2, Disallow: /private") {
		t.Errorf("got %d, %q, %q", code, out, errs)
	}
	if n := sent.Load(); n > 16<<20 { // what the buffers of two sockets may hold
		t.Errorf("got %d bytes sent, want the connection closed after 500 KiB", n)
	}
}

// TestRetryStorm has a host that always answers 503 beside a good one: the requests
// are counted, and the good host is read.
func TestRetryStorm(t *testing.T) {
	web := testsite.New()
	defer web.Close()
	bad, good := web.Site("bad"), web.Site("good")
	var home strings.Builder
	for n := range 10 {
		fmt.Fprintf(&home, "<a href=/%d>x</a>", n)
		bad.Flaky(fmt.Sprintf("/%d", n), -1, http.StatusServiceUnavailable, "")
		good.Page(fmt.Sprintf("/%d", n), "good")
	}
	bad.Page("/", home.String())
	good.Page("/", home.String())
	lines := crawlOf(t, bad.URL(), good.URL(), "--max-delay", "1s")
	asked := map[string]int{}
	for _, request := range web.Log() {
		asked[request.Site+request.Path]++
	}
	for path, n := range asked {
		if n > 1 {
			t.Errorf("got %s requested %d times with --max-retries 0", path, n)
		}
	}
	if n := strings.Count(lines, `"url":"`+good.URL()); n != 11 {
		t.Errorf("got %d pages of the good host, want 11", n)
	}
}

// TestDeadHostsDoNotBlockOthers has hosts that never answer beside a good one, and
// fewer workers than hosts.
func TestDeadHostsDoNotBlockOthers(t *testing.T) {
	web := testsite.New()
	defer web.Close()
	good := web.Site("good")
	good.Page("/", "<a href=/1>x</a><a href=/2>x</a><a href=/3>x</a>")
	for n := 1; n < 4; n++ {
		good.Page(fmt.Sprintf("/%d", n), "good")
	}
	release := make(chan struct{})
	seeds := []string{good.URL()}
	for n := range 3 {
		dead := web.Site(fmt.Sprintf("dead%d", n))
		dead.Handle("/robots.txt", func(_ http.ResponseWriter, r *http.Request) {
			select {
			case <-release:
			case <-r.Context().Done():
			}
		})
		seeds = append(seeds, dead.URL())
	}
	lines := crawlOf(t, append(seeds, "--workers", "4", "--timeout", "2s", "--max-time", "60s")...)
	close(release)
	if n := strings.Count(lines, `"url":"`+good.URL()); n != 4 {
		t.Errorf("got %d pages of the good host, want 4: %s", n, lines)
	}
}
