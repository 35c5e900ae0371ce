package corpus

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/decorum-crawler/decorum/corpus/signal"
	"github.com/decorum-crawler/decorum/crawler/record"
	"github.com/decorum-crawler/decorum/frontier"
	"github.com/decorum-crawler/decorum/robots"
	"github.com/decorum-crawler/decorum/storage/jsonl"
)

// tally counts one document.
func (b *publisher) tally(d Document) {
	counts := &b.manifest.Counts
	counts.Documents++
	if d.Train == string(signal.TrainInFavor) {
		counts.InFavor++
	} else {
		counts.None++
	}
	if d.DupOf != "" {
		counts.Duplicates++
	}
	if d.NearDupOf != "" {
		counts.NearDuplicates++
	}
	b.count(d.Source, d.Metadata.Signals)
}

func (b *publisher) excluded() error {
	counts := &b.manifest.Counts
	counts.ExcludedBy = map[string]int64{}
	for _, name := range []string{ExcludedName, MovedName} {
		if err := b.excludedIn(name); err != nil {
			return err
		}
	}
	return nil
}

func (b *publisher) excludedIn(name string) error {
	counts := &b.manifest.Counts
	for e, err := range jsonl.Rows[Excluded](b.root, name) {
		if err != nil {
			return err
		}
		counts.BytesSaved += e.BytesSaved
		b.count(frontier.HostOf(e.URL), e.Signals)
		switch {
		case e.Reason == string(signal.TrainHold):
			counts.Hold++
			continue
		case e.Status == 0:
			counts.Refused++
		default:
			counts.Excluded++
		}
		by, _, _ := strings.Cut(e.Basis, ":")
		counts.ExcludedBy[by]++
	}
	return nil
}

func (b *publisher) failed() error {
	counts := &b.manifest.Counts
	counts.FailedBy = map[string]int64{}
	for f, err := range jsonl.Rows[Failed](b.root, FailedName) {
		if err != nil {
			return err
		}
		counts.Failed++
		counts.FailedBy[f.Reason]++
	}
	return nil
}

// crawl counts what the crawl itself recorded.
func (b *publisher) crawl() error {
	counts := &b.manifest.Counts
	counts.NotCrawled, counts.Pending = map[string]int64{}, b.p.Pending
	for p, err := range jsonl.Rows[record.Page](b.root, b.p.Pages) {
		if err != nil {
			return err
		}
		counts.Requested++
		switch {
		case p.RedirectTo != "":
			counts.Redirects++
		case p.Status/100 == 2:
			counts.OK++
		default:
			counts.Other++
		}
	}
	for s, err := range jsonl.Rows[record.Skip](b.root, b.p.Skipped) {
		if err != nil {
			return err
		}
		counts.Skipped++
		counts.NotCrawled[string(s.Reason)]++
	}
	return nil
}

// count adds the signals of a page to those of its host.
func (b *publisher) count(host string, signals Signals) {
	for _, s := range signals {
		if s.Value == string(robots.PreferenceNone) {
			continue
		}
		if b.hosts[host] == nil {
			b.hosts[host] = map[string]map[string]int64{}
		}
		if b.hosts[host][s.Signal] == nil {
			b.hosts[host][s.Signal] = map[string]int64{}
		}
		b.hosts[host][s.Signal][s.Value]++
	}
}

func (b *publisher) finish() {
	m := b.manifest
	c := &m.Counts
	c.Discovered = c.Requested + c.Skipped + c.Pending
	for _, host := range slices.Sorted(maps.Keys(b.hosts)) {
		m.Hosts = append(m.Hosts, HostSignals{host, b.hosts[host]})
	}
	gap := func(n int64, format string) {
		if n > 0 {
			m.Gaps = append(m.Gaps, fmt.Sprintf(format, n))
		}
	}
	gap(c.Pending, "%d known URLs have not been requested yet")
	gap(c.Other, "%d URLs returned no page: a status other than 2xx, or no response")
	gap(c.Hold, "%d pages are on hold because their terms could not be read")
	gap(c.Failed, "%d pages have no text; see failed.jsonl for the reasons")
	gap(c.NotCrawled["robots-disallow"], "%d URLs are blocked by robots.txt")
	gap(b.due, "%d documents are listed in removals and not purged yet")
	gap(c.None, "%d documents are from sites that state no preference, which is not consent")
}
