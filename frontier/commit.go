package frontier

import (
	"context"
	"fmt"
	"time"
)

// inbox holds what the next transaction will write.
type inbox struct {
	outcomes   []Outcome
	bytes      int64 // of their records
	adds       []pendingAdd
	committing bool  // a batch is being committed
	writing    int64 // bytes of its records
}

// pendingAdd is one call of Add, or of Settle or Record with no candidates.
type pendingAdd struct {
	candidates []Candidate
	settle     []Candidate
	records    []Record
	reply      chan addReply // buffered: the committer never waits
}

type addReply struct {
	added int
	err   error
}

func (b *inbox) empty() bool { return len(b.outcomes) == 0 && len(b.adds) == 0 }

// Add offers URLs and returns when they are durable.
func (f *Local) Add(ctx context.Context, candidates []Candidate) (int, error) {
	return f.submit(ctx, pendingAdd{candidates: candidates})
}

// Settle makes tentative skips final, once no better path to their URLs can turn
// up. It returns when they are durable.
func (f *Local) Settle(ctx context.Context) error {
	for {
		items, err := f.store.Tentative(10_000)
		if err != nil {
			return fmt.Errorf("settle skipped URLs: %w", err)
		}
		if len(items) == 0 {
			return nil
		}
		if _, err := f.submit(ctx, pendingAdd{settle: items}); err != nil {
			return err
		}
	}
}

// Record writes records that do not belong to an item, such as those of a
// robots.txt, and returns when they are durable.
func (f *Local) Record(ctx context.Context, records []Record) error {
	if _, err := f.submit(ctx, pendingAdd{records: records}); err != nil {
		return fmt.Errorf("write records: %w", err)
	}
	return nil
}

func (f *Local) submit(ctx context.Context, add pendingAdd) (int, error) {
	add.reply = make(chan addReply, 1)
	f.mu.Lock()
	if err := f.err(); err != nil {
		f.mu.Unlock()
		return 0, err
	}
	f.inbox.adds = append(f.inbox.adds, add)
	f.mu.Unlock()
	f.nudge()
	select {
	case <-ctx.Done():
		return 0, ctx.Err()
	case reply := <-add.reply:
		return reply.added, reply.err
	}
}

// Close makes everything durable. Leased items stay pending.
func (f *Local) Close() error {
	f.mu.Lock()
	if !f.closing {
		f.closing = true
		f.signal()
	}
	f.mu.Unlock()
	f.nudge()
	<-f.done
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.failed
}

func (f *Local) commitLoop() {
	defer close(f.done)
	for range f.wake {
		for {
			f.gather()
			batch, last := f.takeInbox()
			if len(batch.outcomes) > 0 || len(batch.adds) > 0 {
				f.commit(batch)
				continue
			}
			if last {
				return
			}
			break
		}
	}
}

// gather waits for more outcomes to share the transaction, but only while there
// is other work to do.
func (f *Local) gather() {
	deadline := time.Now().Add(f.options.MaxWait)
	for {
		f.mu.Lock()
		now := time.Now()
		ready := len(f.heap) > 0 && !f.heap[0].due().After(now)
		enough := len(f.inbox.adds) > 0 || len(f.inbox.outcomes) >= f.options.MaxBatch || f.inbox.bytes >= f.options.MaxBytes/4 ||
			f.closing || f.failed != nil || f.inbox.empty() || len(f.leases) == 0 && !ready
		changed := f.changed
		f.mu.Unlock()
		if enough || !now.Before(deadline) {
			return
		}
		_ = pause(context.Background(), deadline, changed) // bounded by MaxWait
	}
}

func (f *Local) takeInbox() (batch inbox, last bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	batch = f.inbox
	f.inbox = inbox{committing: !batch.empty(), writing: batch.bytes}
	return batch, f.closing
}

