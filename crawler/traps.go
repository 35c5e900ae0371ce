package crawler

import (
	"slices"
	"sync"

	"github.com/decorum-crawler/decorum/crawler/trap"
	"github.com/decorum-crawler/decorum/frontier"
)

// traps finds the parts of sites that have no end. It is safe for concurrent use.
type traps struct {
	off      bool
	sessions *sessions
	patterns *trap.Detector

	mu       sync.Mutex
	closings []trap.Closing // of this run, at most maxClosings
}

// maxClosings is the number of closed patterns that the result of a run names.
const maxClosings = 1000

func newTraps(o Options) *traps {
	t := &traps{off: o.NoTraps, sessions: newSessions(), patterns: trap.New(o.TrapBudget)}
	for _, pattern := range o.ClosedTraps {
		t.patterns.Close(pattern)
	}
	return t
}

// looped reports whether a URL itself looks like part of an endless site.
func (t *traps) looped(canonical string) bool { return !t.off && isTrap(canonical) }

// repeats reports whether a URL is that of a known page with another session id.
func (t *traps) repeats(canonical string) bool { return !t.off && t.sessions.repeats(canonical) }

// closed returns the closed pattern that an item is part of, or "". What a user, a
// sitemap or a page outside of all patterns names is requested all the same: that
// has an end, however alike the pages are.
func (t *traps) closed(item frontier.Item) string {
	if t.off || item.Source == frontier.SourceSeed || item.Source == frontier.SourceSitemap {
		return ""
	}
	pattern := t.patterns.Closed(item.URL)
	if pattern != "" && trap.Pattern(item.Via) == "" && t.patterns.Closed(item.Via) == "" {
		return ""
	}
	return pattern
}

// fetched notes the content of a page for the search for session ids.
func (t *traps) fetched(canonical string, body []byte) {
	if !t.off {
		t.sessions.fetched(canonical, body)
	}
}

// read begins a page with text, or returns nil if its text does not matter.
func (t *traps) read(canonical string) *trap.Page {
	if t.off {
		return nil
	}
	return t.patterns.Read(canonical)
}

func (t *traps) note(closing trap.Closing) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.closings) < maxClosings {
		t.closings = append(t.closings, closing)
	}
}

func (t *traps) result() []trap.Closing {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.closings)
}
