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
	// ErrLeaseLost means that the lease ran out or was never given.
	ErrLeaseLost = errors.New("frontier: lease lost")
	// ErrNotPending means that an outcome is of an item that does not wait: it
	// was never added, or has ended before.
	ErrNotPending = errors.New("frontier: item is not pending")
	// ErrDamaged means that what a store says of itself does not fit together,
	// so that URLs would be lost or the crawl would not end.
	ErrDamaged = errors.New("frontier: store is damaged")
	// ErrClosed means that the frontier was closed.
	ErrClosed = errors.New("frontier: closed")
)

// A Frontier gives out URLs, one host to one holder at a time. It is safe for
// concurrent use.
type Frontier interface {
	// Add offers URLs and returns when they are durable. It gives how many
	// were new.
	Add(ctx context.Context, candidates []Candidate) (int, error)
	// Lease waits for a host that is due and gives its next item. It returns
	// ErrDrained when there is nothing left to wait for.
	Lease(ctx context.Context) (Lease, error)
	// Ack ends a lease. It returns before the outcome is durable; a failure to
	// make it so is returned by every later call.
	Ack(ctx context.Context, id LeaseID, outcome Outcome) error
	// Stats gives the counters as they are now.
	Stats() Stats
	// Close makes everything durable and gives leased items back.
	Close() error
}

// A LeaseID names one lease.
type LeaseID uint64

// A Lease is the right to fetch one item, until Expires.
type Lease struct {
	ID      LeaseID
	Item    Item
	Expires time.Time
}

// A Verb says what became of a leased item.
type Verb uint8

// The verbs of an outcome.
const (
	VerbDone   Verb = iota // it reached its final state
	VerbSkip               // it will never be fetched; Outcome.Skip says why
	VerbRetry              // later, as Outcome.Item says
	VerbReturn             // it was not touched and stays first
)

// An Outcome is what Ack tells of a leased item.
type Outcome struct {
	Verb    Verb
	Item    Item // as it is now; for VerbRetry with Attempts and NotBefore
	Skip    Reason
	Found   []Candidate   // URLs it named
	Records []Record      // lines for the outputs
	NextAt  time.Time     // when its host may be asked again; zero: at once
	Gap     time.Duration // the pace of the host, for the estimate of the end
}

// A Record is one piece of an output, whole.
type Record struct {
	Output string
	Data   []byte
}

// An Output takes records. Flush makes all of them durable and gives the
// place up to which they reach. Outputs are called from one goroutine.
type Output interface {
	Append(data []byte) error
	Flush() (offset int64, err error)
}

// Stats are counters of a crawl.
type Stats struct {
	Pending   int64 // known and not yet fetched, leased ones too
	Done      int64
	Skipped   int64
	Tentative int64 // skipped unless a better way turns up
	Leased    int64
	Hosts     int64         // with pending items
	Remaining time.Duration // lower bound for the end: the largest over hosts of pending x gap, or the longest Duration
}

// Counters are the durable part of [Stats].
type Counters struct {
	Pending, Done, Skipped, Tentative int64
}

// HostState is what outlives a restart of a host.
type HostState struct {
	Host    string
	NextAt  time.Time
	Gap     time.Duration
	Pending int64
}

// A Store keeps the frontier. Apply is called from one goroutine, the other
// methods from any.
type Store interface {
	// Apply makes a batch durable, whole or not at all. An outcome of an item
	// that is not pending is ErrNotPending.
	Apply(ctx context.Context, batch *Batch) error
	// Pending gives up to n pending items of host, in the order in which they
	// are to be fetched.
	Pending(host string, n int) ([]Item, error)
	// Hosts gives every host with pending items.
	Hosts() ([]HostState, error)
	// Counters gives the durable counters.
	Counters() (Counters, error)
	// Tentative gives up to n items that wait for a better way, with the reason.
	Tentative(n int) ([]Candidate, error)
}

// A Batch is one transaction of a [Store].
type Batch struct {
	Add    []Candidate // remembered if they are new, or better than a tentative skip
	Finish []Outcome   // of items that are pending
	Hosts  []HostState // NextAt and Gap are kept; Pending is the store's to count
	Settle []Candidate // tentative items that are skipped now

	// Commit is called when the changes are made and before they are durable.
	// isNew says for each of Add whether it was new. The offsets are kept with
	// the changes; an error drops everything.
	Commit func(isNew []bool) (offsets map[string]int64, err error)
}
