package fetch

import (
	"net"
	"net/netip"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestPerIPDelay sends requests of twenty hosts at one address, and of one host
// elsewhere, as soon as they may be sent.
func TestPerIPDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const delay = 2 * time.Second
		p := newPace(Options{Delay: -1, MaxWait: time.Hour, PerIPDelay: delay}.withDefaults())
		var mu sync.Mutex
		starts := map[string][]time.Time{}
		send := func(host string, times int) {
			for range times {
				turn, err := p.acquire(t.Context(), host, "")
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				at := hostName(host)
				starts[at] = append(starts[at], time.Now())
				mu.Unlock()
				turn.end(0, 200, nil)
			}
		}
		var workers sync.WaitGroup
		for i := range 20 {
			workers.Go(func() { send(netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), uint16(1000+i)).String(), 3) })
		}
		workers.Go(func() { send("127.0.0.2:80", 1) })
		began := time.Now()
		workers.Wait()
		shared := starts["127.0.0.1"]
		slices.SortFunc(shared, time.Time.Compare)
		for i := 1; i < len(shared); i++ {
			if gap := shared[i].Sub(shared[i-1]); gap != delay {
				t.Errorf("request %d: got a gap of %v, want %v", i, gap, delay)
			}
		}
		if len(shared) != 60 || !starts["127.0.0.2"][0].Equal(began) {
			t.Errorf("got %d requests, and the other address after %v", len(shared), starts["127.0.0.2"][0].Sub(began))
		}
	})
}

// TestBookedTimeIsKept books times for hosts that come back later, too late, or
// never.
func TestBookedTimeIsKept(t *testing.T) {
	a, ip, now := newAddresses(time.Second), netip.MustParseAddr("192.0.2.1"), time.Unix(1000, 0)
	after := func(at time.Time) time.Duration { return at.Sub(now) }
	if _, ok := a.claim("a", ip, now); !ok {
		t.Error("the first request has to wait")
	}
	b, again, c := a.book("b", ip, now), a.book("b", ip, now), a.book("c", ip, now)
	if after(b) != time.Second || again != b || after(c) != 2*time.Second {
		t.Errorf("got %v, %v and %v, want 1s, 1s and 2s", after(b), after(again), after(c))
	}
	if until, ok := a.claim("c", ip, b); ok || until != c {
		t.Errorf("got %v, %v for a host that comes too early, want 2s", after(until), ok)
	}
	late := c.Add(500 * time.Millisecond)
	if _, ok := a.claim("b", ip, late); !ok {
		t.Error("a host that comes late has to wait")
	}
	if until, ok := a.claim("c", ip, late); ok || until.Sub(late) != time.Second {
		t.Errorf("got %v, %v, want a second after the late one", until.Sub(late), ok)
	}
}

func TestConnectedNotesTheAddress(t *testing.T) {
	a := newAddresses(time.Second)
	a.connected("a.example", &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 80})
	if ip, ok := a.of(t.Context(), "a.example"); !ok || ip != netip.MustParseAddr("192.0.2.1") {
		t.Errorf("got %v, %v, want the address of the connection", ip, ok)
	}
	if until, ok := a.claim("b.example", netip.MustParseAddr("192.0.2.1"), time.Now()); ok {
		t.Errorf("got no wait at an address that was connected to just now, until %v", until)
	}
}
