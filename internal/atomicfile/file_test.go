package atomicfile_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/decorum-crawler/decorum/internal/atomicfile"
)

func listing(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{}
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}

func put(t *testing.T, name, data string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(data), 0o600); err != nil {
		t.Fatal(err)
	}
}

func expect(t *testing.T, name, want string) {
	t.Helper()
	if got, err := os.ReadFile(name); err != nil || string(got) != want {
		t.Errorf("%s: got %q, %v, want %q", filepath.Base(name), got, err, want)
	}
}

func TestFileHasItsNameAfterCommit(t *testing.T) {
	root, dir := open(t)
	put(t, filepath.Join(dir, "file"), "old")
	put(t, filepath.Join(dir, ".file.new"), "left by a killed process")
	file, err := atomicfile.Create(root, "file", 0o640)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Abort()
	if _, err := io.WriteString(file, "new"); err != nil {
		t.Fatal(err)
	}
	expect(t, filepath.Join(dir, "file"), "old")
	if err := file.Commit(); err != nil {
		t.Fatal(err)
	}
	file.Abort()
	expect(t, filepath.Join(dir, "file"), "new")
	info, err := root.Stat("file")
	if err != nil || info.Mode().Perm()&^0o640 != 0 || len(listing(t, dir)) != 1 {
		t.Errorf("got %v, %v, %v", info, err, listing(t, dir))
	}
	if err := file.Commit(); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("got %v of a second Commit", err)
	}
}

func TestAbortLeavesNothing(t *testing.T) {
	root, dir := open(t)
	file, err := atomicfile.Create(root, "file", 0o600)
	if err != nil {
		t.Fatal(err)
	}
	file.Abort()
	if err := file.Commit(); !errors.Is(err, fs.ErrClosed) || len(listing(t, dir)) > 0 {
		t.Errorf("got %v, %v", err, listing(t, dir))
	}
}

func TestSecondWriterIsNoticed(t *testing.T) {
	root, dir := open(t)
	first, err := atomicfile.Create(root, "file", 0o600)
	if err != nil {
		t.Fatal(err)
	}
	second, err := atomicfile.Create(root, "file", 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Commit(); !errors.Is(err, atomicfile.ErrTaken) {
		t.Errorf("got %v, want ErrTaken", err)
	}
	first.Abort()
	if err := second.Commit(); err != nil {
		t.Error(err)
	}
	if got := listing(t, dir); !slices.Equal(got, []string{"file"}) {
		t.Errorf("got %v", got)
	}
}

func TestLinksAreNotFollowed(t *testing.T) {
	root, dir := open(t)
	outside := t.TempDir()
	target := filepath.Join(outside, "target")
	put(t, target, "outside")
	for name, to := range map[string]string{"out": outside, "file": target, ".other.new": target} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := atomicfile.WriteData(root, "out/target", []byte("new")); err == nil {
		t.Error("a folder out of the root is written to")
	}
	if err := atomicfile.WriteData(root, "other", []byte("new")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("got %v of a draft that is a link", err)
	}
	if err := atomicfile.WriteData(root, "file", []byte("new")); err != nil {
		t.Error(err)
	}
	expect(t, filepath.Join(dir, "file"), "new")
	expect(t, target, "outside")
	if got := listing(t, outside); len(got) != 1 {
		t.Errorf("got %v outside", got)
	}
}

func TestCreateAndReplaceFunc(t *testing.T) {
	_, dir := open(t)
	name := filepath.Join(dir, "state")
	put(t, filepath.Join(dir, ".state.new"), "left by a killed process")
	errOwn := errors.New("own")
	fill := func(draft string) error {
		if _, err := os.Lstat(draft); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("got %v of the old draft", err)
		}
		return os.WriteFile(draft, []byte("new"), 0o600)
	}
	broken := func(draft string) error { return errors.Join(fill(draft), errOwn) }
	if err := atomicfile.CreateFunc(name, broken); !errors.Is(err, errOwn) || len(listing(t, dir)) > 0 {
		t.Errorf("got %v, %v", err, listing(t, dir))
	}
	if err := atomicfile.CreateFunc(name, fill); err != nil {
		t.Error(err)
	}
	if err := atomicfile.CreateFunc(name, broken); !errors.Is(err, fs.ErrExist) {
		t.Errorf("got %v, want that the file exists", err)
	}
	expect(t, name, "new")
	put(t, name, "old")
	if err := atomicfile.ReplaceFunc(name, broken); !errors.Is(err, errOwn) || len(listing(t, dir)) != 1 {
		t.Errorf("got %v, %v", err, listing(t, dir))
	}
	expect(t, name, "old")
	if err := atomicfile.ReplaceFunc(name, fill); err != nil {
		t.Error(err)
	}
	expect(t, name, "new")
}

// TestUnreadableFolder has a folder that cannot be read when the draft gets its
// final name: nobody has taken the draft.
func TestUnreadableFolder(t *testing.T) {
	root, _ := open(t)
	file, err := atomicfile.Create(root, "file", 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if err := root.Close(); err != nil {
		t.Fatal(err)
	}
	if err := file.Commit(); errors.Is(err, atomicfile.ErrTaken) || !errors.Is(err, fs.ErrClosed) {
		t.Errorf("got %v, want that of the folder", err)
	}
}
