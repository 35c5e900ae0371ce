package crawldir_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/decorum-crawler/decorum/configs"
	"github.com/decorum-crawler/decorum/crawler"
	"github.com/decorum-crawler/decorum/crawler/crawldir"
	"github.com/decorum-crawler/decorum/frontier"
	"github.com/decorum-crawler/decorum/storage"
	"github.com/decorum-crawler/decorum/storage/jsonl"
	"github.com/decorum-crawler/decorum/storage/warc"
)

func TestCreate(t *testing.T) {
	t.Parallel() // it waits for a lock
	path := filepath.Join(t.TempDir(), "new")
	settings := configs.Default()
	settings.Contact = "me@example.com"
	o := crawldir.Options{
		State: "own.db", Outputs: map[string]string{"notes": "notes/all.jsonl"},
		Files: []crawldir.File{{Name: "about.txt", Data: []byte("mine")}},
	}
	dir, err := crawldir.Create(path, settings, o)
	if err != nil {
		t.Fatal(err)
	}
	if dir.Path() != path || dir.Settings().Contact != settings.Contact {
		t.Errorf("got %s, %+v", dir.Path(), dir.Settings())
	}
	if _, err := io.WriteString(dir.Log(), "begun\n"); err != nil {
		t.Error(err)
	}
	for _, name := range []string{"own.db", "about.txt", "notes/all.jsonl", "pages.jsonl", "skipped.jsonl", "robots"} {
		if _, err := dir.Root().Lstat(name); err != nil {
			t.Error(err)
		}
	}
	if _, err := crawldir.Open(path, o); !errors.Is(err, storage.ErrLocked) {
		t.Errorf("got %v, want ErrLocked while it is open", err)
	}
	if err := dir.Close(); err != nil {
		t.Fatal(err)
	}
	if got := string(readFile(t, filepath.Join(path, crawldir.LogName))); got != "begun\n" {
		t.Errorf("got log %q", got)
	}
	if _, err := crawldir.Create(path, settings, o); !errors.Is(err, os.ErrExist) {
		t.Errorf("got %v, want os.ErrExist for a second one", err)
	}
	if got, err := crawldir.Settings(path); err != nil || got.Contact != settings.Contact {
		t.Errorf("got %v, %v, want the settings", got, err)
	}
}

func TestOpenCutsBackToTheState(t *testing.T) {
	path, _ := newCrawl(t, crawldir.Options{})
	before := snapshot(t, path)
	for _, name := range []string{crawldir.PagesName, crawldir.SkippedName, crawldir.CapturesName} {
		write(t, filepath.Join(path, name), append(readFile(t, filepath.Join(path, name)), "{\"torn"...))
	}
	files, err := filepath.Glob(filepath.Join(path, "warc/*.warc.gz"))
	if err != nil || len(files) < 2 {
		t.Fatalf("got %v, %v, want several files", files, err)
	}
	write(t, filepath.Join(path, crawldir.ArchiveDir, warc.FileName(len(files))), []byte("torn"))
	dir, err := crawldir.Open(path, crawldir.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := dir.Close(); err != nil {
		t.Fatal(err)
	}
	after := snapshot(t, path)
	delete(before, filepath.Join(path, crawldir.StateName))
	delete(after, filepath.Join(path, crawldir.StateName))
	if diff := cmp.Diff(after, before); diff != "" {
		t.Error(diff)
	}
}

func TestOpenRefusesOutputsThatLostSomething(t *testing.T) {
	path, _ := newCrawl(t, crawldir.Options{})
	name := filepath.Join(path, crawldir.PagesName)
	write(t, name, readFile(t, name)[:10])
	if _, err := crawldir.Open(path, crawldir.Options{}); !errors.Is(err, jsonl.ErrShort) {
		t.Errorf("got %v, want ErrShort", err)
	}
	if _, err := crawldir.Open(t.TempDir(), crawldir.Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want fs.ErrNotExist", err)
	}
}

func TestConnectKeepsWhatACrawlLearns(t *testing.T) {
	path, site := newCrawl(t, crawldir.Options{})
	dir, err := crawldir.Open(path, crawldir.Options{})
	if err != nil {
		t.Fatal(err)
	}
	queue, err := dir.Frontier(frontier.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var options crawler.Options
	dir.Connect(&options, queue)
	version := crawler.Version{ETag: "x", ReadAt: time.Unix(1_800_000_000, 0).UTC()}
	if err := options.Versions.Save("https://h.example/sitemap.xml", version); err != nil {
		t.Fatal(err)
	}
	if got, ok, err := options.Versions.Load("https://h.example/sitemap.xml"); err != nil || !ok || got != version {
		t.Errorf("got %v, %v, %v, want %v", got, ok, err, version)
	}
	document, err := options.Fetch.Robots.Load(t.Context(), frontier.OriginOf(site.URL()+"/"))
	if err != nil || document == nil {
		t.Fatalf("got %v, %v, want the robots.txt of the site", document, err)
	}
	if body, err := dir.Evidence().Load(document.Digest()); err != nil || string(body) != string(document.Body) {
		t.Errorf("got %q, %v, want its evidence", body, err)
	}
	if options.Capture == nil || options.Record == nil {
		t.Error("got no capture, want that of the archive")
	}
	if err := errors.Join(queue.Close(), dir.Close()); err != nil {
		t.Error(err)
	}
}