// commit makes one batch durable and updates memory.
func (f *Local) commit(in inbox) {
	batch := &Batch{}
	hosts := map[string]HostState{}
	var records []Record
	for _, outcome := range in.outcomes {
		records = append(records, outcome.Records...)
		if outcome.Verb != VerbReturn {
			batch.Finish = append(batch.Finish, outcome)
		}
		batch.Add = append(batch.Add, outcome.Found...)
		name := outcome.Item.Host()
		hosts[name] = HostState{Host: name}.After(&outcome)
	}
	for _, add := range in.adds {
		batch.Add = append(batch.Add, add.candidates...)
		batch.Settle = append(batch.Settle, add.settle...)
		records = append(records, add.records...)
	}
	for _, state := range hosts {
		batch.Hosts = append(batch.Hosts, state)
	}
	var isNew []bool
	batch.Commit = func(fresh []bool) (map[string]int64, error) {
		isNew = fresh
		return f.write(batch, records, fresh)
	}
	f.mu.Lock()
	err := f.failed
	f.mu.Unlock()
	if err == nil {
		err = f.store.Apply(context.Background(), batch)
	}
	f.afterCommit(batch, in, isNew, err)
}

// write sends the records of a batch to the outputs and makes them durable.
func (f *Local) write(batch *Batch, records []Record, isNew []bool) (map[string]int64, error) {
	for _, record := range records {
		if err := f.append(record.Output, record.Data); err != nil {
			return nil, err
		}
	}
	for i, candidate := range batch.Add {
		if isNew[i] && candidate.state() == StateSkipped {
			if err := f.skipped(candidate); err != nil {
				return nil, err
			}
		}
	}
	for _, candidate := range batch.Settle {
		if err := f.skipped(candidate); err != nil {
			return nil, err
		}
	}
	offsets := map[string]int64{}
	for name, output := range f.options.Outputs {
		offset, err := output.Flush()
		if err != nil {
			return nil, fmt.Errorf("flush output %s: %w", name, err)
		}
		offsets[name] = offset
	}
	return offsets, nil
}

func (f *Local) skipped(candidate Candidate) error {
	if f.options.Skipped == nil {
		return nil
	}
	record := f.options.Skipped(candidate)
	return f.append(record.Output, record.Data)
}

func (f *Local) append(name string, data []byte) error {
	output, ok := f.options.Outputs[name]
	if !ok {
		return nil // this output is not wanted
	}
	if err := output.Append(data); err != nil {
		return fmt.Errorf("write to output %s: %w", name, err)
	}
	return nil
}

// afterCommit brings memory in step with the store and answers the calls that
// wait for the batch.
func (f *Local) afterCommit(batch *Batch, in inbox, isNew []bool, err error) {
	var counters Counters
	if err == nil {
		counters, err = f.store.Counters()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.inbox.committing, f.inbox.writing = false, 0
	f.commits++
	if err != nil {
		f.fail(fmt.Errorf("commit the frontier: %w", err))
	} else {
		f.counters = counters
		f.updateHosts(batch, isNew)
	}
	at := 0
	for _, outcome := range in.outcomes {
		at += len(outcome.Found)
	}
	for _, add := range in.adds {
		reply := addReply{err: f.failed}
		for range add.candidates {
			if err == nil && isNew[at] {
				reply.added++
			}
			at++
		}
		add.reply <- reply
	}
	f.signal()
}

// updateHosts counts what the batch changed at each host.
func (f *Local) updateHosts(batch *Batch, isNew []bool) {
	touched := map[*host]bool{}
	for i, candidate := range batch.Add {
		if isNew[i] && candidate.state() == StatePending {
			h := f.host(candidate.Host())
			h.Pending++
			h.retryAt = time.Time{}
			touched[h] = true
		}
	}
	for _, outcome := range batch.Finish {
		h := f.host(outcome.Item.Host())
		delete(h.busy, keyOf(outcome.Item))
		if outcome.Verb.state() == StatePending {
			h.retryAt = time.Time{}
		} else {
			h.Pending--
		}
		touched[h] = true
	}
	for h := range touched {
		f.heap.update(h)
		if h.Pending == 0 && !h.held && len(h.busy) == 0 && !h.NextAt.After(time.Now()) {
			delete(f.hosts, h.Host)
		}
	}
}
