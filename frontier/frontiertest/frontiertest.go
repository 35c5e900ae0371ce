// Package frontiertest tests and measures any frontier.Store.
package frontiertest

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/decorum-crawler/decorum/frontier"
)

// Run runs the tests. open returns an empty store.
func Run(t *testing.T, open func(t *testing.T) frontier.Store) {
	tests := map[string]func(*testing.T, frontier.Store){
		"NewOnce":             testNewOnce,
		"Order":               testOrder,
		"FinishCounts":        testFinishCounts,
		"RetryStaysPending":   testRetryStaysPending,
		"RetryGoesLast":       testRetryGoesLast,
		"ReturnKeepsPlace":    testReturnKeepsPlace,
		"TentativeIsBettered": testTentativeIsBettered,
		"SettleEndsTentative": testSettleEndsTentative,
		"ReopenIsPending":     testReopenIsPending,
		"HostsKeepTheirTime":  testHostsKeepTheirTime,
		"FailedCommit":        testFailedCommit,
		"FinishTwice":         testFinishTwice,
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

func page(path string) frontier.Item {
	return frontier.Item{URL: "https://a.example" + path, Source: frontier.SourceLink}
}

func add(t *testing.T, store frontier.Store, candidates ...frontier.Candidate) []bool {
	t.Helper()
	return apply(t, store, &frontier.Batch{Add: candidates})
}

func apply(t *testing.T, store frontier.Store, batch *frontier.Batch) []bool {
	t.Helper()
	var got []bool
	batch.Commit = func(isNew []bool) (map[string]int64, error) {
		got = isNew
		return map[string]int64{"pages": 7}, nil
	}
	if err := store.Apply(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
	return got
}

func checkCounters(t *testing.T, store frontier.Store, want frontier.Counters) {
	t.Helper()
	got, err := store.Counters()
	if err != nil || got != want {
		t.Errorf("got counters %+v, %v, want %+v", got, err, want)
	}
}

func urls(t *testing.T, store frontier.Store, n int) string {
	t.Helper()
	items, err := store.Pending("a.example", n)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, item := range items {
		text.WriteString(item.URL[len("https://a.example"):] + " ")
	}
	return text.String()
}

func testNewOnce(t *testing.T, store frontier.Store) {
	got := add(t, store, frontier.Candidate{Item: page("/1")}, frontier.Candidate{Item: page("/1")},
		frontier.Candidate{Item: page("/2"), Skip: frontier.SkipOutOfScope})
	if fmt.Sprint(got) != "[true false true]" {
		t.Errorf("got new %v, want only the first of each", got)
	}
	again := add(t, store, frontier.Candidate{Item: page("/1")}, frontier.Candidate{Item: page("/2")})
	if fmt.Sprint(again) != "[false false]" {
		t.Errorf("got new %v, want none", again)
	}
	checkCounters(t, store, frontier.Counters{Pending: 1, Skipped: 1})
}

func testOrder(t *testing.T, store frontier.Store) {
	item := func(path string, priority uint8, depth int) frontier.Candidate {
		i := page(path)
		i.Priority, i.Depth = priority, depth
		return frontier.Candidate{Item: i}
	}
	sitemap := item("/map", 200, 0)
	sitemap.Kind = frontier.KindSitemap
	add(t, store, item("/late", 100, 2), item("/first", 10, 5), item("/early", 100, 1), item("/early2", 100, 1), sitemap)
	if got, want := urls(t, store, 10), "/map /first /early /early2 /late "; got != want {
		t.Errorf("got order %q, want %q", got, want)
	}
	if got, want := urls(t, store, 2), "/map /first "; got != want {
		t.Errorf("got the first two %q, want %q", got, want)
	}
}

func testFinishCounts(t *testing.T, store frontier.Store) {
	add(t, store, frontier.Candidate{Item: page("/1")}, frontier.Candidate{Item: page("/2")}, frontier.Candidate{Item: page("/3")})
	apply(t, store, &frontier.Batch{Finish: []frontier.Outcome{
		{Verb: frontier.VerbDone, Item: page("/1")},
		{Verb: frontier.VerbSkip, Item: page("/2"), Skip: frontier.SkipRobotsDisallow},
	}})
	checkCounters(t, store, frontier.Counters{Pending: 1, Done: 1, Skipped: 1})
	if got, want := urls(t, store, 10), "/3 "; got != want {
		t.Errorf("got pending %q, want %q", got, want)
	}
}

func testRetryStaysPending(t *testing.T, store frontier.Store) {
	add(t, store, frontier.Candidate{Item: page("/1")}, frontier.Candidate{Item: page("/2")})
	tried := page("/1")
	tried.Attempts, tried.NotBefore = 1, time.Unix(2_000_000_000, 0).UTC()
	apply(t, store, &frontier.Batch{Finish: []frontier.Outcome{{Verb: frontier.VerbRetry, Item: tried}}})
	checkCounters(t, store, frontier.Counters{Pending: 2})
	items, err := store.Pending("a.example", 10)
	if err != nil || len(items) != 2 || items[1].URL != tried.URL {
		t.Fatalf("got %+v, %v, want the retried item last", items, err)
	}
	if items[1].Attempts != 1 || !items[1].NotBefore.Equal(tried.NotBefore) {
		t.Errorf("got %+v, want attempts and time kept", items[1])
	}
}

func testRetryGoesLast(t *testing.T, store frontier.Store) {
	add(t, store, frontier.Candidate{Item: page("/1")}, frontier.Candidate{Item: page("/2")}, frontier.Candidate{Item: page("/3")})
	for _, path := range []string{"/2", "/1", "/2"} {
		tried := page(path)
		tried.Attempts = 1
		apply(t, store, &frontier.Batch{Finish: []frontier.Outcome{{Verb: frontier.VerbRetry, Item: tried}}})
	}
	if got, want := urls(t, store, 10), "/3 /1 /2 "; got != want {
		t.Errorf("got order %q, want %q", got, want)
	}
}

func testReturnKeepsPlace(t *testing.T, store frontier.Store) {
	add(t, store, frontier.Candidate{Item: page("/1")}, frontier.Candidate{Item: page("/2")})
	apply(t, store, &frontier.Batch{Finish: []frontier.Outcome{{Verb: frontier.VerbReturn, Item: page("/1")}}})
	checkCounters(t, store, frontier.Counters{Pending: 2})
	if got, want := urls(t, store, 10), "/1 /2 "; got != want {
		t.Errorf("got order %q, want %q", got, want)
	}
}

func testTentativeIsBettered(t *testing.T, store frontier.Store) {
	weak := frontier.Candidate{Item: page("/1"), Skip: frontier.SkipNofollow}
	add(t, store, weak)
	checkCounters(t, store, frontier.Counters{Tentative: 1})
	if got := add(t, store, weak, frontier.Candidate{Item: page("/1")}); fmt.Sprint(got) != "[false true]" {
		t.Errorf("got new %v, want the followed link to count", got)
	}
	checkCounters(t, store, frontier.Counters{Pending: 1})
}

func testSettleEndsTentative(t *testing.T, store frontier.Store) {
	add(t, store, frontier.Candidate{Item: page("/1"), Skip: frontier.SkipDepth})
	found, err := store.Tentative(10)
	if err != nil || len(found) != 1 || found[0].Skip != frontier.SkipDepth {
		t.Fatalf("got %+v, %v, want the one candidate with its reason", found, err)
	}
	apply(t, store, &frontier.Batch{Settle: found})
	checkCounters(t, store, frontier.Counters{Skipped: 1})
}

func testReopenIsPending(t *testing.T, store frontier.Store) {
	add(t, store, frontier.Candidate{Item: page("/done")}, frontier.Candidate{Item: page("/skipped"), Skip: frontier.SkipRobotsUnreachable},
		frontier.Candidate{Item: page("/pending")}, frontier.Candidate{Item: page("/tentative"), Skip: frontier.SkipDepth})
	done := page("/done")
	done.Attempts = 4
	apply(t, store, &frontier.Batch{Finish: []frontier.Outcome{{Verb: frontier.VerbDone, Item: done}}})
	all := []frontier.Item{page("/done"), page("/skipped"), page("/pending"), page("/tentative"), page("/unknown")}
	for range 2 { // the second time changes nothing
		apply(t, store, &frontier.Batch{Reopen: all})
		checkCounters(t, store, frontier.Counters{Pending: 3, Tentative: 1})
		if got, want := urls(t, store, 10), "/pending /done /skipped "; got != want {
			t.Errorf("got pending %q, want %q", got, want)
		}
	}
	apply(t, store, &frontier.Batch{Finish: []frontier.Outcome{{Verb: frontier.VerbDone, Item: page("/done")}}})
	checkCounters(t, store, frontier.Counters{Pending: 2, Done: 1, Tentative: 1})
}

func testHostsKeepTheirTime(t *testing.T, store frontier.Store) {
	add(t, store, frontier.Candidate{Item: page("/1")})
	next := time.Unix(2_000_000_000, 0).UTC()
	apply(t, store, &frontier.Batch{Hosts: []frontier.HostState{{Host: "a.example", NextAt: next, Gap: time.Second}}})
	hosts, err := store.Hosts()
	if err != nil || len(hosts) != 1 {
		t.Fatalf("got %+v, %v, want one host", hosts, err)
	}
	if h := hosts[0]; h.Host != "a.example" || !h.NextAt.Equal(next) || h.Gap != time.Second || h.Pending != 1 {
		t.Errorf("got %+v, want next %v, gap 1s, one pending", h, next)
	}
}

func testFailedCommit(t *testing.T, store frontier.Store) {
	broken := errors.New("disk full")
	err := store.Apply(t.Context(), &frontier.Batch{
		Add:    []frontier.Candidate{{Item: page("/1")}},
		Commit: func([]bool) (map[string]int64, error) { return nil, broken },
	})
	if !errors.Is(err, broken) {
		t.Errorf("got %v, want the error of the outputs", err)
	}
}

func testFinishTwice(t *testing.T, store frontier.Store) {
	add(t, store, frontier.Candidate{Item: page("/1")})
	done := []frontier.Outcome{{Verb: frontier.VerbDone, Item: page("/1")}}
	apply(t, store, &frontier.Batch{Finish: done})
	err := store.Apply(t.Context(), &frontier.Batch{
		Finish: done,
		Commit: func([]bool) (map[string]int64, error) { return nil, nil },
	})
	if !errors.Is(err, frontier.ErrNotPending) {
		t.Errorf("got %v, want that the item is not pending", err)
	}
}
