package trap

import (
	"hash/maphash"
	"strings"
	"sync"
	"sync/atomic"
)

const (
	// DefaultBudget is the number of pages without new text that a pattern may have.
	DefaultBudget = 200

	credit      = 10 // further pages for each one with new text
	familyShare = 5  // budgets of a family
	warmup      = 50 // pages of a pattern that are not looked at
	sampling    = 8  // of a pattern far from its end one page in so many is looked at
	healthy     = 20 // fresh pages that keep a pattern open in a closed family
)

// A Detector finds traps. It is safe for concurrent use.
type Detector struct {
	budget int64
	seed   maphash.Seed
	known  memory // runs of text, by pattern

	any    atomic.Bool // something is closed
	hosts  sync.Map    // that have closed patterns
	closed sync.Map    // patterns by key

	mu       sync.Mutex
	counters counters
}

// A Closing is a pattern that has exceeded its budget.
type Closing struct {
	Pattern string `json:"pattern"`
	Pages   int64  `json:"pages"` // fetched
	Fresh   int64  `json:"fresh"` // with new text, an estimate
}

// New returns a detector that closes a pattern when more than budget pages, and
// ten for each page with new text, had none. 0 means [DefaultBudget].
func New(budget int) *Detector {
	if budget == 0 {
		budget = DefaultBudget
	}
	return &Detector{budget: int64(budget), seed: maphash.MakeSeed()}
}

// Close closes a pattern that an earlier run has closed.
func (d *Detector) Close(pattern string) {
	d.closed.Store(maphash.String(d.seed, pattern), pattern)
	host, _, _ := strings.Cut(pattern, "/")
	d.hosts.Store(host, true)
	d.any.Store(true)
}

// Closed returns the closed pattern or family that a URL is part of, or "".
func (d *Detector) Closed(address string) string {
	if !d.any.Load() {
		return ""
	}
	host, _, _, _ := cut(address)
	if _, ok := d.hosts.Load(host); !ok {
		return ""
	}
	pattern, family := d.keys(address)
	if closed, ok := d.closed.Load(pattern); ok && pattern != 0 {
		return closed.(string)
	}
	closed, ok := d.closed.Load(family)
	if !ok || d.thrives(pattern) {
		return ""
	}
	return closed.(string)
}

// thrives reports whether a pattern is kept open in a closed family: at least half
// of its pages had new text.
func (d *Detector) thrives(pattern uint64) bool {
	if pattern == 0 {
		return false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	n := d.counters.get(pattern)
	return n.fresh >= healthy && n.fresh >= n.stale
}

// keys returns the keys of the pattern, 0 if there is none, and of the family of a
// URL.
func (d *Detector) keys(address string) (pattern, family uint64) {
	var buffer [512]byte
	if text, ok := appendPattern(buffer[:0], address); ok {
		pattern = maphash.Bytes(d.seed, text)
	}
	return pattern, maphash.Bytes(d.seed, appendFamily(buffer[:0], address))
}

// Read begins a page that was fetched. It returns nil when the page need not be
// looked at.
func (d *Detector) Read(address string) *Page {
	pattern, family := d.keys(address)
	sample := maphash.String(d.seed, address)%sampling == 0
	d.mu.Lock()
	first := d.begin(pattern, d.budget, sample)
	second := d.begin(family, d.budget*familyShare, sample)
	d.mu.Unlock()
	if first == 0 && second == 0 {
		return nil
	}
	p := &Page{detector: d, address: address, keys: [2]key{{value: pattern, weight: first}, {value: family, weight: second}}}
	p.left = p.missing()
	return p
}

// begin counts a page of a pattern. It returns for how many pages it is looked at;
// 0: it is not.
func (d *Detector) begin(key uint64, budget int64, sample bool) uint32 {
	if key == 0 {
		return 0
	}
	n := d.counters.get(key)
	n.pages++
	d.counters.set(key, n)
	switch far := n.left(budget) >= sampling*d.budget; {
	case n.passed, int64(n.pages) <= min(warmup, d.budget), far && !sample:
		return 0
	case far:
		return sampling
	default:
		return 1
	}
}

// left returns how many pages without new text are allowed.
func (n counter) left(budget int64) int64 {
	return budget + credit*int64(n.fresh) - int64(n.stale)
}

// end counts a page that was looked at, and closes its pattern if that was one too
// many.
func (d *Detector) end(p *Page) []Closing {
	var closings []Closing
	d.mu.Lock()
	defer d.mu.Unlock()
	for i, k := range p.keys {
		if k.weight == 0 {
			continue
		}
		n := d.counters.get(k.value)
		if k.news > 0 {
			n.fresh += k.weight
		} else {
			n.stale += k.weight
		}
		budget, name := d.budget, Pattern
		if i == 1 {
			budget, name = d.budget*familyShare, Family
		}
		if n.left(budget) < 0 && !n.passed {
			n.passed = true
			closing := Closing{Pattern: name(p.address), Pages: int64(n.pages), Fresh: int64(n.fresh)}
			closings = append(closings, closing)
			d.Close(closing.Pattern)
		}
		d.counters.set(k.value, n)
	}
	return closings
}
