package crawldir_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/decorum-crawler/decorum/crawler/crawldir"
	"github.com/decorum-crawler/decorum/storage"
	"github.com/decorum-crawler/decorum/storage/jsonl"
)

func TestLook(t *testing.T) {
	t.Parallel() // it waits for a lock
	path, _ := newCrawl(t, crawldir.Options{})
	first := look(t, path)
	look(t, path) // several may be open
	if first.Path() != path {
		t.Errorf("got %s, want %s", first.Path(), path)
	}
	if _, err := crawldir.Open(path, crawldir.Options{}); !errors.Is(err, storage.ErrLocked) {
		t.Errorf("got %v, want ErrLocked while it is read", err)
	}
	if _, err := crawldir.Look(t.TempDir()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want fs.ErrNotExist", err)
	}
}

func TestHold(t *testing.T) {
	t.Parallel() // it waits for a lock
	path, _ := newCrawl(t, crawldir.Options{State: "own.db"})
	held, err := crawldir.Hold(path, "own.db")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := crawldir.Hold(path, "own.db"); !errors.Is(err, storage.ErrLocked) {
		t.Errorf("got %v, want ErrLocked", err)
	}
	if err := held.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := crawldir.Hold(path, ""); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want fs.ErrNotExist of crawl.db", err)
	}
}

func TestPagesAndSkips(t *testing.T) {
	path, site := newCrawl(t, crawldir.Options{})
	view := look(t, path)
	name := filepath.Join(path, crawldir.PagesName)
	whole := readFile(t, name)
	write(t, name, append(whole, "{\"torn"...)) // after the committed length
	info, err := view.State().Info()
	if err != nil {
		t.Fatal(err)
	}
	pages, first := int64(0), ""
	for page, err := range view.Pages() {
		if err != nil {
			t.Fatal(err)
		}
		if pages++; first == "" {
			first = page.URL
		}
	}
	if pages != info.Counters.Done || first != site.URL()+"/" {
		t.Errorf("got %d pages, %s first, want %d and the seed", pages, first, info.Counters.Done)
	}
	skips := int64(0)
	for skip, err := range view.Skips() {
		if skips++; err != nil || skip.Reason == "" {
			t.Errorf("got %v, %v", skip, err)
		}
	}
	if skips != info.Counters.Skipped || skips == 0 {
		t.Errorf("got %d skips, want %d", skips, info.Counters.Skipped)
	}
	var last error
	write(t, name, whole[:len(whole)/2])
	for _, err := range view.Pages() {
		last = err
	}
	if !errors.Is(last, jsonl.ErrShort) {
		t.Errorf("got %v, want ErrShort", last)
	}
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	for _, err := range view.Pages() {
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("got %v, want fs.ErrNotExist", err)
		}
	}
}
