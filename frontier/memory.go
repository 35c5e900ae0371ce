package frontier

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
)

// Memory is a [Store] in memory. Make one with [NewMemory].
type Memory struct {
	mu       sync.Mutex
	known    map[string]*Known            // by keyOf
	pending  map[string]map[string]*Known // by host and keyOf
	hosts    map[string]HostState
	counters Counters
	offsets  map[string]int64
	sequence uint64
}

// NewMemory returns an empty store.
func NewMemory() *Memory {
	return &Memory{
		known:   map[string]*Known{},
		pending: map[string]map[string]*Known{},
		hosts:   map[string]HostState{},
		offsets: map[string]int64{},
	}
}

// Apply makes the changes of a batch. After an error the store must not be used.
func (m *Memory) Apply(_ context.Context, batch *Batch) error {
	isNew, err := m.change(batch)
	if err != nil {
		return err
	}
	offsets, err := batch.Commit(isNew)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	maps.Copy(m.offsets, offsets)
	return nil
}

func (m *Memory) change(batch *Batch) (isNew []bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	isNew = make([]bool, len(batch.Add))
	for i := range batch.Add {
		isNew[i] = m.add(&batch.Add[i])
	}
	for i := range batch.Finish {
		if err := m.finish(&batch.Finish[i]); err != nil {
			return nil, err
		}
	}
	for i := range batch.Settle {
		known := m.lookup(&batch.Settle[i].Item)
		if next, changed := known.Settled(); changed {
			m.replace(known, &next)
		}
	}
	for i := range batch.Reopen {
		known := m.lookup(&batch.Reopen[i])
		if next, changed := known.Reopened(); changed {
			m.replace(known, &next)
		}
	}
	for _, state := range batch.Hosts {
		m.hosts[state.Host] = state
	}
	return isNew, nil
}

func (m *Memory) add(candidate *Candidate) bool {
	known := m.lookup(&candidate.Item)
	next, isNew := known.Offered(candidate)
	if isNew {
		m.replace(known, &next)
	}
	return isNew
}

func (m *Memory) finish(outcome *Outcome) error {
	known := m.lookup(&outcome.Item)
	next, err := known.Finished(outcome)
	if err != nil {
		return err
	}
	m.replace(known, &next)
	return nil
}

// lookup returns what is known of a URL, to be changed only by replace.
func (m *Memory) lookup(item *Item) *Known {
	if known := m.known[keyOf(*item)]; known != nil {
		return known
	}
	return &Known{}
}

// replace sets known to next and keeps the maps and the counters in step.
func (m *Memory) replace(known, next *Known) {
	m.counters.Move(next.Kind, known.State, next.State)
	if next.State == StatePending && next.Place == 0 {
		m.sequence++
		next.Place = m.sequence
	}
	from := known.State
	*known = *next
	switch from {
	case next.State:
	case StatePending:
		m.dequeue(&next.Item)
	default:
		key := keyOf(next.Item)
		m.known[key] = known
		if next.State == StatePending {
			m.queue(key, known)
		}
	}
}

func (m *Memory) queue(key string, known *Known) {
	host := known.Host()
	if m.pending[host] == nil {
		m.pending[host] = map[string]*Known{}
	}
	m.pending[host][key] = known
}

func (m *Memory) dequeue(item *Item) {
	host := item.Host()
	delete(m.pending[host], keyOf(*item))
	if len(m.pending[host]) == 0 {
		delete(m.pending, host)
	}
}

// Pending returns up to n pending items of host, in order.
func (m *Memory) Pending(host string, n int) ([]Item, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	pending := slices.SortedFunc(maps.Values(m.pending[host]), func(a, b *Known) int {
		return cmp.Or(cmp.Compare(a.Rank(), b.Rank()), cmp.Compare(a.Depth, b.Depth), cmp.Compare(a.Place, b.Place))
	})
	var items []Item
	for _, known := range pending[:min(n, len(pending))] {
		items = append(items, known.Item)
	}
	return items, nil
}

// Hosts returns every host with pending items.
func (m *Memory) Hosts() ([]HostState, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var states []HostState
	for host, pending := range m.pending {
		state := m.hosts[host]
		state.Host, state.Pending = host, int64(len(pending))
		states = append(states, state)
	}
	return states, nil
}

// Counters returns the counters.
func (m *Memory) Counters() (Counters, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.counters, nil
}

// Tentative returns up to n tentative skips with their reasons.
func (m *Memory) Tentative(n int) ([]Candidate, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var found []Candidate
	for _, known := range m.known {
		if known.State == StateTentative && len(found) < n {
			found = append(found, known.Candidate)
		}
	}
	return found, nil
}
