package robots

// A Reason tells what decided. The values are stable.
type Reason string

// The reasons of a verdict.
const (
	ReasonAllowedByRule    Reason = "allowed-by-rule"
	ReasonDisallowedByRule Reason = "disallowed-by-rule"
	ReasonNoMatchingRule   Reason = "no-matching-rule"
	ReasonNoGroup          Reason = "no-group"
	ReasonRobotsTxtItself  Reason = "robots-txt-itself"
	ReasonUnavailable      Reason = "unavailable" // 4xx: everything is allowed
	ReasonUnreachable      Reason = "unreachable" // 5xx, 429, network: nothing is
)

// A Verdict tells whether a URL may be fetched and what decided.
type Verdict struct {
	Allowed bool
	Reason  Reason
	Rule    Rule   // the deciding rule; the zero Rule if none decided
	Group   string // token whose group was used; "*", or "" if there is none
}

// Check returns whether agent may fetch pathQuery, and why.
//
// agent is a product token as in RFC 9309 §2.2.1, compared without case; a full
// User-Agent value is cut at the first character that a token cannot have. pathQuery
// is the path and query as sent on the wire, beginning with "/". The longest
// matching rule decides and Allow wins a tie (§2.2.2). "/robots.txt" itself is
// always allowed. Check never fails.
func (f *File) Check(agent, pathQuery string) Verdict {
	return f.Group(agent).Check(pathQuery)
}

// Check is [File.Check] for the agent of the group.
func (g *Group) Check(pathQuery string) Verdict {
	path := Normalize(pathQuery)
	if path == "/robots.txt" {
		return Verdict{Allowed: true, Reason: ReasonRobotsTxtItself, Group: g.token}
	}
	if g.token == "" {
		return Verdict{Allowed: true, Reason: ReasonNoGroup}
	}
	id := g.decide(path)
	if id < 0 {
		return Verdict{Allowed: true, Reason: ReasonNoMatchingRule, Group: g.token}
	}
	rule := g.file.rule(g.file.rules[id])
	reason := ReasonDisallowedByRule
	if rule.Allow {
		reason = ReasonAllowedByRule
	}
	return Verdict{Allowed: rule.Allow, Reason: reason, Rule: rule, Group: g.token}
}
