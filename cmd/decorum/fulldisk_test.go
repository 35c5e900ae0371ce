package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/decorum-crawler/decorum/crawler/crawldir"
	"github.com/decorum-crawler/decorum/internal/testsite"
)

// mountDisk mounts a file system of a size in bytes and returns its path.
func mountDisk(t *testing.T, size int64) string {
	t.Helper()
	disk := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", fmt.Sprintf("size=%d", size), "tmpfs", disk).CombinedOutput(); err != nil {
		t.Skipf("needs the right to mount: %v %s", err, out)
	}
	t.Cleanup(func() { _ = exec.Command("umount", disk).Run() })
	return disk
}

func resizeDisk(t *testing.T, disk string, size int64) {
	t.Helper()
	if out, err := exec.Command("mount", "-o", fmt.Sprintf("remount,size=%d", size), disk).CombinedOutput(); err != nil {
		t.Fatalf("remount: %v %s", err, out)
	}
}

// usedBytes returns the space in use on a file system.
func usedBytes(t *testing.T, disk string) int64 {
	t.Helper()
	var stat syscall.Statfs_t
	if err := syscall.Statfs(disk, &stat); err != nil {
		t.Fatal(err)
	}
	return int64(stat.Blocks-stat.Bfree) * stat.Bsize
}

const shardRows = 10 // of a corpus on a full disk

// halfShards returns the incomplete document files of a corpus that have a final
// name, and those that have a hidden one.
func halfShards(t *testing.T, folder string) (half, hidden []string, whole int) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(folder, "documents"), func(path string, entry fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil || entry.IsDir():
			return err
		case strings.HasPrefix(entry.Name(), "."):
			hidden = append(hidden, path)
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		lines := bytes.SplitAfter(data, []byte("\n"))
		rows := lines[:len(lines)-1]
		if len(rows) != shardRows || len(lines[len(rows)]) != 0 || !json.Valid(rows[len(rows)-1]) {
			half = append(half, path)
			return nil
		}
		whole++
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return half, hidden, whole
}

// documentCounts counts the documents of a corpus by URL.
func documentCounts(t *testing.T, folder string) map[string]int {
	t.Helper()
	counts := map[string]int{}
	for _, d := range documentsOf(t, folder) {
		counts[d.URL]++
	}
	return counts
}

// goesOn is the hint of a crawl on a full disk.
const goesOn = "then run decorum resume"

// fails runs a command for which the disk is too small; hint says how to resume.
func fails(t *testing.T, hint, program string, args ...string) {
	t.Helper()
	life := start(t, program, args...)
	code, said := life.code(), life.err.String()
	if code != exitIO || strings.Count(said, "no space left on device") != 1 || !strings.Contains(said, "hint: free some space, "+hint) {
		t.Fatalf("%s: got %d, %q, want 4, why and what to do", args[0], code, said)
	}
}

// TestCorpusFullDiskEvidence has no space for a robots.txt. A part of one must not
// be mistaken for the whole file later.
func TestCorpusFullDiskEvidence(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	program, disk := program(t), mountDisk(t, 320<<10)
	web := testsite.New()
	defer web.Close()
	site := web.Site("farm")
	site.Robots("User-agent: __usage_ai-training\nAllow: /\n" + strings.Repeat("# a long comment about nothing at all\n", 400<<10/38))
	site.Page("/", "<body>"+article)
	folder := filepath.Join(disk, "corpus")
	fails(t, goesOn, program, "corpus", "build", "-o", folder, "--delay", "0", "--min-free-disk", "0", "--progress", "none", site.URL()+"/")
	resizeDisk(t, disk, 64<<20)
	finish(t, program, "resume", folder, "--progress", "none")
	finish(t, program, "corpus", "verify", folder)
	if got := documentCounts(t, folder); len(got) != 1 {
		t.Errorf("got %v, want the page", got)
	}
}

// TestFromWARCFullDisk reads an archive onto a file system that is too small.
func TestFromWARCFullDisk(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	program, disk := program(t), mountDisk(t, 100<<10)
	_, _, crawl := buildFarm(t, "--store", "warc")
	folder := filepath.Join(disk, "made")
	args := []string{"corpus", "build", "-o", folder, "--progress", "none", "--from-warc", filepath.Join(crawl, crawldir.ArchiveDir, "00000.warc.gz")}
	fails(t, "then run the same command with -o "+folder, program, args...)
	resizeDisk(t, disk, 64<<20)
	finish(t, program, args...)
	finish(t, program, "corpus", "verify", folder)
	if diff := cmp.Diff(byURL(t, crawl), byURL(t, folder)); diff != "" {
		t.Errorf("documents of the crawl and of its archive: %s", diff)
	}
}

// TestCorpusFullDisk builds on file systems that are too small, for the crawl or
// only for the shards that are made from it. Once there is space again, resume
// completes both.
func TestCorpusFullDisk(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	const roomy = 256 << 20
	program, disk := program(t), mountDisk(t, roomy)
	web := testsite.New()
	defer web.Close()
	site := web.Site("shop")
	testsite.FullShop(site, 100, testsite.ShopOptions{Words: 6000, Training: []string{"Allow: /"}})
	build := func(folder string) []string {
		return []string{
			"corpus", "build", "-o", folder, "--delay", "0", "--min-free-disk", "0", "--progress", "none",
			"--format", "jsonl", "--shard-rows", fmt.Sprint(shardRows), site.URL() + "/",
		}
	}
	folder := filepath.Join(disk, "corpus")
	finish(t, program, build(folder)...)
	want, all := documentCounts(t, folder), usedBytes(t, disk)
	if err := os.RemoveAll(filepath.Join(folder, "documents")); err != nil {
		t.Fatal(err)
	}
	crawl := usedBytes(t, disk)
	t.Logf("%d documents; the crawl takes %d bytes, its shards %d", len(want), crawl, all-crawl)

	for _, test := range []struct {
		name string
		size int64
		some bool // a shard was finished
	}{
		{"during the crawl", crawl / 2, false},
		{"while shards are written", crawl + (all-crawl)/2, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			disk := mountDisk(t, test.size)
			folder := filepath.Join(disk, "corpus")
			for _, args := range [][]string{build(folder), {"resume", folder, "--progress", "none"}} {
				fails(t, goesOn, program, args...)
				half, hidden, whole := halfShards(t, folder)
				if len(half) > 0 || len(hidden) > 0 || (whole > 0) != test.some {
					t.Errorf("%s: got half shards %q, hidden ones %q, %d whole", args[0], half, hidden, whole)
				}
			}
			resizeDisk(t, disk, roomy)
			finish(t, program, "resume", folder, "--progress", "none")
			finish(t, program, "state", "verify", folder)
			finish(t, program, "corpus", "verify", folder)
			if got := documentCounts(t, folder); !maps.Equal(got, want) {
				t.Errorf("got %v, want %v, each once", got, want)
			}
		})
	}
}
