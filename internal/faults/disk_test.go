package faults_test

import (
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/decorum-crawler/decorum/internal/faults"
)

// TestDisk has what is left of files after the power failed, when nothing is left
// that was not synced.
func TestDisk(t *testing.T) {
	const create = syscall.O_CREAT
	for _, test := range []struct {
		name  string
		calls []faults.Call // paths are relative
		want  map[string]string
	}{
		{"nothing was done", nil, map[string]string{"old": "before"}},
		{
			"written, not synced",
			[]faults.Call{{Kind: faults.Open, Inode: 1, Path: "old"}, {Kind: faults.WriteAt, Inode: 1, Data: []byte("BEFORE and more")}},
			map[string]string{"old": "before"},
		},
		{
			"written and synced",
			[]faults.Call{
				{Kind: faults.Open, Inode: 1, Path: "old"},
				{Kind: faults.WriteAt, Inode: 1, Offset: 3, Data: []byte("ORE")},
				{Kind: faults.WriteAt, Inode: 1, Offset: 8, Data: []byte("x")},
				{Kind: faults.Sync, Inode: 1, Path: "old"},
				{Kind: faults.Truncate, Inode: 1},
			},
			map[string]string{"old": "befORE\x00\x00x"},
		},
		{
			"a call that failed",
			[]faults.Call{{Kind: faults.Open, Inode: 1, Path: "old"}, {Kind: faults.WriteAt, Inode: 1, Data: []byte("X"), Failed: true}, {Kind: faults.Sync, Inode: 1, Path: "old"}},
			map[string]string{"old": "before"},
		},
		{
			"a synced file whose name is not",
			[]faults.Call{
				{Kind: faults.Open, Inode: 2, Path: "new", Offset: create},
				{Kind: faults.Write, Inode: 2, Data: []byte("x")},
				{Kind: faults.Sync, Inode: 2, Path: "new"},
			},
			map[string]string{"old": "before"},
		},
		{
			"a synced name whose file is not",
			[]faults.Call{
				{Kind: faults.Open, Inode: 2, Path: "new", Offset: create},
				{Kind: faults.Write, Inode: 2, Data: []byte("x")},
				{Kind: faults.Sync, Path: "."},
			},
			map[string]string{"old": "before", "new": ""},
		},
		{
			"renamed over another",
			[]faults.Call{
				{Kind: faults.Open, Inode: 2, Path: "new", Offset: create},
				{Kind: faults.Write, Inode: 2, Data: []byte("x")},
				{Kind: faults.Sync, Inode: 2, Path: "new"},
				{Kind: faults.Rename, Path: "new", To: "old"},
				{Kind: faults.Sync, Path: "."},
			},
			map[string]string{"old": "x"},
		},
		{
			"in a folder whose name is not synced",
			[]faults.Call{
				{Kind: faults.Mkdir, Path: "folder"},
				{Kind: faults.Open, Inode: 2, Path: "folder/new", Offset: create},
				{Kind: faults.Sync, Path: "folder"},
			},
			map[string]string{"old": "before"},
		},
		{
			"removed",
			[]faults.Call{{Kind: faults.Remove, Path: "old"}, {Kind: faults.Sync, Path: "."}},
			map[string]string{},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			base, disk := newDisk(t)
			for _, c := range test.calls {
				c.Path = filepath.Join(base, c.Path)
				if c.To != "" {
					c.To = filepath.Join(base, c.To)
				}
				if err := disk.Replay([]faults.Call{c}); err != nil {
					t.Fatal(err)
				}
			}
			if err := disk.Crash(nil); err != nil {
				t.Fatal(err)
			}
			if got := contents(t, base); !maps.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// TestDiskWithAPart has each number of the writes that were not synced.
func TestDiskWithAPart(t *testing.T) {
	base, disk := newDisk(t)
	if err := disk.Replay([]faults.Call{
		{Kind: faults.Open, Inode: 1, Path: filepath.Join(base, "old")},
		{Kind: faults.WriteAt, Inode: 1, Data: []byte("A")},
		{Kind: faults.WriteAt, Inode: 1, Offset: 1, Data: []byte("B")},
	}); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	random := rand.New(rand.NewPCG(1, 1)) //nolint:gosec // must be repeatable
	for range 50 {
		if err := disk.Crash(random); err != nil {
			t.Fatal(err)
		}
		seen[contents(t, base)["old"]] = true
	}
	if want := map[string]bool{"before": true, "Aefore": true, "ABfore": true}; !maps.Equal(seen, want) {
		t.Errorf("got %v, want %v", seen, want)
	}
}

func newDisk(t *testing.T) (string, *faults.Disk) {
	t.Helper()
	base := t.TempDir()
	if err := os.WriteFile(filepath.Join(base, "old"), []byte("before"), 0o600); err != nil {
		t.Fatal(err)
	}
	disk, err := faults.NewDisk(base)
	if err != nil {
		t.Fatal(err)
	}
	return base, disk
}

// contents returns the contents of the files in a folder by their names.
func contents(t *testing.T, base string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(base, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		files[strings.TrimPrefix(name, base+"/")] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
