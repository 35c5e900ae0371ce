package crawldir_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/decorum-crawler/decorum/configs"
	"github.com/decorum-crawler/decorum/crawler/crawldir"
)

func TestHolds(t *testing.T) {
	crawl, _ := newCrawl(t, crawldir.Options{})
	settings := readFile(t, filepath.Join(crawl, crawldir.SettingsName))
	in := func(files map[string]string) string {
		path := t.TempDir()
		for name, data := range files {
			write(t, filepath.Join(path, name), []byte(data))
		}
		return path
	}
	for name, test := range map[string]struct {
		path string
		want bool
		err  error
	}{
		"a crawl":                {crawl, true, nil},
		"nothing":                {filepath.Join(t.TempDir(), "none"), false, nil},
		"an empty directory":     {t.TempDir(), false, nil},
		"settings that were cut": {in(map[string]string{".config.yaml.new": "# The sett"}), false, nil},
		"settings alone":         {in(map[string]string{"config.yaml": string(settings)}), false, nil},
		"empty outputs":          {in(map[string]string{"config.yaml": string(settings), "pages.jsonl": ""}), false, nil},
		"another directory":      {in(map[string]string{"thesis.tex": "x"}), false, crawldir.ErrForeign},
		"another draft":          {in(map[string]string{".config.yaml.new": "key: value"}), false, crawldir.ErrForeign},
		"other settings":         {in(map[string]string{"config.yaml": "key: value"}), false, crawldir.ErrForeign},
		"pages without a state":  {in(map[string]string{"config.yaml": string(settings), "pages.jsonl": "{}\n"}), false, crawldir.ErrStateLost},
		"skips without a state":  {in(map[string]string{"config.yaml": string(settings), "skipped.jsonl": "{}\n"}), false, crawldir.ErrStateLost},
		"archive without state":  {in(map[string]string{"config.yaml": string(settings), "warc/00003.warc.gz": "x"}), false, crawldir.ErrStateLost},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := crawldir.Holds(test.path); got != test.want || !errors.Is(err, test.err) || (err == nil) != (test.err == nil) {
				t.Errorf("got %v, %v, want %v, %v", got, err, test.want, test.err)
			}
		})
	}
}

// TestCreateTouchesNothingWithoutItsState has outputs of a crawl whose state is
// missing: they must not be truncated.
func TestCreateTouchesNothingWithoutItsState(t *testing.T) {
	extra := crawldir.Options{Outputs: map[string]string{"notes": "notes/all.jsonl"}}
	crawl, _ := newCrawl(t, extra)
	write(t, filepath.Join(crawl, "notes/all.jsonl"), []byte("{}\n"))
	if err := os.Remove(filepath.Join(crawl, crawldir.StateName)); err != nil {
		t.Fatal(err)
	}
	outputs := []string{crawldir.PagesName, crawldir.SkippedName, crawldir.CapturesName, "warc/00000.warc.gz", "notes/all.jsonl"}
	for _, kept := range outputs {
		t.Run(kept, func(t *testing.T) {
			path := t.TempDir()
			for _, name := range append([]string{crawldir.SettingsName}, kept) {
				write(t, filepath.Join(path, name), readFile(t, filepath.Join(crawl, name)))
			}
			before := snapshot(t, path)
			if _, err := crawldir.Create(path, configs.Default(), extra); !errors.Is(err, crawldir.ErrStateLost) {
				t.Errorf("got %v, want ErrStateLost", err)
			}
			if diff := cmp.Diff(snapshot(t, path), before); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestOutputsAreFilesOfTheirOwn has outputs that are links to other files.
func TestOutputsAreFilesOfTheirOwn(t *testing.T) {
	for _, name := range []string{crawldir.PagesName, crawldir.SkippedName, crawldir.CapturesName, "warc/00000.warc.gz", crawldir.LogName, "notes.jsonl"} {
		for how, link := range map[string]func(old, now string) error{"symlink": os.Symlink, "hard link": os.Link} {
			t.Run(how+" "+name, func(t *testing.T) {
				o := crawldir.Options{Outputs: map[string]string{"notes": "notes.jsonl"}}
				path, _ := newCrawl(t, o)
				place, victim := filepath.Join(path, name), filepath.Join(path, "victim")
				write(t, victim, []byte("precious"))
				if err := errors.Join(os.Remove(place), link(victim, place)); err != nil {
					t.Fatal(err)
				}
				before := snapshot(t, path)
				if _, err := crawldir.Open(path, o); !errors.Is(err, crawldir.ErrOutput) {
					t.Errorf("Open: got %v, want ErrOutput", err)
				}
				delete(before, filepath.Join(path, crawldir.StateName))
				after := snapshot(t, path)
				delete(after, filepath.Join(path, crawldir.StateName))
				if diff := cmp.Diff(after, before); diff != "" {
					t.Error(diff)
				}
			})
		}
	}
}

// TestStateIsAFileOfItsOwn has a link in the place of the state.
func TestStateIsAFileOfItsOwn(t *testing.T) {
	path, _ := newCrawl(t, crawldir.Options{})
	name := filepath.Join(path, crawldir.StateName)
	if err := errors.Join(os.Rename(name, filepath.Join(path, "other.db")), os.Symlink("other.db", name)); err != nil {
		t.Fatal(err)
	}
	for how, open := range map[string]func() error{
		"Open": func() error { _, err := crawldir.Open(path, crawldir.Options{}); return err },
		"Look": func() error { _, err := crawldir.Look(path); return err },
		"Hold": func() error { _, err := crawldir.Hold(path, ""); return err },
	} {
		if err := open(); !errors.Is(err, crawldir.ErrOutput) {
			t.Errorf("%s: got %v, want ErrOutput", how, err)
		}
	}
}

// TestPipeAsSettings opens a pipe, which would wait for a writer without end.
func TestPipeAsSettings(t *testing.T) {
	path := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(path, crawldir.SettingsName), 0o600); err != nil {
		t.Skip(err)
	}
	if got, err := crawldir.Holds(path); got || !errors.Is(err, crawldir.ErrForeign) {
		t.Errorf("got %v, %v, want ErrForeign", got, err)
	}
}

func TestCreateRefusesLinks(t *testing.T) {
	path := t.TempDir()
	if err := os.Symlink("victim", filepath.Join(path, crawldir.LogName)); err != nil {
		t.Fatal(err)
	}
	if _, err := crawldir.Create(path, configs.Default(), crawldir.Options{}); !errors.Is(err, crawldir.ErrOutput) {
		t.Errorf("got %v, want ErrOutput", err)
	}
	if _, err := os.Lstat(filepath.Join(path, crawldir.StateName)); err == nil {
		t.Error("got a state, want nothing made")
	}
}
