package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
)

// TestOddServerIsNotLogged has a server that sends more than the length it
// names: net/http writes of that by itself, and standard error is not the place.
func TestOddServerIsNotLogged(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program")
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		connection, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		if r.URL.Path == "/" {
			_, _ = io.WriteString(connection, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 12\r\n\r\n<p>twelve..."+strings.Repeat("more", 100))
		} else {
			_, _ = io.WriteString(connection, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\nmore than nothing")
		}
		_ = connection.Close()
	}))
	defer server.Close()
	s := start(t, program(t), "crawl", "-o", filepath.Join(t.TempDir(), "crawl"), "--delay", "20ms", "--progress", "none", server.URL)
	if code := s.code(); code != exitOK || strings.Contains(s.err.String(), "Unsolicited") || strings.Contains(s.err.String(), "http: ") {
		t.Errorf("got %d, %q", code, s.err.String())
	}
}
