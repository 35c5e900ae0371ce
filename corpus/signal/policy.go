package signal

import (
	"fmt"
	"slices"
)

// Train is the decision on a page: whether it may be used for training.
type Train string

// The values. They are stable.
const (
	TrainInFavor  Train = "in_favor" // some signal is in favor and none against
	TrainNone     Train = "none"     // nothing was stated
	TrainExcluded Train = "excluded" // some signal is against
	TrainHold     Train = "hold"     // a statement could not be read
)

// strictness orders decisions; the larger one applies.
func (t Train) strictness() int {
	return slices.Index([]Train{TrainInFavor, TrainNone, TrainHold, TrainExcluded}, t)
}

// A Policy turns signals into a decision. Its name and version are part of every
// record, so a change of rules is a new version.
type Policy struct {
	Name    string
	Version int
	Signals []Name // that count

	parseErrors bool // a field that cannot be parsed counts as against
	silentGroup bool // a training group without rules states nothing
	consent     bool // a page about which nothing is stated is excluded
}

// Policies returns all policies, the default first.
//
// An ai.txt counts for "declared" if there is one in the evidence. It is requested
// only on demand, and then its opt-out counts like any other.
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
	return Policy{}, fmt.Errorf("unknown policy %q, want one of %v", name, names)
}

// String returns the name and version, such as "declared/1".
func (p Policy) String() string { return fmt.Sprintf("%s/%d", p.Name, p.Version) }

// A Decision is the decision of a policy on a page, with the reasons.
type Decision struct {
	Train   Train    `json:"train"`
	Basis   string   `json:"basis"`  // "token: disallow:/b/"
	Policy  string   `json:"policy"` // "declared/1"
	Signals []Signal `json:"signals"`
}

// Decide returns the decision on a page. chain holds the signals of each redirect
// that led to the page and, last, those of the page itself; the strictest decision
// applies. The Signals of the decision are those of the page, except where an
// earlier signal in the chain was against.
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

// Final returns a signal that excludes a page whatever its HTML head states. A
// TDMRep reservation is such a signal only if headOver is true, which means that
// there is no head to be read that could replace it.
func (p Policy) Final(signals []Signal, headOver bool) (Signal, bool) {
	for _, s := range signals {
		if slices.Contains(p.Signals, s.Signal) && p.read(s) == TrainExcluded && (headOver || s.Signal != NameTDMRep) {
			return s, true
		}
	}
	return Signal{}, false
}

// read returns the decision of the policy on one signal.
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

// merged returns the signals of the page, the last of the chain. An earlier signal
// that was against replaces that of the page.
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
