package fetch

import (
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/decorum-crawler/decorum/frontier"
	"github.com/decorum-crawler/decorum/robots"
)

func newTestGate(t *testing.T, store robots.Store) *gate {
	t.Helper()
	return newTestClient(t, Options{Robots: store, MaxRetries: 1}).gate
}

func TestGateServesTheRetainedCopy(t *testing.T) {
	for _, age := range []time.Duration{25 * time.Hour, 31 * 24 * time.Hour} {
		t.Run(age.String(), func(t *testing.T) {
			s := newTestSite(t, map[string]any{
				"/robots.txt": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) },
			})
			store := &robots.Memory{}
			err := store.Save(t.Context(), &robots.Document{
				Origin: s.URL, Status: 200, Body: []byte("User-agent: *\nDisallow: /x\n"), FetchedAt: time.Now().Add(-age),
			})
			if err != nil {
				t.Fatal(err)
			}
			g := newTestGate(t, store)
			if o, err := g.ready(t.Context(), s.URL); o != nil || err != nil {
				t.Errorf("got %v, %v, want that the old copy must be renewed first", o, err)
			}
			o, err := g.refresh(t.Context(), s.URL)
			if err != nil || !o.Stale || o.Unreachable() {
				t.Fatalf("got %+v, %v, want the stale copy", o, err)
			}
			if v, err := o.Check(s.URL + "/x"); err != nil || v.Allowed || v.Rule.Line != 2 {
				t.Errorf("got %+v, %v, want the old rule", v, err)
			}
			if again, err := g.ready(t.Context(), s.URL); again != o || err != nil {
				t.Errorf("got %v, %v, want the copy to serve until it is time to ask again", again, err)
			}
		})
	}
}

func TestGateWithoutACopyForbids(t *testing.T) {
	s := newTestSite(t, map[string]any{
		"/robots.txt": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "3600")
			w.WriteHeader(http.StatusTooManyRequests)
		},
	})
	g := newTestGate(t, &robots.Memory{})
	o, err := g.refresh(t.Context(), s.URL)
	if err != nil || !o.Unreachable() || o.Failures != 1 {
		t.Fatalf("got %+v, %v, want unreachable once", o, err)
	}
	if v, err := o.Check(s.URL + "/x"); err != nil || v.Allowed || v.Reason != robots.ReasonUnreachable {
		t.Errorf("got %+v, %v, want nothing allowed", v, err)
	}
	if wait := time.Until(o.Fresh); wait < 59*time.Minute {
		t.Errorf("got asked again in %v, want the hour of Retry-After", wait)
	}
}

func TestGateUsesTheStoreAfterARestart(t *testing.T) {
	s := newTestSite(t, map[string]any{"/robots.txt": "User-agent: *\nDisallow: /x\n"})
	store := &robots.Memory{}
	first := newTestGate(t, store)
	if _, err := first.refresh(t.Context(), s.URL); err != nil {
		t.Fatal(err)
	}
	second := newTestGate(t, store)
	o, err := second.ready(t.Context(), s.URL)
	if err != nil || o == nil || len(s.paths()) != 1 {
		t.Errorf("got %v, %v after %d requests, want the kept document and no other request", o, err, len(s.paths()))
	}
}

// TestGateAsksAgainAfterAClockWasSetBack has a stored document from the future,
// whose age is not known.
func TestGateAsksAgainAfterAClockWasSetBack(t *testing.T) {
	s := newTestSite(t, map[string]any{"/robots.txt": "User-agent: *\nDisallow: /x\n"})
	store := &robots.Memory{}
	future := &robots.Document{Origin: s.URL, FinalURL: s.URL + "/robots.txt", Status: 200, FetchedAt: time.Now().AddDate(1, 0, 0)}
	if err := store.Save(t.Context(), future); err != nil {
		t.Fatal(err)
	}
	o, err := newTestGate(t, store).ready(t.Context(), s.URL)
	if err != nil || o != nil {
		t.Errorf("got %v, %v, want the document asked for again", o, err)
	}
}

func TestGateAsksOnceAtATime(t *testing.T) {
	var asked atomic.Int32
	s := newTestSite(t, map[string]any{
		"/robots.txt": func(w http.ResponseWriter, _ *http.Request) {
			asked.Add(1)
			<-time.After(50 * time.Millisecond)
			fmt.Fprint(w, "User-agent: *\n")
		},
	})
	g := newTestGate(t, &robots.Memory{})
	var callers sync.WaitGroup
	for range 10 {
		callers.Go(func() {
			if _, err := g.refresh(t.Context(), s.URL); err != nil {
				t.Error(err)
			}
		})
	}
	callers.Wait()
	if n := asked.Load(); n != 1 {
		t.Errorf("got %d requests, want one", n)
	}
}

func TestOriginsDifferByPortAndScheme(t *testing.T) {
	names := map[string]string{
		"https://a.example/x": "https://a.example", "http://a.example/": "http://a.example", "https://a.example:8443/?q": "https://a.example:8443",
	}
	for address, want := range names {
		if got := frontier.OriginOf(address); got != want {
			t.Errorf("%s: got %q, want %q", address, got, want)
		}
	}
}
