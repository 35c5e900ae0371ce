package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/decorum-crawler/decorum/crawler/crawldir"
	"github.com/decorum-crawler/decorum/internal/testsite"
)

// TestKillCompact kills state compact with SIGKILL at random moments. The crawl
// goes on after each as if nothing had happened.
func TestKillCompact(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	t.Parallel()
	program, folder := program(t), filepath.Join(t.TempDir(), "crawl")
	web := testsite.New()
	defer web.Close()
	site := web.Site("shop")
	testsite.Shop(site, 2000)
	crawl := []string{"crawl", "-o", folder, "--delay", "0", "--progress", "none", site.URL() + "/", "--max-pages"}
	finish(t, program, append(crawl, "1000")...)
	outputs, err := os.ReadFile(filepath.Join(folder, crawldir.PagesName))
	if err != nil {
		t.Fatal(err)
	}
	const lives = 30
	done := deaths(killed(t, program, lives, 20*time.Millisecond, 200*time.Millisecond, "state", "compact", "--in-process", folder))
	t.Logf("killed %d times of %d", done, lives)
	finish(t, program, "state", "verify", folder)
	finish(t, program, "state", "compact", folder)
	finish(t, program, append(crawl, "0")...)
	finish(t, program, "state", "verify", folder)
	got, err := os.ReadFile(filepath.Join(folder, crawldir.PagesName))
	if err != nil || !strings.HasPrefix(string(got), string(outputs)) {
		t.Errorf("got other lines, %v, want those of the first run kept", err)
	}
	if pages := pagesOf(t, folder); len(pages) < 2000 {
		t.Errorf("got %d pages, want all", len(pages))
	}
	left, err := filepath.Glob(filepath.Join(folder, ".*"))
	if err != nil || len(left) > 0 {
		t.Errorf("got %v, %v left", left, err)
	}
}

func TestCompactRefuses(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "crawl")
	web := testsite.New()
	defer web.Close()
	site := web.Site("shop")
	testsite.Shop(site, 30)
	if code, _, errs := invoke("crawl", "-o", folder, "--delay", "0", "--progress", "none", site.URL()); code != exitOK {
		t.Fatalf("got %d, %q", code, errs)
	}
	held, err := crawldir.Look(folder)
	if err != nil {
		t.Fatal(err)
	}
	if code, _, errs := invoke("state", "compact", folder); code != exitDirectory || !strings.Contains(errs, "in use") {
		t.Errorf("got %d, %q, want it refused while it is open", code, errs)
	}
	if err := held.Close(); err != nil {
		t.Fatal(err)
	}
	if code, out, errs := invoke("state", "compact", folder); code != exitOK || !strings.Contains(out, "KiB before, ") {
		t.Errorf("got %d, %q, %q", code, out, errs)
	}
	if code, _, errs := invoke("state", "compact", t.TempDir()); code != exitDirectory || !strings.Contains(errs, "does not contain a crawl") {
		t.Errorf("got %d, %q", code, errs)
	}
}
