package fetch

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/decorum-crawler/decorum/robots"
)

// redirected redirects the robots.txt of every host.
func redirected(to string, header ...string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, r *http.Request) {
		for _, line := range header {
			name, value, _ := strings.Cut(line, ": ")
			w.Header().Set(name, value)
		}
		http.Redirect(w, r, to, http.StatusFound)
	}
}

func TestCallsAtOnceKeepTheGap(t *testing.T) {
	s := newTestSite(t, map[string]any{"/robots.txt": "", "/a": "a", "/b": "b", "/c": "c", "/d": "d"})
	c := newTestClient(t, Options{Delay: 60 * time.Millisecond})
	var calls sync.WaitGroup
	for _, path := range []string{"/a", "/b", "/c", "/d"} {
		calls.Go(func() {
			if f := c.File(t.Context(), s.URL+path); f.Status != 200 {
				t.Errorf("%s: got %d, %v", path, f.Status, f.Err)
			}
		})
	}
	calls.Wait()
	s.wantGaps(t, 60*time.Millisecond)
	if n := len(s.log()); n != 5 {
		t.Errorf("got %d requests, want robots.txt and four files", n)
	}
}

// TestTurnLastsUntilTheResponseHasEnded has a response that takes longer than the
// gap.
func TestTurnLastsUntilTheResponseHasEnded(t *testing.T) {
	slow := func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "x")
		_ = http.NewResponseController(w).Flush()
		<-time.After(80 * time.Millisecond)
	}
	s := newTestSite(t, map[string]any{"/slow": slow, "/a": "a"})
	c := newTestClient(t, Options{Delay: 10 * time.Millisecond})
	var calls sync.WaitGroup
	for range 3 {
		calls.Go(func() { c.File(t.Context(), s.URL+"/slow") })
	}
	calls.Wait()
	s.wantGaps(t, 10*time.Millisecond)
}

// TestKeptRobotsKeepTheirCrawlDelay has a robots.txt that an earlier run stored.
func TestKeptRobotsKeepTheirCrawlDelay(t *testing.T) {
	s := newTestSite(t, map[string]any{"/1.xml": "<urlset/>", "/2.xml": "<urlset/>", "/3.xml": "<urlset/>"})
	store := &robots.Memory{}
	if err := store.Save(t.Context(), &robots.Document{
		Origin: s.URL, Status: 200, Body: []byte("User-agent: *\nCrawl-delay: 0.2\n"), FetchedAt: time.Now(),
	}); err != nil {
		t.Fatal(err)
	}
	c := newTestClient(t, Options{Delay: 30 * time.Millisecond, Robots: store})
	for _, path := range []string{"/1.xml", "/2.xml", "/3.xml"} {
		body, err := c.Open(t.Context(), s.URL+path)
		if err != nil {
			t.Fatal(err)
		}
		if data, err := io.ReadAll(body); string(data) != "<urlset/>" || err != nil {
			t.Errorf("got %q, %v", data, err)
		}
		_ = body.Close()
	}
	s.wantGaps(t, 200*time.Millisecond)
	if got := strings.Join(s.paths(), " "); got != "/1.xml /2.xml /3.xml" {
		t.Errorf("got %s asked, want the three files", got)
	}
}

// TestRobotsRedirectedToOneHost has many origins whose robots.txt redirects to the
// same host.
func TestRobotsRedirectedToOneHost(t *testing.T) {
	central := newTestSite(t, map[string]any{"/robots.txt": "User-agent: *\n"})
	c := newTestClient(t, Options{Delay: 40 * time.Millisecond})
	var calls sync.WaitGroup
	for range 8 {
		s := newTestSite(t, map[string]any{"/robots.txt": redirected(central.URL + "/robots.txt")})
		calls.Go(func() {
			if d, err := c.Robots(t.Context(), s.URL+"/"); err != nil || d.Class() != robots.ClassAvailable {
				t.Errorf("got %+v, %v", d, err)
			}
		})
	}
	calls.Wait()
	central.wantGaps(t, 40*time.Millisecond)
	if n := len(central.log()); n != 8 {
		t.Errorf("got %d requests, want 8", n)
	}
}

// TestLongRetryAfterIsNoSleep has a robots.txt that redirects with a Retry-After of
// 30 days.
func TestLongRetryAfterIsNoSleep(t *testing.T) {
	s := newTestSite(t, map[string]any{"/robots.txt": redirected("/real.txt", "Retry-After: 2592000"), "/real.txt": ""})
	c := newTestClient(t, Options{})
	site, err := c.Site(t.Context(), s.URL+"/")
	if err != nil || !site.Unreachable() || site.Cause != FailWait {
		t.Fatalf("got %+v, %v, want it unreachable for its wait", site, err)
	}
	long, ok := errors.AsType[*WaitError](site.Document.Err)
	if !ok || long.Wait.Why != WhyRetryAfter || time.Until(long.Wait.Until) < 29*24*time.Hour {
		t.Errorf("got %v, want the wait of 30 days", site.Document.Err)
	}
	if again := time.Until(site.Fresh); again < 29*24*time.Hour {
		t.Errorf("got asked again in %v, want 30 days", again)
	}
	if f := c.File(t.Context(), s.URL+"/a"); !f.Blocked || !errors.Is(f.Err, ErrWait) {
		t.Errorf("got %v, want it blocked for the wait", f.Err)
	}
	if n := len(s.log()); n != 1 {
		t.Errorf("got %d requests, want one", n)
	}
}

