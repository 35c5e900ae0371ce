package page

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/decorum-crawler/decorum/audit"
)

// The measures of charts: bars per chart, pixels between bars, characters of a
// label that fit a phone.
const (
	maxBars  = 8
	barStep  = 46
	maxLabel = 34
)

// A chart has horizontal bars, each with a label and a number above it.
type chart struct {
	ID, Title string
	Bars      []bar
	Height    int // pixels
	More      int // bars left out
}

type bar struct {
	Label  string // shortened
	Full   string
	Count  int
	Y      int    // pixels
	Length string // percent of the width
}

// newChart returns a chart of the bars that are not zero, the longest first. all
// is the number that fills the width; 0 means the longest bar.
func newChart(id, title string, bars []bar, all int) chart {
	bars = slices.DeleteFunc(bars, func(b bar) bool { return b.Count == 0 })
	slices.SortStableFunc(bars, func(a, b bar) int { return cmp.Compare(b.Count, a.Count) })
	c := chart{ID: id, Title: title, More: max(0, len(bars)-maxBars)}
	c.Bars = bars[:len(bars)-c.More]
	c.Height = len(c.Bars) * barStep
	for i := range c.Bars {
		b := &c.Bars[i]
		b.Label, b.Y = cut(shown(b.Full), maxLabel), i*barStep
		b.Length = length(b.Count, max(all, c.Bars[0].Count))
	}
	return c
}

// length returns a bar's part of the width, at least long enough to be seen.
func length(n, all int) string {
	return fmt.Sprintf("%.2f", max(0.5, float64(n)*100/float64(all)))
}

func byRule(r *audit.Report) chart {
	bars := make([]bar, 0, len(r.Rules))
	for _, rule := range r.Rules {
		name := rule.Rule
		if rule.Line > 0 {
			tail := fmt.Sprintf(" (line %d)", rule.Line)
			name = cut(shown(rule.Rule), maxLabel-len(tail)) + tail
		}
		bars = append(bars, bar{Full: name, Count: rule.URLs})
	}
	return newChart("by-rule", "Blocked by rule", bars, 0)
}

func bySitemap(r *audit.Report) chart {
	bars := make([]bar, 0, len(r.Sitemaps))
	for _, s := range r.Sitemaps {
		bars = append(bars, bar{Full: s.URL, Count: s.Blocked})
	}
	return newChart("by-sitemap", "Blocked by sitemap", bars, 0)
}

func byAgent(r *audit.Report) chart {
	bars := make([]bar, 0, len(r.Agents))
	for _, a := range r.Agents {
		bars = append(bars, bar{Full: a.Agent, Count: a.Blocked})
	}
	return newChart("by-agent", "Blocked by agent, of all URLs", bars, r.URLs)
}

// A share is a part of a bar that shows a whole.
type share struct {
	Name, Class   string
	Count         int
	Start, Length string // percent of the width
}

func shares(t audit.TrainingCount) []share {
	all := t.InFavor + t.Against + t.None
	parts := []share{
		{Name: "against", Class: "against", Count: t.Against},
		{Name: "in favor", Class: "favor", Count: t.InFavor},
		{Name: "not stated", Class: "none", Count: t.None},
	}
	before := 0
	for i := range parts {
		p := &parts[i]
		p.Start = fmt.Sprintf("%.2f", float64(before)*100/float64(max(1, all)))
		p.Length = fmt.Sprintf("%.2f", float64(p.Count)*100/float64(max(1, all)))
		before += p.Count
	}
	return parts
}
