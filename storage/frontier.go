package storage

import (
	"bytes"
	"context"
	"fmt"
	"maps"

	"go.etcd.io/bbolt"

	"github.com/decorum-crawler/decorum/frontier"
)

// Apply makes a batch durable in one transaction. It calls Commit inside the
// transaction, so the outputs are flushed before the state changes.
func (s *State) Apply(ctx context.Context, batch *frontier.Batch) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	err := guard(func() error {
		return s.db.Update(func(tx *bbolt.Tx) error {
			c, err := newChange(tx)
			if err != nil {
				return err
			}
			return c.apply(batch)
		})
	})
	if err != nil {
		return fmt.Errorf("write state %s: %w", s.path, err)
	}
	return nil
}

// change is one transaction on the frontier.
type change struct {
	meta                                *bbolt.Bucket
	urls, queue, tentative, hostsBucket *bbolt.Bucket
	state                               meta
	hosts                               map[string]*frontier.HostState // those of this change, by name
}

func newChange(tx *bbolt.Tx) (*change, error) {
	c := &change{
		meta: tx.Bucket(metaBucket), urls: tx.Bucket(urlsBucket), queue: tx.Bucket(queueBucket),
		tentative: tx.Bucket(tentativeBucket), hostsBucket: tx.Bucket(hostsBucket),
		hosts: map[string]*frontier.HostState{},
	}
	var err error
	c.state, err = loadMeta(c.meta)
	return c, err
}

func (c *change) apply(batch *frontier.Batch) error {
	isNew := make([]bool, len(batch.Add))
	for i := range batch.Add {
		var err error
		if isNew[i], err = c.add(&batch.Add[i]); err != nil {
			return err
		}
	}
	for i := range batch.Finish {
		if err := c.finish(&batch.Finish[i]); err != nil {
			return err
		}
	}
	for i := range batch.Settle {
		if err := c.move(&batch.Settle[i].Item, (*frontier.Known).Settled); err != nil {
			return err
		}
	}
	for i := range batch.Reopen {
		if err := c.move(&batch.Reopen[i], (*frontier.Known).Reopened); err != nil {
			return err
		}
	}
	if err := c.saveHosts(batch.Hosts); err != nil {
		return err
	}
	offsets, err := batch.Commit(isNew)
	if err != nil {
		return err
	}
	c.state.commits++
	maps.Copy(c.state.offsets, offsets)
	return c.state.save(c.meta)
}

func (c *change) add(candidate *frontier.Candidate) (bool, error) {
	key := urlKey(&candidate.Item)
	known, err := c.known(key)
	if err != nil {
		return false, err
	}
	next, isNew := known.Offered(candidate)
	if !isNew {
		return false, nil
	}
	return true, c.replace(key, &known, &next)
}

func (c *change) finish(outcome *frontier.Outcome) error {
	key := urlKey(&outcome.Item)
	known, err := c.known(key)
	if err != nil {
		return err
	}
	next, err := known.Finished(outcome)
	if err != nil {
		return err
	}
	return c.replace(key, &known, &next)
}

// move changes a URL by a rule that may leave it as it is.
func (c *change) move(item *frontier.Item, rule func(*frontier.Known) (frontier.Known, bool)) error {
	key := urlKey(item)
	known, err := c.known(key)
	if err != nil {
		return err
	}
	next, changed := rule(&known)
	if !changed {
		return nil
	}
	return c.replace(key, &known, &next)
}

// known reads the record of a URL; a URL without one is unknown.
func (c *change) known(key []byte) (frontier.Known, error) {
	record := c.urls.Get(key)
	if record == nil {
		return frontier.Known{}, nil
	}
	return decodeKnown(record)
}

// replace writes next over the record known, and keeps the buckets and the
// counters in step.
func (c *change) replace(key []byte, known, next *frontier.Known) error {
	c.state.counters.Move(next.Kind, known.State, next.State)
	if err := c.remove(key, known); err != nil {
		return err
	}
	return c.insert(key, next)
}

// remove takes a URL out of the bucket of its state.
func (c *change) remove(key []byte, known *frontier.Known) error {
	switch known.State {
	case frontier.StatePending:
		h, err := c.host(known.Host())
		if err != nil {
			return err
		}
		if h.Pending == 0 {
			return fmt.Errorf("%s is pending, but its host counts no pending URL: %w", known.URL, ErrDamaged)
		}
		h.Pending--
		return c.queue.Delete(queueKey(key, known))
	case frontier.StateTentative:
		return c.tentative.Delete(key)
	}
	return nil
}

