package atomicfile_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/decorum-crawler/decorum/internal/atomicfile"
)

func TestReplaceLines(t *testing.T) {
	root, dir := open(t)
	long := strings.Repeat("x", 600_000)
	name := filepath.Join(dir, "lines")
	if err := os.WriteFile(name, []byte("keep\nsecret\n"+long+"secret\nsecret torn"), 0o600); err != nil {
		t.Fatal(err)
	}
	hide := func(line []byte) ([]byte, error) {
		if !bytes.Contains(line, []byte("secret")) {
			return nil, nil
		}
		return bytes.ReplaceAll(line, []byte("secret"), []byte("------")), nil
	}
	for range 2 {
		if err := atomicfile.ReplaceLines(root, "lines", hide); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(name)
		if want := "keep\n------\n" + long + "------\nsecret torn"; err != nil || string(got) != want {
			t.Errorf("got %.40q, %v", got, err)
		}
	}
	longer := func([]byte) ([]byte, error) { return []byte("longer\n"), nil }
	if err := atomicfile.ReplaceLines(root, "lines", longer); !errors.Is(err, atomicfile.ErrLength) {
		t.Errorf("got %v, want the length refused", err)
	}
	errOwn := errors.New("own")
	if err := atomicfile.ReplaceLines(root, "lines", func([]byte) ([]byte, error) { return nil, errOwn }); !errors.Is(err, errOwn) {
		t.Errorf("got %v, want the error of change", err)
	}
	if err := atomicfile.ReplaceLines(root, "none", hide); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want that it is not there", err)
	}
}
