package crawler

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/decorum-crawler/decorum/crawler/fetch"
	"github.com/decorum-crawler/decorum/crawler/record"
	"github.com/decorum-crawler/decorum/frontier"
)

// site is a real server with a log of requests and their times.
type site struct {
	*httptest.Server
	mu   sync.Mutex
	hits []hit
}

type hit struct {
	path       string
	start, end time.Time
	agent      string
}

func newSite(t *testing.T, pages map[string]any) *site {
	t.Helper()
	s := &site{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		switch page := pages[r.URL.RequestURI()].(type) {
		case string:
			if strings.HasPrefix(strings.TrimSpace(page), "<!doctype") {
				w.Header().Set("Content-Type", "text/html")
			}
			fmt.Fprint(w, strings.ReplaceAll(page, "BASE", "http://"+r.Host))
		case func(http.ResponseWriter, *http.Request):
			page(w, r)
		default:
			http.NotFound(w, r)
		}
		s.mu.Lock()
		s.hits = append(s.hits, hit{r.URL.RequestURI(), start, time.Now(), r.UserAgent()})
		s.mu.Unlock()
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *site) paths() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var paths []string
	for _, h := range s.hits {
		paths = append(paths, h.path)
	}
	return paths
}

type memoryOutput struct{ lines []string }

func (m *memoryOutput) Append(data []byte) error {
	m.lines = append(m.lines, strings.TrimSpace(string(data)))
	return nil
}

func (m *memoryOutput) Flush() (int64, error) { return int64(len(m.lines)), nil }

// crawled runs a crawl from a seed to the end.
func crawled(t *testing.T, options Options, seeds ...string) (pages, skips []string) {
	t.Helper()
	options.Fetch.Allow.Loopback = true
	if options.Fetch.Delay == 0 {
		options.Fetch.Delay = -1
	}
	options.Links, options.Sitemaps = true, true
	if options.Scope == nil {
		scope, err := frontier.NewScope(frontier.ReachHost, seeds, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		options.Scope = scope
	}
	p, s := &memoryOutput{}, &memoryOutput{}
	f, err := frontier.NewLocal(frontier.NewMemory(), frontier.Options{
		Outputs: map[string]frontier.Output{record.OutputPages: p, record.OutputSkipped: s},
		Skipped: record.Skipped,
	})
	if err != nil {
		t.Fatal(err)
	}
	c := New(f, options)
	if _, err := c.Seed(t.Context(), seeds); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	result, err := c.Run(ctx, nil)
	if err != nil || !result.Drained {
		t.Fatalf("got %+v, %v, want drained", result, err)
	}
	if err := f.Settle(ctx); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return p.lines, s.lines
}

func doc(links ...string) string {
	text := "<!doctype html><title>T</title>"
	for _, l := range links {
		text += l
	}
	return text
}

func a(href string) string { return `<a href="` + href + `">x</a>` }

func TestCrawlObeysRobotsOnEveryHop(t *testing.T) {
	s := newSite(t, map[string]any{
		"/robots.txt": "User-agent: *\nDisallow: /private\nSitemap: BASE/map.xml\n",
		"/map.xml":    `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>BASE/listed</loc></url><url><loc>BASE/private/listed</loc></url></urlset>`,
		"/":           doc(a("/a"), a("/private/x"), a("/to-private"), `<a rel=nofollow href="/unfollowed">n</a>`, a("mailto:x@y"), a("https://elsewhere.example/")),
		"/a":          doc(a("/"), a("/pic.png")),
		"/listed":     doc(),
		"/pic.png": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "image/png")
			fmt.Fprint(w, "png")
		},
		"/to-private": func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/private/y", http.StatusFound) },
	})
	pages, skips := crawled(t, Options{Fetch: fetch.Options{Contact: "https://bot.example/"}}, s.URL+"/")
	asked := s.paths()
	if asked[0] != "/robots.txt" {
		t.Errorf("got %q asked first, want /robots.txt", asked[0])
	}
	for _, path := range asked {
		if strings.HasPrefix(path, "/private") || path == "/unfollowed" {
			t.Errorf("got %q asked, want it left alone", path)
		}
	}
	for _, want := range []string{
		`/private/x","reason":"robots-disallow","rule":"Disallow: /private","line":2`,
		`/private/y","reason":"robots-disallow"`, `/private/listed","reason":"robots-disallow"`,
		`mailto:x@y","reason":"scheme"`, `elsewhere.example/","reason":"out-of-scope"`,
		`/unfollowed","reason":"nofollow"`, `/pic.png","reason":"content-type"`,
	} {
		if !slices.ContainsFunc(skips, func(l string) bool { return strings.Contains(l, want) }) {
			t.Errorf("got no skip %q in\n%s", want, strings.Join(skips, "\n"))
		}
	}
	if len(pages) != 4 {
		t.Errorf("got %d pages, want /, /a, /listed and the redirect:\n%s", len(pages), strings.Join(pages, "\n"))
	}
	if got, want := s.hits[0].agent, "decorum/0.1 (+https://bot.example/)"; got != want {
		t.Errorf("got User-Agent %q, want %q", got, want)
	}
}

