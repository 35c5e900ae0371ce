package robots

// An Explanation tells how a URL is judged for one agent.
type Explanation struct {
	Verdict  Verdict
	Path     string   // path and query in normal form, as rules are compared with it
	Group    *Group   // the group that counts; its Token is "" if there is none
	Matches  []Match  // every rule of the group that matches, the winner first
	Training Training // the site's preference on AI training, a separate question
}

// Explain judges pathQuery for agent by a document, as [Document.Check] does,
// and returns everything that led to the verdict. If the rules of the
// document do not count, there is no group and no match.
func Explain(d *Document, agent, pathQuery string) Explanation {
	file := d.File()
	group := file.Group(agent)
	return Explanation{
		Verdict: d.Check(agent, pathQuery), Path: Normalize(pathQuery),
		Group: group, Matches: group.Matches(pathQuery), Training: file.Training(pathQuery),
	}
}

// An Advantage is why the winner among matching rules wins (RFC 9309 §2.2.2).
// The values are stable.
type Advantage string

// The advantages of a winner.
const (
	AdvantageNone   Advantage = ""       // no rule matches
	AdvantageOnly   Advantage = "only"   // no other rule matches
	AdvantageLength Advantage = "length" // it is the longest
	AdvantageAllow  Advantage = "allow"  // it is as long as the next, and Allow wins a tie
	AdvantageFirst  Advantage = "first"  // it equals the next and is first in the file
)

// Advantage returns why the first of the matches wins over the others.
func (e Explanation) Advantage() Advantage {
	switch len(e.Matches) {
	case 0:
		return AdvantageNone
	case 1:
		return AdvantageOnly
	}
	first, second := e.Matches[0], e.Matches[1]
	switch {
	case first.Octets > second.Octets:
		return AdvantageLength
	case first.Rule.Allow && !second.Rule.Allow:
		return AdvantageAllow
	default:
		return AdvantageFirst
	}
}
