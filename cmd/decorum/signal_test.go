package main

import (
	"bytes"
	"errors"
	"maps"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/decorum-crawler/decorum/internal/invariant"
	"github.com/decorum-crawler/decorum/internal/testsite"
)

// started is a crawl in its own process.
type started struct {
	*exec.Cmd
	out, err bytes.Buffer
}

func start(t *testing.T, program string, args ...string) *started {
	t.Helper()
	s := &started{Cmd: exec.CommandContext(t.Context(), program, args...)}
	s.Stdout, s.Stderr = &s.out, &s.err
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	return s
}

// code waits for the process to end and returns its exit code.
func (s *started) code() int {
	err := s.Wait()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		return failed.ExitCode()
	}
	return 0
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !ok(); <-time.After(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s did not happen in 10 s", what)
		}
	}
}

func TestSignals(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	program := program(t)
	t.Run("a first one ends gracefully and resumably", func(t *testing.T) {
		web := testsite.New()
		defer web.Close()
		site := web.Site("shop")
		testsite.Shop(site, 60)
		folder, whole := filepath.Join(t.TempDir(), "crawl"), filepath.Join(t.TempDir(), "whole")
		life := start(t, program, "crawl", "-o", folder, "--delay", "20ms", "--progress", "none", site.URL())
		eventually(t, "a dozen requests", func() bool { return len(web.Log()) > 12 })
		if err := life.Process.Signal(syscall.SIGUSR1); err != nil {
			t.Fatal(err)
		}
		asked := len(web.Log())
		eventually(t, "some more requests", func() bool { return len(web.Log()) > asked+3 })
		if err := life.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		code := life.code()
		if code != exitTerminate || !strings.Contains(life.out.String(), "(stopped)") {
			t.Errorf("got %d, %q, want 143 and that it stopped", code, life.out.String())
		}
		if !strings.Contains(life.err.String(), "decorum: stopping: ") || !strings.Contains(life.err.String(), "press Ctrl-C again to drop") {
			t.Errorf("got %q, want it said that the crawl is stopping", life.err.String())
		}
		if !strings.Contains(life.err.String(), "progress pages=") {
			t.Errorf("got %q, want a line of progress for SIGUSR1", life.err.String())
		}
		ends := []invariant.Process{{Code: code, Output: slices.Concat(life.out.Bytes(), life.err.Bytes())}}
		ends = append(ends, ended(exec.CommandContext(t.Context(), program, "resume", folder, "--progress", "none"), false))
		holds(t, invariant.Crawl{Web: web, Delay: 20 * time.Millisecond, Dir: folder, Finished: true, Processes: ends, MaxRSS: 256 << 20})
		finish(t, program, "crawl", "-o", whole, "--delay", "0", "--progress", "none", site.URL())
		got, want := urlsOf(t, filepath.Join(folder, "pages.jsonl")), urlsOf(t, filepath.Join(whole, "pages.jsonl"))
		if !maps.Equal(got, want) {
			t.Errorf("got %d pages after the resume, want %d", len(got), len(want))
		}
	})
	t.Run("a second one drops what is in flight", func(t *testing.T) {
		web := testsite.New()
		defer web.Close()
		site := web.Site("slow")
		var asked atomic.Bool
		site.Handle("/", func(_ http.ResponseWriter, r *http.Request) {
			asked.Store(true)
			<-r.Context().Done()
		})
		folder := filepath.Join(t.TempDir(), "crawl")
		life := start(t, program, "crawl", "-o", folder, "--delay", "0", "--progress", "none", site.URL())
		eventually(t, "the slow request", asked.Load)
		began := time.Now()
		for range 2 {
			if err := life.Process.Signal(syscall.SIGINT); err != nil {
				t.Fatal(err)
			}
			<-time.After(100 * time.Millisecond)
		}
		if code := life.code(); code != exitInterrupt || time.Since(began) > 20*time.Second {
			t.Errorf("got %d after %v, want 130 at once: %s", code, time.Since(began), life.err.String())
		}
		finish(t, program, "state", "verify", folder)
	})
}

func TestSecondProcessIsRefused(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	program := program(t)
	web := testsite.New()
	defer web.Close()
	site := web.Site("shop")
	testsite.Shop(site, 60)
	folder := filepath.Join(t.TempDir(), "crawl")
	first := start(t, program, "crawl", "-o", folder, "--delay", "100ms", "--progress", "none", site.URL())
	eventually(t, "a request", func() bool { return len(web.Log()) > 1 })
	began := time.Now()
	second := start(t, program, "resume", folder)
	if code := second.code(); code != exitDirectory || time.Since(began) > 20*time.Second {
		t.Errorf("got %d after %v, want 5, not a wait without end: %s", code, time.Since(began), second.err.String())
	}
	if !strings.Contains(second.err.String(), "in use by another process") {
		t.Errorf("got %q, want that it is in use", second.err.String())
	}
	if err := first.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	first.code()
}

func TestFullDisk(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	program := program(t)
	disk := mountDisk(t, 700<<10)
	web := testsite.New()
	defer web.Close()
	site := web.Site("shop")
	testsite.Shop(site, 1500)
	folder := filepath.Join(disk, "crawl")
	args := []string{"crawl", "-o", folder, "--delay", "0", "--min-free-disk", "0", "--progress", "none", site.URL()}
	life := start(t, program, args...)
	if code := life.code(); code != exitIO {
		t.Fatalf("got %d, want 4: %s", code, life.err.String())
	}
	if !strings.Contains(life.err.String(), "hint: free some space") {
		t.Errorf("got %q, want a hint", life.err.String())
	}
	resizeDisk(t, disk, 64<<20)
	finish(t, program, args...)
	finish(t, program, "state", "verify", folder)
	if got := urlsOf(t, filepath.Join(folder, "pages.jsonl")); len(got) < 1500 {
		t.Errorf("got %d pages, want all", len(got))
	}
}

func TestBarOnATerminal(t *testing.T) {
	if _, err := exec.LookPath("script"); err != nil {
		t.Skip("needs script of util-linux for a terminal")
	}
	program := program(t)
	web := testsite.New()
	defer web.Close()
	site := web.Site("shop")
	testsite.Shop(site, 30)
	command := program + " crawl -o " + filepath.Join(t.TempDir(), "crawl") + " --delay 20ms " + site.URL()
	terminal := exec.CommandContext(t.Context(), "script", "-qec", command, "/dev/null")
	terminal.Env = slices.DeleteFunc(append(terminal.Environ(), "TERM=xterm"), func(v string) bool { return strings.HasPrefix(v, "CI=") })
	out, err := terminal.CombinedOutput()
	if err != nil {
		t.Fatalf("got %v: %q", err, out)
	}
	text := string(out)
	if !strings.Contains(text, "pages, 1 host, at least") || !strings.Contains(text, "█") {
		t.Errorf("got %q, want a bar", text)
	}
	if strings.Contains(text, "100%") {
		t.Errorf("got %q, want that the bar never reaches its end", text)
	}
}
