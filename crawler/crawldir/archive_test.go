package crawldir_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/decorum-crawler/decorum/crawler/crawldir"
)

func TestArchiveIn(t *testing.T) {
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	none := crawldir.ArchiveIn(root)
	exists, err := none.Exists()
	files, failed := none.Files()
	if err := errors.Join(err, failed, none.SortIndex()); exists || len(files) > 0 || err != nil {
		t.Errorf("got %v, %v, %v, want no archive", exists, files, err)
	}
	path, _ := newCrawl(t, crawldir.Options{})
	archive := look(t, path).Archive()
	if exists, err := archive.Exists(); !exists || err != nil {
		t.Errorf("got %v, %v, want an archive", exists, err)
	}
	if files, err := archive.Files(); len(files) < 2 || files[0] != "warc/00000.warc.gz" || err != nil {
		t.Errorf("got %v, %v, want several files", files, err)
	}
}

func TestSortIndex(t *testing.T) {
	path, _ := newCrawl(t, crawldir.Options{})
	sorted := bytes.SplitAfter(readFile(t, filepath.Join(path, crawldir.IndexName)), []byte("\n"))
	captures := bytes.SplitAfter(readFile(t, filepath.Join(path, crawldir.CapturesName)), []byte("\n"))
	if last := len(sorted) - 1; len(sorted) != len(captures) || !slices.IsSortedFunc(sorted[:last], bytes.Compare) {
		t.Errorf("got %d lines of %d, in order: %v", len(sorted), len(captures), slices.IsSortedFunc(sorted[:last], bytes.Compare))
	}
}

// TestCapturesAreInTheOrderOfTheCommits finds the capture of each page in one pass.
func TestCapturesAreInTheOrderOfTheCommits(t *testing.T) {
	path, _ := newCrawl(t, crawldir.Options{})
	view := look(t, path)
	captures := view.Archive().Captures()
	defer captures.Close()
	pages := 0
	for page, err := range view.Pages() {
		if err != nil {
			t.Fatal(err)
		}
		pages++
		if c, ok, err := captures.Find(page.URL, page.FetchedAt); !ok || err != nil || c.URL != page.URL {
			t.Errorf("%s: got %v, %v, %v, want its capture", page.URL, c, ok, err)
		}
	}
	if pages < 10 {
		t.Errorf("got %d pages", pages)
	}
	if _, ok, err := captures.Find("https://h.example/", time.Now()); ok || err != nil {
		t.Errorf("got %v, %v, want no capture of what was never requested", ok, err)
	}
}

func TestWithdraw(t *testing.T) {
	path, site := newCrawl(t, crawldir.Options{})
	archive, gone := look(t, path).Archive(), site.URL()+"/"
	before := len(readFile(t, filepath.Join(path, crawldir.CapturesName)))
	for range 2 { // the second call changes nothing
		if err := archive.Withdraw(func(url string, _ time.Time) bool { return url == gone }); err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.SortIndex(); err != nil {
		t.Fatal(err)
	}
	if after := len(readFile(t, filepath.Join(path, crawldir.CapturesName))); after != before {
		t.Errorf("got %d bytes, want %d as before", after, before)
	}
	if index := readFile(t, filepath.Join(path, crawldir.IndexName)); bytes.Contains(index, []byte(`"`+gone+`"`)) {
		t.Errorf("got %s in the index", gone)
	}
	if faults := faultsOf(t, path); len(faults) > 0 {
		t.Errorf("got %v, want a directory that agrees", faults)
	}
}
