package frontier

import (
	"container/heap"
	"math"
	"time"
)

// host is what memory holds of a host with work.
type host struct {
	HostState                 // Pending counts those in the store, leased ones too
	ready     []Item          // read ahead, in order
	busy      map[string]bool // keys leased, or finished and not yet durable
	held      bool            // leased, or being read ahead
	retryAt   time.Time       // until then every item is known to wait
	place     int             // in the heap; -1 when not in it
}

// due gives when the host may be leased.
func (h *host) due() time.Time {
	if h.retryAt.After(h.NextAt) {
		return h.retryAt
	}
	return h.NextAt
}

// remaining returns how long the pending URLs take at the gap of the host, or
// the longest Duration if that is less.
func (h *host) remaining() time.Duration {
	gap := max(h.Gap, 0)
	if gap > 0 && h.Pending > int64(math.MaxInt64/gap) {
		return math.MaxInt64
	}
	return time.Duration(h.Pending) * gap
}

// take removes the first item that may be leased now and returns it. When all
// of them have to wait, it returns the earliest time of one.
func (h *host) take(now time.Time) (item Item, wait time.Time, ok bool) {
	for i := range h.ready {
		if due := h.ready[i].DueAt(h.HostState); due.After(now) {
			wait = earlier(wait, due)
			continue
		}
		item = h.ready[i]
		h.ready = append(h.ready[:i], h.ready[i+1:]...)
		return item, time.Time{}, true
	}
	return Item{}, wait, false
}

// hostHeap holds the hosts with work that nobody holds, the next due first.
type hostHeap []*host

func (q hostHeap) Len() int           { return len(q) }
func (q hostHeap) Less(i, j int) bool { return q[i].due().Before(q[j].due()) }
func (q hostHeap) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].place, q[j].place = i, j
}

// Push is for container/heap.
func (q *hostHeap) Push(x any) {
	h := x.(*host)
	h.place = len(*q)
	*q = append(*q, h)
}

// Pop is for container/heap.
func (q *hostHeap) Pop() any {
	last := len(*q) - 1
	h := (*q)[last]
	(*q)[last] = nil
	*q = (*q)[:last]
	h.place = -1
	return h
}

// settle puts the host where it belongs: into the heap when it has work and
// nobody holds it, out of it otherwise.
func (q *hostHeap) settle(h *host) {
	wanted := !h.held && h.Pending > int64(len(h.busy))
	switch {
	case wanted && h.place < 0:
		heap.Push(q, h)
	case wanted:
		heap.Fix(q, h.place)
	case h.place >= 0:
		heap.Remove(q, h.place)
	}
}
