package corpus

import (
	"crypto/sha256"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/decorum-crawler/decorum/corpus/signal"
	"github.com/decorum-crawler/decorum/storage/jsonl"
)

// LaterRefusals returns removals for documents whose page was captured again
// later, if the last capture is excluded: archives can hold a page from before
// and after its site opted out. A capture at the end of redirects counts only
// for documents at the end of the same redirects, since it may be another site
// of the chain that opted out.
//
// It writes nothing. It reads the evidence three times and keeps about 100 bytes
// per excluded page and all redirects in memory. Damaged rows are
// [jsonl.ErrRow].
func LaterRefusals(root *os.Root) ([]Removal, error) {
	refused, err := refusals(root)
	if err != nil || len(refused) == 0 {
		return nil, err
	}
	last, err := lastCaptures(root, refused)
	if err != nil {
		return nil, err
	}
	older := map[string]Removal{} // by ID
	err = eachCapture(root, func(e Evidence, at time.Time, chain hash) {
		for _, key := range []hash{chain, hashOf(e.URL)} {
			if no := last[key]; no.refusal != nil && at.Before(no.at) {
				older[e.ID] = Removal{
					Schema: removalSchema, ID: e.ID, URL: e.URL, At: no.at.UTC().Format(time.RFC3339), Basis: no.basis, Policy: no.policy,
				}
			}
		}
	})
	if err != nil || len(older) == 0 {
		return nil, err
	}
	var removals []Removal
	for d, err := range jsonl.Rows[Document](root, JournalName) {
		if err != nil {
			return nil, err
		}
		if removal, ok := older[d.ID]; ok && d.Metadata.Schema != erasedSchema {
			removals = append(removals, removal)
		}
	}
	return removals, nil
}

// hash is a short key for a text in maps with many entries.
type hash [16]byte

func hashOf(text string) hash {
	sum := sha256.Sum256([]byte(text))
	return hash(sum[:16])
}

// refusal is why a page is excluded.
type refusal struct{ basis, policy string }

// refusals returns those in force, by the hashes of document IDs.
func refusals(root *os.Root) (map[hash]*refusal, error) {
	refused, known := map[hash]*refusal{}, map[refusal]*refusal{}
	add := func(id string, no refusal) {
		if known[no] == nil {
			known[no] = &no
		}
		refused[hashOf(id)] = known[no]
	}
	for e, err := range jsonl.Rows[Excluded](root, ExcludedName) {
		if err != nil {
			return nil, err
		}
		if e.Reason == string(signal.TrainExcluded) {
			add(e.ID, refusal{e.Basis, e.Policy})
		}
	}
	for d, err := range jsonl.Rows[Decision](root, DecisionsName) {
		if err != nil {
			return nil, err
		}
		if d.Train == signal.TrainExcluded {
			add(d.ID, refusal{d.Basis, d.Policy})
		} else {
			delete(refused, hashOf(d.ID))
		}
	}
	return refused, nil
}

// capture is a page at a time; its refusal is nil unless it is excluded.
type capture struct {
	*refusal

	at time.Time
}

// lastCaptures returns the last capture of every page that was ever excluded,
// by the hash of its redirect chain.
func lastCaptures(root *os.Root, refused map[hash]*refusal) (map[hash]capture, error) {
	last := map[hash]capture{}
	err := eachCapture(root, func(e Evidence, _ time.Time, chain hash) {
		if refused[hashOf(e.ID)] != nil {
			last[chain] = capture{}
		}
	})
	if err != nil {
		return nil, err
	}
	err = eachCapture(root, func(e Evidence, at time.Time, chain hash) {
		if known, ok := last[chain]; ok && at.After(known.at) {
			last[chain] = capture{refused[hashOf(e.ID)], at}
		}
	})
	return last, err
}

// eachCapture calls take with the evidence of every page that was requested,
// and with the hash of the URLs that led to it and its own.
func eachCapture(root *os.Root, take func(e Evidence, at time.Time, chain hash)) error {
	hops := map[string]string{} // URLs of redirects by ID
	for e, err := range jsonl.Rows[Evidence](root, EvidenceName) {
		switch {
		case err != nil:
			return err
		case e.RedirectTo != "":
			hops[e.ID] = e.URL
			continue
		case e.Status == 0:
			continue
		}
		at, err := time.Parse(time.RFC3339Nano, e.FetchedAt)
		if err != nil {
			return fmt.Errorf("read evidence of %s: %w", e.URL, err)
		}
		var urls strings.Builder
		for _, id := range e.Redirects {
			urls.WriteString(hops[id] + " ")
		}
		take(e, at, hashOf(urls.String()+e.URL))
	}
	return nil
}
