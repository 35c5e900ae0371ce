package main

import (
	"bytes"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/decorum-crawler/decorum/crawler/crawldir"
	"github.com/decorum-crawler/decorum/internal/testsite"
)

// treeOf returns the files of a directory with their data, without hidden ones.
func treeOf(t *testing.T, folder string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(folder, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasPrefix(entry.Name(), ".") {
			return err
		}
		data, err := os.ReadFile(name)
		files[strings.TrimPrefix(name, folder+"/")] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// brokenCrawl crawls a part of a shop, or all of it, and loses the state.
type brokenCrawl struct {
	t       *testing.T
	program string
	folder  string
	web     *testsite.Web
	site    *testsite.Site
	files   map[string]string // before the state was lost
}

func newBrokenCrawl(t *testing.T, command []string, pages string, more ...string) *brokenCrawl {
	t.Helper()
	b := &brokenCrawl{t: t, program: program(t), folder: filepath.Join(t.TempDir(), "crawl"), web: testsite.New()}
	t.Cleanup(b.web.Close)
	b.site = b.web.Site("shop")
	testsite.Shop(b.site, 60)
	args := append(slices.Clone(command), "-o", b.folder, "--delay", "0", "--progress", "none", "--max-pages", pages, b.site.URL()+"/")
	finish(t, b.program, append(args, more...)...)
	b.files = treeOf(t, b.folder)
	return b
}

// repair repairs the crawl and checks that no other file was changed.
func (b *brokenCrawl) repair() (stdout, stderr string) {
	b.t.Helper()
	code, stdout, stderr := b.run("state", "repair", b.folder)
	if code != exitOK {
		b.t.Fatalf("got exit code %d, %s", code, stderr)
	}
	after := treeOf(b.t, b.folder)
	for name, data := range b.files {
		if name != crawldir.StateName && after[name] != data {
			b.t.Errorf("%s was changed", name)
		}
	}
	return stdout, stderr
}

func (b *brokenCrawl) run(args ...string) (code int, stdout, stderr string) {
	b.t.Helper()
	return invokeProgram(b.t, b.program, args...)
}

// resume completes the crawl and checks that no page was fetched twice.
func (b *brokenCrawl) resume(want, skipped int) {
	b.t.Helper()
	before := pagesOf(b.t, b.folder)
	at := len(b.web.Log())
	finish(b.t, b.program, "resume", b.folder, "--delay", "0", "--progress", "none", "--max-pages", "0")
	finish(b.t, b.program, "state", "verify", b.folder)
	for _, hit := range b.web.Log()[at:] {
		if _, ok := before[b.site.URL()+hit.Path]; ok {
			b.t.Errorf("%s was fetched again", hit.Path)
		}
	}
	pages := pagesOf(b.t, b.folder)
	if len(pages) != want {
		b.t.Errorf("got %d pages, want %d", len(pages), want)
	}
	if skips := urlsOf(b.t, filepath.Join(b.folder, crawldir.SkippedName)); len(skips) != skipped || slices.Max(slices.Collect(maps.Values(skips))) > 1 {
		b.t.Errorf("got skips %v, want %d", skips, skipped)
	}
	for name, data := range b.files {
		if after := treeOf(b.t, b.folder)[name]; strings.HasSuffix(name, ".jsonl") && !strings.HasPrefix(name, "docu") && !strings.HasPrefix(after, data) {
			b.t.Errorf("%s has other lines than before", name)
		}
	}
}

// shopPages is the number of pages of the shop of a brokenCrawl.
const shopPages = 75

func TestRepair(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	crawl, build := []string{"crawl"}, []string{"corpus", "build"}
	tests := []struct {
		name    string
		command []string
		first   string // pages before the state is lost
		more    []string
		says    string
		pages   int
		skipped int
	}{
		{"finished", crawl, "0", nil, "0 pending", shopPages, 5},
		{"finished archive", crawl, "0", []string{"--store", "warc"}, "0 pending", shopPages, 5},
		{"archive", crawl, "20", []string{"--store", "warc"}, "pending", shopPages, 5},
		{"archive, links only", crawl, "12", []string{"--store", "warc", "--discover", "links"}, "pending", shopPages - 1, 4},
		{"corpus with archive", build, "20", []string{"--store", "warc"}, "pending", shopPages - 7, 6},
		// Without an archive the links of the first pages are lost, and with them the articles.
		{"sitemaps", crawl, "20", nil, "lead is not recorded", shopPages - 8, 4},
		{"corpus", build, "20", nil, "lead is not recorded", shopPages - 9, 5},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := newBrokenCrawl(t, test.command, test.first, test.more...)
			state := filepath.Join(b.folder, crawldir.StateName)
			if err := os.Remove(state); err != nil {
				t.Fatal(err)
			}
			if code, _, errs := b.run("resume", b.folder); code != exitDirectory || !strings.Contains(errs, "decorum state repair") {
				t.Errorf("got %d, %q, want 5 and a hint", code, errs)
			}
			if out, errs := b.repair(); !strings.Contains(out+errs, test.says) {
				t.Errorf("got %q, %q, want %q", out, errs, test.says)
			}
			finish(t, b.program, "state", "verify", b.folder)
			b.resume(test.pages, test.skipped)
			if test.command[0] == "corpus" {
				finish(t, b.program, "corpus", "verify", b.folder)
			}
			if code, out, _ := b.run("state", "repair", b.folder); code != exitOK || !strings.Contains(out, "nothing was changed") {
				t.Errorf("got %d, %q, want nothing to repair", code, out)
			}
		})
	}
}

