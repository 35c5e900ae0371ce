package main

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/decorum-crawler/decorum/crawler/crawldir"
	"github.com/decorum-crawler/decorum/internal/testsite"
)

// statePage is the size of a page of a state file, as bbolt takes it from the system.
var statePage = os.Getpagesize()

// damagedStates returns the ways in which a state file is known to break, by name.
func damagedStates(whole []byte) map[string][]byte {
	zeroed := func(pages ...int) []byte {
		data := slices.Clone(whole)
		for _, page := range pages {
			clear(data[page*statePage : (page+1)*statePage])
		}
		return data
	}
	damages := map[string][]byte{
		"zero length": {}, "one byte": whole[:1], "one page": whole[:statePage], "half": bytes.TrimRight(whole, "\x00")[:len(bytes.TrimRight(whole, "\x00"))/2],
		"text": []byte("hello, world, this is text"), "both metas zero": zeroed(0, 1), "first meta zero": zeroed(0), "second meta zero": zeroed(1),
	}
	for page := 2; page < len(whole)/statePage; page++ {
		damages[fmt.Sprintf("page %d zeroed", page)] = zeroed(page)
	}
	return damages
}

// bitFlips returns n copies of a state file in which bits are flipped.
func bitFlips(whole []byte, n int) map[string][]byte {
	source := rand.New(rand.NewPCG(3, 5))
	damages := map[string][]byte{}
	for i := range n {
		data := slices.Clone(whole)
		for range []int{1, 4, 32}[i%3] {
			data[source.IntN(len(data))] ^= 1 << source.IntN(8)
		}
		damages[fmt.Sprintf("bits %d", i)] = data
	}
	return damages
}

// damagedCrawl is the directory of a finished crawl whose state is damaged again and
// again.
type damagedCrawl struct {
	t       *testing.T
	program string
	folder  string
	web     *testsite.Web
	seed    string
	files   map[string]string // of the directory when it was whole
	asked   int               // requests until then
}

func newDamagedCrawl(t *testing.T, args ...string) *damagedCrawl {
	t.Helper()
	d := &damagedCrawl{t: t, program: program(t), folder: filepath.Join(t.TempDir(), "crawl"), web: testsite.New()}
	t.Cleanup(d.web.Close)
	site := d.web.Site("shop")
	testsite.Shop(site, 40)
	d.seed = site.URL() + "/"
	finish(t, d.program, append([]string{"crawl", "-o", d.folder, "--delay", "0", "--progress", "none", d.seed}, args...)...)
	finish(t, d.program, "state", "compact", d.folder) // no free pages, in which damage does not matter
	d.files, d.asked = d.read(), len(d.web.Log())
	return d
}

// read returns the files of the directory but its log.
func (d *damagedCrawl) read() map[string]string {
	d.t.Helper()
	files := map[string]string{}
	root := os.DirFS(d.folder)
	names, err := filepath.Glob(filepath.Join(d.folder, "*"))
	if err != nil {
		d.t.Fatal(err)
	}
	for _, name := range names {
		if base := filepath.Base(name); base != crawldir.LogName {
			if data, err := root.(interface {
				ReadFile(name string) ([]byte, error)
			}).ReadFile(base); err == nil {
				files[base] = string(data)
			}
		}
	}
	return files
}

// restore makes the directory whole again, but for its state.
func (d *damagedCrawl) restore(state []byte) {
	d.t.Helper()
	for name, data := range d.files {
		if name == crawldir.StateName {
			data = string(state)
		}
		if err := os.WriteFile(filepath.Join(d.folder, name), []byte(data), 0o600); err != nil {
			d.t.Fatal(err)
		}
	}
}

// run runs a command and reports a crash. It returns the exit code.
func (d *damagedCrawl) run(what string, args ...string) (code int, stdout string) {
	d.t.Helper()
	var out, errs bytes.Buffer
	command := exec.CommandContext(d.t.Context(), d.program, args...)
	command.Stdout, command.Stderr = &out, &errs
	_ = command.Run() // the code is judged by the caller
	code = command.ProcessState.ExitCode()
	if crash := strings.Contains(errs.String(), "goroutine ") || strings.Contains(errs.String(), "panic: "); crash || !slices.Contains([]int{exitOK, exitFindings, exitDirectory}, code) {
		d.t.Errorf("%s: decorum %s: got exit code %d, %s", what, args[:2], code, errs.String())
	}
	return code, out.String()
}

// TestDamagedState breaks the state of a crawl in all known ways. Each command ends
// with a code of the contract, never with a crash.
func TestDamagedState(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	t.Parallel()
	d := newDamagedCrawl(t, "--store", "warc")
	packed := filepath.Join(t.TempDir(), "crawl.wacz")
	commands := [][]string{
		{"state", "verify", d.folder},
		{"state", "inspect", d.folder},
		{"state", "why", d.folder, d.seed},
		{"state", "export", d.folder, "-o", packed},
		{"state", "compact", d.folder},
		{"resume", d.folder, "--delay", "0", "--progress", "none"},
		{"crawl", "-o", d.folder, "--delay", "0", "--progress", "none", d.seed},
	}
	damages := damagedStates([]byte(d.files[crawldir.StateName]))
	for _, what := range slices.Sorted(maps.Keys(damages)) {
		for _, command := range commands {
			d.restore(damages[what])
			code, _ := d.run(what, command...)
			if strings.HasSuffix(what, "meta zero") {
				continue // the other one is whole
			}
			verified := command[1] == "verify" && code == exitFindings
			if !strings.HasPrefix(what, "page ") && code != exitDirectory && !verified {
				t.Errorf("%s: decorum %s: got exit code %d, want 5", what, command[:2], code)
			}
		}
	}
}

// TestFlippedBits flips bits of the state. What state verify finds to be whole is
// correct, and a crawl that is resumed neither loses nor doubles a line.
func TestFlippedBits(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute")
	}
	t.Parallel()
	d := newDamagedCrawl(t)
	_, inspected := d.run("whole", "state", "inspect", d.folder)
	pages := len(pagesOf(t, d.folder))
	damages := bitFlips([]byte(d.files[crawldir.StateName]), *flips)
	whole := 0
	for _, what := range slices.Sorted(maps.Keys(damages)) {
		d.restore(damages[what])
		verified, _ := d.run(what, "state", "verify", d.folder)
		out := inspected
		if verified == exitOK {
			_, out = d.run(what, "state", "inspect", d.folder)
		}
		resumed, _ := d.run(what, "resume", d.folder, "--delay", "0", "--progress", "none")
		after := d.read()
		same := after[crawldir.PagesName] == d.files[crawldir.PagesName] && after[crawldir.SkippedName] == d.files[crawldir.SkippedName]
		if verified == exitOK {
			whole++
			if out != inspected || resumed != exitOK || !same || len(d.web.Log()) != d.asked {
				t.Errorf("%s: verified, but got %q, exit code %d of resume, same outputs: %v, %d requests", what, out, resumed, same, len(d.web.Log())-d.asked)
			}
		}
		if resumed == exitOK && !same { // a lost transaction was made up for
			if code, _ := d.run(what, "state", "verify", d.folder); code != exitOK {
				t.Errorf("%s: got exit code %d of verify after resume", what, code)
			}
			if got := pagesOf(t, d.folder); len(got) != pages {
				t.Errorf("%s: got %d pages, want %d", what, len(got), pages)
			}
		}
		d.asked = len(d.web.Log())
	}
	t.Logf("%d of %d damages hit nothing that matters", whole, len(damages))
}
