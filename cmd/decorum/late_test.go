package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/decorum-crawler/decorum/crawler/crawldir"
	"github.com/decorum-crawler/decorum/internal/faults"
	"github.com/decorum-crawler/decorum/internal/invariant"
	"github.com/decorum-crawler/decorum/internal/testsite"
)

// source returns the path of a file of this module.
func source(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("..", "..", name))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// TestStoppedPastItsLease stops a process for longer than its leases are valid.
func TestStoppedPastItsLease(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program")
	}
	const delay = 20 * time.Millisecond
	program := disturbed(t, faults.Patch{File: source(t, "frontier/local.go"), Old: "o.LeaseTime = 10 * time.Minute", New: "o.LeaseTime = 500 * time.Millisecond"})
	web := testsite.New()
	defer web.Close()
	site := web.Site("shop")
	testsite.Shop(site, 60)
	folder := filepath.Join(t.TempDir(), "crawl")
	life := exec.CommandContext(t.Context(), program, "crawl", "-o", folder, "--delay", delay.String(), "--progress", "none", "--min-free-disk", "0", site.URL()+"/")
	end := launched(life)
	for range 3 {
		asked := len(web.Log())
		eventually(t, "some requests", func() bool { return len(web.Log()) > asked+5 })
		for _, step := range []struct {
			signal syscall.Signal
			pause  time.Duration
		}{{syscall.SIGSTOP, 1500 * time.Millisecond}, {syscall.SIGCONT, 0}} {
			if err := life.Process.Signal(step.signal); err != nil {
				t.Fatal(err)
			}
			<-time.After(step.pause)
		}
	}
	process := end(false)
	if process.Code != exitOK {
		t.Errorf("got %d: %s", process.Code, process.Output)
	}
	holds(t, invariant.Crawl{Web: web, Delay: delay, Dir: folder, Finished: true, Processes: []invariant.Process{process}})
	if pages := urlsOf(t, filepath.Join(folder, crawldir.PagesName)); len(pages) < 60 {
		t.Errorf("got %d pages, want all", len(pages))
	}
}

// TestRobotsChangesWithinACrawl has a robots.txt that forbids more while the crawl
// is under way, and is fetched again since it is too old.
func TestRobotsChangesWithinACrawl(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program")
	}
	const delay = 20 * time.Millisecond
	program := disturbed(t, faults.Patch{File: source(t, "crawler/fetch/site.go"), Old: "max(document.MaxAge(robotsMaxAge), robotsMinAge)", New: "300 * time.Millisecond"})
	web := testsite.New()
	defer web.Close()
	site := web.Site("shop")
	testsite.Shop(site, 60)
	folder := filepath.Join(t.TempDir(), "crawl")
	life := exec.CommandContext(t.Context(), program, "crawl", "-o", folder, "--delay", delay.String(), "--progress", "none", "--min-free-disk", "0", site.URL()+"/")
	end := launched(life)
	eventually(t, "some requests", func() bool { return len(web.Log()) > 20 })
	site.Robots("User-agent: *\nDisallow: /product/\n")
	process := end(false)
	if process.Code != exitOK {
		t.Errorf("got %d: %s", process.Code, process.Output)
	}
	holds(t, invariant.Crawl{Web: web, Delay: delay, Dir: folder, Finished: true, Processes: []invariant.Process{process}})
	left := 0
	for address := range urlsOf(t, filepath.Join(folder, crawldir.SkippedName)) {
		if strings.Contains(address, "/product/") {
			left++
		}
	}
	if left < 10 {
		t.Errorf("got %d products left alone, want those that were forbidden later", left)
	}
}
