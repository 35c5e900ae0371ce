package atomicfile_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/decorum-crawler/decorum/internal/atomicfile"
)

func TestMkdirAll(t *testing.T) {
	base := t.TempDir()
	t.Chdir(base)
	for _, name := range []string{"a", "b/c/d", "b/c/e/", filepath.Join(base, "f", "g"), "b/c/d", "."} {
		if err := atomicfile.MkdirAll(name, 0o700); err != nil {
			t.Errorf("%s: got %v", name, err)
		}
		if info, err := os.Stat(name); err != nil || !info.IsDir() {
			t.Errorf("%s: got %v, %v, want a folder", name, info, err)
		}
	}
	if err := os.WriteFile("file", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"file", "file/a", "file/a/b"} {
		if err := atomicfile.MkdirAll(name, 0o700); err == nil {
			t.Errorf("%s: got no error", name)
		}
	}
}

func TestMakeFolder(t *testing.T) {
	root, dir := open(t)
	for _, name := range []string{"a", "b/c/d", "b/c", "."} {
		if err := atomicfile.MakeFolder(root, name); err != nil {
			t.Errorf("%s: got %v", name, err)
		}
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || !info.IsDir() || info.Mode().Perm()&0o077 != 0 && name != "." {
			t.Errorf("%s: got %v, %v, want a folder for its owner alone", name, info, err)
		}
	}
	if err := atomicfile.MakeFolder(root, "../x"); err == nil {
		t.Error("got no error outside of root")
	}
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.MakeFolder(root, "file/a"); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want that a file is in the way", err)
	}
}
