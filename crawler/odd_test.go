package crawler

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/decorum-crawler/decorum/crawler/fetch"
)

// TestOddAnswersArePages has answers that browsers show: their links are
// followed.
func TestOddAnswersArePages(t *testing.T) {
	raw := map[string]string{
		"/part": "HTTP/1.1 206 Partial Content\r\nContent-Type: text/html\r\n\r\n<a href=/from-part>",
		"/cut":  "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 900\r\n\r\n<title>cut</title><a href=/from-cut>",
		"/head": "HTTP/1.1 200 OK\r\nno colon\r\nContent-Type: text/html\r\n  ; charset=utf-8\r\nContent-Encoding: none\r\n\r\n<a href=/from-head>",
		"/two":  "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Type: text/html; charset=windows-1251\r\n\r\n<title>\xe4\xee\xec</title><a href=/from-two><a href='/q?\xe4'>",
		"/xml":  "HTTP/1.1 200 OK\r\nContent-Type: application/xhtml+xml\r\n\r\n<html><script src='x'/><a href='/from-xml'/></html>",
		"/move": "HTTP/1.1 302 Found\r\nLocation: /caf\xe9%-\r\n\r\n",
		"/soon": "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nRefresh: 0;url=/from-soon\r\n\r\nsoon",
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch answer, ok := raw[r.URL.Path]; {
		case ok:
			connection, _, err := w.(http.Hijacker).Hijack()
			if err == nil {
				_, _ = fmt.Fprint(connection, answer)
				_ = connection.Close()
			}
		case r.URL.Path == "/robots.txt" || strings.HasPrefix(r.URL.Path, "/sitemap"):
			http.NotFound(w, r)
		default:
			w.Header().Set("Content-Type", "text/html")
			if r.URL.Path == "/" {
				for path := range raw {
					fmt.Fprintf(w, "<a href=%s>", path)
				}
			}
		}
	}))
	defer server.Close()
	pages, _ := crawled(t, Options{Fetch: fetch.Options{MaxRetries: -1}}, server.URL+"/")
	all := strings.Join(pages, "\n")
	for _, path := range []string{"/from-part", "/from-cut", "/from-head", "/from-two", "/from-xml", "/caf%E9%25-", "/from-soon", "/q?%E4"} {
		if !slices.ContainsFunc(pages, func(page string) bool { return strings.Contains(page, path) }) {
			t.Errorf("%s was not reached in\n%s", path, all)
		}
	}
}
