package robots

// TrainingToken is the reserved user-agent token by which a site states its
// preference on AI training.
const TrainingToken = "__usage_ai-training"

// A Preference is what a site states on AI training.
type Preference string

// The preferences. None is neither yes nor no.
const (
	PreferenceInFavor Preference = "in_favor"
	PreferenceAgainst Preference = "against"
	PreferenceNone    Preference = "none"
)

// A Training is the preference for one URL and the rule that states it.
type Training struct {
	Preference Preference
	Rule       Rule // the zero Rule if the group alone decides or there is none
	Empty      bool // the group has no rule at all, so its author may not have meant to allow all
}

// Training returns the preference that the file states for pathQuery in the
// groups of [TrainingToken]. Groups for "*" do not count, and the preference
// does not affect whether the URL may be fetched. If no rule of the groups
// matches, the preference is in favor; without a group it is none.
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
