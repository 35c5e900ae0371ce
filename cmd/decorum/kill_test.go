package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/decorum-crawler/decorum/internal/invariant"
	"github.com/decorum-crawler/decorum/internal/testsite"
)

var kills = flag.Int("kills", 50, "how often TestKillLoop kills the crawl")

var flips = flag.Int("flips", 200, "how many damaged states TestFlippedBits makes")

// killDelay is the least gap at each host of a crawl that is killed.
const killDelay = 25 * time.Millisecond

// TestKillLoop kills the crawl with SIGKILL at random moments. What it leaves
// in the end must be what an uninterrupted crawl leaves.
func TestKillLoop(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	t.Parallel() // with the other kill loops, which mostly wait
	program, folder := program(t), t.TempDir()
	web := testsite.New()
	defer web.Close()
	args := []string{"--progress", "none", "--min-free-disk", "0"}
	for _, name := range []string{"one", "two", "three"} {
		site := web.Site(name)
		testsite.Shop(site, 12**kills)
		args = append(args, site.URL()+"/")
	}
	whole, cut := filepath.Join(folder, "whole"), filepath.Join(folder, "cut")
	disturbed := append([]string{"crawl", "-o", cut, "--delay", killDelay.String()}, args...)
	processes := killed(t, program, *kills, 20*time.Millisecond, 580*time.Millisecond, disturbed...)
	processes = append(processes, ended(exec.CommandContext(t.Context(), program, disturbed...), false))
	done, log := deaths(processes), web.Log()
	holds(t, invariant.Crawl{Web: web, Delay: killDelay, Dir: cut, Finished: true, Processes: processes, MaxRSS: 256 << 20})
	if done < *kills*9/10 {
		t.Errorf("got %d kills of %d: the crawl ended too soon to show anything", done, *kills)
	}
	finish(t, program, append([]string{"crawl", "-o", whole, "--delay", "0"}, args...)...)
	finish(t, program, "state", "verify", whole)
	t.Logf("killed %d times of %d; %d requests instead of %d", done, *kills, len(log), len(web.Log())-len(log))

	for _, name := range []string{"pages.jsonl", "skipped.jsonl"} {
		want, got := urlsOf(t, filepath.Join(whole, name)), urlsOf(t, filepath.Join(cut, name))
		for address, n := range got {
			if n > 1 {
				t.Errorf("%s: %s occurs %d times", name, address, n)
			}
		}
		for address, n := range want {
			if n > 1 {
				t.Errorf("%s of the uninterrupted crawl: %s occurs %d times", name, address, n)
			}
		}
		if a, b := slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)); !slices.Equal(a, b) {
			t.Errorf("%s: got %d URLs, want %d", name, len(a), len(b))
		}
	}
	fetched := map[string]int{}
	for _, hit := range log {
		fetched[hit.Site+hit.Path]++
	}
	for page, n := range fetched {
		if n > 1+done {
			t.Errorf("%s was fetched %d times after %d kills", page, n, done)
		}
	}
}

// urlsOf counts the URLs of an output; every line must be whole.
func urlsOf(t *testing.T, name string) map[string]int {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for line := range strings.Lines(string(data)) {
		var record struct{ URL string }
		if err := json.Unmarshal([]byte(line), &record); err != nil || !strings.HasSuffix(line, "\n") {
			t.Errorf("%s: torn line %q: %v", name, line, err)
		}
		counts[record.URL]++
	}
	return counts
}

// TestPoliteness reads the logs of three sites that a real crawl visited.
func TestPoliteness(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	const delay = 200 * time.Millisecond
	web := testsite.New()
	defer web.Close()
	folder := filepath.Join(t.TempDir(), "crawl")
	args := []string{"crawl", "-o", folder, "--delay", delay.String(), "--progress", "none"}
	for _, name := range []string{"one", "two", "three"} {
		site := web.Site(name)
		testsite.Shop(site, 12)
		args = append(args, site.URL()+"/")
	}
	process := ended(exec.CommandContext(t.Context(), program(t), args...), false)
	holds(t, invariant.Crawl{Web: web, Delay: delay, Dir: folder, Finished: true, Processes: []invariant.Process{process}, MaxRSS: 256 << 20})
	first := map[string]string{}
	for _, hit := range web.Log() {
		if _, ok := first[hit.Site]; !ok {
			first[hit.Site] = hit.Path
		}
		if strings.HasPrefix(hit.Path, "/account/o") || strings.Contains(hit.Path, "sort=") || hit.Path == "/partner" {
			t.Errorf("got %s asked of %s, want it left alone", hit.Path, hit.Site)
		}
	}
	for site, path := range first {
		if path != "/robots.txt" {
			t.Errorf("%s: got %s asked first, want /robots.txt", site, path)
		}
	}
}

// invokeProgram runs the program and returns how it ended.
func invokeProgram(t *testing.T, program string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	command := exec.CommandContext(t.Context(), program, args...)
	command.Stdout, command.Stderr = &out, &errs
	_ = command.Run() // the code is judged by the caller
	return command.ProcessState.ExitCode(), out.String(), errs.String()
}

// flock locks a directory, as a crawl in it does.
func flock(folder *os.File) error { return syscall.Flock(int(folder.Fd()), syscall.LOCK_EX) }
