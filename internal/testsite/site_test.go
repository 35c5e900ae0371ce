package testsite

import (
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// get requests a URL without following redirects.
func get(t *testing.T, url string) (*http.Response, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("User-Agent", "decorum-test")
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, string(body)
}

func TestAnswers(t *testing.T) {
	web := New()
	defer web.Close()
	site := web.Site("a")
	site.Robots("Sitemap: BASE/s.xml\n")
	site.Page("/p", "<p>plain", "X-Robots-Tag: noindex")
	site.Page("/p?q=1", "<p>query")
	site.Redirect("/r", "/p", http.StatusFound)
	site.Status("/gone", http.StatusGone, "Retry-After: 7")
	site.Status("/none", http.StatusNoContent)
	site.Sitemap("/s.xml", "/p", "http://other.example/?a=1&b=2")
	for _, tt := range []struct {
		path         string
		status       int
		header, want string
		body         string
	}{
		{"/robots.txt", 200, "Content-Type", "text/plain; charset=utf-8", "Sitemap: " + site.URL() + "/s.xml"},
		{"/p", 200, "X-Robots-Tag", "noindex", "plain"},
		{"/p?q=1", 200, "X-Robots-Tag", "", "query"},
		{"/p?q=2", 200, "X-Robots-Tag", "noindex", "plain"},
		{"/r", 302, "Location", "/p", "Found"},
		{"/gone", 410, "Retry-After", "7", "Gone"},
		{"/none", 204, "Content-Type", "", ""},
		{"/s.xml", 200, "Content-Type", "application/xml", "http://other.example/?a=1&amp;b=2"},
		{"/nothing", 404, "Location", "", "404 page not found"},
	} {
		response, body := get(t, site.URL()+tt.path)
		if response.StatusCode != tt.status || response.Header.Get(tt.header) != tt.want || !strings.Contains(body, tt.body) {
			t.Errorf("%s: got %d, %s %q, body %q; want %d, %q, %q", tt.path,
				response.StatusCode, tt.header, response.Header.Get(tt.header), body, tt.status, tt.want, tt.body)
		}
		log := web.Log()
		hit := log[len(log)-1]
		if hit.Path != tt.path || hit.Status != tt.status || hit.Bytes != int64(len(body)) ||
			hit.UserAgent != "decorum-test" || hit.End.Before(hit.Start) || hit.Method != http.MethodGet {
			t.Errorf("%s: got hit %+v", tt.path, hit)
		}
	}
}

func TestFlaky(t *testing.T) {
	web := New()
	defer web.Close()
	site := web.Site("a")
	site.Page("/p", "fine")
	site.Flaky("/p", 2, http.StatusServiceUnavailable, "3")
	for i, want := range []int{503, 503, 200, 200} {
		response, _ := get(t, site.URL()+"/p")
		if response.StatusCode != want || (want == 503) != (response.Header.Get("Retry-After") == "3") {
			t.Errorf("request %d: got %d, Retry-After %q, want %d", i, response.StatusCode, response.Header.Get("Retry-After"), want)
		}
	}
}

func TestSitesDifferInHost(t *testing.T) {
	web := New()
	a, b := web.Site("a"), web.Site("b")
	if a.Host() == b.Host() || web.Site("a") != a || a.URL() != "http://"+a.Host() {
		t.Errorf("got hosts %s and %s", a.Host(), b.Host())
	}
	web.Close()
	web.Close()
	if _, err := web.Open("c"); !errors.Is(err, ErrClosed) {
		t.Errorf("got %v after Close, want ErrClosed", err)
	}
}

func TestConcurrentUse(t *testing.T) {
	web := New()
	defer web.Close()
	site := web.Site("a")
	const clients, each = 8, 20
	var running sync.WaitGroup
	for range clients {
		running.Go(func() {
			for range each {
				site.Page("/p", "text")
				site.Flaky("/p", 1, 500, "")
				get(t, site.URL()+"/p")
				web.Gaps()
			}
		})
	}
	running.Wait()
	log := web.Log()
	if len(log) != clients*each {
		t.Errorf("got %d hits, want %d", len(log), clients*each)
	}
	for i := 1; i < len(log); i++ {
		if log[i].Start.Before(log[i-1].Start) {
			t.Fatalf("hit %d began before hit %d", i, i-1)
		}
	}
}

func TestRequestAsSent(t *testing.T) {
	web := New()
	defer web.Close()
	site := web.Site("a")
	const path = "/a%2Fb/../c?x=%41"
	site.Handle(path, func(http.ResponseWriter, *http.Request) {})
	response, _ := get(t, site.URL()+path)
	if log := web.Log(); response.StatusCode != http.StatusOK || log[0].Path != path || log[0].Status != http.StatusOK {
		t.Errorf("got %d, log %+v, want %s", response.StatusCode, log, path)
	}
}

func TestAbortedHandlerIsLogged(t *testing.T) {
	web := New()
	site := web.Site("a")
	site.Handle("/cut", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	request, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, site.URL()+"/cut", nil)
	if response, err := http.DefaultTransport.RoundTrip(request); err == nil {
		_ = response.Body.Close()
		t.Error("got an answer, want a cut connection")
	}
	web.Close()
	for _, hit := range web.Log() { // the transport may have repeated the request
		if hit.Path != "/cut" || hit.Status != 0 || hit.End.IsZero() {
			t.Errorf("got %+v", hit)
		}
	}
}

func TestGzipSitemap(t *testing.T) {
	web := New()
	defer web.Close()
	site := web.Site("a")
	site.Sitemap("/s.xml.gz", "/p")
	response, body := get(t, site.URL()+"/s.xml.gz")
	z, err := gzip.NewReader(strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(z)
	if err != nil || response.Uncompressed || !strings.Contains(string(plain), "<loc>"+site.URL()+"/p</loc>") {
		t.Errorf("got %q, %v", plain, err)
	}
}

func hit(site, path string, start, end int) Hit {
	epoch := time.Unix(0, 0)
	return Hit{
		Site: site, Method: "GET", Path: path, Status: 200,
		Start: epoch.Add(time.Duration(start) * time.Second), End: epoch.Add(time.Duration(end) * time.Second),
	}
}
