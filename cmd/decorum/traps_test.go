package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/decorum-crawler/decorum/crawler/record"
)

// calendar serves a page for each month, for ever, and counts the requests.
func calendar(t *testing.T) (address string, months *atomic.Int64) {
	t.Helper()
	months = new(atomic.Int64)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			http.NotFound(w, r)
			return
		}
		months.Add(1)
		n, _ := strconv.Atoi(r.URL.Query().Get("month"))
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<title>Calendar</title>Month %d <a href="/?month=%d">next</a> <a href="/?month=%d">later</a>`, n, n+1, n+2)
	}))
	t.Cleanup(server.Close)
	return server.URL, months
}

// TestTrapStaysClosed crawls a calendar until its pattern is closed, and resumes.
func TestTrapStaysClosed(t *testing.T) {
	address, months := calendar(t)
	folder := filepath.Join(t.TempDir(), "c")
	crawl := []string{"crawl", "-o", folder, "--delay", "0", "--progress", "none", "--max-depth", "1000000", "--trap-budget", "20"}
	code, out, errs := invoke(append(crawl, address+"/")...)
	pattern := strings.TrimPrefix(address, "http://") + "/?month="
	if code != exitOK || !strings.Contains(out, "trap: "+pattern) || strings.Count(errs, pattern) != 1 {
		t.Fatalf("got %d, %s%s, want the pattern %s in the summary and once in the log", code, out, errs, pattern)
	}
	fetched := months.Load()
	if fetched > 60 {
		t.Errorf("got %d pages, want about 20 and some", fetched)
	}
	skipped := skippedTraps(t, folder)
	if len(skipped) == 0 {
		t.Fatal("got no trap in skipped.jsonl")
	}
	for _, skip := range skipped {
		if skip.Pattern != pattern {
			t.Errorf("got pattern %q of %s, want %q", skip.Pattern, skip.URL, pattern)
		}
	}
	if _, out, _ := invoke("state", "why", folder, skipped[0].URL); !strings.Contains(out, "pattern  "+pattern) {
		t.Errorf("got %s, want the pattern", out)
	}
	if code, out, errs := invoke(append(crawl, address+"/?month=5000")...); code != exitOK || !strings.Contains(out, "0 pending") {
		t.Fatalf("got %d, %s%s", code, out, errs)
	}
	if got := months.Load() - fetched; got > 1 {
		t.Errorf("got %d more pages, want only the seed", got)
	}
}

// TestNoTrapDetection crawls part of the calendar without a look for traps.
func TestNoTrapDetection(t *testing.T) {
	address, months := calendar(t)
	folder := filepath.Join(t.TempDir(), "c")
	code, out, errs := invoke("crawl", "-o", folder, "--delay", "0", "--progress", "none", "--max-depth", "1000000", "--max-pages", "400",
		"--trap-budget", "20", "--no-trap-detection", address+"/")
	if code != exitOK || months.Load() != 400 || len(skippedTraps(t, folder)) > 0 {
		t.Errorf("got %d, %d pages, %s%s", code, months.Load(), out, errs)
	}
}

func skippedTraps(t *testing.T, folder string) []record.Skip {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(folder, "skipped.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var skips []record.Skip
	for line := range strings.Lines(string(data)) {
		var skip record.Skip
		if err := json.Unmarshal([]byte(line), &skip); err != nil {
			t.Fatal(err)
		}
		if skip.Reason == "trap" {
			skips = append(skips, skip)
		}
	}
	return skips
}
