package corpus

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/decorum-crawler/decorum/corpus/signal"
	"github.com/decorum-crawler/decorum/crawler/record"
	"github.com/decorum-crawler/decorum/internal/atomicfile"
	"github.com/decorum-crawler/decorum/storage/jsonl"
)

// OverridesName is the copy of the overrides that a corpus was built with.
const OverridesName = "overrides.yaml"

// Judge decides every page of a corpus again, from the stored evidence and
// nothing else. It is safe for concurrent use if Load is.
type Judge struct {
	Agent     string
	Overrides signal.Overrides
	Unknown   Unknown
	Load      func(digest string) ([]byte, error) // returns a stored file of a site
}

// Judgement is a page whose signals were read again from its evidence.
type Judgement struct {
	Evidence Evidence

	judge *Judge
	chain [][]signal.Signal
	site  signal.Site
	at    time.Time
}

// rule returns the rule of robots.txt by which the page was fetched.
func (n Judgement) rule() robotsRule {
	r := record.RobotsOf(n.site.Robots.Check(n.judge.Agent, targetOf(n.Evidence.URL)), n.site.Robots.Digest())
	return robotsRule{r.Digest, r.Rule, int64(r.Line)}
}

// Decide returns the decision of a policy, with the overrides and the treatment
// of unknown pages of the [Judge].
func (n Judgement) Decide(policy signal.Policy) signal.Decision {
	decision := n.judge.Overrides.Apply(policy.Decide(n.chain...), n.Evidence.URL, n.at)
	if n.judge.Unknown == UnknownExclude && decision.Train == signal.TrainNone {
		decision.Train, decision.Basis = signal.TrainExcluded, basisUnknown
	}
	return decision
}

// Each calls take with every page that has evidence, except redirects, and
// returns the first error: of take, of Load, or [jsonl.ErrRow]. It keeps redirects
// and the files of all sites in memory.
func (j *Judge) Each(root *os.Root, take func(Judgement) error) error {
	hops := map[string][][]signal.Signal{} // by ID: signals of the redirects before it and its own
	sites := map[siteKey]signal.Site{}
	for e, err := range jsonl.Rows[Evidence](root, EvidenceName) {
		if err != nil {
			return err
		}
		key := keyOf(e.Site)
		site, ok := sites[key]
		if !ok {
			if site, err = e.Site.site(j.Load); err != nil {
				return fmt.Errorf("load evidence of %s: %w", e.URL, err)
			}
			sites[key] = site
		}
		signals := signal.Judge(j.Agent, e.Page, site)
		var chain [][]signal.Signal
		if len(e.Redirects) > 0 {
			chain = hops[e.Redirects[len(e.Redirects)-1]]
		}
		chain = append(slices.Clip(chain), signals)
		if e.RedirectTo != "" {
			hops[e.ID] = chain
			continue
		}
		at, err := time.Parse(time.RFC3339Nano, e.FetchedAt)
		if err != nil {
			return fmt.Errorf("read evidence of %s: %w", e.URL, err)
		}
		if err := take(Judgement{e, j, chain, site, at}); err != nil {
			return err
		}
	}
	return nil
}

// basisUnknown is the basis for a page about which nothing is stated, when such
// pages are excluded.
const basisUnknown = "nothing stated, and those are excluded"

// siteKey identifies a site together with the versions of its files.
type siteKey struct {
	origin                string
	robots, tdmrep, aiTxt FileEvidence
	licenses              string
}

func keyOf(s SiteEvidence) siteKey {
	key := siteKey{origin: s.Origin, robots: s.Robots, tdmrep: s.TDMRep, aiTxt: s.AITxt}
	if len(s.Licenses) > 0 {
		key.licenses = fmt.Sprint(s.Licenses)
	}
	return key
}

// ReadOverridesOf returns the overrides that a corpus was built with, or nil.
func ReadOverridesOf(root *os.Root) (signal.Overrides, error) {
	data, err := root.ReadFile(OverridesName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read overrides: %w", err)
	}
	return signal.ReadOverrides(data)
}

// DecisionsName holds the later decisions, if there are any.
const DecisionsName = "decisions.jsonl"

// Decision is a decorum.decision/1 object: a decision on a document that
// replaces the one made during the crawl. [Judge.Decide] writes it.
type Decision struct {
	Schema  string       `json:"schema"`
	ID      string       `json:"id"`
	URL     string       `json:"url"`
	Train   signal.Train `json:"train"`
	Basis   string       `json:"basis"`
	Policy  string       `json:"policy"`
	Signals Signals      `json:"signals"`
}

// keeps reports whether a document stays in the shards.
func (d Decision) keeps() bool { return d.Train == signal.TrainInFavor || d.Train == signal.TrainNone }

// decisions reads the later decisions.
func (b *publisher) decisions() error {
	b.later = map[string]Decision{}
	for d, err := range jsonl.Rows[Decision](b.root, DecisionsName) {
		if err != nil {
			return err
		}
		b.later[d.ID] = d
	}
	return nil
}

// Change is a page on which another policy decides differently.
type Change struct {
	ID, URL  string
	Old, New signal.Train
	Basis    string // of the new decision
	Textless bool   // the page stays out: it was excluded, so its text was not kept
}

// Decide decides every page by a policy and writes the decisions, which the
// next [Publish] follows; when dry it writes nothing. It calls changed with each
// page whose decision differs from the one in force, and returns its first error.
func (j *Judge) Decide(root *os.Root, policy signal.Policy, dry bool, changed func(Change) error) error {
	current, err := decisionsInForce(root)
	if err != nil {
		return err
	}
	var lines []byte
	err = j.Each(root, func(n Judgement) error {
		e, d := n.Evidence, n.Decide(policy)
		old, ok := current[e.ID]
		if !ok {
			return nil // it had no text
		}
		if old.document {
			later := Decision{"decorum.decision/1", e.ID, e.URL, d.Train, d.Basis, d.Policy, signalsOf(d.Signals)}
			lines = append(lines, jsonl.Line(later)...)
		}
		if old.train == d.Train {
			return nil
		}
		return changed(Change{e.ID, e.URL, old.train, d.Train, d.Basis, !old.document})
	})
	if err != nil {
		return fmt.Errorf("decide by policy %s: %w", policy, err)
	}
	if dry {
		return nil
	}
	return atomicfile.WriteData(root, DecisionsName, lines)
}

// inForce is a decision as the files of a corpus record it.
type inForce struct {
	train         signal.Train
	basis, policy string
	document      bool // the corpus has its text
}

// decisionsInForce reads the decisions on all pages by ID: those made during the
// crawl, replaced by later ones.
func decisionsInForce(root *os.Root) (map[string]inForce, error) {
	all := map[string]inForce{}
	for d, err := range jsonl.Rows[Document](root, JournalName) {
		if err != nil {
			return nil, err
		}
		all[d.ID] = inForce{signal.Train(d.Train), d.TrainBasis, d.Metadata.Policy, true}
	}
	for e, err := range jsonl.Rows[Excluded](root, ExcludedName) {
		if err != nil {
			return nil, err
		}
		all[e.ID] = inForce{signal.Train(e.Reason), e.Basis, e.Policy, false}
	}
	for d, err := range jsonl.Rows[Decision](root, DecisionsName) {
		if err != nil {
			return nil, err
		}
		all[d.ID] = inForce{d.Train, d.Basis, d.Policy, true}
	}
	gone, err := Purged(root)
	maps.DeleteFunc(all, func(id string, _ inForce) bool { return gone[id] })
	return all, err
}
