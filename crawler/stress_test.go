package crawler

import (
	"fmt"
	"testing"

	"github.com/decorum-crawler/decorum/frontier"
)

// TestCrawlWithoutDelayFindsAll crawls several hosts as fast as possible, with many
// items of a host between two commits, and wants each page once.
func TestCrawlWithoutDelayFindsAll(t *testing.T) {
	var seeds []string
	const pages = 300
	for range 4 {
		answers := map[string]any{}
		for i := range pages {
			answers[fmt.Sprintf("/p/%d", i)] = doc(a(fmt.Sprintf("/p/%d", (i*2+1)%pages)), a(fmt.Sprintf("/p/%d", (i*2+2)%pages)))
		}
		seeds = append(seeds, newSite(t, answers).URL+"/p/0")
	}
	scope, err := frontier.NewScope(frontier.ReachHost, seeds, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	lines, _ := crawled(t, Options{Scope: scope, NoTraps: true}, seeds...)
	if len(lines) != 4*pages {
		t.Errorf("got %d pages, want %d", len(lines), 4*pages)
	}
}
