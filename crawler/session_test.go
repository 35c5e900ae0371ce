package crawler

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

func TestSessions(t *testing.T) {
	s := newSessions()
	const page = "https://a.example/p;jsessionid=%04X?x=1"
	address := func(i int) string { return fmt.Sprintf(page, i) }
	for i := range sessionProofs + 1 {
		if s.repeats(address(i)) {
			t.Fatalf("%d: got a trap before the proofs", i)
		}
		s.fetched(address(i), fmt.Appendf(nil, "<a href='/q;jsessionid=%04X'>x</a><input value=%04X>", 100+i, 100+i))
	}
	for address, want := range map[string]bool{
		address(0):                            false, // the first URL of its page
		address(1):                            true,
		address(99):                           true,
		"https://a.example/q;jsessionid=0001": false, // another page
		"https://a.example/q;jsessionid=0002": true,
		"https://a.example/p?x=1":             false,
		"https://b.example/p;jsessionid=0001": false,
		"https://b.example/p;jsessionid=0002": false,
	} {
		_ = s.repeats("https://a.example/q;jsessionid=0001")
		if got := s.repeats(address); got != want {
			t.Errorf("%s: got %v, want %v", address, got, want)
		}
	}
}

// TestStoriesAreNoSessions has a parameter whose name is that of a session id
// and whose values are different pages.
func TestStoriesAreNoSessions(t *testing.T) {
	s := newSessions()
	for i := range 20 {
		address := fmt.Sprintf("https://a.example/story?sid=%d", i)
		if s.repeats(address) {
			t.Fatalf("got %s taken for a repeated page", address)
		}
		s.fetched(address, fmt.Appendf(nil, "story %d", i))
	}
}

func TestWithoutSession(t *testing.T) {
	for address, want := range map[string]string{
		"https://a.example/p;jsessionid=ABC":          "https://a.example/p",
		"https://a.example/p?PHPSESSID=abc&x=1":       "https://a.example/p&x=1",
		"https://a.example/p?x=1&sid=12":              "https://a.example/p?x=1",
		"https://a.example/p?ASPSESSIONIDQQ=abc":      "https://a.example/p",
		"https://a.example/p?x=1&osCsid=abc#f":        "https://a.example/p?x=1#f",
		"https://a.example/p?outside=1":               "",
		"https://a.example/sid=1":                     "",
		"https://a.example/p?CFID=1&CFTOKEN=2":        "https://a.example/p",
		"https://a.example/p;JSESSIONID=A-b.c!1?x=;y": "https://a.example/p?x=;y",
	} {
		got, ok := withoutSession(address)
		if got != want || ok != (want != "") {
			t.Errorf("%s: got %q, %v, want %q", address, got, ok, want)
		}
	}
}

// TestSessionIDsEnd crawls a site in which each page links to itself under new
// session ids.
func TestSessionIDsEnd(t *testing.T) {
	var n atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" || strings.HasPrefix(r.URL.Path, "/sitemap") {
			http.NotFound(w, r)
			return
		}
		id := n.Add(1)
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<a href="/p;jsessionid=%08X">x</a><a href="/q?PHPSESSID=%08x&amp;y=1">y</a>`, id, id)
	}))
	defer server.Close()
	pages, skips := crawled(t, Options{MaxPages: 200}, server.URL+"/")
	if len(pages) < 3 || len(pages) > 50 {
		t.Errorf("got %d pages, want the crawl to end by itself", len(pages))
	}
	traps := 0
	for _, skip := range skips {
		if strings.Contains(skip, "trap") {
			traps++
		}
	}
	if traps == 0 {
		t.Errorf("got no trap in %v", skips)
	}
}
