package frontier_test

import (
	"errors"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/decorum-crawler/decorum/frontier"
)

// damagedStore is an empty store that claims to have hosts and counters.
type damagedStore struct {
	*frontier.Memory
	hosts    []frontier.HostState
	counters frontier.Counters
}

func (d *damagedStore) Hosts() ([]frontier.HostState, error) { return d.hosts, nil }

func (d *damagedStore) Counters() (frontier.Counters, error) { return d.counters, nil }

func TestLocalFindsADamagedStore(t *testing.T) {
	tests := []struct {
		name     string
		hosts    []frontier.HostState
		counters frontier.Counters
	}{
		{"a host without its URLs", []frontier.HostState{{Host: "a.example", Pending: 3}}, frontier.Counters{Pending: 3}},
		{"URLs without a host", nil, frontier.Counters{Pending: 3}},
		{"a counter below zero", nil, frontier.Counters{Pending: -1}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f, err := frontier.NewLocal(&damagedStore{frontier.NewMemory(), test.hosts, test.counters}, frontier.Options{})
				if err != nil {
					t.Fatal(err)
				}
				if l, err := f.Lease(t.Context()); !errors.Is(err, frontier.ErrDamaged) {
					t.Errorf("got %+v, %v, want ErrDamaged", l, err)
				}
				if err := f.Close(); !errors.Is(err, frontier.ErrDamaged) {
					t.Errorf("got %v from Close, want ErrDamaged", err)
				}
			})
		})
	}
}

func TestRemainingIsBounded(t *testing.T) {
	const longest = time.Duration(math.MaxInt64)
	tests := []struct {
		pending int64
		gap     time.Duration
		want    time.Duration
	}{
		{3, 2 * time.Second, 6 * time.Second},
		{math.MaxInt64, 0, 0},
		{math.MaxInt64, 1, longest},
		{math.MaxInt64, 2, longest},
		{math.MaxInt64/2 + 1, 2, longest},
		{2, longest, longest},
		{math.MaxInt64, longest, longest},
		{math.MinInt64, longest, 0},
		{3, -time.Second, 0},
		{math.MaxInt64, math.MinInt64, 0},
	}
	for _, test := range tests {
		hosts := []frontier.HostState{{Host: "a.example", Pending: test.pending, Gap: test.gap}}
		f, err := frontier.NewLocal(&damagedStore{Memory: frontier.NewMemory(), hosts: hosts}, frontier.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := f.Stats().Remaining; got != test.want {
			t.Errorf("got %v, want %v for %d URLs at a gap of %v", got, test.want, test.pending, test.gap)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}
