package frontier_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/decorum-crawler/decorum/frontier"
)

// kept returns the store of a process that was killed.
func kept(t *testing.T, next time.Time, gap time.Duration) *frontier.Memory {
	t.Helper()
	store := frontier.NewMemory()
	err := store.Apply(t.Context(), &frontier.Batch{
		Add:    []frontier.Candidate{{Item: frontier.Item{URL: "https://a.example/1"}}},
		Hosts:  []frontier.HostState{{Host: "a.example", NextAt: next, Gap: gap}},
		Commit: func([]bool) (map[string]int64, error) { return nil, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// wantFirstLease wants that a process that starts now leases its first item after a
// while.
func wantFirstLease(t *testing.T, store frontier.Store, gap, want time.Duration) {
	t.Helper()
	start := time.Now()
	f, err := frontier.NewLocal(store, frontier.Options{Pause: gap})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lease(t, f)
	if got := time.Since(start); got != want {
		t.Errorf("got the first lease after %v, want %v", got, want)
	}
}

func TestResumeKeepsTheHostsTime(t *testing.T) {
	tests := []struct {
		name             string
		next, gap, pause time.Duration
		want             time.Duration
	}{
		{"its next time", time.Hour, time.Second, time.Second, time.Hour},
		{"its gap when the last request was not noted", 0, 3 * time.Second, time.Second, 3 * time.Second},
		{"the crawl's pause for a host never noted", 0, 0, 2 * time.Second, 2 * time.Second},
		{"a clock set back a year", 365 * 24 * time.Hour, time.Second, time.Second, time.Second},
		{"a clock set forward", -365 * 24 * time.Hour, time.Second, time.Second, time.Second},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				wantFirstLease(t, kept(t, time.Now().Add(test.next), test.gap), test.pause, test.want)
			})
		})
	}
}

// TestRetryFromBeforeAClockWasSetBack has an item that waits for a year, which only a
// wrong clock can have written.
func TestRetryFromBeforeAClockWasSetBack(t *testing.T) {
	for _, test := range []struct{ wait, want time.Duration }{
		{time.Hour, time.Hour},
		{365 * 24 * time.Hour, time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			store := kept(t, start, time.Second)
			items, err := store.Pending("a.example", 1)
			if err != nil || len(items) != 1 {
				t.Fatalf("got %v, %v, want an item", items, err)
			}
			items[0].NotBefore = start.Add(test.wait)
			retry := frontier.Outcome{Verb: frontier.VerbRetry, Item: items[0]}
			if err := store.Apply(t.Context(), &frontier.Batch{
				Finish: []frontier.Outcome{retry},
				Commit: func([]bool) (map[string]int64, error) { return nil, nil },
			}); err != nil {
				t.Fatal(err)
			}
			wantFirstLease(t, store, time.Second, test.want)
		})
	}
}

// lateStore returns what it read only after a commit has ended.
type lateStore struct {
	*frontier.Memory
	late func()
}

func (l *lateStore) Pending(host string, n int) ([]frontier.Item, error) {
	items, err := l.Memory.Pending(host, n)
	if l.late != nil {
		l.late()
	}
	return items, err
}

func TestReadAheadOlderThanACommit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &lateStore{Memory: frontier.NewMemory()}
		f, err := frontier.NewLocal(store, frontier.Options{ReadAhead: 1})
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		offer(t, f, "https://a.example/1", "https://a.example/2")
		leased := map[string]int{}
		// The outcome of the first item is committed while the second is read.
		store.late = func() { <-time.After(time.Second) }
		for range 2 {
			l := lease(t, f)
			leased[l.Item.URL]++
			if err := f.Ack(t.Context(), l.ID, frontier.Outcome{Item: l.Item}); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := f.Lease(t.Context()); !errors.Is(err, frontier.ErrDrained) {
			t.Errorf("got %v, want drained", err)
		}
		if len(leased) != 2 {
			t.Errorf("got %v leased, want each item once", leased)
		}
	})
}
