package frontier

import (
	"fmt"
	"time"
)

// This file holds every rule for how a URL and its host change. The functions
// do no I/O and read no clock, and all stores share them:
//
//	from       offered      offered,    offered,   done   skip     retry    return   settled  reopened
//	                        tentative   skipped
//	unknown    pending      tentative   skipped    -      -        -        -        .        .
//	pending    .            .           .          done   skipped  pending  pending  .        .
//	done       .            .           .          -      -        -        -        .        pending
//	skipped    .            .           .          -      -        -        -        .        pending
//	tentative  pending      .           .          -      -        -        -        skipped  .
//
// A dot leaves the URL as it is and a dash is [ErrNotPending]. A leased URL is
// pending: a lease that expires, or that ends with its process, changes nothing.

// Known is what a store keeps of a URL. The zero value is a URL that was never
// offered.
type Known struct {
	State State
	Candidate
	// Place orders the pending URLs of one host, rank and depth. Zero asks the
	// store for the next free one. It means nothing in other states.
	Place uint64
}

// Offered returns k after c, a candidate of the same URL, was offered, and
// reports whether c is new: the URL was unknown, or c makes a tentative skip
// pending. Otherwise k stays as it is and next is zero.
func (k *Known) Offered(c *Candidate) (next Known, isNew bool) {
	state := c.state()
	if k.State == StateUnknown || k.State == StateTentative && state == StatePending {
		return Known{State: state, Candidate: *c}, true
	}
	return Known{}, false
}

// Finished returns k after the outcome of its item. A URL to be retried is
// pending as Outcome.Item says and goes to the end of its rank; a returned one
// keeps its place. The error is [ErrNotPending].
func (k *Known) Finished(o *Outcome) (next Known, err error) {
	if k.State != StatePending {
		return Known{}, fmt.Errorf("finish %s, which is %s: %w", o.Item.URL, k.State, ErrNotPending)
	}
	if o.Verb == VerbReturn {
		return *k, nil
	}
	next = Known{State: o.Verb.state(), Candidate: Candidate{Item: o.Item, Skip: k.Skip}, Place: k.Place}
	switch next.State {
	case StatePending:
		next.Place = 0
	case StateSkipped:
		next.Skip = o.Skip
	}
	return next, nil
}

// Settled returns k after the end of everything that could have made its
// tentative skip pending, and reports whether that changes it. Otherwise next
// is zero.
func (k *Known) Settled() (next Known, changed bool) {
	if k.State != StateTentative {
		return Known{}, false
	}
	next = *k
	next.State = StateSkipped
	return next, true
}

// Reopened returns k after it was decided that its end does not count, so that it
// is fetched as if for the first time, and reports whether that changes it: the
// URL was done or skipped. Otherwise next is zero. What the outputs hold of its
// end is the caller's to withdraw.
func (k *Known) Reopened() (next Known, changed bool) {
	if k.State != StateDone && k.State != StateSkipped {
		return Known{}, false
	}
	next = Known{State: StatePending, Candidate: Candidate{Item: k.Item}}
	next.Attempts, next.NotBefore = 0, time.Time{}
	return next, true
}

// state returns the state in which an unknown URL begins.
func (c *Candidate) state() State {
	switch {
	case c.Skip == "":
		return StatePending
	case c.Skip.Tentative():
		return StateTentative
	}
	return StateSkipped
}

// state returns the state in which a pending URL is after an outcome.
func (v Verb) state() State {
	switch v {
	case VerbDone:
		return StateDone
	case VerbSkip:
		return StateSkipped
	}
	return StatePending
}

// Move counts a URL that changes from one state to another. URLs of other kinds
// than [KindPage] count only while they are pending.
func (c *Counters) Move(kind Kind, from, to State) {
	c.add(kind, from, -1)
	c.add(kind, to, 1)
}

func (c *Counters) add(kind Kind, state State, n int64) {
	if kind != KindPage && state != StatePending {
		return
	}
	switch state {
	case StatePending:
		c.Pending += n
	case StateDone:
		c.Done += n
	case StateSkipped:
		c.Skipped += n
	case StateTentative:
		c.Tentative += n
	}
}

// DueAt returns when an item may be leased: when its host may be asked, and
// not before its own time.
func (i *Item) DueAt(host HostState) time.Time {
	if i.NotBefore.After(host.NextAt) {
		return i.NotBefore
	}
	return host.NextAt
}

// Expired reports whether the lease has ended at now. Its item may be leased
// again and its Ack is [ErrLeaseLost].
func (l *Lease) Expired(now time.Time) bool { return !l.Expires.After(now) }

// After returns what is kept of the host after the outcome of one of its items.
func (s HostState) After(o *Outcome) HostState {
	s.NextAt, s.Gap = o.NextAt, max(o.Gap, 0)
	return s
}

// maxFuture bounds a stored time: one that is further ahead was written before the
// clock was set back.
const maxFuture = 31 * 24 * time.Hour

// settled returns a stored time, or the zero Time if a wrong clock has written it.
func settled(at, now time.Time) time.Time {
	if at.Before(now.Add(maxFuture)) {
		return at
	}
	return time.Time{}
}

// First returns when a process that starts at now may first ask the host: at
// NextAt, but not until its gap, or pause if that is longer, has passed again,
// since a process that was killed could not note its last request.
func (s HostState) First(pause time.Duration, now time.Time) time.Time {
	first := now.Add(max(pause, min(s.Gap, maxFuture)))
	if next := settled(s.NextAt, now); next.After(first) {
		return next
	}
	return first
}
