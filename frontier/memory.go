package frontier

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
)

// Memory is a [Store] that forgets with the process. Make one with [NewMemory].
type Memory struct {
	mu       sync.Mutex
	known    map[string]*memoryEntry
	pending  map[string]map[string]*memoryEntry // by host
	states   map[string]HostState
	counters Counters
	offsets  map[string]int64
	sequence int64
}

type memoryEntry struct {
	candidate Candidate
	state     State
	sequence  int64
}

// NewMemory makes an empty store.
func NewMemory() *Memory {
	return &Memory{
		known:   map[string]*memoryEntry{},
		pending: map[string]map[string]*memoryEntry{},
		states:  map[string]HostState{},
		offsets: map[string]int64{},
	}
}

// Apply makes the changes of a batch. When its Commit fails the store is of no
// more use.
func (m *Memory) Apply(_ context.Context, batch *Batch) error {
	m.mu.Lock()
	isNew := make([]bool, len(batch.Add))
	for i, candidate := range batch.Add {
		isNew[i] = m.add(candidate)
	}
	for _, outcome := range batch.Finish {
		if err := m.finish(outcome); err != nil {
			m.mu.Unlock()
			return err
		}
	}
	for _, candidate := range batch.Settle {
		if entry := m.known[keyOf(candidate.Item)]; entry != nil && entry.state == StateTentative {
			m.move(entry, StateSkipped)
		}
	}
	for _, state := range batch.Hosts {
		m.states[state.Host] = state
	}
	m.mu.Unlock()
	offsets, err := batch.Commit(isNew)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	maps.Copy(m.offsets, offsets)
	return nil
}

func (m *Memory) add(candidate Candidate) bool {
	state := StatePending
	if candidate.Skip != "" {
		state = StateSkipped
		if candidate.Skip.Tentative() {
			state = StateTentative
		}
	}
	key := keyOf(candidate.Item)
	entry := m.known[key]
	if entry != nil && (entry.state != StateTentative || state != StatePending) {
		return false
	}
	if entry == nil {
		entry = &memoryEntry{}
		m.known[key] = entry
	}
	m.sequence++
	entry.candidate, entry.sequence = candidate, m.sequence
	m.move(entry, state)
	return true
}

func (m *Memory) finish(outcome Outcome) error {
	entry := m.known[keyOf(outcome.Item)]
	if entry == nil || entry.state != StatePending {
		return fmt.Errorf("finish %s: %w", outcome.Item.URL, ErrNotPending)
	}
	entry.candidate.Item = outcome.Item
	switch outcome.Verb {
	case VerbDone:
		m.move(entry, StateDone)
	case VerbSkip:
		entry.candidate.Skip = outcome.Skip
		m.move(entry, StateSkipped)
	}
	return nil
}

// move changes the state of an entry and keeps the counters and the host's
// list in step.
func (m *Memory) move(entry *memoryEntry, to State) {
	item := entry.candidate.Item
	m.count(item.Kind, entry.state, -1)
	m.count(item.Kind, to, 1)
	host := item.Host()
	if entry.state == StatePending {
		delete(m.pending[host], keyOf(item))
		if len(m.pending[host]) == 0 {
			delete(m.pending, host)
		}
	}
	if to == StatePending {
		if m.pending[host] == nil {
			m.pending[host] = map[string]*memoryEntry{}
		}
		m.pending[host][keyOf(item)] = entry
	}
	entry.state = to
}

// count follows the pages; of other kinds only those that wait.
func (m *Memory) count(kind Kind, state State, by int64) {
	if kind != KindPage && state != StatePending {
		return
	}
	switch state {
	case StatePending:
		m.counters.Pending += by
	case StateDone:
		m.counters.Done += by
	case StateSkipped:
		m.counters.Skipped += by
	case StateTentative:
		m.counters.Tentative += by
	}
}

// Pending gives up to n pending items of host, in order.
func (m *Memory) Pending(host string, n int) ([]Item, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var entries []*memoryEntry
	for _, entry := range m.pending[host] {
		entries = append(entries, entry)
	}
	slices.SortFunc(entries, func(a, b *memoryEntry) int {
		x, y := a.candidate.Item, b.candidate.Item
		return cmp.Or(cmp.Compare(x.Rank(), y.Rank()), cmp.Compare(x.Depth, y.Depth), cmp.Compare(a.sequence, b.sequence))
	})
	var items []Item
	for _, entry := range entries[:min(n, len(entries))] {
		items = append(items, entry.candidate.Item)
	}
	return items, nil
}

// Hosts gives every host with pending items.
func (m *Memory) Hosts() ([]HostState, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var states []HostState
	for host, entries := range m.pending {
		state := m.states[host]
		state.Host, state.Pending = host, int64(len(entries))
		states = append(states, state)
	}
	return states, nil
}

// Counters gives the counters.
func (m *Memory) Counters() (Counters, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.counters, nil
}

// Tentative gives up to n items that wait for a better way, with the reason.
func (m *Memory) Tentative(n int) ([]Candidate, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var found []Candidate
	for _, entry := range m.known {
		if entry.state == StateTentative && len(found) < n {
			found = append(found, entry.candidate)
		}
	}
	return found, nil
}
