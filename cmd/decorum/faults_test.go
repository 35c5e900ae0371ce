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

	"github.com/decorum-crawler/decorum/crawler/crawldir"
	"github.com/decorum-crawler/decorum/internal/faults"
	"github.com/decorum-crawler/decorum/internal/invariant"
	"github.com/decorum-crawler/decorum/internal/testsite"
)

var (
	faultStep = flag.Int("fault-step", 90, "TestFaults lets each so many-th call on a file fail, from a random one on")
	powerStep = flag.Int("power-step", 20, "TestPowerLoss lets the power fail at each so many-th sync")
)

// disturbed returns the path of the command, built so that its calls on files can
// fail.
func disturbed(t *testing.T, patches ...faults.Patch) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "decorum")
	if err := faults.Build(t.Context(), ".", path, patches...); err != nil {
		t.Fatal(err)
	}
	return path
}

// disk is a folder of a test in which the calls of a program can fail.
type disk struct {
	program string
	base    string // the folder
	crawl   string // the crawl directory in it
	log     string
}

func newDisk(t *testing.T, program string) disk {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return disk{program: program, base: base, crawl: filepath.Join(base, "crawl"), log: filepath.Join(t.TempDir(), "calls")}
}

// empty removes everything on the disk.
func (d disk) empty(t *testing.T) {
	t.Helper()
	if err := os.RemoveAll(d.crawl); err != nil {
		t.Fatal(err)
	}
}

// run runs the command under a plan and returns how it ended and its calls.
func (d disk) run(t *testing.T, plan faults.Plan, args ...string) (invariant.Process, []faults.Call) {
	t.Helper()
	_ = os.Remove(d.log)
	plan.Dir, plan.Log = d.base, d.log
	command := exec.CommandContext(t.Context(), d.program, args...)
	command.Env = append(os.Environ(), plan.Env()...)
	process := ended(command, plan.How == faults.Kill)
	calls, err := faults.ReadLog(d.log)
	if err != nil {
		t.Fatal(err)
	}
	return process, calls
}

// smallShop is a site for which few calls on files are made, but each kind.
func smallShop(t *testing.T) (*testsite.Web, *testsite.Site) {
	t.Helper()
	web := testsite.New()
	t.Cleanup(web.Close)
	site := web.Site("shop")
	testsite.Shop(site, 3)
	return web, site
}

// faultyCommands are the commands whose calls on files fail.
func faultyCommands(folder, seed string) map[string][]string {
	network := []string{"-o", folder, "--delay", "0", "--min-free-disk", "0", "--progress", "none", seed}
	return map[string][]string{
		"crawl":   append([]string{"crawl"}, network...),
		"archive": append([]string{"crawl", "--store", "pages,warc"}, network...),
		"corpus":  append([]string{"corpus", "build", "--store", "pages,warc", "--format", "jsonl", "--shard-rows", "4"}, network...),
	}
}

// TestFaults lets each call on a file fail once, and then all calls from it on,
// as on a full disk. The same command completes the crawl afterwards.
func TestFaults(t *testing.T) {
	eachSurvivor(t, func(t *testing.T, s survivor, _ []faults.Call) {
		t.Helper()
		s.calls(t, faults.Plan{How: faults.Once, Errno: syscall.EIO})
		s.calls(t, faults.Plan{How: faults.Every, Errno: syscall.ENOSPC})
	})
}

// survivor is a crawl to which something happens, and which the same command
// completes.
type survivor struct {
	disk
	web  *testsite.Web
	args []string
	want map[string]int // outputs
}

// eachSurvivor runs each command once without a disturbance, and then check, with
// the calls of that run.
func eachSurvivor(t *testing.T, check func(t *testing.T, s survivor, calls []faults.Call)) {
	t.Helper()
	if testing.Short() {
		t.Skip("builds the standard library")
	}
	web, site := smallShop(t)
	base := newDisk(t, disturbed(t))
	for name, args := range faultyCommands(base.crawl, site.URL()+"/") {
		t.Run(name, func(t *testing.T) {
			base.empty(t)
			whole, calls := base.run(t, faults.Plan{}, args...)
			if whole.Code != exitOK {
				t.Fatalf("got %d: %s", whole.Code, whole.Output)
			}
			check(t, survivor{disk: base, web: web, args: args, want: outputsOf(t, base.crawl)}, calls)
		})
	}
}

// calls lets one call after the other fail, until the command makes no more.
func (s survivor) calls(t *testing.T, plan faults.Plan) {
	t.Helper()
	for plan.At = 1 + rand.IntN(*faultStep); ; plan.At += *faultStep {
		s.empty(t)
		failed, calls := s.run(t, plan, s.args...)
		if len(calls) < plan.At {
			t.Logf("%s: %d calls", plan.How, len(calls))
			return
		}
		what := fmt.Sprintf("%s: call %d, %s", plan.How, plan.At, calls[plan.At-1])
		if failed.Code != exitOK && (failed.Code != exitIO || !bytes.Contains(failed.Output, []byte("hint: "))) {
			t.Errorf("%s: got %d, %q, want 4 and a hint", what, failed.Code, failed.Output)
		}
		s.complete(t, what, failed)
	}
}

// complete runs the command again. The crawl must be as if nothing had happened.
func (s survivor) complete(t *testing.T, what string, before ...invariant.Process) {
	t.Helper()
	again, _ := s.run(t, faults.Plan{}, s.args...)
	if again.Code != exitOK {
		t.Errorf("%s: got %d afterwards: %s", what, again.Code, again.Output)
		return
	}
	crawl := invariant.Crawl{Web: s.web, Dir: s.crawl, Finished: true, Processes: append(before, again)}
	for _, v := range crawl.Violations() {
		t.Errorf("%s: %s", what, v)
	}
	if got := outputsOf(t, s.crawl); !maps.Equal(got, s.want) {
		t.Errorf("%s: got other outputs: %s", what, differences(got, s.want))
	}
}

// outputsOf counts the URLs in the outputs of a crawl, by "file URL".
func outputsOf(t *testing.T, folder string) map[string]int {
	t.Helper()
	all := map[string]int{}
	for _, name := range []string{crawldir.PagesName, crawldir.SkippedName} {
		for address, n := range urlsOf(t, filepath.Join(folder, name)) {
			all[name+" "+address] = n
		}
	}
	if documents, _ := filepath.Glob(filepath.Join(folder, "documents", "*")); len(documents) > 0 {
		for address, n := range documentCounts(t, folder) {
			all["document "+address] = n
		}
	}
	return all
}
