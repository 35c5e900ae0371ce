package crawler

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/decorum-crawler/decorum/crawler/fetch"
	"github.com/decorum-crawler/decorum/frontier"
	"github.com/decorum-crawler/decorum/robots"
)

// wantGaps checks the least time from the end of one response to the next request.
func (s *site) wantGaps(t *testing.T, gap time.Duration) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := 1; i < len(s.hits); i++ {
		if got := s.hits[i].start.Sub(s.hits[i-1].end); got < gap-5*time.Millisecond {
			t.Errorf("got %v before %s, want %v", got, s.hits[i].path, gap)
		}
	}
}

// TestRefreshKeepsTheCrawlDelay refreshes the sitemaps in a robots.txt that an
// earlier run stored.
func TestRefreshKeepsTheCrawlDelay(t *testing.T) {
	s := newSite(t, map[string]any{"/1.xml": mapOfTwo, "/2.xml": mapOfTwo, "/3.xml": mapOfTwo})
	store := &robots.Memory{}
	rules := strings.ReplaceAll("User-agent: *\nCrawl-delay: 0.2\nSitemap: BASE/1.xml\nSitemap: BASE/2.xml\nSitemap: BASE/3.xml\n", "BASE", s.URL)
	if err := store.Save(t.Context(), &robots.Document{Origin: s.URL, Status: 200, Body: []byte(rules), FetchedAt: time.Now()}); err != nil {
		t.Fatal(err)
	}
	f, err := frontier.NewLocal(frontier.NewMemory(), frontier.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	saved := time.Now().Add(300 * time.Millisecond)
	c := New(f, Options{Sitemaps: true, Fetch: fetch.Options{
		Delay: 30 * time.Millisecond, Allow: fetch.Network{Loopback: true}, Robots: store,
		Saved: func(string) (time.Time, time.Duration, bool) { return saved, 30 * time.Millisecond, true },
	}})
	if done, err := c.Refresh(t.Context(), []string{s.URL + "/"}, false); err != nil || done.Read != 3 {
		t.Fatalf("got %+v, %v, want three files read", done, err)
	}
	s.wantGaps(t, 200*time.Millisecond)
	if first := s.hits[0].start; first.Before(saved) {
		t.Errorf("got the first request %v before the saved time", saved.Sub(first))
	}
}

// TestSinksKeepTheGapOfOtherHosts has a sink that requests a file of a third host
// for each page of two hosts.
func TestSinksKeepTheGapOfOtherHosts(t *testing.T) {
	third := newSite(t, map[string]any{"/robots.txt": "User-agent: *\nCrawl-delay: 0.15\n", "/license": "terms"})
	pages := map[string]any{"/": doc(a("/1"), a("/2")), "/1": doc(), "/2": doc()}
	one, two := newSite(t, pages), newSite(t, pages)
	scope, err := frontier.NewScope(frontier.ReachHost, []string{one.URL + "/", two.URL + "/"}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	lines, _ := crawled(t, Options{Scope: scope, Sinks: []Sink{{
		Keep: func(ctx context.Context, v *Visit) ([]frontier.Record, error) {
			if f := v.Fetch(ctx, third.URL+"/license"); string(f.Body) != "terms" {
				t.Errorf("got %q, %v, want the file", f.Body, f.Err)
			}
			return nil, nil
		},
	}}}, one.URL+"/", two.URL+"/")
	if len(lines) != 6 || len(third.paths()) != 7 {
		t.Errorf("got %d pages and %d requests to the third host, want 6 and 7", len(lines), len(third.paths()))
	}
	third.wantGaps(t, 150*time.Millisecond)
}

// TestStopEndsALongWait has a robots.txt that redirects with a Retry-After of 30
// days, and one with 100 s.
func TestStopEndsALongWait(t *testing.T) {
	for _, seconds := range []string{"100", "2592000"} {
		t.Run(seconds, func(t *testing.T) {
			s := newSite(t, map[string]any{"/real.txt": "", "/": doc(), "/robots.txt": func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Retry-After", seconds)
				http.Redirect(w, r, "/real.txt", http.StatusFound)
			}})
			f, err := frontier.NewLocal(frontier.NewMemory(), frontier.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			told := make(chan fetch.Wait, 10)
			c := New(f, Options{Fetch: fetch.Options{
				Delay: -1, Allow: fetch.Network{Loopback: true}, Waiting: func(w fetch.Wait) { told <- w },
			}})
			if _, err := c.Seed(t.Context(), []string{s.URL + "/"}); err != nil {
				t.Fatal(err)
			}
			stopping := make(chan struct{})
			go func() { // ends when the wait is announced
				if w := <-told; w.Why != fetch.WhyRetryAfter {
					t.Errorf("got %+v, want Retry-After", w)
				}
				close(stopping)
			}()
			result, err := c.Run(t.Context(), stopping)
			if err != nil || result.Drained || f.Stats().Pending != 1 || len(s.paths()) != 1 {
				t.Errorf("got %+v, %v, %v asked, want the seed pending after one request", result, err, s.paths())
			}
		})
	}
}

func TestPublicSeedsWantAContact(t *testing.T) {
	f, err := frontier.NewLocal(frontier.NewMemory(), frontier.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := New(f, Options{}).Seed(t.Context(), []string{"https://public.example/"}); !errors.Is(err, fetch.ErrNoContact) || f.Stats().Pending != 0 {
		t.Errorf("got %v, %d pending, want the seed refused", err, f.Stats().Pending)
	}
	found := New(f, Options{}).candidate(frontier.NewBase("http://localhost/"), "https://public.example/", frontier.Item{})
	if found.Skip != frontier.SkipOutOfScope {
		t.Errorf("got %q, want a link from a local site to a public one left alone", found.Skip)
	}
}
