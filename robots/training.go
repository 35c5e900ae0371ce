package robots

// TrainingToken is the reserved user-agent token by which a site states its
// wish on AI training.
const TrainingToken = "__usage_ai-training"

// A Preference is a site's stated wish on AI training.
type Preference string

// The three values; none is neither yes nor no.
const (
	PreferenceInFavor Preference = "in_favor"
	PreferenceAgainst Preference = "against"
	PreferenceNone    Preference = "none"
)

// A Training is the wish for one URL and the rule that stated it.
type Training struct {
	Preference Preference
	Rule       Rule // the zero Rule when the group alone decides, or nothing does
	Empty      bool // the group has no rule at all, so that its author may have meant nothing
}

// Training gives the wish that the file states for pathQuery through the
// groups of [TrainingToken]. It is never reached through "*", and it says
// nothing on whether the URL may be fetched. A group without a matching rule
// is in favor; no group is none.
func (f *File) Training(pathQuery string) Training {
	g := f.group(TrainingToken)
	if g.token == "" {
		return Training{Preference: PreferenceNone}
	}
	id := g.decide(Normalize(pathQuery))
	if id < 0 {
		return Training{Preference: PreferenceInFavor, Empty: !g.ruled}
	}
	rule := g.file.rule(g.file.rules[id])
	if rule.Allow {
		return Training{Preference: PreferenceInFavor, Rule: rule}
	}
	return Training{Preference: PreferenceAgainst, Rule: rule}
}