// TestStopEndsAWait has a wait that is long, but shorter than MaxWait.
func TestStopEndsAWait(t *testing.T) {
	s := newTestSite(t, map[string]any{"/robots.txt": redirected("/real.txt", "Retry-After: 100"), "/real.txt": ""})
	shown := make(chan Wait, 1)
	c := newTestClient(t, Options{Waiting: func(w Wait) { shown <- w }})
	stop, ended := make(chan struct{}), make(chan error, 1)
	go func() { // ends with the wait
		_, err := c.Site(WithStop(t.Context(), stop), s.URL+"/")
		ended <- err
	}()
	if w := <-shown; w.Why != WhyRetryAfter || w.Until.Sub(w.Since) < 99*time.Second || !strings.HasSuffix(w.URL, "/real.txt") {
		t.Errorf("got %+v, want the wait of 100 s", w)
	}
	close(stop)
	if err := <-ended; !errors.Is(err, ErrStopped) {
		t.Errorf("got %v, want the wait ended", err)
	}
	if n := len(c.Waiting()); n != 0 {
		t.Errorf("got %d waits, want none", n)
	}
}

// TestPace checks the turns of a host with a synthetic clock.
func TestPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPace(Options{Delay: time.Second, Saved: func(host string) (time.Time, time.Duration, bool) {
			return time.Now().Add(5 * time.Second), time.Second, host == "saved.example"
		}}.withDefaults())
		ask := func(host string, status int, header http.Header) (waited time.Duration) {
			t.Helper()
			start := time.Now()
			turn, err := p.acquire(t.Context(), host, "https://"+host+"/")
			if err != nil {
				t.Fatal(err)
			}
			waited = time.Since(start)
			turn.end(0, status, header)
			return waited
		}
		want := func(name string, got, want time.Duration) {
			t.Helper()
			if diff := got - want; diff < -time.Millisecond || diff > time.Millisecond {
				t.Errorf("%s: got a wait of %v, want %v", name, got, want)
			}
		}
		want("first", ask("a.example", 200, nil), 0)
		want("own delay", ask("a.example", 200, nil), time.Second)
		p.crawlDelay("a.example", "https://a.example", 3*time.Second)
		want("Crawl-delay", ask("a.example", 200, nil), 3*time.Second)
		<-time.After(time.Second)
		want("rest of it", ask("a.example", 429, http.Header{"Retry-After": {"10"}}), 2*time.Second)
		want("Retry-After", ask("a.example", 503, nil), 10*time.Second)
		want("back-off", ask("a.example", 200, nil), 12*time.Second)
		want("another host", ask("b.example", 200, nil), 0)
		want("saved", ask("saved.example", 200, nil), 5*time.Second)
		want("and then its gap", ask("saved.example", 200, nil), time.Second)
		p.crawlDelay("c.example", "https://c.example", time.Hour)
		want("no request before", ask("c.example", 200, nil), 0)
		if _, err := p.acquire(t.Context(), "c.example", ""); !errors.Is(err, ErrWait) {
			t.Errorf("got %v, want that an hour is too long", err)
		}
	})
}

func TestPublicHostsHaveAFloor(t *testing.T) {
	p := newPace(Options{Delay: -1, Own: []string{"own.example"}}.withDefaults())
	for host, want := range map[string]time.Duration{
		"public.example": PublicDelay, "own.example": 0, "own.example:8080": 0, "localhost:80": 0, "127.0.0.1": 0, "10.1.2.3": 0, "192.0.2.1": PublicDelay,
	} {
		if got := p.host(host).floor; got != want {
			t.Errorf("%s: got %v, want %v", host, got, want)
		}
	}
}

func TestValidate(t *testing.T) {
	for name, test := range map[string]struct {
		o    Options
		want error
	}{
		"no contact": {Options{}, ErrNoContact}, "too fast": {Options{Contact: "me@example.com", Delay: -1}, ErrTooFast},
		"fit": {Options{Contact: "me@example.com"}, nil}, "own": {Options{Delay: -1, Own: []string{"public.example"}}, nil},
	} {
		if err := test.o.Validate("http://localhost:1/", "https://public.example/x"); !errors.Is(err, test.want) {
			t.Errorf("%s: got %v, want %v", name, err, test.want)
		}
	}
}

// TestOpenHoldsNoTurn reads a stream slowly and sends requests to its host
// meanwhile.
func TestOpenHoldsNoTurn(t *testing.T) {
	long := strings.Repeat("0123456789", 500_000) // more than is kept in memory
	s := newTestSite(t, map[string]any{"/long": long, "/other": "other"})
	c := newTestClient(t, Options{})
	body, err := c.Open(t.Context(), s.URL+"/long")
	if err != nil {
		t.Fatal(err)
	}
	defer body.Close()
	if f := c.File(t.Context(), s.URL+"/other"); string(f.Body) != "other" {
		t.Errorf("got %q, %v, want the other file", f.Body, f.Err)
	}
	if got, err := io.ReadAll(body); string(got) != long || err != nil {
		t.Errorf("got %d bytes, %v, want %d", len(got), err, len(long))
	}
}
