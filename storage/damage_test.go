package storage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"testing"

	"go.etcd.io/bbolt"

	"github.com/decorum-crawler/decorum/frontier"
	"github.com/decorum-crawler/decorum/robots"
)

// damaged returns a state with one URL done, one pending and one tentative, after
// damage was done to it.
func damaged(t *testing.T, damage func(tx *bbolt.Tx) error) *State {
	t.Helper()
	s, _ := create(t)
	t.Cleanup(func() { _ = s.Close() })
	for _, batch := range []*frontier.Batch{
		{Add: []frontier.Candidate{{Item: listed("done")}, {Item: listed("pending")}, {Item: listed("tentative"), Skip: frontier.SkipDepth}}},
		{Finish: []frontier.Outcome{{Verb: frontier.VerbDone, Item: listed("done")}}},
	} {
		if err := write(s, batch); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.db.Update(damage); err != nil {
		t.Fatal(err)
	}
	return s
}

func listed(name string) frontier.Item { return frontier.Item{URL: "https://a.example/" + name} }

func keyOf(name string) []byte {
	item := listed(name)
	return urlKey(&item)
}

func write(s *State, batch *frontier.Batch) error {
	batch.Commit = func([]bool) (map[string]int64, error) { return map[string]int64{"pages": 7}, nil }
	return s.Apply(context.Background(), batch)
}

// changeKnown rewrites the record of a URL.
func changeKnown(name string, change func(*frontier.Known)) func(*bbolt.Tx) error {
	return func(tx *bbolt.Tx) error {
		b := tx.Bucket(urlsBucket)
		known, err := decodeKnown(b.Get(keyOf(name)))
		if err != nil {
			return err
		}
		change(&known)
		return b.Put(keyOf(name), encodeKnown(&known))
	}
}

// changeMeta rewrites the counters.
func changeMeta(change func(*meta)) func(*bbolt.Tx) error {
	return func(tx *bbolt.Tx) error {
		b := tx.Bucket(metaBucket)
		m, err := loadMeta(b)
		if err != nil {
			return err
		}
		change(&m)
		return b.Put([]byte("state"), m.encode())
	}
}

func offer(name string) func(*State) error {
	return func(s *State) error {
		return write(s, &frontier.Batch{Add: []frontier.Candidate{{Item: listed(name)}}})
	}
}

func finishPending(s *State) error {
	return write(s, &frontier.Batch{Finish: []frontier.Outcome{{Verb: frontier.VerbDone, Item: listed("pending")}}})
}

func readPending(s *State) error {
	_, err := s.Pending("a.example", 10)
	return err
}

func readTentative(s *State) error {
	_, err := s.Tentative(10)
	return err
}

func readInfo(s *State) error {
	_, err := s.Info()
	return err
}

func TestDamageIsFound(t *testing.T) {
	tests := []struct {
		name   string
		damage func(*bbolt.Tx) error
		do     func(*State) error
	}{
		{"changed record", func(tx *bbolt.Tx) error {
			record := bytes.Clone(tx.Bucket(urlsBucket).Get(keyOf("done")))
			record[2] ^= 1
			return tx.Bucket(urlsBucket).Put(keyOf("done"), record)
		}, offer("done")},
		{"broken record", func(tx *bbolt.Tx) error { return tx.Bucket(urlsBucket).Put(keyOf("done"), []byte{1}) }, offer("done")},
		{"unknown state", changeKnown("done", func(k *frontier.Known) { k.State = 9 }), offer("done")},
		{"unknown kind", changeKnown("done", func(k *frontier.Known) { k.Kind = 9 }), offer("done")},
		{"extreme place", changeKnown("pending", func(k *frontier.Known) { k.Place = math.MaxUint64 }), finishPending},
		{"queue without record", func(tx *bbolt.Tx) error { return tx.Bucket(urlsBucket).Delete(keyOf("pending")) }, readPending},
		{"queue with a URL that is done", changeKnown("pending", func(k *frontier.Known) { k.State = frontier.StateDone }), readPending},
		{"queue with a URL of another host", changeKnown("pending", func(k *frontier.Known) { k.URL = "https://b.example/pending" }), readPending},
		{"tentative list without record", func(tx *bbolt.Tx) error { return tx.Bucket(urlsBucket).Delete(keyOf("tentative")) }, readTentative},
		{"tentative list with a URL that is done", changeKnown("tentative", func(k *frontier.Known) { k.State = frontier.StateDone }), readTentative},
		{"tentative list with another URL", changeKnown("tentative", func(k *frontier.Known) { k.URL += "x" }), readTentative},
		{"host without pending URLs", func(tx *bbolt.Tx) error {
			return tx.Bucket(hostsBucket).Put(hostKey("a.example"), encodeHost(frontier.HostState{Host: "a.example"}))
		}, finishPending},
		{"host with more URLs than can be", func(tx *bbolt.Tx) error {
			return tx.Bucket(hostsBucket).Put(hostKey("a.example"), encodeHost(frontier.HostState{Host: "a.example", Pending: math.MaxInt64}))
		}, offer("new")},
		{"counter below the records", changeMeta(func(m *meta) { m.counters.Pending = 0 }), finishPending},
		{"counter at its limit", changeMeta(func(m *meta) { m.counters.Done = maxCount }), finishPending},
		{"counter beyond its limit", changeMeta(func(m *meta) { m.counters.Done = math.MaxInt64 }), readInfo},
		{"counter below zero", changeMeta(func(m *meta) { m.counters.Skipped = -1 }), readInfo},
		{"sequence at its end", changeMeta(func(m *meta) { m.sequence = math.MaxUint64 }), offer("new")},
		{"offset below zero", changeMeta(func(m *meta) { m.offsets["pages"] = -1 }), readInfo},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := damaged(t, test.damage)
			if err := test.do(s); !errors.Is(err, ErrDamaged) {
				t.Errorf("got %v, want ErrDamaged", err)
			}
			faults := 0
			err := s.Check(func(string, ...any) { faults++ })
			if faults == 0 && !errors.Is(err, ErrDamaged) {
				t.Errorf("got %d faults, %v from Check, want the damage found", faults, err)
			}
		})
	}
}

