package fetch

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// site is a real server with a log of requests and their times.
type site struct {
	*httptest.Server

	mu   sync.Mutex
	hits []hit
}

type hit struct {
	path       string
	start, end time.Time
}

func newTestSite(t *testing.T, pages map[string]any) *site {
	t.Helper()
	s := &site{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		switch page := pages[r.URL.RequestURI()].(type) {
		case string:
			fmt.Fprint(w, strings.ReplaceAll(page, "BASE", "http://"+r.Host))
		case func(http.ResponseWriter, *http.Request):
			page(w, r)
		default:
			http.NotFound(w, r)
		}
		s.mu.Lock()
		s.hits = append(s.hits, hit{r.URL.RequestURI(), start, time.Now()})
		s.mu.Unlock()
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *site) log() []hit {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]hit(nil), s.hits...)
}

func (s *site) paths() []string {
	var paths []string
	for _, h := range s.log() {
		paths = append(paths, h.path)
	}
	return paths
}

// wantGaps checks the least time from the end of one response to the next request.
func (s *site) wantGaps(t *testing.T, gap time.Duration) {
	t.Helper()
	hits := s.log()
	for i := 1; i < len(hits); i++ {
		if got := hits[i].start.Sub(hits[i-1].end); got < gap-5*time.Millisecond {
			t.Errorf("got %v before %s, want %v", got, hits[i].path, gap)
		}
	}
}

// newTestClient returns a client for servers on loopback, without a delay unless
// one is set.
func newTestClient(t *testing.T, o Options) *Client {
	t.Helper()
	o.Allow.Loopback = true
	if o.Delay == 0 {
		o.Delay = -1
	}
	c := New(o)
	t.Cleanup(c.Close)
	return c
}
