package frontier_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/decorum-crawler/decorum/frontier"
)

// states is every state, by its value.
var states = []frontier.State{
	frontier.StateUnknown, frontier.StatePending, frontier.StateDone, frontier.StateSkipped, frontier.StateTentative,
}

// known returns what a store may keep of a URL in a state.
func known(state frontier.State) frontier.Known {
	k := frontier.Known{State: state}
	if state == frontier.StateUnknown {
		return k
	}
	k.URL, k.Source, k.Depth, k.Place = "https://a.example/1", frontier.SourceLink, 3, 7
	switch state {
	case frontier.StateSkipped:
		k.Skip = frontier.SkipOutOfScope
	case frontier.StateTentative:
		k.Skip, k.Place = frontier.SkipDepth, 0
	}
	return k
}

// TestTransitions has every pair of state and event. An empty cell is a URL
// that stays as it is, "-" is ErrNotPending.
func TestTransitions(t *testing.T) {
	offered := func(skip frontier.Reason) func(frontier.Known) (frontier.Known, bool, error) {
		return func(k frontier.Known) (frontier.Known, bool, error) {
			next, isNew := k.Offered(&frontier.Candidate{Item: frontier.Item{URL: "https://a.example/1", Depth: 1}, Skip: skip})
			return next, isNew, nil
		}
	}
	finished := func(verb frontier.Verb, skip frontier.Reason) func(frontier.Known) (frontier.Known, bool, error) {
		return func(k frontier.Known) (frontier.Known, bool, error) {
			item := frontier.Item{URL: "https://a.example/1", Depth: 3, Attempts: 2, NotBefore: time.Unix(9, 0)}
			next, err := k.Finished(&frontier.Outcome{Verb: verb, Item: item, Skip: skip})
			return next, err == nil, err
		}
	}
	settled := func(k frontier.Known) (frontier.Known, bool, error) {
		next, changed := k.Settled()
		return next, changed, nil
	}
	reopened := func(k frontier.Known) (frontier.Known, bool, error) {
		k.Attempts, k.NotBefore = 4, time.Unix(9, 0)
		next, changed := k.Reopened()
		if !next.NotBefore.IsZero() {
			return next, changed, errors.New("reopened for later")
		}
		return next, changed, nil
	}
	tests := []struct {
		event string
		do    func(frontier.Known) (frontier.Known, bool, error)
		want  [5]string // by state: state, depth, attempts, place and reason
	}{
		// from unknown, pending, done, skipped, tentative
		{"offered", offered(""), [5]string{"pending 1 0 0 ", "", "", "", "pending 1 0 0 "}},
		{"offered tentative", offered(frontier.SkipNofollow), [5]string{"tentative 1 0 0 nofollow", "", "", "", ""}},
		{"offered skipped", offered(frontier.SkipBadURL), [5]string{"skipped 1 0 0 bad-url", "", "", "", ""}},
		{"done", finished(frontier.VerbDone, ""), [5]string{"-", "done 3 2 7 ", "-", "-", "-"}},
		{"done, with a reason", finished(frontier.VerbDone, frontier.SkipTrap), [5]string{"-", "done 3 2 7 ", "-", "-", "-"}},
		{"skip", finished(frontier.VerbSkip, frontier.SkipTrap), [5]string{"-", "skipped 3 2 7 trap", "-", "-", "-"}},
		{"retry", finished(frontier.VerbRetry, ""), [5]string{"-", "pending 3 2 0 ", "-", "-", "-"}},
		{"return", finished(frontier.VerbReturn, ""), [5]string{"-", "pending 3 0 7 ", "-", "-", "-"}},
		{"a verb of the future", finished(frontier.VerbReturn+1, ""), [5]string{"-", "pending 3 2 0 ", "-", "-", "-"}},
		{"settled", settled, [5]string{"", "", "", "", "skipped 3 0 0 depth"}},
		{"reopened", reopened, [5]string{"", "", "pending 3 0 0 ", "pending 3 0 0 ", ""}},
	}
	for _, test := range tests {
		for i, from := range states {
			t.Run(from.String()+" "+test.event, func(t *testing.T) {
				before := known(from)
				next, changed, err := test.do(before)
				got := ""
				switch {
				case errors.Is(err, frontier.ErrNotPending):
					got = "-"
				case err != nil:
					t.Fatal(err)
				case changed:
					got = fmt.Sprint(next.State, next.Depth, next.Attempts, next.Place) + " " + string(next.Skip)
				}
				if got != test.want[i] {
					t.Errorf("got %q, want %q", got, test.want[i])
				}
				if !changed && next != (frontier.Known{}) {
					t.Errorf("got %+v, want nothing when nothing changes", next)
				}
				if before != known(from) {
					t.Errorf("got %+v, want the argument untouched", before)
				}
			})
		}
	}
}

func TestCountersMove(t *testing.T) {
	for _, kind := range []frontier.Kind{frontier.KindPage, frontier.KindSitemap} {
		for _, from := range states {
			for _, to := range states {
				var counters frontier.Counters
				counters.Move(kind, frontier.StateUnknown, from)
				counters.Move(kind, from, to)
				var want frontier.Counters
				n := int64(1)
				if kind == frontier.KindSitemap {
					n = 0
				}
				switch to {
				case frontier.StatePending:
					want.Pending = 1
				case frontier.StateDone:
					want.Done = n
				case frontier.StateSkipped:
					want.Skipped = n
				case frontier.StateTentative:
					want.Tentative = n
				}
				if counters != want {
					t.Errorf("got %+v, want %+v, kind %d from %s to %s", counters, want, kind, from, to)
				}
			}
		}
	}
}

func TestItemDueAt(t *testing.T) {
	at := func(seconds int64) time.Time { return time.Unix(seconds, 0) }
	tests := []struct {
		name            string
		host, item, due time.Time
	}{
		{"at once", time.Time{}, time.Time{}, time.Time{}},
		{"its host", at(5), time.Time{}, at(5)},
		{"its own time", at(5), at(8), at(8)},
		{"its host, later than its own time", at(8), at(5), at(8)},
	}
	for _, test := range tests {
		item := frontier.Item{NotBefore: test.item}
		if got := item.DueAt(frontier.HostState{NextAt: test.host}); !got.Equal(test.due) {
			t.Errorf("%s: got %v, want %v", test.name, got, test.due)
		}
	}
}

func TestLeaseExpired(t *testing.T) {
	end := time.Unix(5, 0)
	lease := frontier.Lease{Expires: end}
	for offset, want := range map[time.Duration]bool{-1: false, 0: true, 1: true} {
		if got := lease.Expired(end.Add(offset)); got != want {
			t.Errorf("got %t, want %t, %v from its end", got, want, offset)
		}
	}
}

func TestHostStateAfter(t *testing.T) {
	before := frontier.HostState{Host: "a.example", NextAt: time.Unix(5, 0), Gap: time.Second, Pending: 4}
	tests := []struct {
		name      string
		next      time.Time
		gap, want time.Duration
	}{
		{"a later time", time.Unix(9, 0), 2 * time.Second, 2 * time.Second},
		{"at once", time.Time{}, 0, 0},
		{"a gap below zero", time.Unix(9, 0), -time.Second, 0},
	}
	for _, test := range tests {
		got := before.After(&frontier.Outcome{NextAt: test.next, Gap: test.gap})
		if want := (frontier.HostState{Host: "a.example", NextAt: test.next, Gap: test.want, Pending: 4}); got != want {
			t.Errorf("%s: got %+v, want %+v", test.name, got, want)
		}
	}
}
