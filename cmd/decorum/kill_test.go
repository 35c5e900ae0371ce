package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/decorum-crawler/decorum/internal/testsite"
)

var kills = flag.Int("kills", 50, "how often TestKillLoop kills the crawl")

var flips = flag.Int("flips", 200, "how many damaged states TestFlippedBits makes")

// program returns the path of the command, built for the test.
func program(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "decorum")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", path, ".").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return path
}

// need skips a test whose tool is not installed, except where .ci/run has
// installed it.
func need(t *testing.T, missing error, tool string) {
	t.Helper()
	switch {
	case missing == nil:
	case os.Getenv("DECORUM_CI") != "":
		t.Fatalf("needs %s, which .ci/run installs: %v", tool, missing)
	default:
		t.Skipf("needs %s", tool)
	}
}

func finish(t *testing.T, program string, args ...string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), program, args...).CombinedOutput(); err != nil {
		t.Fatalf("decorum %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// killed runs the program repeatedly and kills each run with SIGKILL at a random
// moment between least and least+span. It returns how many runs had not ended
// before.
func killed(t *testing.T, program string, lives int, least, span time.Duration, args ...string) (kills int) {
	t.Helper()
	for range lives {
		life := exec.CommandContext(t.Context(), program, args...)
		if err := life.Start(); err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(least+time.Duration(rand.Int64N(int64(span))), func() { _ = life.Process.Kill() })
		if life.Wait() != nil {
			kills++
		}
	}
	return kills
}

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
	finish(t, program, append([]string{"crawl", "-o", whole, "--delay", "0"}, args...)...)
	finish(t, program, "state", "verify", whole)
	args = append(args, "--delay", "25ms")
	before := len(web.Log())

	args = append([]string{"crawl", "-o", cut}, args...)
	done := killed(t, program, *kills, 20*time.Millisecond, 580*time.Millisecond, args...)
	finish(t, program, args...)
	finish(t, program, "state", "verify", cut)
	if done < *kills*9/10 {
		t.Errorf("got %d kills of %d: the crawl ended too soon to show anything", done, *kills)
	}
	t.Logf("killed %d times of %d; %d requests instead of %d", done, *kills, len(web.Log())-before, before)

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
	for _, hit := range web.Log() {
		if strings.HasPrefix(hit.Path, "/account/o") || strings.Contains(hit.Path, "sort=") {
			t.Errorf("got %s asked of %s, want it left alone", hit.Path, hit.Site)
		}
	}
	fetched := map[string]int{}
	for _, hit := range web.Log()[before:] {
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
	web := testsite.New()
	defer web.Close()
	args := []string{"crawl", "-o", filepath.Join(t.TempDir(), "crawl"), "--delay", "200ms", "--progress", "none"}
	for _, name := range []string{"one", "two", "three"} {
		site := web.Site(name)
		testsite.Shop(site, 12)
		args = append(args, site.URL()+"/")
	}
	finish(t, program(t), args...)
	for site, gaps := range web.Gaps() {
		if least := slices.Min(gaps); least < 195*time.Millisecond {
			t.Errorf("%s: got a gap of %v, want 200ms", site, least)
		}
	}
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
