package frontier

import (
	"context"
	"errors"
	"time"
)

// Errors of a frontier.
var (
	// ErrDrained means that nothing is pending and nothing is leased.
	ErrDrained = errors.New("frontier: drained")
	// ErrParked means that nothing is leased and every host with pending URLs is due
	// later than Options.Patience allows for.
	ErrParked = errors.New("frontier: all hosts are parked")
	// ErrLeaseLost means that the lease expired or never existed.
	ErrLeaseLost = errors.New("frontier: lease lost")
	// ErrNotPending means that an outcome belongs to an item that is not pending:
	// it was never added, or it is done or skipped already.
	ErrNotPending = errors.New("frontier: item is not pending")
	// ErrDamaged means that the parts of a store contradict each other, so that
	// URLs would be lost or the crawl would not end.
	ErrDamaged = errors.New("frontier: store is damaged")
	// ErrClosed means that the frontier was closed.
	ErrClosed = errors.New("frontier: closed")
)

// A Frontier leases URLs, and each host to one holder at a time. It is safe for
// concurrent use.
type Frontier interface {
	// Add offers URLs and returns, when they are durable, how many were new.
	Add(ctx context.Context, candidates []Candidate) (int, error)
	// Lease waits for a host that is due and returns a lease of its next item. It
	// returns ErrDrained when there is nothing left to wait for, and ErrParked when
	// the wait would be too long.
	Lease(ctx context.Context) (Lease, error)
	// Ack ends a lease. It returns before the outcome is durable; if writing it
	// fails, every later call returns that error.
	Ack(ctx context.Context, id LeaseID, outcome Outcome) error
	// Stats returns the current counters.
	Stats() Stats
	// Close makes everything durable. Leased items stay pending.
	Close() error
}

// A LeaseID identifies one lease.
type LeaseID uint64

// A Lease is the right to fetch one item, until Expires.
type Lease struct {
	ID      LeaseID
	Item    Item
	Expires time.Time
}

// A Verb is what happened to a leased item.
type Verb uint8

// The verbs of an outcome.
const (
	VerbDone   Verb = iota // it is finished
	VerbSkip               // it will never be fetched, for the reason Outcome.Skip
	VerbRetry              // it is to be fetched later, see Outcome.Item
	VerbReturn             // it was not touched and keeps its place
)

// An Outcome is the result of a lease.
type Outcome struct {
	Verb    Verb
	Item    Item // with its new Attempts and NotBefore
	Skip    Reason
	Found   []Candidate   // URLs that it names
	Records []Record      // lines for the outputs
	NextAt  time.Time     // when its host may be asked again; zero means at once
	Gap     time.Duration // between requests to the host, for Stats.Remaining
	// Park is when the host may be asked again in this run, if that is later than
	// NextAt. It is not stored: a resumed crawl asks at NextAt.
	Park time.Time
}

// A Record is one complete piece of an output.
type Record struct {
	Output string
	Data   []byte
}

// An Output stores records. Flush makes all of them durable and returns the
// offset at which they end. Its methods are called from one goroutine.
type Output interface {
	Append(data []byte) error
	Flush() (offset int64, err error)
}

// Stats are counters of a crawl.
type Stats struct {
	Pending   int64 // known and not yet fetched, including leased ones
	Done      int64
	Skipped   int64
	Tentative int64 // skipped unless a better path to them turns up
	Leased    int64
	Hosts     int64         // with pending items
	Remaining time.Duration // at least: the largest Pending x Gap of a host, at most the longest Duration
}

// Counters are the durable part of [Stats].
type Counters struct {
	Pending, Done, Skipped, Tentative int64
}

// HostState is what a store keeps of a host.
type HostState struct {
	Host    string
	NextAt  time.Time     // when it may be asked again
	Gap     time.Duration // between requests, when it was last asked
	Pending int64         // items
}

// A Store keeps the URLs and hosts of a frontier. Apply is called from one
// goroutine, the other methods from any.
type Store interface {
	// Apply makes all of a batch durable or nothing of it. An outcome of an item
	// that is not pending is ErrNotPending.
	Apply(ctx context.Context, batch *Batch) error
	// Pending returns up to n pending items of host, in the order in which they
	// are to be fetched.
	Pending(host string, n int) ([]Item, error)
	// Hosts returns every host with pending items.
	Hosts() ([]HostState, error)
	// Counters returns the durable counters.
	Counters() (Counters, error)
	// Tentative returns up to n tentative skips with their reasons.
	Tentative(n int) ([]Candidate, error)
}

// A Batch is one transaction of a [Store].
type Batch struct {
	Add    []Candidate // offered, see Known.Offered
	Finish []Outcome   // of pending items, see Known.Finished
	Hosts  []HostState // NextAt and Gap are stored; the store counts Pending itself
	Settle []Candidate // tentative skips that are final now, see Known.Settled
	Reopen []Item      // done or skipped, to be fetched again, see Known.Reopened

	// Commit is called when the changes are made and before they are durable.
	// isNew reports for each of Add whether it was new. The offsets are stored with
	// the changes; an error discards all of them.
	Commit func(isNew []bool) (offsets map[string]int64, err error)
}
