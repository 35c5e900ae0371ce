package main

import (
	"bytes"
	"fmt"
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

// TestDamagedState flips bits, zeroes pages and cuts the state file. The answer
// is an exit code of the contract, never a crash.
func TestDamagedState(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	program := program(t)
	web := testsite.New()
	defer web.Close()
	site := web.Site("shop")
	testsite.Shop(site, 40)
	folder := filepath.Join(t.TempDir(), "crawl")
	finish(t, program, "crawl", "-o", folder, "--delay", "0", "--progress", "none", site.URL())
	name := filepath.Join(folder, crawldir.StateName)
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	const pageSize = 4096
	damages := map[string][]byte{"empty": nil, "one page": whole[:pageSize], "half": whole[:len(whole)/2], "one byte": whole[:1]}
	for page := range len(whole) / pageSize {
		data := slices.Clone(whole)
		clear(data[page*pageSize : (page+1)*pageSize])
		damages[fmt.Sprintf("page %d zeroed", page)] = data
	}
	source := rand.New(rand.NewPCG(3, 5))
	for i := range 60 {
		data := slices.Clone(whole)
		for range []int{1, 4, 32}[i%3] {
			data[source.IntN(len(data))] ^= 1 << source.IntN(8)
		}
		damages[fmt.Sprintf("bits %d", i)] = data
	}
	for what, data := range damages {
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
		verify := exec.CommandContext(t.Context(), program, "state", "verify", folder)
		var errs bytes.Buffer
		verify.Stderr = &errs
		_ = verify.Run() // the code is judged below
		if code := verify.ProcessState.ExitCode(); code != exitOK && code != exitFindings && code != exitDirectory || strings.Contains(errs.String(), "goroutine ") {
			t.Errorf("%s: got exit code %d, %s", what, code, errs.String())
		}
	}
}
