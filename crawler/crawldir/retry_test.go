package crawldir_test

import (
	"bytes"
	"errors"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/decorum-crawler/decorum/configs"
	"github.com/decorum-crawler/decorum/crawler/crawldir"
	"github.com/decorum-crawler/decorum/internal/testsite"
	"github.com/decorum-crawler/decorum/storage/jsonl"
)

// failing are paths that newFailedCrawl does not get.
var failing = []string{"/product/1", "/article/2", "/about"}

// newFailedCrawl crawls a shop with an archive, of which some pages fail, and then
// makes them whole.
func newFailedCrawl(t *testing.T) (path string, site *testsite.Site) {
	t.Helper()
	web := testsite.New()
	t.Cleanup(web.Close)
	site = web.Site("shop")
	testsite.Shop(site, 5)
	for _, path := range failing {
		site.Flaky(path, 1, http.StatusNotImplemented, "") // a 5xx that is not retried at once
	}
	path = filepath.Join(t.TempDir(), "shop")
	settings := configs.Default()
	settings.Seed, settings.Store = []string{site.URL() + "/"}, []string{"pages", "warc"}
	dir, err := crawldir.Create(path, settings, crawldir.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(run(dir, 0), dir.Archive().SortIndex(), dir.Close()); err != nil {
		t.Fatal(err)
	}
	return path, site
}

// resumed resumes the crawl in a directory and checks that all of it is there once.
func resumed(t *testing.T, path string) {
	t.Helper()
	if err := resume(path); err != nil {
		t.Fatal(err)
	}
	if faults := faultsOf(t, path); len(faults) > 0 {
		t.Errorf("got %v, want a directory that agrees", faults)
	}
	seen := map[string]bool{}
	view, err := crawldir.Look(path)
	if err != nil {
		t.Fatal(err)
	}
	defer view.Close()
	for page, err := range view.Pages() {
		if err != nil || page.Status == http.StatusNotImplemented || seen[page.URL] {
			t.Errorf("got %s with %d, %v, seen before: %v", page.URL, page.Status, err, seen[page.URL])
		}
		seen[page.URL] = true
	}
	if len(seen) != 17 {
		t.Errorf("got %d pages, want 17", len(seen))
	}
	if left, _ := filepath.Glob(filepath.Join(path, "*.retry")); len(left) > 0 {
		t.Errorf("got %v left", left)
	}
}

func TestRetry(t *testing.T) {
	path, site := newFailedCrawl(t)
	before := readFile(t, filepath.Join(path, crawldir.PagesName))
	reasons := map[string]string{}
	n, err := crawldir.Retry(path, crawldir.Options{}, func(url, reason string) { reasons[url] = reason })
	if err != nil || n != len(failing) || len(reasons) != len(failing) {
		t.Fatalf("got %d, %v, %v, want %d", n, err, reasons, len(failing))
	}
	var want []byte
	for line := range bytes.Lines(before) {
		if !slices.ContainsFunc(failing, func(path string) bool { return bytes.Contains(line, []byte(`"url":"`+site.URL()+path+`"`)) }) {
			want = append(want, line...)
		}
	}
	if got := readFile(t, filepath.Join(path, crawldir.PagesName)); !bytes.Equal(got, want) || len(want) == len(before) {
		t.Errorf("got %s, want the other lines as they were", got)
	}
	if faults := faultsOf(t, path); len(faults) > 0 {
		t.Errorf("got %v, want a directory that agrees", faults)
	}
	resumed(t, path)
	if n, err := crawldir.Retry(path, crawldir.Options{}, nil); n != 0 || err != nil {
		t.Errorf("got %d, %v, want nothing left", n, err)
	}
}

// TestRetryThatIsKilled has what a process leaves that is killed before the state
// is committed, and before the outputs are replaced.
func TestRetryThatIsKilled(t *testing.T) {
	path, _ := newFailedCrawl(t)
	pages, state := filepath.Join(path, crawldir.PagesName), filepath.Join(path, crawldir.StateName)
	oldPages, oldState := readFile(t, pages), readFile(t, state)
	if _, err := crawldir.Retry(path, crawldir.Options{}, nil); err != nil {
		t.Fatal(err)
	}
	newPages, newState := readFile(t, pages), readFile(t, state)
	for name, left := range map[string]struct {
		state []byte
		want  []byte
	}{
		"before the state is committed":   {oldState, oldPages},
		"before the outputs are replaced": {newState, newPages},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			if err := os.CopyFS(folder, os.DirFS(path)); err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Join(folder, crawldir.StateName), left.state)
			write(t, filepath.Join(folder, crawldir.PagesName), oldPages)
			write(t, filepath.Join(folder, crawldir.PagesName+".retry"), newPages)
			if faults := faultsOf(t, folder); len(faults) > 0 {
				t.Errorf("got %v of a reader, want a directory that agrees", faults)
			}
			held, err := crawldir.Hold(folder, "")
			if err != nil {
				t.Fatal(err)
			}
			if err := held.Close(); err != nil {
				t.Fatal(err)
			}
			if got := readFile(t, filepath.Join(folder, crawldir.PagesName)); !bytes.Equal(got, left.want) {
				t.Errorf("got %d bytes, want %d", len(got), len(left.want))
			}
			if _, err := os.Lstat(filepath.Join(folder, crawldir.PagesName+".retry")); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("got %v, want nothing left", err)
			}
			if _, err := crawldir.Retry(folder, crawldir.Options{}, nil); err != nil {
				t.Fatal(err)
			}
			resumed(t, folder)
		})
	}
}

func TestRetryTouchesNothingThatIsDamaged(t *testing.T) {
	path, _ := newFailedCrawl(t)
	name := filepath.Join(path, crawldir.PagesName)
	data := readFile(t, name)
	data[bytes.IndexByte(data, '\n')+1] = 'x'
	write(t, name, data)
	before := snapshot(t, path)
	if _, err := crawldir.Retry(path, crawldir.Options{}, nil); !errors.Is(err, jsonl.ErrRow) {
		t.Errorf("got %v, want ErrRow", err)
	}
	delete(before, filepath.Join(path, crawldir.StateName))
	after := snapshot(t, path)
	delete(after, filepath.Join(path, crawldir.StateName))
	if !maps.Equal(before, after) {
		t.Error("got other files, want nothing changed")
	}
}
