package frontier

import (
	"container/heap"
	"math"
	"time"
)

// host is a host with pending items in memory.
type host struct {
	HostState                 // Pending counts the items in the store, including leased ones
	ready     []Item          // read ahead, in order
	busy      map[string]bool // keys leased, or finished and not yet durable
	held      bool            // leased, or being read ahead
	retryAt   time.Time       // until then no item is due
	parked    time.Time       // until then the host is not asked, see Outcome.Park
	place     int             // in the heap; -1 when not in it
}

// due returns when the host may be leased.
func (h *host) due() time.Time {
	due := h.NextAt
	for _, wait := range []time.Time{h.retryAt, h.parked} {
		if wait.After(due) {
			due = wait
		}
	}
	return due
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

// hostHeap holds the hosts that have items and no holder, the next due first.
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

// update moves the host to its place in the heap when it has items and no holder,
// and removes it otherwise.
func (q *hostHeap) update(h *host) {
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
