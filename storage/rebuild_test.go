package storage

import (
	"errors"
	"os"
	"testing"

	"github.com/decorum-crawler/decorum/frontier"
)

func TestRebuild(t *testing.T) {
	s, path := create(t)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	restored := func(name string, state frontier.State) frontier.Known {
		k := frontier.Known{State: state}
		k.Item = listed(name)
		return k
	}
	fill := func(s *State) error {
		return s.Restore([]frontier.Known{
			restored("done", frontier.StateDone), restored("skipped", frontier.StateSkipped), restored("pending", frontier.StatePending),
		}, []frontier.HostState{{Host: "a.example", Gap: 5}}, map[string]int64{"pages": 7})
	}
	for _, want := range []string{path + ".damaged", path + ".damaged.2", ""} {
		if want == "" {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		} else if err := os.WriteFile(path, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
		kept, err := Rebuild(path, "TEST", fill)
		if err != nil || kept != want {
			t.Fatalf("got %q, %v, want %q", kept, err, want)
		}
		if want != "" {
			if data, err := os.ReadFile(kept); err != nil || string(data) != want {
				t.Errorf("got %q, %v, want the old file kept", data, err)
			}
		}
	}
	again, err := Open(path, false)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if err := again.Check(func(format string, args ...any) { t.Errorf(format, args...) }); err != nil {
		t.Error(err)
	}
	if err := again.Offer([]frontier.Candidate{{Item: listed("done")}, {Item: listed("new")}, {Item: listed("out"), Skip: frontier.SkipOutOfScope}}); err != nil {
		t.Error(err)
	}
	info, err := again.Info()
	if err != nil || info.Run != "TEST" || info.Offsets["pages"] != 7 || info.Counters != (frontier.Counters{Pending: 2, Done: 1, Skipped: 1}) {
		t.Errorf("got %+v, %v", info, err)
	}
	if h, ok, err := again.Host("a.example"); err != nil || !ok || h.Gap != 5 || h.Pending != 2 {
		t.Errorf("got %+v, %v, %v", h, ok, err)
	}
}

func TestRebuildThatFails(t *testing.T) {
	s, path := create(t)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	twice := func(s *State) error {
		k := frontier.Known{State: frontier.StateDone}
		k.Item = listed("done")
		return s.Restore([]frontier.Known{k, k}, nil, nil)
	}
	if _, err := Rebuild(path, "", twice); !errors.Is(err, ErrTwice) {
		t.Errorf("got %v, want ErrTwice", err)
	}
	after, err := os.ReadFile(path)
	if err != nil || string(after) != string(before) {
		t.Errorf("got another file, %v", err)
	}
}