// insert puts a URL into the bucket of its state and writes its record.
func (c *change) insert(key []byte, next *frontier.Known) error {
	switch next.State {
	case frontier.StatePending:
		h, err := c.host(next.Host())
		if err != nil {
			return err
		}
		h.Pending++
		if next.Place == 0 {
			c.state.sequence++
			next.Place = c.state.sequence
		}
		if err := c.queue.Put(queueKey(key, next), key[hostBytes:]); err != nil {
			return err
		}
	case frontier.StateTentative:
		if err := c.tentative.Put(key, nil); err != nil {
			return err
		}
	}
	return c.urls.Put(key, encodeKnown(next))
}

// host returns the state of a host. What the caller changes of it is written by
// saveHosts.
func (c *change) host(name string) (*frontier.HostState, error) {
	if h, ok := c.hosts[name]; ok {
		return h, nil
	}
	h := frontier.HostState{Host: name}
	if known := c.hostsBucket.Get(hostKey(name)); known != nil {
		var err error
		if h, err = decodeHost(known); err != nil {
			return nil, err
		}
	}
	c.hosts[name] = &h
	return &h, nil
}

func (c *change) saveHosts(paced []frontier.HostState) error {
	for _, state := range paced {
		h, err := c.host(state.Host)
		if err != nil {
			return err
		}
		h.NextAt, h.Gap = state.NextAt, state.Gap
	}
	for name, h := range c.hosts {
		if err := c.hostsBucket.Put(hostKey(name), encodeHost(*h)); err != nil {
			return err
		}
	}
	return nil
}

// Pending returns up to n pending items of host, in order.
func (s *State) Pending(host string, n int) ([]frontier.Item, error) {
	var items []frontier.Item
	err := s.view(func(tx *bbolt.Tx) error {
		urls, cursor := tx.Bucket(urlsBucket), tx.Bucket(queueBucket).Cursor()
		prefix := hostKey(host)
		for key, value := cursor.Seek(prefix); bytes.HasPrefix(key, prefix) && len(items) < n; key, value = cursor.Next() {
			known, err := readListed(urls, append(bytes.Clone(prefix), value...), frontier.StatePending)
			if err != nil {
				return err
			}
			items = append(items, known.Item)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read state %s: %w", s.path, err)
	}
	return items, nil
}

// Hosts returns every host with pending items.
func (s *State) Hosts() ([]frontier.HostState, error) {
	var hosts []frontier.HostState
	err := s.view(func(tx *bbolt.Tx) error {
		return tx.Bucket(hostsBucket).ForEach(func(_, value []byte) error {
			h, err := decodeHost(value)
			if err == nil && h.Pending > 0 {
				hosts = append(hosts, h)
			}
			return err
		})
	})
	if err != nil {
		return nil, fmt.Errorf("read hosts of state %s: %w", s.path, err)
	}
	return hosts, nil
}

// Host returns the state of a host; ok is false for an unknown one.
func (s *State) Host(name string) (state frontier.HostState, ok bool, err error) {
	err = s.view(func(tx *bbolt.Tx) error {
		value := tx.Bucket(hostsBucket).Get(hostKey(name))
		if value == nil {
			return nil
		}
		state, err = decodeHost(value)
		ok = err == nil && state.Host == name
		return err
	})
	if err != nil {
		return frontier.HostState{}, false, fmt.Errorf("read host %s of state %s: %w", name, s.path, err)
	}
	return state, ok, nil
}

// Counters returns the durable counters.
func (s *State) Counters() (frontier.Counters, error) {
	info, err := s.Info()
	return info.Counters, err
}

// Tentative returns up to n tentative skips with their reasons.
func (s *State) Tentative(n int) ([]frontier.Candidate, error) {
	var found []frontier.Candidate
	err := s.view(func(tx *bbolt.Tx) error {
		urls, cursor := tx.Bucket(urlsBucket), tx.Bucket(tentativeBucket).Cursor()
		for key, _ := cursor.First(); key != nil && len(found) < n; key, _ = cursor.Next() {
			known, err := readListed(urls, key, frontier.StateTentative)
			if err != nil {
				return err
			}
			found = append(found, known.Candidate)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read state %s: %w", s.path, err)
	}
	return found, nil
}

// readListed reads the record of a URL that the bucket of a state lists. A record
// of another URL or state is damage: it would be leased under a wrong host, or
// settled without end.
func readListed(urls *bbolt.Bucket, key []byte, state frontier.State) (frontier.Known, error) {
	known, err := decodeKnown(urls.Get(key))
	switch {
	case err != nil:
		return known, fmt.Errorf("record of %x: %w", key, err)
	case !bytes.Equal(urlKey(&known.Item), key):
		return known, fmt.Errorf("the key %x has the record of %s: %w", key, known.URL, ErrDamaged)
	case known.State != state:
		return known, fmt.Errorf("%s is listed as %s but recorded as %s: %w", known.URL, state, known.State, ErrDamaged)
	}
	return known, nil
}