func TestCrawlKeepsTheGap(t *testing.T) {
	const delay = 60 * time.Millisecond
	s := newSite(t, map[string]any{
		"/robots.txt": "User-agent: *\nCrawl-delay: 0.1\n",
		"/":           doc(a("/1"), a("/2"), a("/3")), "/1": doc(), "/2": doc(), "/3": doc(),
	})
	crawled(t, Options{Fetch: fetch.Options{Delay: delay}}, s.URL+"/")
	if len(s.hits) < 5 {
		t.Fatalf("got %d requests, want at least 5", len(s.hits))
	}
	for i := 1; i < len(s.hits); i++ {
		if gap := s.hits[i].start.Sub(s.hits[i-1].end); gap < 95*time.Millisecond {
			t.Errorf("got a gap of %v before %s, want 100ms", gap, s.hits[i].path)
		}
	}
}

func TestCrawlObeysRetryAfter(t *testing.T) {
	var once sync.Once
	var told time.Time
	s := newSite(t, map[string]any{
		"/": func(w http.ResponseWriter, _ *http.Request) {
			busy := false
			once.Do(func() { busy = true })
			if busy {
				w.Header().Set("Retry-After", "1")
				w.WriteHeader(http.StatusServiceUnavailable)
				told = time.Now()
				return
			}
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, doc())
		},
	})
	pages, _ := crawled(t, Options{}, s.URL+"/")
	for _, h := range s.hits {
		if h.start.After(told) && h.start.Sub(told) < time.Second {
			t.Errorf("got %s asked %v after being told to wait 1s", h.path, h.start.Sub(told))
		}
	}
	if len(pages) != 1 || !strings.Contains(pages[0], `"attempts":2`) {
		t.Errorf("got %v, want one page after two attempts", pages)
	}
}

func TestCrawlWithoutRobots(t *testing.T) {
	s := newSite(t, map[string]any{
		"/robots.txt": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) },
		"/":           doc(),
	})
	pages, skips := crawled(t, Options{Fetch: fetch.Options{MaxRetries: -1}}, s.URL+"/")
	if len(pages) != 0 || len(skips) != 1 || !strings.Contains(skips[0], "robots-unreachable") {
		t.Errorf("got pages %v, skips %v, want the seed skipped as robots-unreachable", pages, skips)
	}
}

func TestIsTrap(t *testing.T) {
	tests := map[string]bool{
		"https://a.example/a/b/c":                                   false,
		"https://a.example/www.x.com/www.x.com/www.x.com/www.x.com": true,
		"https://a.example/" + strings.Repeat("d/", 10):             true,
		"https://a.example/?a=1&a=2&a=3&a=4&a=5":                    false,
		"https://a.example/?a=1&a=2&a=3&a=4&a=5&a=6":                true,
	}
	for address, want := range tests {
		if got := isTrap(address); got != want {
			t.Errorf("%s: got %v, want %v", address, got, want)
		}
	}
}
