package atomicfile_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/decorum-crawler/decorum/internal/atomicfile"
)

func open(t *testing.T) (root *os.Root, dir string) {
	t.Helper()
	dir = t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	return root, dir
}

func TestWriteReplaces(t *testing.T) {
	root, dir := open(t)
	if err := root.Mkdir("in", 0o700); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"first", "2"} {
		if err := atomicfile.WriteData(root, "in/file", []byte(want)); err != nil {
			t.Fatal(err)
		}
		if got, err := root.ReadFile("in/file"); string(got) != want {
			t.Errorf("got %q, %v, want %q", got, err, want)
		}
	}
	info, err := os.Stat(filepath.Join(dir, "in", "file"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got %v, %v, want a file for its owner only", info, err)
	}
	if names, _ := filepath.Glob(filepath.Join(dir, "in", "*")); len(names) != 1 {
		t.Errorf("got %v, want only the file", names)
	}
}

func TestFailureLeavesTheFile(t *testing.T) {
	root, dir := open(t)
	if err := atomicfile.WriteData(root, "file", []byte("old")); err != nil {
		t.Fatal(err)
	}
	errBroken := errors.New("broken")
	err := atomicfile.Write(root, "file", func(out io.Writer) error {
		_, err := io.WriteString(out, "a part")
		return errors.Join(err, errBroken)
	})
	if got, _ := root.ReadFile("file"); string(got) != "old" || !errors.Is(err, errBroken) {
		t.Errorf("got %q, %v, want the old file and the error", got, err)
	}
	if err := atomicfile.WriteData(root, "none/file", nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v, want that the folder is not there", err)
	}
	if names, _ := filepath.Glob(filepath.Join(dir, "*")); len(names) != 1 {
		t.Errorf("got %v, want only the file", names)
	}
}
