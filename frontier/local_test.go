package frontier_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/decorum-crawler/decorum/frontier"
	"github.com/decorum-crawler/decorum/frontier/frontiertest"
)

func TestMemory(t *testing.T) {
	frontiertest.Run(t, func(*testing.T) frontier.Store { return frontier.NewMemory() })
}

func BenchmarkMemory(b *testing.B) {
	frontiertest.Benchmark(b, func(*testing.B) frontier.Store { return frontier.NewMemory() })
}

// lines is an output in memory.
type lines struct{ text string }

func (l *lines) Append(data []byte) error { l.text += string(data); return nil }

func (l *lines) Flush() (int64, error) { return int64(len(l.text)), nil }

func open(t *testing.T, options frontier.Options) *frontier.Local {
	t.Helper()
	f, err := frontier.NewLocal(frontier.NewMemory(), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

func offer(t *testing.T, f *frontier.Local, addresses ...string) {
	t.Helper()
	var candidates []frontier.Candidate
	for _, address := range addresses {
		candidates = append(candidates, frontier.Candidate{Item: frontier.Item{URL: address}})
	}
	if _, err := f.Add(t.Context(), candidates); err != nil {
		t.Fatal(err)
	}
}

func lease(t *testing.T, f *frontier.Local) frontier.Lease {
	t.Helper()
	l, err := f.Lease(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestLocalSpacesAHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := open(t, frontier.Options{})
		offer(t, f, "https://a.example/1", "https://a.example/2", "https://b.example/1")
		start := time.Now()
		var order string
		for range 3 {
			l := lease(t, f)
			order += fmt.Sprintf("%s@%v ", l.Item.Host(), time.Since(start))
			outcome := frontier.Outcome{Item: l.Item, NextAt: time.Now().Add(time.Second), Gap: time.Second}
			if err := f.Ack(t.Context(), l.ID, outcome); err != nil {
				t.Fatal(err)
			}
		}
		want := "a.example@0s b.example@0s a.example@1s "
		other := "b.example@0s a.example@0s a.example@1s "
		if order != want && order != other {
			t.Errorf("got %q, want %q", order, want)
		}
		if _, err := f.Lease(t.Context()); !errors.Is(err, frontier.ErrDrained) {
			t.Errorf("got %v, want drained", err)
		}
		if got := f.Stats(); got.Done != 3 || got.Pending != 0 {
			t.Errorf("got %+v, want three done", got)
		}
	})
}

func TestLocalOneHolderAHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := open(t, frontier.Options{})
		offer(t, f, "https://a.example/1", "https://a.example/2")
		lease(t, f)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if l, err := f.Lease(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %+v, %v, want to wait for the holder", l, err)
		}
	})
}

func TestLocalExpiredLeaseIsLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := open(t, frontier.Options{LeaseTime: time.Minute})
		offer(t, f, "https://a.example/1")
		first := lease(t, f)
		second := lease(t, f) // waits until the first has run out
		if second.Item.URL != first.Item.URL {
			t.Errorf("got %q, want the item again", second.Item.URL)
		}
		err := f.Ack(t.Context(), first.ID, frontier.Outcome{Item: first.Item})
		if !errors.Is(err, frontier.ErrLeaseLost) {
			t.Errorf("got %v, want the lease lost", err)
		}
	})
}

func TestLocalRetryWaitsWhileOthersGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := open(t, frontier.Options{})
		offer(t, f, "https://a.example/1", "https://a.example/2")
		start := time.Now()
		l := lease(t, f)
		item := l.Item
		item.Attempts, item.NotBefore = 1, start.Add(time.Hour)
		if err := f.Ack(t.Context(), l.ID, frontier.Outcome{Verb: frontier.VerbRetry, Item: item}); err != nil {
			t.Fatal(err)
		}
		other := lease(t, f)
		if other.Item.URL == item.URL || time.Since(start) > time.Minute {
			t.Errorf("got %q after %v, want the other item at once", other.Item.URL, time.Since(start))
		}
		if err := f.Ack(t.Context(), other.ID, frontier.Outcome{Item: other.Item}); err != nil {
			t.Fatal(err)
		}
		again := lease(t, f)
		if again.Item.URL != item.URL || time.Since(start) != time.Hour {
			t.Errorf("got %q after %v, want the retried one after 1h", again.Item.URL, time.Since(start))
		}
	})
}

func TestLocalWritesRecordsInOneBatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pages, skips := &lines{}, &lines{}
		f := open(t, frontier.Options{
			Outputs: map[string]frontier.Output{"pages": pages, "skipped": skips},
			Skipped: func(c frontier.Candidate) frontier.Record {
				return frontier.Record{Output: "skipped", Data: []byte(c.URL + " " + string(c.Skip) + "\n")}
			},
		})
		offer(t, f, "https://a.example/1")
		l := lease(t, f)
		found := []frontier.Candidate{
			{Item: frontier.Item{URL: "https://out.example/"}, Skip: frontier.SkipOutOfScope},
			{Item: frontier.Item{URL: "https://a.example/n"}, Skip: frontier.SkipNofollow},
		}
		err := f.Ack(t.Context(), l.ID, frontier.Outcome{
			Item: l.Item, Found: found, Records: []frontier.Record{{Output: "pages", Data: []byte("one\n")}},
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Lease(t.Context()); !errors.Is(err, frontier.ErrDrained) {
			t.Fatalf("got %v, want drained", err)
		}
		if err := f.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		if want := "https://out.example/ out-of-scope\nhttps://a.example/n nofollow\n"; pages.text != "one\n" || skips.text != want {
			t.Errorf("got pages %q, skips %q, want %q", pages.text, skips.text, want)
		}
	})
}

func TestLocalRecordsOfNoItem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wire := &lines{}
		f := open(t, frontier.Options{Outputs: map[string]frontier.Output{"wire": wire}})
		if err := f.Record(t.Context(), []frontier.Record{{Output: "wire", Data: []byte("robots\n")}}); err != nil || wire.text != "robots\n" {
			t.Errorf("got %q, %v, want it written", wire.text, err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		if err := f.Record(t.Context(), nil); !errors.Is(err, frontier.ErrClosed) {
			t.Errorf("got %v, want closed", err)
		}
	})
}

// TestLocalBoundsWhatWaits acknowledges more bytes of records than may wait at
// once while the output takes its time.
func TestLocalBoundsWhatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := &slowOutput{}
		f := open(t, frontier.Options{Outputs: map[string]frontier.Output{"wire": slow}, MaxBytes: 100})
		offer(t, f, "https://a.example/", "https://b.example/", "https://c.example/", "https://d.example/")
		started := time.Now()
		for range 4 {
			l := lease(t, f)
			err := f.Ack(t.Context(), l.ID, frontier.Outcome{Item: l.Item, Records: []frontier.Record{{Output: "wire", Data: make([]byte, 100)}}})
			if err != nil {
				t.Fatal(err)
			}
		}
		if waited := time.Since(started); waited < 2*time.Second {
			t.Errorf("got four acknowledged after %v, want them to wait for the output", waited)
		}
	})
}

// slowOutput takes a second for each record.
type slowOutput struct{ lines }

func (s *slowOutput) Append(data []byte) error {
	<-time.After(time.Second)
	return s.lines.Append(data)
}

func TestLocalLeasesNothingWhenTheContextIsDone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := open(t, frontier.Options{})
		offer(t, f, "https://a.example/1")
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if l, err := f.Lease(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("got %+v, %v, want canceled though an item is due", l, err)
		}
	})
}

// TestLocalParked has hosts that want long waits: the frontier waits while
// another one goes on, and no longer than its patience when none does.
func TestLocalParked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := open(t, frontier.Options{Patience: time.Minute})
		offer(t, f, "https://a.example/1", "https://a.example/2", "https://b.example/1", "https://b.example/2")
		for range 2 {
			l := lease(t, f)
			outcome := frontier.Outcome{Verb: frontier.VerbRetry, Item: l.Item, NextAt: time.Now().Add(30 * time.Second)}
			if l.Item.Host() == "a.example" {
				outcome.Park = time.Now().Add(time.Hour)
			}
			if err := f.Ack(t.Context(), l.ID, outcome); err != nil {
				t.Fatal(err)
			}
		}
		for range 2 { // of b.example
			l := lease(t, f)
			if err := f.Ack(t.Context(), l.ID, frontier.Outcome{Item: l.Item}); err != nil {
				t.Fatal(err)
			}
			if l.Item.Host() != "b.example" {
				t.Errorf("got %s, want it parked", l.Item.URL)
			}
		}
		start := time.Now()
		if l, err := f.Lease(t.Context()); !errors.Is(err, frontier.ErrParked) || time.Since(start) > time.Second {
			t.Errorf("got %+v, %v after %v, want parked at once", l, err, time.Since(start))
		}
		if got := f.Stats(); got.Pending != 2 || got.Done != 2 {
			t.Errorf("got %+v, want two done and two pending", got)
		}
	})
}