func TestCheckOfAWholeState(t *testing.T) {
	s := damaged(t, func(*bbolt.Tx) error { return nil })
	if err := s.Save(t.Context(), &robots.Document{Origin: "https://a.example", Status: http.StatusNotFound}); err != nil {
		t.Fatal(err)
	}
	err := s.Check(func(format string, args ...any) { t.Errorf("got fault %q, want none", fmt.Sprintf(format, args...)) })
	if err != nil {
		t.Fatal(err)
	}
}

func TestRobotsBodyThatDoesNotMatchItsDigest(t *testing.T) {
	tests := map[string]func(bodies *bbolt.Bucket, key []byte) error{
		"other body": func(bodies *bbolt.Bucket, key []byte) error {
			return bodies.Put(key, []byte("User-agent: *\nAllow: /\n"))
		},
		"cut body": func(bodies *bbolt.Bucket, key []byte) error { return bodies.Put(key, []byte("User-agent: *\n")) },
		"no body":  func(bodies *bbolt.Bucket, key []byte) error { return bodies.Delete(key) },
	}
	for name, damage := range tests {
		t.Run(name, func(t *testing.T) {
			s, _ := create(t)
			defer s.Close()
			document := &robots.Document{Origin: "https://a.example", Status: http.StatusOK, Body: []byte("User-agent: *\nDisallow: /\n")}
			if err := s.Save(t.Context(), document); err != nil {
				t.Fatal(err)
			}
			record := robotsRecord{Digest: document.Digest()}
			err := s.db.Update(func(tx *bbolt.Tx) error { return damage(tx.Bucket(bodiesBucket), record.key()) })
			if err != nil {
				t.Fatal(err)
			}
			if got, err := s.Load(t.Context(), document.Origin); got != nil || err != nil {
				t.Errorf("got %+v, %v, want nothing", got, err)
			}
			faults := 0
			if err := s.Check(func(string, ...any) { faults++ }); err != nil || faults != 1 {
				t.Errorf("got %d faults, %v from Check, want the body", faults, err)
			}
			if err := s.Save(t.Context(), document); err != nil {
				t.Fatal(err)
			}
			if got, err := s.Load(t.Context(), document.Origin); got == nil || err != nil {
				t.Errorf("got %+v, %v, want what was fetched again", got, err)
			}
		})
	}
}
