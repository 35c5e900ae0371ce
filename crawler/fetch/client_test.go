package fetch

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/decorum-crawler/decorum/robots"
)

func TestClient(t *testing.T) {
	s := newTestSite(t, map[string]any{
		"/robots.txt": "User-agent: *\nDisallow: /private\n",
		"/map":        "<urlset/>",
		"/moved":      func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/map", http.StatusFound) },
		"/to-private": func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/private", http.StatusFound) },
		"/private":    "secret",
		"/long":       func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintf(w, "%100000d", 1) },
	})
	c := newTestClient(t, Options{})
	read := func(path string) (string, error) {
		body, err := c.Open(t.Context(), s.URL+path)
		if err != nil {
			return "", err
		}
		defer body.Close()
		data, err := io.ReadAll(body)
		return string(data), err
	}
	for _, path := range []string{"/map", "/moved"} {
		if got, err := read(path); got != "<urlset/>" || err != nil {
			t.Errorf("%s: got %q, %v, want the file", path, got, err)
		}
	}
	for _, path := range []string{"/private", "/to-private"} {
		_, err := read(path)
		if blocked, ok := errors.AsType[*BlockedError](err); !ok || blocked.Verdict.Rule.Line != 2 {
			t.Errorf("%s: got %v, want it blocked by line 2", path, err)
		}
	}
	_, err := read("/none")
	if status, ok := errors.AsType[*StatusError](err); !ok || status.Status != 404 {
		t.Errorf("got %v, want status 404", err)
	}
	body, err := c.Open(t.Context(), s.URL+"/long")
	if err != nil {
		t.Fatal(err)
	}
	if err := body.Close(); err != nil { // unread, but the stream must end
		t.Errorf("close: %v", err)
	}
	document, err := c.Robots(t.Context(), s.URL+"/x")
	if err != nil || document.Class() != robots.ClassAvailable {
		t.Errorf("got %+v, %v, want the robots.txt", document, err)
	}
	asked := 0
	for _, path := range s.paths() {
		if path == "/robots.txt" {
			asked++
		}
		if path == "/private" {
			t.Error("got /private asked")
		}
	}
	if asked != 1 {
		t.Errorf("got robots.txt asked %d times, want once", asked)
	}
}
