package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/decorum-crawler/decorum/internal/invariant"
)

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

// ended runs a command to its end.
func ended(command *exec.Cmd, killed bool) invariant.Process {
	return launched(command)(killed)
}

// launched starts a command. The result waits for its end.
func launched(command *exec.Cmd) func(killed bool) invariant.Process {
	var said bytes.Buffer
	command.Stdout, command.Stderr = &said, &said
	err := command.Start()
	peak := func() int64 { return 0 }
	if err == nil {
		peak = watchPeak(command.Process.Pid, 20*time.Millisecond)
	}
	return func(killed bool) invariant.Process {
		if err == nil {
			err = command.Wait()
		}
		process := invariant.Process{Output: said.Bytes(), RSS: peak()}
		if failed, ok := errors.AsType[*exec.ExitError](err); ok {
			process.Code = failed.ExitCode()
		} else if err != nil {
			return invariant.Process{Code: -1, Output: []byte(err.Error())}
		}
		if killed && process.Code < 0 {
			process.Killed = time.Now()
		}
		return process
	}
}

// killed runs the program repeatedly and kills each run with SIGKILL at a random
// moment between least and least+span, unless it has ended before.
func killed(t *testing.T, program string, lives int, least, span time.Duration, args ...string) (processes []invariant.Process) {
	t.Helper()
	for range lives {
		life := exec.CommandContext(t.Context(), program, args...)
		end := launched(life)
		time.AfterFunc(least+time.Duration(rand.Int64N(int64(span))), func() { _ = life.Process.Kill() })
		processes = append(processes, end(true))
	}
	return processes
}

// deaths counts the processes that were killed.
func deaths(processes []invariant.Process) (n int) {
	for _, p := range processes {
		if !p.Killed.IsZero() {
			n++
		}
	}
	return n
}

// holds wants that a crawl breaks no invariant.
func holds(t *testing.T, crawl invariant.Crawl) {
	t.Helper()
	for _, violation := range crawl.Violations() {
		t.Error(violation)
	}
}

// differences names the outputs that are in one of two only.
func differences(got, want map[string]int) string {
	var text bytes.Buffer
	for name, n := range want {
		if got[name] != n {
			fmt.Fprintf(&text, "%d instead of %d of %s; ", got[name], n, name)
		}
	}
	for name, n := range got {
		if want[name] == 0 {
			fmt.Fprintf(&text, "%d of %s too many; ", n, name)
		}
	}
	return text.String()
}
