package main

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/decorum-crawler/decorum/internal/faults"
	"github.com/decorum-crawler/decorum/internal/invariant"
	"github.com/decorum-crawler/decorum/internal/testsite"
)

var (
	chaosTime = flag.Duration("chaos", 0, "how long TestChaos disturbs crawls; 0 skips it")
	chaosSeed = flag.Uint64("chaos-seed", 0, "the first round of TestChaos; 0: by the clock")
)

// chaosDelay is the least gap at each host.
const chaosDelay = 20 * time.Millisecond

// TestChaos disturbs crawls of random sites in random ways: kills and signals,
// stopped processes, disks that fail, clocks that jump. In the end each crawl must be
// as if nothing had happened, and no invariant may be broken. A round is repeated by
// its seed.
func TestChaos(t *testing.T) {
	if *chaosTime == 0 {
		t.Skip("needs -chaos")
	}
	program := disturbed(t)
	seed := *chaosSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano()) //nolint:gosec // any number will do
	}
	rounds := 0
	for end := time.Now().Add(*chaosTime); time.Now().Before(end) && !t.Failed(); rounds++ {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) { newChaos(t, program, seed).round() })
		seed++
	}
	t.Logf("%d rounds", rounds)
}

// chaos is one disturbed crawl.
type chaos struct {
	*testing.T
	*rand.Rand
	disk
	web       *testsite.Web
	command   []string // without the directory and what follows it
	rest      []string
	processes []invariant.Process
	story     bytes.Buffer // what was done
}

func newChaos(t *testing.T, program string, seed uint64) *chaos {
	t.Helper()
	c := &chaos{T: t, Rand: rand.New(rand.NewPCG(seed, seed)), disk: newDisk(t, program), web: testsite.New()} //nolint:gosec // must be repeatable
	t.Cleanup(c.web.Close)
	c.command = [][]string{
		{"crawl"},
		{"crawl", "--store", "pages,warc"},
		{"corpus", "build", "--store", "pages,warc", "--format", "jsonl", "--shard-rows", "4"},
	}[c.IntN(3)]
	c.rest = []string{"--delay", chaosDelay.String(), "--min-free-disk", "0", "--progress", "none", "--max-delay", "1s"}
	for i := range 1 + c.IntN(3) {
		site := c.web.Site(fmt.Sprintf("site%d", i))
		testsite.Shop(site, 1+c.IntN(12))
		for range c.IntN(3) {
			site.Flaky(fmt.Sprintf("/product/%d", c.IntN(5)), 1, []int{429, 500, 503}[c.IntN(3)], "")
		}
		c.rest = append(c.rest, site.URL()+"/")
	}
	return c
}

// args returns the command for a directory.
func (c *chaos) args(folder string) []string {
	return append(append(append([]string{}, c.command...), "-o", folder), c.rest...)
}

func (c *chaos) round() {
	for range 1 + c.IntN(5) {
		c.disturb()
	}
	finished := false
	for range 5 {
		last, _ := c.run(c.T, faults.Plan{}, c.args(c.crawl)...)
		c.processes = append(c.processes, last)
		if finished = last.Code == exitOK; finished {
			break
		}
		fmt.Fprintf(&c.story, "then %d: %s", last.Code, last.Output)
	}
	if !finished {
		c.Errorf("the crawl does not end:\n%s", &c.story)
		return
	}
	crawl := invariant.Crawl{Web: c.web, Delay: chaosDelay, Dir: c.crawl, Finished: true, Processes: c.processes, MaxRSS: 1 << 30}
	for _, violation := range crawl.Violations() {
		c.Errorf("%s\n%s", violation, &c.story)
	}
	calm := filepath.Join(c.TempDir(), "calm")
	if whole, _ := c.run(c.T, faults.Plan{}, c.args(calm)...); whole.Code != exitOK {
		c.Fatalf("got %d without a disturbance: %s", whole.Code, whole.Output)
	}
	if got, want := outputsOf(c.T, c.crawl), outputsOf(c.T, calm); !maps.Equal(got, want) {
		c.Errorf("got other outputs than without a disturbance: %s\n%s", differences(got, want), &c.story)
	}
}

// disturb runs the command until something happens to it.
func (c *chaos) disturb() {
	after := time.Duration(20+c.IntN(900)) * time.Millisecond
	var process invariant.Process
	kind := []string{"kill", "interrupt", "stop", "error", "full disk", "death at a call", "clock"}[c.IntN(7)]
	fmt.Fprintf(&c.story, "%s ", kind)
	switch call := 1 + c.IntN(300); kind {
	case "error":
		process, _ = c.run(c.T, faults.Plan{At: call, How: faults.Once, Errno: syscall.EIO}, c.args(c.crawl)...)
	case "full disk":
		process, _ = c.run(c.T, faults.Plan{At: call, How: faults.Every, Errno: syscall.ENOSPC}, c.args(c.crawl)...)
	case "death at a call":
		process, _ = c.run(c.T, faults.Plan{At: call, How: faults.Kill}, c.args(c.crawl)...)
	case "clock":
		jump := []time.Duration{-365 * 24 * time.Hour, -time.Hour, 365 * 24 * time.Hour}[c.IntN(3)]
		process = c.signalled(after, faults.Plan{Jump: jump, JumpAfter: after / 2}, syscall.SIGKILL)
	case "interrupt":
		process = c.signalled(after, faults.Plan{}, syscall.SIGINT)
	case "stop":
		process = c.signalled(after, faults.Plan{}, syscall.SIGSTOP)
	default:
		process = c.signalled(after, faults.Plan{}, syscall.SIGKILL)
	}
	fmt.Fprintf(&c.story, "after %v: %d\n", after, process.Code)
	c.processes = append(c.processes, process)
}

// signalled runs the command and sends it a signal after a while. A process that
// was stopped goes on a little later, and is killed then.
func (c *chaos) signalled(after time.Duration, plan faults.Plan, signal syscall.Signal) invariant.Process {
	command := exec.CommandContext(c.Context(), c.program, c.args(c.crawl)...)
	command.Env = append(os.Environ(), plan.Env()...)
	end := launched(command)
	running := make(chan invariant.Process, 1)
	go func() { running <- end(true) }()
	for _, step := range []struct {
		after  time.Duration
		signal syscall.Signal
	}{{after, signal}, {300 * time.Millisecond, syscall.SIGCONT}, {200 * time.Millisecond, syscall.SIGKILL}} {
		select {
		case process := <-running:
			return process
		case <-time.After(step.after):
			_ = command.Process.Signal(step.signal) // it may have ended
		}
		if signal != syscall.SIGSTOP {
			break
		}
	}
	return <-running
}
