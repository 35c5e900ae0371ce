package atomicfile_test

import (
	"io"
	"path/filepath"
	"slices"
	"testing"

	"github.com/decorum-crawler/decorum/internal/atomicfile"
)

// add adds to a set a file that contains its own name.
func add(t *testing.T, s *atomicfile.Set, name string) {
	t.Helper()
	file, err := s.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(file, name); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestSetCommitsTogether(t *testing.T) {
	root, dir := open(t)
	put(t, filepath.Join(dir, ".index.new"), "left by a killed process")
	s := atomicfile.NewSet(root, 0o644)
	add(t, s, "part")
	add(t, s, "index")
	if got := listing(t, dir); !slices.Equal(got, []string{".index.new", ".part.new"}) {
		t.Errorf("got %v before Commit", got)
	}
	if err := s.Commit(); err != nil {
		t.Fatal(err)
	}
	s.Abort()
	expect(t, filepath.Join(dir, "part"), "part")
	expect(t, filepath.Join(dir, "index"), "index")
	if got := listing(t, dir); len(got) != 2 {
		t.Errorf("got %v", got)
	}
}

// Commit renames in the order of Create, so the names after one that fails keep
// their old files.
func TestSetCommitsInOrder(t *testing.T) {
	root, dir := open(t)
	put(t, filepath.Join(dir, "c"), "old")
	s := atomicfile.NewSet(root, 0o644)
	for _, name := range []string{"a", "b", "c"} {
		add(t, s, name)
	}
	if err := root.Mkdir("b", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := s.Commit(); err == nil {
		t.Error("a folder is replaced")
	}
	s.Abort()
	expect(t, filepath.Join(dir, "a"), "a")
	expect(t, filepath.Join(dir, "c"), "old")
	if got := listing(t, dir); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("got %v", got)
	}
}

func TestSetAbortLeavesNothing(t *testing.T) {
	root, dir := open(t)
	s := atomicfile.NewSet(root, 0o644)
	add(t, s, "closed")
	if _, err := s.Create("open"); err != nil {
		t.Fatal(err)
	}
	s.Abort()
	if got := listing(t, dir); len(got) > 0 {
		t.Errorf("got %v", got)
	}
}
