package testsite

import (
	"bytes"
	"compress/gzip"
	"encoding/xml"
	"io"
	"net/http"
	"strings"
	"sync"
)

// Site is one server of a Web. Get it from Web.Site. Paths begin with "/" and are
// compared with the request URI as sent, without decoding. A path with a query
// matches only that query; one without matches any query for which no exact
// entry exists. Setting a path again replaces it; an unset path returns 404.
type Site struct {
	// Name is the label given to Web.Site.
	Name string

	host   string
	server *http.Server

	mu     sync.Mutex // guards the fields below
	routes map[string]http.HandlerFunc
	faults map[string]*fault
}

// fault is a response sent instead of the normal one.
type fault struct {
	left       int // negative: forever
	status     int
	retryAfter string
}

func newSite(name, host string) *Site {
	return &Site{Name: name, host: host, routes: make(map[string]http.HandlerFunc), faults: make(map[string]*fault)}
}

// Host returns host name and port, as in "127.0.0.1:40001".
func (s *Site) Host() string { return s.host }

// URL returns the origin, as in "http://127.0.0.1:40001", without a final slash.
func (s *Site) URL() string { return "http://" + s.host }

// Handle answers path with h, which must be safe for concurrent use.
func (s *Site) Handle(path string, h http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.routes[path] = h
}

// Robots answers /robots.txt with body as text/plain. "BASE" in body stands for
// the site's URL.
func (s *Site) Robots(body string) {
	s.content("/robots.txt", "text/plain; charset=utf-8", s.based(body))
}

// Page answers path with html in UTF-8. "BASE" in html stands for the site's URL.
// Each header is a line "Name: value" that is added to the response.
func (s *Site) Page(path, html string, header ...string) {
	s.content(path, "text/html; charset=utf-8", s.based(html), header...)
}

// Redirect answers from with status and the Location to, sent as given.
func (s *Site) Redirect(from, to string, status int) {
	s.Status(from, status, "Location: "+to)
}

// Status answers path with status and, where a body is allowed, its text. Each
// header is a line "Name: value" that is added to the response.
func (s *Site) Status(path string, status int, header ...string) {
	s.Handle(path, func(w http.ResponseWriter, _ *http.Request) {
		addHeader(w, header)
		writeStatus(w, status)
	})
}

// Sitemap answers path with a urlset of the URLs. A URL beginning with "/" is
// on this site. A path ending in ".gz" is sent as a gzip file.
func (s *Site) Sitemap(path string, urls ...string) {
	s.sitemap(path, "urlset", "url", urls)
}

// SitemapIndex answers path with a sitemapindex of the URLs, otherwise like
// Sitemap.
func (s *Site) SitemapIndex(path string, urls ...string) {
	s.sitemap(path, "sitemapindex", "sitemap", urls)
}

// Flaky answers path with status the next n times and then normally again; a
// negative n means always, zero ends it at once. retryAfter is the value of
// Retry-After, in seconds or as an HTTP date; empty means none.
func (s *Site) Flaky(path string, n, status int, retryAfter string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults[path] = &fault{left: n, status: status, retryAfter: retryAfter}
}

// ServeHTTP answers a request without logging it; the server's own handler logs
// it.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	handler := s.route(r.RequestURI)
	if handler == nil {
		http.NotFound(w, r)
		return
	}
	handler(w, r)
}

// route returns the handler for a request URI and counts down its fault.
func (s *Site) route(uri string) http.HandlerFunc {
	path, _, _ := strings.Cut(uri, "?")
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, key := range [...]string{uri, path} {
		f, ok := s.faults[key]
		if !ok || f.left == 0 {
			continue
		}
		if f.left > 0 {
			f.left--
		}
		return f.handler()
	}
	if handler, ok := s.routes[uri]; ok {
		return handler
	}
	return s.routes[path]
}

func (f *fault) handler() http.HandlerFunc {
	status, retryAfter := f.status, f.retryAfter
	return func(w http.ResponseWriter, _ *http.Request) {
		if retryAfter != "" {
			w.Header().Set("Retry-After", retryAfter)
		}
		writeStatus(w, status)
	}
}

func (s *Site) content(path, contentType, body string, header ...string) {
	s.Handle(path, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		addHeader(w, header)
		_, _ = io.WriteString(w, body) // the client may have gone
	})
}

func (s *Site) sitemap(path, root, item string, urls []string) {
	var b bytes.Buffer
	b.WriteString(xml.Header + "<" + root + ` xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + "\n")
	for _, u := range urls {
		if strings.HasPrefix(u, "/") {
			u = s.URL() + u
		}
		b.WriteString("<" + item + "><loc>")
		_ = xml.EscapeText(&b, []byte(u)) // a bytes.Buffer does not fail
		b.WriteString("</loc></" + item + ">\n")
	}
	b.WriteString("</" + root + ">\n")
	if strings.HasSuffix(path, ".gz") {
		s.content(path, "application/gzip", zipped(b.Bytes()))
		return
	}
	s.content(path, "application/xml", b.String())
}

func (s *Site) based(body string) string { return strings.ReplaceAll(body, "BASE", s.URL()) }

func zipped(data []byte) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write(data) // a bytes.Buffer does not fail
	_ = z.Close()
	return b.String()
}

func addHeader(w http.ResponseWriter, lines []string) {
	for _, line := range lines {
		name, value, _ := strings.Cut(line, ":")
		w.Header().Add(strings.TrimSpace(name), strings.TrimSpace(value))
	}
}

func writeStatus(w http.ResponseWriter, status int) {
	if status == http.StatusNoContent || status == http.StatusNotModified {
		w.WriteHeader(status)
		return
	}
	if w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	}
	w.WriteHeader(status)
	_, _ = io.WriteString(w, http.StatusText(status)+"\n")
}
