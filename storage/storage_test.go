package storage

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/decorum-crawler/decorum/frontier"
	"github.com/decorum-crawler/decorum/frontier/frontiertest"
)

func create(t testing.TB) (*State, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "crawl.db")
	s, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	return s, path
}

func TestFrontierStore(t *testing.T) {
	frontiertest.Run(t, func(t *testing.T) frontier.Store {
		s, _ := create(t)
		t.Cleanup(func() { _ = s.Close() })
		return s
	})
}

func BenchmarkFrontierStore(b *testing.B) {
	frontiertest.Benchmark(b, func(b *testing.B) frontier.Store {
		s, _ := create(b)
		b.Cleanup(func() { _ = s.Close() })
		return s
	})
}

func TestStateOutlivesTheProcess(t *testing.T) {
	s, path := create(t)
	item := frontier.Item{URL: "https://a.example/1", Source: frontier.SourceSeed}
	err := s.Apply(t.Context(), &frontier.Batch{
		Add:    []frontier.Candidate{{Item: item}},
		Commit: func([]bool) (map[string]int64, error) { return map[string]int64{"pages": 12}, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := Open(path, true)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	info, err := again.Info()
	if err != nil || info.Offsets["pages"] != 12 || info.Counters.Pending != 1 || info.Commits != 1 || info.Run == "" {
		t.Errorf("got %+v, %v, want one pending and offset 12", info, err)
	}
	got, state, err := again.Lookup(item)
	if err != nil || state != frontier.StatePending || got.Source != frontier.SourceSeed {
		t.Errorf("got %+v, %v, %v, want the pending seed", got, state, err)
	}
}

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	s, path := create(t)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	if _, err := Open(path, false); !errors.Is(err, ErrLocked) || time.Since(start) > 20*time.Second {
		t.Errorf("got %v after %v, want locked, not a wait without end", err, time.Since(start))
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(filepath.Join(dir, "none.db"), false); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v, want ErrNotExist", err)
	}
	if _, err := Open(write("empty.db", nil), false); !errors.Is(err, ErrDamaged) {
		t.Errorf("got %v, want damaged", err)
	}
	if _, err := Open(write("text.db", []byte("hello, world, this is text")), false); err == nil {
		t.Error("got no error for a text file")
	}
	if _, err := Open(write("half.db", whole[:len(whole)/2]), false); err == nil {
		t.Error("got no error for half a file")
	}
	if _, err := Open(write("page.db", whole[:4096]), false); !errors.Is(err, ErrDamaged) {
		t.Errorf("got %v for one page, want damaged", err)
	}
	if _, err := Create(path); !errors.Is(err, os.ErrExist) {
		t.Errorf("got %v, want ErrExist", err)
	}
}

func FuzzDecodeKnown(f *testing.F) {
	k := frontier.Known{State: frontier.StatePending, Place: 9}
	k.URL, k.Via, k.NotBefore = "https://a.example/", "https://b.example/", time.Unix(5, 0)
	f.Add(encodeKnown(&k))
	f.Fuzz(func(t *testing.T, data []byte) {
		k, err := decodeKnown(data)
		if err != nil {
			return
		}
		again, err := decodeKnown(encodeKnown(&k))
		if err != nil || again != k {
			t.Fatalf("got %+v, %v, want %+v", again, err, k)
		}
	})
}

func TestBrokenRecordIsDamage(t *testing.T) {
	if !errors.Is(errRecord, ErrDamaged) {
		t.Errorf("got %v, want an error that is ErrDamaged", errRecord)
	}
}
