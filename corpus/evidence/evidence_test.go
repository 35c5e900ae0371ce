package evidence_test

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/decorum-crawler/decorum/corpus/evidence"
	"github.com/decorum-crawler/decorum/robots"
)

var at = time.Date(2026, 11, 2, 3, 4, 5, 6_000_000, time.UTC)

func openRoot(t *testing.T) *os.Root {
	t.Helper()
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	return root
}

func names(t *testing.T, root *os.Root, dir string) []string {
	t.Helper()
	entries, err := fs.ReadDir(root.FS(), dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, entry := range entries {
		all = append(all, entry.Name())
	}
	return all
}

func document() *robots.Document {
	return &robots.Document{
		Origin: "https://h.example", FinalURL: "https://h.example/robots.txt", Status: 200, Body: []byte(robotsBody),
		Header: http.Header{"Content-Type": {"text/plain"}}, FetchedAt: at,
	}
}

const robotsBody = "User-agent: *\nDisallow: /private\n"

func TestKeepRobots(t *testing.T) {
	root := openRoot(t)
	d := document()
	if err := evidence.New(root).KeepRobots(d); err != nil {
		t.Fatal(err)
	}
	body, err := root.ReadFile("robots/" + d.Digest() + ".txt")
	if err != nil || string(body) != robotsBody {
		t.Errorf("got %q, %v, want the bytes as they were", body, err)
	}
	note, err := root.ReadFile("robots/e9a09548a48994ac-1793588645006.json")
	if err != nil {
		t.Fatalf("%v, got %v", err, names(t, root, "robots"))
	}
	want := fmt.Sprintf(`{
  "schema": "decorum.robots/1",
  "origin": "https://h.example",
  "final_url": "https://h.example/robots.txt",
  "status": 200,
  "class": "available",
  "fetched_at": "2026-11-02T03:04:05.006Z",
  "digest": %q,
  "bytes": 33,
  "truncated": false,
  "headers": {
    "Content-Type": [
      "text/plain"
    ]
  },
  "error": ""
}
`, d.Digest())
	if diff := cmp.Diff(string(note), want); diff != "" {
		t.Error(diff)
	}
}

func TestKeepFile(t *testing.T) {
	root := openRoot(t)
	s := evidence.New(root)
	if err := s.KeepFile(evidence.File{URL: "https://h.example/ai.txt", Status: 200, Body: []byte("no\n"), FetchedAt: at}); err != nil {
		t.Fatal(err)
	}
	if err := s.KeepFile(evidence.File{URL: "https://h.example/none", Status: 404, Body: []byte("not found"), FetchedAt: at}); err != nil {
		t.Fatal(err)
	}
	bodies, notes := 0, 0
	for _, name := range names(t, root, "evidence") {
		if strings.Contains(name, "ai.txt") || strings.Contains(name, "none") {
			t.Errorf("%s has a part of a URL in it", name)
		}
		if strings.HasSuffix(name, ".body") {
			bodies++
		} else {
			notes++
		}
	}
	if bodies != 1 || notes != 2 {
		t.Errorf("got %d bodies and %d notes, want 1 and 2: what is not 2xx has no body", bodies, notes)
	}
}

func TestLoad(t *testing.T) {
	root := openRoot(t)
	s := evidence.New(root)
	d := document()
	if err := s.KeepRobots(d); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Load(d.Digest()); err != nil || string(got) != robotsBody {
		t.Errorf("got %q, %v, want the robots.txt", got, err)
	}
	if _, err := s.Load(strings.Repeat("0", 64)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want fs.ErrNotExist", err)
	}
	if err := root.WriteFile("robots/"+d.Digest()+".txt", []byte("User-agent: *\nAllow: /\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Load(d.Digest()); !errors.Is(err, evidence.ErrDigest) {
		t.Errorf("got %v, want ErrDigest", err)
	}
}

func TestWhatIsKeptNeverChanges(t *testing.T) {
	root := openRoot(t)
	s := evidence.New(root)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if err := s.KeepRobots(document()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got := names(t, root, "robots"); len(got) != 2 {
		t.Errorf("got %v, want the bytes once and one note", got)
	}
}

func TestNotes(t *testing.T) {
	root := openRoot(t)
	s := evidence.New(root)
	for range s.Notes() {
		t.Error("got a note of an empty directory")
	}
	d := document()
	unreached := &robots.Document{Origin: "https://down.example", FinalURL: "https://down.example/robots.txt", Err: errors.New("no route"), FetchedAt: at}
	err := errors.Join(s.KeepRobots(d), s.KeepRobots(unreached),
		s.KeepFile(evidence.File{URL: "https://h.example/ai.txt", Status: 404, FetchedAt: at}),
		root.WriteFile("evidence/pages.jsonl", []byte("{}\n"), 0o600)) // of the corpus
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]evidence.Note{}
	for note, err := range s.Notes() {
		if err != nil {
			t.Fatal(err)
		}
		got[note.URL] = note
	}
	when := at.Format(time.RFC3339Nano)
	want := map[string]evidence.Note{
		d.FinalURL:                 {Schema: evidence.RobotsSchema, URL: d.FinalURL, Status: 200, FetchedAt: when, SHA256: d.Digest()},
		unreached.FinalURL:         {Schema: evidence.RobotsSchema, URL: unreached.FinalURL, FetchedAt: when, Error: "no route"},
		"https://h.example/ai.txt": {Schema: evidence.FileSchema, URL: "https://h.example/ai.txt", Status: 404, FetchedAt: when},
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Error(diff)
	}
	if err := root.WriteFile("robots/0.json", []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, err := range s.Notes() {
		if err == nil {
			t.Error("got a note, want the error of a damaged one first and alone")
		}
	}
}

func TestRobots(t *testing.T) {
	root := openRoot(t)
	store := evidence.New(root)
	first, last, changed, away := document(), document(), document(), document()
	last.FetchedAt, last.Body = at.Add(time.Hour), []byte("User-agent: *\nAllow: /\n")
	changed.Origin, changed.Body = "https://changed.example", []byte("User-agent: *\nDisallow: /x\n")
	away.Origin, away.Status, away.Body = "https://away.example", 500, nil
	for _, d := range []*robots.Document{last, first, changed, away} {
		if err := store.KeepRobots(d); err != nil {
			t.Fatal(err)
		}
	}
	if err := root.WriteFile("robots/"+changed.Digest()+".txt", []byte("changed"), 0o600); err != nil {
		t.Fatal(err)
	}
	var got []string
	for d, err := range store.Robots() {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, d.Origin+" "+d.FetchedAt.String()+" "+d.Header.Get("Content-Type")+" "+string(d.Body))
	}
	want := []string{
		"https://h.example " + first.FetchedAt.String() + " text/plain " + string(first.Body),
		"https://h.example " + last.FetchedAt.String() + " text/plain " + string(last.Body),
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Error(diff)
	}
}
