package testsite

import (
	"net/http"
	"strings"
	"time"
)

// Hit is one request to a site and its response.
type Hit struct {
	// Site is the name given to Web.Site.
	Site string
	// Method is the request's method.
	Method string
	// Path is the request URI as sent: path and query, still escaped.
	Path string
	// UserAgent is the request's User-Agent header.
	UserAgent string
	// Header is the request's whole header.
	Header http.Header
	// Start is when the request's header had been read.
	Start time.Time
	// End is when the handler had returned; zero while it runs.
	End time.Time
	// Status is the status of the response; zero while the handler runs and when
	// it aborted without one.
	Status int
	// Bytes counts the body as written; zero for HEAD.
	Bytes int64
	// Text is the body of a response to /robots.txt, and of one of text/plain, as
	// far as it was written.
	Text string
	// Location is the response's Location header, resolved against the request;
	// empty without one.
	Location string
}

// Log returns a copy of all hits in the order of their Start. A hit whose handler
// is still running has a zero End. A response without an explicit Content-Length
// is complete for its client only after its hit has ended, so the hit of a response
// that was read to the end has an End.
func (w *Web) Log() []Hit {
	w.mu.Lock()
	defer w.mu.Unlock()
	hits := make([]Hit, len(w.hits))
	copy(hits, w.hits)
	return hits
}

// logged wraps a site's handler so that each request is logged as a hit.
func (w *Web) logged(site *Site) http.Handler {
	return http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		index := w.begin(site.Name, r)
		rec := &recorder{ResponseWriter: out, head: r.Method == http.MethodHead, keep: r.URL.Path == "/robots.txt"}
		returned := false
		defer func() { w.end(index, rec, r, returned) }() // also when the handler aborts
		site.ServeHTTP(rec, r)
		returned = true
	})
}

func (w *Web) begin(site string, r *http.Request) int {
	hit := Hit{Site: site, Method: r.Method, Path: r.RequestURI, UserAgent: r.UserAgent(), Header: r.Header.Clone()}
	w.mu.Lock()
	defer w.mu.Unlock()
	hit.Start = time.Now() // under the lock, so that the log is in order
	w.hits = append(w.hits, hit)
	return len(w.hits) - 1
}

func (w *Web) end(index int, rec *recorder, r *http.Request, returned bool) {
	status := rec.status
	if status == 0 && returned {
		status = http.StatusOK // net/http answers 200 for a handler that wrote nothing
	}
	location := absolute(r, rec.Header().Get("Location"))
	w.mu.Lock()
	defer w.mu.Unlock()
	hit := &w.hits[index]
	hit.Status, hit.Bytes, hit.Location, hit.Text = status, rec.bytes, location, rec.text.String()
	hit.End = time.Now()
}

// absolute resolves location against the request; an invalid one is returned
// unchanged.
func absolute(r *http.Request, location string) string {
	if location == "" {
		return ""
	}
	base := *r.URL
	base.Scheme, base.Host = "http", r.Host
	u, err := base.Parse(location)
	if err != nil {
		return location
	}
	return u.String()
}

// recorder records the status and size of a response.
type recorder struct {
	http.ResponseWriter
	head   bool
	keep   bool // the text
	status int
	bytes  int64
	text   strings.Builder
}

func (r *recorder) WriteHeader(status int) {
	if r.status == 0 && status >= 200 {
		r.status = status
	}
	r.ResponseWriter.WriteHeader(status)
}

func (r *recorder) Write(p []byte) (int, error) {
	if r.status == 0 {
		r.status = http.StatusOK
	}
	n, err := r.ResponseWriter.Write(p)
	if r.keep || strings.HasPrefix(r.Header().Get("Content-Type"), "text/plain") {
		r.text.Write(p[:n])
	}
	if !r.head {
		r.bytes += int64(n)
	}
	return n, err
}

// Unwrap gives http.ResponseController access to Flush and Hijack.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }
