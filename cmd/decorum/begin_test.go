package main

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/decorum-crawler/decorum/crawler/crawldir"
	"github.com/decorum-crawler/decorum/internal/testsite"
)

// TestTwoBeginAtOnce starts pairs of crawls in one new directory. One of them
// crawls; the other one ends with the code for a directory in use, or resumes
// the crawl when it is late.
func TestTwoBeginAtOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	t.Parallel()
	program := program(t)
	web := testsite.New()
	defer web.Close()
	site := web.Site("shop")
	testsite.Shop(site, 30)
	for i := range 15 {
		folder := filepath.Join(t.TempDir(), strconv.Itoa(i))
		var pair [2]*exec.Cmd
		for j := range pair {
			pair[j] = exec.CommandContext(t.Context(), program, "crawl", "-o", folder, "--delay", "0", "--progress", "none", "--max-pages", "20", site.URL()+"/")
			if err := pair[j].Start(); err != nil {
				t.Fatal(err)
			}
		}
		var codes []int
		for _, one := range pair {
			_ = one.Wait() // the code is judged below
			codes = append(codes, one.ProcessState.ExitCode())
		}
		slices.Sort(codes)
		if codes[0] != exitOK || codes[1] != exitOK && codes[1] != exitDirectory {
			t.Errorf("got exit codes %v, want 0 and 5", codes)
		}
		finish(t, program, "state", "verify", folder)
		for address, n := range urlsOf(t, filepath.Join(folder, crawldir.PagesName)) {
			if n > 1 {
				t.Errorf("%s occurs %d times", address, n)
			}
		}
	}
}
