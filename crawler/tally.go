package crawler

import (
	"maps"
	"slices"
	"sync"

	"github.com/decorum-crawler/decorum/crawler/record"
	"github.com/decorum-crawler/decorum/frontier"
	"github.com/decorum-crawler/decorum/robots"
)

// SeedEnd tells how a seed ended in a run.
type SeedEnd struct {
	URL    string
	Status int             // 0: no response, or never requested
	Error  string          // failure class of a failed request
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
}

func (t *tally) page(item frontier.Item, p record.Page) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.statuses == nil {
		t.statuses = map[int]int64{}
	}
	t.statuses[p.Status]++
	if item.Source == frontier.SourceSeed {
		t.seeds = append(t.seeds, SeedEnd{URL: item.URL, Status: p.Status, Error: p.Error})
	}
}

func (t *tally) skip(item frontier.Item, reason frontier.Reason, rule robots.Rule) {
	if item.Kind != frontier.KindPage {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.skips == nil {
		t.skips = map[frontier.Reason]int64{}
	}
	t.skips[reason]++
	if item.Source == frontier.SourceSeed {
		t.seeds = append(t.seeds, SeedEnd{URL: item.URL, Skip: reason, Rule: rule})
	}
}

func (t *tally) result() Result {
	t.mu.Lock()
	defer t.mu.Unlock()
	return Result{Statuses: maps.Clone(t.statuses), Skips: maps.Clone(t.skips), Seeds: slices.Clone(t.seeds)}
}
