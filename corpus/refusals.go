package corpus

import (
	"crypto/sha256"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/decorum-crawler/decorum/corpus/signal"
)

// Superseded gives removals of documents whose page was captured again later, if
// the last capture is excluded: archives can have a page before and after its
// site said no. A capture that redirects led to counts for documents that the
// same redirects led to, since it may be another site on the way that said no.
//
// It reads the evidence three times and keeps some 100 bytes of each excluded
// page in memory, and the redirects.
func Superseded(root *os.Root) ([]Removal, error) {
	refused, err := refusals(root)
	if err != nil || len(refused) == 0 {
		return nil, err
	}
	last, err := lastCaptures(root, refused)
	if err != nil {
		return nil, err
	}
	older := map[string]Removal{} // by ID
	err = eachCapture(root, func(e Evidence, at time.Time, way mark) error {
		for _, key := range []mark{way, markOf(e.URL)} {
			if no := last[key]; no.refusal != nil && at.Before(no.at) {
				older[e.ID] = Removal{
					Schema: removalSchema, ID: e.ID, URL: e.URL, At: no.at.UTC().Format(time.RFC3339), Basis: no.basis, Policy: no.policy,
				}
			}
		}
		return nil
	})
	if err != nil || len(older) == 0 {
		return nil, err
	}
	var removals []Removal
	err = EachRow(root, JournalName, func(d Document) error {
		if removal, ok := older[d.ID]; ok && d.Metadata.Schema != erasedSchema {
			removals = append(removals, removal)
		}
		return nil
	})
	return removals, err
}

// mark stands for a text in maps of many.
type mark [16]byte

func markOf(text string) mark {
	sum := sha256.Sum256([]byte(text))
	return mark(sum[:16])
}

// refusal is by what a page is excluded.
type refusal struct{ basis, policy string }

// refusals gives those in force, by the marks of IDs.
func refusals(root *os.Root) (map[mark]*refusal, error) {
	refused, known := map[mark]*refusal{}, map[refusal]*refusal{}
	take := func(id string, no refusal) {
		if known[no] == nil {
			known[no] = &no
		}
		refused[markOf(id)] = known[no]
	}
	err := EachRow(root, ExcludedName, func(e Excluded) error {
		if e.Reason == string(signal.TrainExcluded) {
			take(e.ID, refusal{e.Basis, e.Policy})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = EachRow(root, DecisionsName, func(l Later) error {
		if l.Train == signal.TrainExcluded {
			take(l.ID, refusal{l.Basis, l.Policy})
		} else {
			delete(refused, markOf(l.ID))
		}
		return nil
	})
	return refused, err
}

// capture is a page at a time; its refusal is nil if it is not excluded.
type capture struct {
	*refusal

	at time.Time
}

// lastCaptures gives the last capture of every page that was excluded once, by
// the marks of their ways.
func lastCaptures(root *os.Root, refused map[mark]*refusal) (map[mark]capture, error) {
	last := map[mark]capture{}
	err := eachCapture(root, func(e Evidence, _ time.Time, way mark) error {
		if refused[markOf(e.ID)] != nil {
			last[way] = capture{}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = eachCapture(root, func(e Evidence, at time.Time, way mark) error {
		if known, ok := last[way]; ok && at.After(known.at) {
			last[way] = capture{refused[markOf(e.ID)], at}
		}
		return nil
	})
	return last, err
}

// eachCapture hands over the evidence of pages, with a mark of the URLs that led
// to each and its own.
func eachCapture(root *os.Root, take func(e Evidence, at time.Time, way mark) error) error {
	hops := map[string]string{} // URLs of redirects by ID
	return EachRow(root, EvidenceName, func(e Evidence) error {
		switch {
		case e.RedirectTo != "":
			hops[e.ID] = e.URL
			return nil
		case e.Status == 0:
			return nil
		}
		at, err := time.Parse(time.RFC3339Nano, e.FetchedAt)
		if err != nil {
			return fmt.Errorf("evidence of %s: %w", e.URL, err)
		}
		var way strings.Builder
		for _, id := range e.Way {
			way.WriteString(hops[id] + " ")
		}
		return take(e, at, markOf(way.String()+e.URL))
	})
}
