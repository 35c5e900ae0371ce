package main

import (
	"errors"
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

// impatient is a crawl under way by a program of which a constant was changed.
type impatient struct {
	web    *testsite.Web
	site   *testsite.Site
	life   *exec.Cmd
	end    func(killed bool) invariant.Process
	folder string
}

func newImpatient(t *testing.T, file, before, after string) impatient {
	t.Helper()
	if testing.Short() {
		t.Skip("builds the program")
	}
	path, err := filepath.Abs(filepath.Join("..", "..", file))
	if err != nil {
		t.Fatal(err)
	}
	program := disturbed(t, faults.Patch{File: path, Old: before, New: after})
	c := impatient{web: testsite.New(), folder: filepath.Join(t.TempDir(), "crawl")}
	t.Cleanup(c.web.Close)
	c.site = c.web.Site("shop")
	testsite.Shop(c.site, 60)
	c.life = exec.CommandContext(t.Context(), program, "crawl", "-o", c.folder, "--delay", killDelay.String(), "--progress", "none", "--min-free-disk", "0", c.site.URL()+"/")
	c.end = launched(c.life)
	return c
}

// finish waits for the end of the crawl, at which everything must be as it should.
func (c impatient) finish(t *testing.T) {
	t.Helper()
	process := c.end(false)
	if process.Code != exitOK {
		t.Errorf("got %d: %s", process.Code, process.Output)
	}
	holds(t, invariant.Crawl{Web: c.web, Delay: killDelay, Dir: c.folder, Finished: true, Processes: []invariant.Process{process}})
}

// TestStoppedPastItsLease stops a process for longer than its leases are valid.
func TestStoppedPastItsLease(t *testing.T) {
	c := newImpatient(t, "frontier/local.go", "o.LeaseTime = 10 * time.Minute", "o.LeaseTime = 500 * time.Millisecond")
	for range 3 {
		asked := len(c.web.Log())
		eventually(t, "some requests", func() bool { return len(c.web.Log()) > asked+5 })
		stopped := c.life.Process.Signal(syscall.SIGSTOP)
		<-time.After(1500 * time.Millisecond)
		if err := errors.Join(stopped, c.life.Process.Signal(syscall.SIGCONT)); err != nil {
			t.Fatal(err)
		}
	}
	c.finish(t)
	if pages := urlsOf(t, filepath.Join(c.folder, crawldir.PagesName)); len(pages) < 60 {
		t.Errorf("got %d pages, want all", len(pages))
	}
}

// TestRobotsChangesWithinACrawl has a robots.txt that forbids more while the crawl
// is under way, and is fetched again since it is too old.
func TestRobotsChangesWithinACrawl(t *testing.T) {
	c := newImpatient(t, "crawler/fetch/site.go", "max(document.MaxAge(robotsMaxAge), robotsMinAge)", "300 * time.Millisecond")
	eventually(t, "some requests", func() bool { return len(c.web.Log()) > 20 })
	c.site.Robots("User-agent: *\nDisallow: /product/\n")
	c.finish(t)
	left := 0
	for address := range urlsOf(t, filepath.Join(c.folder, crawldir.SkippedName)) {
		if strings.Contains(address, "/product/") {
			left++
		}
	}
	if left < 10 {
		t.Errorf("got %d products left alone, want those that were forbidden later", left)
	}
}