// TestRepairKeepsTheDamagedState has states that are damaged, and not gone.
func TestRepairKeepsTheDamagedState(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	t.Parallel()
	b := newBrokenCrawl(t, []string{"crawl"}, "20", "--store", "warc")
	whole := []byte(b.files[crawldir.StateName])
	state := filepath.Join(b.folder, crawldir.StateName)
	damages := damagedStates(whole)
	for _, what := range []string{"zero length", "half", "both metas zero", "text"} {
		if err := os.WriteFile(state, damages[what], 0o600); err != nil {
			t.Fatal(err)
		}
		out, errs := b.repair()
		_, kept, ok := strings.Cut(strings.TrimSpace(out), "kept as ")
		if !ok {
			t.Fatalf("%s: got %q, %q", what, out, errs)
		}
		if data, err := os.ReadFile(kept); err != nil || !bytes.Equal(data, damages[what]) {
			t.Errorf("%s: got %d bytes, %v, want the damaged state", what, len(data), err)
		}
		finish(t, b.program, "state", "verify", b.folder)
	}
	b.resume(shopPages, 5)
}

// TestRepairRefuses has directories that must stay as they are.
func TestRepairRefuses(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	t.Parallel()
	b := newBrokenCrawl(t, []string{"crawl"}, "20", "--store", "warc")
	pages := []byte(b.files[crawldir.PagesName])
	first := bytes.IndexByte(pages, '\n') + 1
	state, name := filepath.Join(b.folder, crawldir.StateName), filepath.Join(b.folder, crawldir.PagesName)
	if err := os.Remove(state); err != nil {
		t.Fatal(err)
	}
	refused := func(what, want string) {
		t.Helper()
		before := treeOf(t, b.folder)
		code, _, errs := b.run("state", "repair", b.folder)
		if code != exitDirectory || !strings.Contains(errs, want) {
			t.Errorf("%s: got %d, %q, want 5 and %q", what, code, errs, want)
		}
		if after := treeOf(t, b.folder); !maps.Equal(before, after) {
			t.Errorf("%s: files were changed", what)
		}
	}
	for what, data := range map[string][]byte{
		"jsonl: damaged line": append([]byte("x"), pages...),
		"URL occurs twice":    append(bytes.Clone(pages[:first]), pages...),
	} {
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
		refused(what, what)
	}
	if err := os.WriteFile(name, pages, 0o600); err != nil {
		t.Fatal(err)
	}
	held, err := os.Open(b.folder)
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	if err := flock(held); err != nil {
		t.Fatal(err)
	}
	refused("a directory in use", "in use")
	if code, _, _ := b.run("state", "repair", t.TempDir()); code != exitDirectory {
		t.Errorf("got %d of an empty directory", code)
	}
}

// TestKillRepair kills state repair with SIGKILL at random moments.
func TestKillRepair(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	t.Parallel()
	b := newBrokenCrawl(t, []string{"crawl"}, "40", "--store", "warc")
	damaged := []byte(b.files[crawldir.StateName])[:8192]
	state := filepath.Join(b.folder, crawldir.StateName)
	for range 15 {
		if err := os.WriteFile(state, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		killed(t, b.program, 2, 30*time.Millisecond, 150*time.Millisecond, "state", "repair", b.folder)
		if data, err := os.ReadFile(state); err != nil {
			t.Fatal(err)
		} else if !bytes.Equal(data, damaged) {
			finish(t, b.program, "state", "verify", b.folder)
		}
		if err := os.Remove(state); err != nil { // else the second name of the file would be written to
			t.Fatal(err)
		}
	}
	b.repair()
	b.resume(shopPages, 5)
}

// TestRepairAfterATornCommit has outputs as a process leaves them that is killed
// while it commits: each of them ends elsewhere.
func TestRepairAfterATornCommit(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	for _, torn := range []string{"pages.jsonl", "skipped.jsonl", "corpus.jsonl", "evidence/pages.jsonl", "warc/captures.cdxj", "warc/00000.warc.gz"} {
		t.Run(torn, func(t *testing.T) {
			t.Parallel()
			b := newBrokenCrawl(t, []string{"corpus", "build"}, "30", "--store", "warc")
			name := filepath.Join(b.folder, torn)
			data := []byte(b.files[torn])
			if err := os.Truncate(name, int64(len(data)-len(data)/8-3)); err != nil {
				t.Fatal(err)
			}
			if err := os.Remove(filepath.Join(b.folder, crawldir.StateName)); err != nil {
				t.Fatal(err)
			}
			finish(t, b.program, "state", "repair", b.folder)
			finish(t, b.program, "resume", b.folder, "--delay", "0", "--progress", "none", "--max-pages", "0")
			finish(t, b.program, "state", "verify", b.folder)
			finish(t, b.program, "corpus", "verify", b.folder)
			if pages := pagesOf(t, b.folder); len(pages) != shopPages-7 {
				t.Errorf("got %d pages, want %d", len(pages), shopPages-7)
			}
			for output, file := range map[string]string{"documents": "corpus.jsonl", "excluded": "excluded/part-00000.jsonl"} {
				for url, n := range urlsOf(t, filepath.Join(b.folder, file)) {
					if n > 1 {
						t.Errorf("%s: %s occurs %d times", output, url, n)
					}
				}
			}
		})
	}
}
