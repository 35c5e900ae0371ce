package main

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/decorum-crawler/decorum/corpus"
)

// Two sites, and parts of one crawl that overlap, become one corpus that verifies.
func TestCorpusMerge(t *testing.T) {
	_, _, a := buildFarm(t)
	_, _, b := buildFarm(t, "--format", "parquet", "--text", "plain")
	merged := func(want int, directories ...string) string {
		t.Helper()
		out := filepath.Join(t.TempDir(), "merged")
		args := append([]string{"corpus", "merge", "-o", out}, directories...)
		if code, said, errs := invoke(args...); code != exitOK || len(documentsOf(t, out)) != want {
			t.Fatalf("got %d, %q, %q, want %d documents", code, said, errs, want)
		}
		if code, said, _ := invoke("corpus", "verify", out); code != exitOK {
			t.Errorf("got %d, %q", code, said)
		}
		if m := manifestOf(t, out); len(m.Merged) != len(directories) {
			t.Errorf("got %q", m.Merged)
		}
		return out
	}
	both := merged(20, a, b)
	if c := manifestOf(t, both).Counts; c.ExcludedBy["token"] != 2 || c.Failed != 2 || c.LeftOut != 0 {
		t.Errorf("got %+v", c)
	}
	part := func(where string) string {
		t.Helper()
		out := filepath.Join(t.TempDir(), "part")
		if code, _, errs := invoke("corpus", "export", a, "--where", where, "-o", out); code != exitOK {
			t.Fatalf("got %d, %q", code, errs)
		}
		return out
	}
	pages, twins := part(`url contains "/page/"`), part(`url contains "/page/3" or url contains "/twin/"`)
	if c := manifestOf(t, merged(8, pages, twins)).Counts; c.LeftOut != 2 || c.Duplicates != 1 {
		t.Errorf("got %+v", c)
	}
	if code, _, errs := invoke("corpus", "purge", both); code != exitDirectory || !strings.Contains(errs, "merger") {
		t.Errorf("got %d, %q", code, errs)
	}

	// What was purged from the crawl does not come back from an older part of it.
	var removals []corpus.Removal
	for _, d := range documentsOf(t, a) {
		if strings.HasSuffix(d.URL, "/page/3") {
			removals = append(removals, corpus.Removal{ID: d.ID, URL: d.URL})
		}
	}
	if _, err := corpus.WriteRemovals(openTestRoot(t, a), time.Now(), removals); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := invoke("corpus", "purge", a); code != exitOK {
		t.Fatalf("got %d, %q", code, errs)
	}
	for _, d := range documentsOf(t, merged(9, pages, a)) {
		if strings.HasSuffix(d.URL, "/page/3") {
			t.Errorf("got %s", d.URL)
		}
	}
	if code, _, errs := invoke("corpus", "decide", b, "--policy", "token"); code != exitOK {
		t.Fatalf("got %d, %q", code, errs)
	}
	if code, _, errs := invoke("corpus", "merge", a, b, "-o", filepath.Join(t.TempDir(), "x")); code != exitUsage || !strings.Contains(errs, "different policies") {
		t.Errorf("got %d, %q", code, errs)
	}
}
