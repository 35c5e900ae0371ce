package signal

import (
	"fmt"
	"slices"
)

// Train is what becomes of a page in a corpus.
type Train string

// The values. They are stable.
const (
	TrainInFavor  Train = "in_favor" // some signal is in favor and none against
	TrainNone     Train = "none"     // nothing was stated
	TrainExcluded Train = "excluded" // some signal is against
	TrainHold     Train = "hold"     // something was stated that could not be read
)

// strictness orders decisions; the larger one counts.
func (t Train) strictness() int {
	return slices.Index([]Train{TrainInFavor, TrainNone, TrainHold, TrainExcluded}, t)
}

// A Policy turns signals into a decision. Its name and version are part of every
// record, so a change of rules is a new version.
type Policy struct {
	Name    string
	Version int
	Signals []Name // that count

	parseErrors bool // a field that cannot be read counts as against
	silentGroup bool // a training group without rules states nothing
	consent     bool // what states nothing is excluded
}

// Policies returns all policies, the default first.
//
// An ai.txt counts for "declared" when there is one in the evidence: it is requested only by
// those who choose to, and then its opt-out counts like any other.
func Policies() []Policy {
	declared := []Name{NameToken, NameContentUsage, NameContentSignal, NameTDMRep, NameRobotsMeta, NameRSL, NameAITxt}
	return []Policy{
		{Name: "declared", Version: 1, Signals: declared},
		{Name: "token", Version: 1, Signals: []Name{NameToken}},
		{
			Name: "cautious", Version: 1, Signals: append(slices.Clone(declared), NameNamedBots, NameIndexing),
			parseErrors: true, silentGroup: true, consent: true,
		},
	}
}

// PolicyOf returns the policy with a name, such as "declared", or with a name and
// version as in records, "declared/1".
func PolicyOf(name string) (Policy, error) {
	var names []string
	for _, p := range Policies() {
		if name == p.Name || name == p.String() {
			return p, nil
		}
		names = append(names, p.Name)
	}
	return Policy{}, fmt.Errorf("policy %q is none of %v", name, names)
}

// String returns name and version, "declared/1".
func (p Policy) String() string { return fmt.Sprintf("%s/%d", p.Name, p.Version) }

// A Decision is what a policy makes of a page, with the grounds.
type Decision struct {
	Train   Train    `json:"train"`
	Basis   string   `json:"basis"`  // "token: disallow:/b/"
	Policy  string   `json:"policy"` // "declared/1"
	Signals []Signal `json:"signals"`
}

// Decide judges a page by its signals, of each origin on its chain: the last is
// that of the page itself. The strictest decision counts. The signals of the
// page are kept, but where an earlier origin was against.
func (p Policy) Decide(chain ...[]Signal) Decision {
	var strictest Decision
	for i, signals := range chain {
		train, basis := p.decide(signals)
		if i == 0 || train.strictness() > strictest.Train.strictness() {
			strictest.Train, strictest.Basis = train, basis
		}
	}
	strictest.Policy = p.String()
	strictest.Signals = merged(chain)
	return strictest
}

func (p Policy) decide(signals []Signal) (Train, string) {
	train, basis := TrainNone, "nothing stated"
	if p.consent {
		train, basis = TrainExcluded, "nothing stated, and the policy wants consent"
	}
	for _, s := range signals {
		if !slices.Contains(p.Signals, s.Signal) {
			continue
		}
		switch value := p.read(s); {
		case value == TrainExcluded:
			return value, string(s.Signal) + ": " + s.Basis
		case value == TrainHold, value == TrainInFavor && train != TrainHold:
			train, basis = value, string(s.Signal)+": "+s.Basis
		}
	}
	return train, basis
}

// Final returns a signal that excludes a page whatever its own head may say. A
// reservation by TDMRep is none, unless headOver: the head can replace it.
func (p Policy) Final(signals []Signal, headOver bool) (Signal, bool) {
	for _, s := range signals {
		if slices.Contains(p.Signals, s.Signal) && p.read(s) == TrainExcluded && (headOver || s.Signal != NameTDMRep) {
			return s, true
		}
	}
	return Signal{}, false
}

// read says what one signal means to the policy.
func (p Policy) read(s Signal) Train {
	switch {
	case s.Value == against:
		return TrainExcluded
	case s.Basis == basisUnreadable, s.Basis == basisNoRobots:
		return TrainHold
	case s.Value == inFavor && p.silentGroup && s.Basis == basisGroupEmpty:
		return TrainNone
	case s.Value == inFavor:
		return TrainInFavor
	case p.parseErrors && s.Basis == basisParseError:
		return TrainExcluded
	}
	return TrainNone
}

// merged returns the signals of the page. A signal that was against at an earlier
// origin replaces the page's.
func merged(chain [][]Signal) []Signal {
	if len(chain) == 0 {
		return nil
	}
	signals := slices.Clone(chain[len(chain)-1])
	for _, earlier := range chain[:len(chain)-1] {
		for i, s := range signals {
			at := slices.IndexFunc(earlier, func(e Signal) bool { return e.Signal == s.Signal && e.Value == against })
			if at >= 0 && s.Value != against {
				signals[i] = earlier[at]
			}
		}
	}
	return signals
}
