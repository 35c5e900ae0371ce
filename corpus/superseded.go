package corpus

import (
	"fmt"
	"os"
	"time"

	"github.com/decorum-crawler/decorum/corpus/signal"
)

// Superseded gives removals of documents whose URL was captured again later,
// when what was stated excluded it: archives can have a page before and after
// its site said no. It keeps the excluded pages in memory.
func Superseded(root *os.Root) ([]Removal, error) {
	refusals, err := lastRefusals(root)
	if err != nil || len(refusals) == 0 {
		return nil, err
	}
	older := map[string]Removal{} // by ID
	err = EachRow(root, EvidenceName, func(e Evidence) error {
		refusal, ok := refusals[e.URL]
		if !ok {
			return nil
		}
		at, err := time.Parse(time.RFC3339Nano, e.FetchedAt)
		if err != nil || !at.Before(refusal.at) {
			return err
		}
		older[e.ID] = Removal{
			Schema: removalSchema, ID: e.ID, URL: e.URL, At: refusal.at.Format(time.RFC3339), Basis: refusal.basis, Policy: refusal.policy,
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("look for later captures: %w", err)
	}
	var removals []Removal
	err = EachRow(root, JournalName, func(d Document) error {
		if removal, ok := older[d.ID]; ok {
			removals = append(removals, removal)
		}
		return nil
	})
	return removals, err
}

// refusal is a page that what was stated excluded.
type refusal struct {
	at            time.Time
	basis, policy string
}

// lastRefusals gives the last one by URL.
func lastRefusals(root *os.Root) (map[string]refusal, error) {
	excluded := map[string]Excluded{} // by ID
	err := EachRow(root, ExcludedName, func(e Excluded) error {
		if e.Reason == string(signal.TrainExcluded) && e.Basis != basisUnknown {
			excluded[e.ID] = e
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	last := map[string]refusal{}
	err = EachRow(root, EvidenceName, func(e Evidence) error {
		no, ok := excluded[e.ID]
		if !ok {
			return nil
		}
		at, err := time.Parse(time.RFC3339Nano, e.FetchedAt)
		if err == nil && at.After(last[e.URL].at) {
			last[e.URL] = refusal{at.UTC(), no.Basis, no.Policy}
		}
		return err
	})
	return last, err
}
