package storage

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"go.etcd.io/bbolt"

	"github.com/decorum-crawler/decorum/frontier"
)

func TestCompact(t *testing.T) {
	s, path := create(t)
	var all []frontier.Candidate
	for i := range 20_000 {
		all = append(all, frontier.Candidate{Item: listed(fmt.Sprint(i))})
	}
	var done []frontier.Outcome
	for _, c := range all {
		done = append(done, frontier.Outcome{Verb: frontier.VerbDone, Item: c.Item})
	}
	for _, batch := range []*frontier.Batch{{Add: all}, {Finish: done[1:]}} {
		if err := write(s, batch); err != nil {
			t.Fatal(err)
		}
	}
	want, err := s.Info()
	if err := errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	before, after, err := Compact(path)
	info, failed := os.Stat(path)
	if err := errors.Join(err, failed); err != nil || after != info.Size() || after >= before*3/4 {
		t.Fatalf("got %d to %d bytes, %v, want much less than before", before, after, err)
	}
	again, err := Open(path, false)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if err := again.Check(func(format string, args ...any) { t.Errorf(format, args...) }); err != nil {
		t.Error(err)
	}
	if got, err := again.Info(); err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
	if err := write(again, &frontier.Batch{Finish: done[:1]}); err != nil {
		t.Errorf("got %v, want that the crawl goes on", err)
	}
}

func TestCompactRefusesDamage(t *testing.T) {
	s := damaged(t, func(tx *bbolt.Tx) error { return tx.Bucket(urlsBucket).Delete(keyOf("done")) })
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(s.path)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := Compact(s.path); !errors.Is(err, ErrDamaged) {
		t.Errorf("got %v, want ErrDamaged", err)
	}
	after, err := os.ReadFile(s.path)
	if err != nil || string(after) != string(before) {
		t.Errorf("got a changed file, %v", err)
	}
	if _, _, err := Compact(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v, want ErrNotExist", err)
	}
}

// TestOneMetaOfACompactState damages the page that names the last transaction.
func TestOneMetaOfACompactState(t *testing.T) {
	s, path := create(t)
	if err := write(s, &frontier.Batch{Add: []frontier.Candidate{{Item: listed("pending")}}}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Compact(path); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for meta := range 2 {
		data := append([]byte(nil), whole...)
		clear(data[meta*os.Getpagesize() : (meta+1)*os.Getpagesize()])
		name := filepath.Join(t.TempDir(), "crawl.db")
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
		one, err := Open(name, true)
		if err != nil {
			if !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrNotOurs) {
				t.Error(err)
			}
			continue
		}
		if info, err := one.Info(); err != nil || info.Counters.Pending != 1 || info.Offsets["pages"] != 7 {
			t.Errorf("got %+v, %v, want the whole state", info, err)
		}
		_ = one.Close()
	}
}
