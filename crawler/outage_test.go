package crawler

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/decorum-crawler/decorum/crawler/fetch"
	"github.com/decorum-crawler/decorum/crawler/record"
	"github.com/decorum-crawler/decorum/frontier"
)

func TestOutages(t *testing.T) {
	o := outages{first: firstPark}
	now := time.Now()
	fail := func(host string, want time.Duration) {
		t.Helper()
		got := o.failed(host, now)
		if want == 0 && !got.IsZero() || want > 0 && !got.Equal(now.Add(want)) {
			t.Errorf("%s: got parked until %v, want %v from now", host, got.Sub(now), want)
		}
	}
	for range outageAfter - 1 {
		fail("a.example", 0)
	}
	fail("a.example", 10*time.Second)
	fail("b.example", 0)
	fail("a.example", 20*time.Second)
	fail("a.example", 40*time.Second)
	fail("a.example", time.Hour)
	o.answered("a.example")
	fail("a.example", 0)
}

// outageSite is a site of n pages that can be away.
type outageSite struct {
	*httptest.Server
	requests atomic.Int64
	away     func(request int64) bool
}

func newOutageSite(t *testing.T, n int, away func(request int64) bool) *outageSite {
	t.Helper()
	s := &outageSite{away: away}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.away(s.requests.Add(1)) {
			connection, _, err := w.(http.Hijacker).Hijack()
			if err == nil {
				_ = connection.Close()
			}
			return
		}
		if r.URL.Path != "/" {
			if !strings.HasPrefix(r.URL.Path, "/p") {
				http.NotFound(w, r)
			}
			return
		}
		w.Header().Set("Content-Type", "text/html")
		for i := range n {
			fmt.Fprintf(w, "<a href=/p%d>", i)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// run crawls the site with a store until nothing is left, or only parked hosts.
func (s *outageSite) run(t *testing.T, store frontier.Store) (Result, []string) {
	t.Helper()
	pages := &memoryOutput{}
	queue, err := frontier.NewLocal(store, frontier.Options{
		Outputs:  map[string]frontier.Output{record.OutputPages: pages, record.OutputSkipped: &memoryOutput{}},
		Patience: time.Minute,
	})
	if err != nil {
		t.Fatal(err)
	}
	c := New(queue, Options{Fetch: fetch.Options{Delay: -1, Allow: fetch.Network{Loopback: true}}, Links: true})
	c.outages.first = 10 * time.Millisecond
	if _, err := c.Seed(t.Context(), []string{s.URL + "/"}); err != nil {
		t.Fatal(err)
	}
	result, err := c.Run(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := queue.Close(); err != nil {
		t.Fatal(err)
	}
	return result, pages.lines
}

// TestOutageLosesNothing has a site that goes away in the middle and comes back.
func TestOutageLosesNothing(t *testing.T) {
	s := newOutageSite(t, 40, func(request int64) bool { return request > 10 && request < 18 })
	result, pages := s.run(t, frontier.NewMemory())
	if !result.Drained || len(pages) != 41 || result.Statuses[0] > 0 {
		t.Errorf("got %+v, %d pages, want all 41", result, len(pages))
	}
}

// TestHostThatStaysAwayIsLeft has a site that goes away for good: the run ends,
// and a later one, when the site is back, loses nothing.
func TestHostThatStaysAwayIsLeft(t *testing.T) {
	var away atomic.Bool
	away.Store(true)
	s := newOutageSite(t, 40, func(request int64) bool { return away.Load() && request > 10 })
	store := frontier.NewMemory()
	result, first := s.run(t, store)
	if result.Drained || len(result.Parked) != 1 || result.Parked[0].Why != fetch.WhyAway || result.Statuses[0] > 0 {
		t.Errorf("got %+v, want the host parked", result)
	}
	away.Store(false)
	result, second := s.run(t, store)
	if !result.Drained || len(first)+len(second) != 41 || len(first) == 41 || result.Statuses[0] > 0 {
		t.Errorf("got %+v, %d and %d pages, want 41", result, len(first), len(second))
	}
}
