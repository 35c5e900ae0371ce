package main

import (
	"bufio"
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/decorum-crawler/decorum/crawler/crawldir"
	"github.com/decorum-crawler/decorum/crawler/record"
	"github.com/decorum-crawler/decorum/internal/testsite"
)

// pagesOf returns the records of pages.jsonl by URL. No URL may have two.
func pagesOf(t *testing.T, folder string) map[string]record.Page {
	t.Helper()
	file, err := os.Open(filepath.Join(folder, crawldir.PagesName))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	pages := map[string]record.Page{}
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		var p record.Page
		if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
			t.Fatal(err)
		}
		if _, ok := pages[p.URL]; ok {
			t.Errorf("%s has two lines", p.URL)
		}
		pages[p.URL] = p
	}
	return pages
}

// TestKillLoopRetryFailed lets most pages of a site and the robots.txt of another
// one fail, and then kills runs that request them again with SIGKILL.
func TestKillLoopRetryFailed(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	t.Parallel() // with the other kill loops, which mostly wait
	const products = 120
	program, folder := program(t), filepath.Join(t.TempDir(), "crawl")
	web := testsite.New()
	defer web.Close()
	shop, away := web.Site("shop"), web.Site("away")
	testsite.Shop(shop, products)
	testsite.Shop(away, 3)
	away.Flaky("/robots.txt", -1, http.StatusInternalServerError, "")
	for i := range products {
		shop.Flaky("/product/"+strconv.Itoa(i), -1, http.StatusInternalServerError, "")
	}
	finish(t, program, "crawl", "-o", folder, "--delay", "0", "--progress", "none", "--max-retries", "0", shop.URL()+"/", away.URL()+"/")
	whole := 0 // pages that did not fail
	for _, p := range pagesOf(t, folder) {
		if p.Status == http.StatusOK {
			whole++
		}
	}
	before := len(web.Log())
	finish(t, program, "resume", folder, "--delay", "0", "--progress", "none")
	if n := len(web.Log()) - before; n != 0 {
		t.Errorf("got %d requests of a resume, want none without --retry-failed", n)
	}

	away.Flaky("/robots.txt", 0, 0, "")
	for i := range products {
		shop.Flaky("/product/"+strconv.Itoa(i), 0, 0, "")
	}
	again := []string{"resume", folder, "--retry-failed", "--delay", "25ms", "--progress", "none"}
	done := deaths(killed(t, program, 12, 20*time.Millisecond, 400*time.Millisecond, again...))
	finish(t, program, again...)
	finish(t, program, "state", "verify", folder)
	if done < 8 {
		t.Errorf("got %d kills: the crawl ended too soon to show anything", done)
	}
	pages := pagesOf(t, folder)
	for url, p := range pages {
		if p.Status >= 500 {
			t.Errorf("%s has %d", url, p.Status)
		}
	}
	if _, ok := pages[away.URL()+"/"]; !ok || len(pages) < whole+products {
		t.Errorf("got %d pages, %s: %v", len(pages), away.URL(), ok)
	}
	skips := urlsOf(t, filepath.Join(folder, crawldir.SkippedName))
	for url := range skips {
		if _, ok := pages[url]; ok || skips[url] > 1 {
			t.Errorf("%s is a page: %v, and has %d skip lines", url, ok, skips[url])
		}
	}
	fetched := map[string]int{}
	for _, hit := range web.Log()[before:] {
		fetched[hit.Site+hit.Path]++
	}
	for _, page := range slices.Sorted(maps.Keys(fetched)) {
		if fetched[page] > 1+done || strings.HasPrefix(page, "shop/list/") {
			t.Errorf("%s was fetched %d times after %d kills", page, fetched[page], done)
		}
	}
}
