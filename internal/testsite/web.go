// Package testsite is a small programmable web on loopback, with a log of every
// request: the place where tests and the demo see how polite a crawl is.
//
// [New] makes a web, [Web.Site] a site of its own address in it, and the
// methods of [Site] say what it answers. [Web.Log] gives what was asked, and
// when.
package testsite

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"
)

// Web is a set of sites with one log. It is safe for concurrent use.
type Web struct {
	mu    sync.Mutex
	sites []*Site
	log   []Hit
}

// Hit is one request that a site has answered.
type Hit struct {
	Site       string
	Path       string // path and query as sent
	UserAgent  string
	Status     int
	Start, End time.Time // of handling it
}

// Site is one origin of a web.
type Site struct {
	Name string

	web     *Web
	server  *httptest.Server
	mu      sync.RWMutex
	answers map[string]http.HandlerFunc
}

// New makes an empty web. Close must be called.
func New() *Web { return &Web{} }

// Close shuts every site down.
func (w *Web) Close() {
	w.mu.Lock()
	sites := w.sites
	w.mu.Unlock()
	for _, s := range sites {
		s.server.Close()
	}
}

// Site adds a site on a loopback port of its own. It answers 404 to everything
// until told otherwise.
func (w *Web) Site(name string) *Site {
	s := &Site{Name: name, web: w, answers: map[string]http.HandlerFunc{}}
	s.server = httptest.NewServer(http.HandlerFunc(s.serve))
	w.mu.Lock()
	w.sites = append(w.sites, s)
	w.mu.Unlock()
	return s
}

// Log gives the requests so far, in the order in which they ended.
func (w *Web) Log() []Hit {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]Hit(nil), w.log...)
}

// Gaps gives, for each site, the times from the end of one response to the
// start of the next request.
func (w *Web) Gaps() map[string][]time.Duration {
	gaps := map[string][]time.Duration{}
	last := map[string]time.Time{}
	for _, hit := range w.Log() {
		if end, ok := last[hit.Site]; ok {
			gaps[hit.Site] = append(gaps[hit.Site], hit.Start.Sub(end))
		}
		last[hit.Site] = hit.End
	}
	return gaps
}

// recorder remembers the status that a handler answers.
type recorder struct {
	http.ResponseWriter
	status int
}

func (r *recorder) WriteHeader(status int) {
	r.status = status
	r.ResponseWriter.WriteHeader(status)
}

func (s *Site) serve(w http.ResponseWriter, r *http.Request) {
	hit := Hit{Site: s.Name, Path: r.URL.RequestURI(), UserAgent: r.UserAgent(), Start: time.Now()}
	s.mu.RLock()
	answer, ok := s.answers[hit.Path]
	s.mu.RUnlock()
	if !ok {
		answer = http.NotFound
	}
	recorded := &recorder{ResponseWriter: w, status: http.StatusOK}
	answer(recorded, r)
	hit.End, hit.Status = time.Now(), recorded.status
	s.web.mu.Lock()
	s.web.log = append(s.web.log, hit)
	s.web.mu.Unlock()
}

// URL gives the address of the site without a slash at the end.
func (s *Site) URL() string { return s.server.URL }

// Handle answers exactly this path and query.
func (s *Site) Handle(pathQuery string, answer http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers[pathQuery] = answer
}

// Robots answers /robots.txt. "BASE" in body stands for the site's URL.
func (s *Site) Robots(body string) { s.text("/robots.txt", "text/plain; charset=utf-8", body) }

// Page answers a path with HTML. "BASE" in body stands for the site's URL.
func (s *Site) Page(pathQuery, body string) { s.text(pathQuery, "text/html; charset=utf-8", body) }

// Redirect answers a path with a redirect.
func (s *Site) Redirect(pathQuery, to string, status int) {
	s.Handle(pathQuery, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, status) })
}

// Sitemap answers a path with a urlset of the paths.
func (s *Site) Sitemap(pathQuery string, paths ...string) {
	var b strings.Builder
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>` + "\n" + `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + "\n")
	for _, path := range paths {
		fmt.Fprintf(&b, "<url><loc>BASE%s</loc></url>\n", path)
	}
	b.WriteString("</urlset>\n")
	s.text(pathQuery, "application/xml", b.String())
}

func (s *Site) text(pathQuery, contentType, body string) {
	body = strings.ReplaceAll(body, "BASE", s.URL())
	s.Handle(pathQuery, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		_, _ = w.Write([]byte(body)) // the client has gone: nobody to tell
	})
}
