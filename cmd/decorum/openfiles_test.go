package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestFitFiles(t *testing.T) {
	for _, test := range []struct{ limit, workers, fitting, idle int }{
		{0, 32, 32, 256},
		{20_000, 32, 32, 256},
		{1024, 32, 32, 256},
		{1024, 1000, 198, 200},
		{64, 32, 6, 8},
		{16, 32, 1, 1},
	} {
		fitting, idle := fitFiles(test.limit, test.workers)
		if fitting != test.fitting || idle != test.idle {
			t.Errorf("limit %d, %d workers: got %d and %d, want %d and %d", test.limit, test.workers, fitting, idle, test.fitting, test.idle)
		}
	}
}

// TestFewOpenFiles crawls 500 hosts while the program may have 64 files open.
func TestFewOpenFiles(t *testing.T) {
	t.Parallel()
	hosts := 500
	if testing.Short() {
		hosts = 60
	}
	program := program(t)
	for name, args := range map[string][]string{
		"pages": {"crawl"}, "archive": {"crawl", "--store", "warc"}, "corpus": {"corpus", "build", "--store", "warc"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "out")
			args = append(args, "-o", dir, "--progress", "none", "--delay", "100ms", "--min-free-disk", "0", "--seeds", manySites(t, hosts, 100))
			command := exec.CommandContext(t.Context(), "sh", append([]string{"-c", `ulimit -n 64 && exec "$0" "$@"`, program}, args...)...)
			out, err := command.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if said := strings.Count(string(out), "at most 64 files may be open (ulimit -n), so at most 6 requests in parallel instead of 32"); said != 1 {
				t.Errorf("got %d times why there are fewer workers, want once:\n%s", said, out)
			}
			for page, n := range urlsOf(t, filepath.Join(dir, "pages.jsonl")) {
				if n != 1 {
					t.Errorf("%s occurs %d times", page, n)
				}
			}
			if got := len(urlsOf(t, filepath.Join(dir, "pages.jsonl"))); got != 3*hosts {
				t.Errorf("got %d pages, want %d\n%s", got, 3*hosts, out)
			}
		})
	}
}
