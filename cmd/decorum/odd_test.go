package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
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

// TestLibrariesLogThroughOurs has a server that net/http complains about: with
// --log-format json every line of the log is JSON all the same.
func TestLibrariesLogThroughOurs(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program")
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		connection, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		_, _ = io.WriteString(connection, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
		_, _ = io.WriteString(connection, "\x1b]0;more\x9b than nothing\r\n\r\n")
		_, _ = io.Copy(io.Discard, connection) // until the client closes
		_ = connection.Close()
	}))
	defer server.Close()
	folder := filepath.Join(t.TempDir(), "crawl")
	s := start(t, program(t), "crawl", "-o", folder, "--delay", "20ms", "--progress", "none", "-vv", "--log-format", "json", server.URL)
	s.code()
	file, err := os.ReadFile(filepath.Join(folder, "crawl.log"))
	if err != nil {
		t.Fatal(err)
	}
	for name, log := range map[string]string{"crawl.log": string(file), "standard error": s.err.String()} {
		complaints := 0
		for line := range strings.Lines(log) {
			var event struct{ Level, Msg, Err string }
			if err := json.Unmarshal([]byte(line), &event); err != nil && !strings.HasPrefix(line, "decorum: ") {
				t.Errorf("%s: got %q, %v", name, line, err)
			}
			if strings.HasPrefix(event.Err, "Unsolicited response") && event.Level == "DEBUG" {
				complaints++
			}
		}
		if complaints == 0 {
			t.Errorf("%s: got no word of net/http in %q", name, log)
		}
	}
}
