package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/decorum-crawler/decorum/corpus"
	"github.com/decorum-crawler/decorum/crawler/crawldir"
	"github.com/decorum-crawler/decorum/internal/testsite"
)

// refuses runs commands that must end with exitDirectory and a hint, and must not
// change any file.
func refuses(t *testing.T, folder string, names []string, commands ...[]string) {
	t.Helper()
	before := map[string][]byte{}
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil || len(data) == 0 {
			t.Fatalf("got %d bytes of %s, %v", len(data), name, err)
		}
		before[name] = data
	}
	for _, args := range commands {
		if code, out, errs := invoke(args...); code != exitDirectory || !strings.Contains(errs, "hint: ") {
			t.Errorf("%v: got %d, %s%s, want %d with a hint", args, code, out, errs, exitDirectory)
		}
	}
	for name, data := range before {
		if after, err := os.ReadFile(filepath.Join(folder, name)); err != nil || !bytes.Equal(after, data) {
			t.Errorf("%s: got %d bytes, %v, want the %d that there were", name, len(after), err, len(data))
		}
	}
}

func TestOutputsWithoutTheirStateAreLeftAlone(t *testing.T) {
	folder, site := newArchive(t)
	if err := os.Remove(filepath.Join(folder, crawldir.StateName)); err != nil {
		t.Fatal(err)
	}
	refuses(t, folder, []string{"pages.jsonl", "skipped.jsonl", crawldir.CapturesName, "warc/00000.warc.gz"},
		[]string{"crawl", "-o", folder, "--delay", "0", site.URL() + "/"},
		[]string{"resume", folder},
		[]string{"corpus", "build", "-o", folder, "--delay", "0", site.URL() + "/"},
	)
}

func TestCorpusWithoutItsStateIsLeftAlone(t *testing.T) {
	web := testsite.New()
	defer web.Close()
	site := web.Site("farm")
	farm(site)
	folder := filepath.Join(t.TempDir(), "farm")
	build := []string{"corpus", "build", "-o", folder, "--store", "warc", "--delay", "0", "--progress", "none", "--min-free-disk", "0", site.URL() + "/"}
	if code, _, errs := invoke(build...); code != exitOK {
		t.Fatalf("got %d, %s", code, errs)
	}
	made, _ := fromWARC(t, filepath.Join(folder, crawldir.ArchiveDir))
	refuses(t, made, []string{"pages.jsonl", corpus.JournalName}, // a corpus of archives is not a crawl
		[]string{"crawl", "-o", made, "--delay", "0", site.URL() + "/"}, []string{"resume", made})
	if err := os.Remove(filepath.Join(made, buildName)); err != nil {
		t.Fatal(err)
	}
	archives, err := filepath.Glob(filepath.Join(folder, crawldir.ArchiveDir, "*.warc.gz"))
	if err != nil {
		t.Fatal(err)
	}
	refuses(t, made, []string{"pages.jsonl", corpus.JournalName, corpus.EvidenceName},
		append([]string{"corpus", "build", "-o", made, "--progress", "none", "--from-warc"}, archives...))
	for _, name := range []string{crawldir.StateName, "pages.jsonl"} { // only outputs of the corpus are left
		if err := os.Remove(filepath.Join(folder, name)); err != nil {
			t.Fatal(err)
		}
	}
	refuses(t, folder, []string{corpus.JournalName, corpus.EvidenceName}, build)
}

func TestLinkedOutputsAreLeftAlone(t *testing.T) {
	for name, link := range map[string]func(old, now string) error{"symlink": os.Symlink, "hard link": os.Link} {
		t.Run(name, func(t *testing.T) {
			folder, site := newArchive(t)
			pages := filepath.Join(folder, "pages.jsonl")
			if err := os.Remove(pages); err != nil {
				t.Fatal(err)
			}
			if err := link(filepath.Join(folder, "skipped.jsonl"), pages); err != nil {
				t.Fatal(err)
			}
			refuses(t, folder, []string{"skipped.jsonl"},
				[]string{"resume", folder}, []string{"crawl", "-o", folder, site.URL() + "/"})
		})
	}
}
