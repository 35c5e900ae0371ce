package crawldir_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"go.uber.org/goleak"

	"github.com/decorum-crawler/decorum/configs"
	"github.com/decorum-crawler/decorum/crawler/crawldir"
	"github.com/decorum-crawler/decorum/internal/testsite"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// newCrawl crawls a small shop into a directory with an archive, in two runs,
// and returns its path.
func newCrawl(t *testing.T, o crawldir.Options) (path string, site *testsite.Site) {
	t.Helper()
	web := testsite.New()
	t.Cleanup(web.Close)
	site = web.Site("shop")
	testsite.Shop(site, 5)
	path = filepath.Join(t.TempDir(), "shop")
	settings := configs.Default()
	settings.Seed, settings.Store, settings.WARCBytes = []string{site.URL() + "/"}, []string{"pages", "warc"}, 8<<10
	dir, err := crawldir.Create(path, settings, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(run(dir, 3), dir.Close()); err != nil {
		t.Fatal(err)
	}
	if dir, err = crawldir.Open(path, o); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(run(dir, 0), dir.Archive().SortIndex(), dir.Close()); err != nil {
		t.Fatal(err)
	}
	return path, site
}

// look opens a directory until the end of a test.
func look(t *testing.T, path string) *crawldir.View {
	t.Helper()
	view, err := crawldir.Look(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = view.Close() })
	return view
}

func readFile(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func write(t *testing.T, name string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// snapshot returns every file of a directory with its data, except for the state,
// which locking may change.
func snapshot(t *testing.T, path string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(path, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		target, _ := os.Readlink(name)
		all[name] = target + string(readFile(t, name))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func flipped(data []byte, at int) []byte {
	data = bytes.Clone(data)
	data[at] ^= 0xff
	return data
}

func faultsOf(t *testing.T, path string) []string {
	t.Helper()
	var faults []string
	view, err := crawldir.Look(path)
	if err != nil {
		t.Fatal(err)
	}
	err = view.Verify(func(fault string) { faults = append(faults, fault) })
	if err := errors.Join(err, view.Close()); err != nil {
		t.Fatal(err)
	}
	slices.Sort(faults)
	return faults
}
