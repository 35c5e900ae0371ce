package crawler

import (
	"cmp"
	"maps"
	"slices"
	"sync"

	"github.com/decorum-crawler/decorum/crawler/fetch"
	"github.com/decorum-crawler/decorum/crawler/record"
	"github.com/decorum-crawler/decorum/frontier"
	"github.com/decorum-crawler/decorum/robots"
)

// SeedEnd tells how a seed ended in a run.
type SeedEnd struct {
	URL    string
	Status int             // 0: no response, or never requested
	Error  string          // why a request failed or robots.txt is unreachable, in words or as a failure class
	Skip   frontier.Reason // why it was never fetched
	Rule   robots.Rule     // that forbids it
}

// Failed reports whether the seed yielded no response to crawl from.
func (s SeedEnd) Failed() bool { return s.Skip != "" || s.Status == 0 }

// tally counts the outcomes of a run.
type tally struct {
	mu       sync.Mutex
	statuses map[int]int64
	skips    map[frontier.Reason]int64
	seeds    []SeedEnd
	lost     map[string]string // why robots.txt is unreachable, by origin
}

// maxLost is the number of origins whose cause is kept.
const maxLost = 100

func (t *tally) unreachable(site *fetch.Site) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.lost == nil {
		t.lost = map[string]string{}
	}
	if _, ok := t.lost[site.Origin]; ok || len(t.lost) < maxLost {
		t.lost[site.Origin] = site.Failure()
	}
}

func (t *tally) page(item frontier.Item, p record.Page) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.statuses == nil {
		t.statuses = map[int]int64{}
	}
	t.statuses[p.Status]++
	if item.Source == frontier.SourceSeed {
		t.seeds = append(t.seeds, SeedEnd{URL: item.URL, Status: p.Status, Error: cmp.Or(p.Cause, p.Error)})
	}
}

func (t *tally) skip(item frontier.Item, end SeedEnd) {
	if item.Kind != frontier.KindPage {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.skips == nil {
		t.skips = map[frontier.Reason]int64{}
	}
	t.skips[end.Skip]++
	if item.Source == frontier.SourceSeed {
		t.seeds = append(t.seeds, end)
	}
}

func (t *tally) result() Result {
	t.mu.Lock()
	defer t.mu.Unlock()
	return Result{
		Statuses: maps.Clone(t.statuses), Skips: maps.Clone(t.skips),
		Seeds: slices.Clone(t.seeds), Unreachable: maps.Clone(t.lost),
	}
}
