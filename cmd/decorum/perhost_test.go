package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestPerIPDelay crawls ten hosts at one address.
func TestPerIPDelay(t *testing.T) {
	const delay = 100 * time.Millisecond
	program, dir := program(t), filepath.Join(t.TempDir(), "out")
	var mu sync.Mutex
	requests, last := 0, time.Time{}
	args := []string{"crawl", "-o", dir, "--progress", "none", "--delay", "0", "--per-ip-delay", delay.String(), "--min-free-disk", "0"}
	for range 10 {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			requests++
			last = time.Now()
			mu.Unlock()
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<a href=/1>")
		}))
		defer server.Close()
		args = append(args, server.URL+"/")
	}
	began := time.Now()
	finish(t, program, args...)
	if got := len(urlsOf(t, filepath.Join(dir, "pages.jsonl"))); got != 20 {
		t.Errorf("got %d pages, want 20", got)
	}
	if took, least := last.Sub(began), time.Duration(requests-1)*delay; took < least || requests < 30 {
		t.Errorf("got %d requests in %v, want at least %v", requests, took, least)
	}
}

// TestMaxPagesPerHost crawls two sites in two runs.
func TestMaxPagesPerHost(t *testing.T) {
	program, dir := program(t), filepath.Join(t.TempDir(), "out")
	args := []string{"crawl", "-o", dir, "--progress", "none", "--delay", "0", "--min-free-disk", "0", "--max-pages-per-host", "20", treeSite(t, 100), treeSite(t, 15)}
	finish(t, program, append(args, "--max-pages", "10")...)
	finish(t, program, "resume", dir, "--max-pages", "0")
	finish(t, program, "state", "verify", dir)
	if got := len(urlsOf(t, filepath.Join(dir, "pages.jsonl"))); got != 35 {
		t.Errorf("got %d pages, want 20 of the first site and 15 of the second", got)
	}
	data, err := os.ReadFile(filepath.Join(dir, "skipped.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	skipped := 0
	for line := range strings.Lines(string(data)) {
		var skip struct{ Reason string }
		if err := json.Unmarshal([]byte(line), &skip); err != nil || skip.Reason != "limit" {
			t.Errorf("got %s, %v, want reason limit", line, err)
		}
		skipped++
	}
	if skipped == 0 {
		t.Error("got no skipped URL")
	}
}
