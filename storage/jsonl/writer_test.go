package jsonl

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func root(t *testing.T) (*os.Root, string) {
	t.Helper()
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	return root, dir
}

func TestOpenTruncatesToTheCommittedOffset(t *testing.T) {
	root, dir := root(t)
	w, err := Open(root, "pages.jsonl", 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Append([]byte("{\"a\":1}\n")); err != nil {
		t.Fatal(err)
	}
	offset, err := w.Flush()
	if err != nil || offset != 8 {
		t.Fatalf("got %d, %v, want 8", offset, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "pages.jsonl"), []byte("{\"a\":1}\n{\"torn"), 0o600); err != nil {
		t.Fatal(err)
	}
	again, err := Open(root, "pages.jsonl", offset)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if err := again.Append([]byte("{\"b\":2}\n")); err != nil {
		t.Fatal(err)
	}
	if _, err := again.Flush(); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(dir, "pages.jsonl"))
	if want := "{\"a\":1}\n{\"b\":2}\n"; err != nil || string(got) != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}

func TestOpenRefuses(t *testing.T) {
	root, dir := root(t)
	if _, err := Open(root, "pages.jsonl", 5); !errors.Is(err, ErrShort) {
		t.Errorf("got %v, want the file to be too short", err)
	}
	victim := filepath.Join(t.TempDir(), "victim")
	if err := os.WriteFile(victim, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(victim, filepath.Join(dir, "link.jsonl")); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(root, "link.jsonl", 0); err == nil {
		t.Error("got no error for a link out of the directory")
	}
	if got, _ := os.ReadFile(victim); string(got) != "precious" {
		t.Errorf("got %q at the target of the link, want it unchanged", got)
	}
}
