package audit

import (
	"fmt"
	"slices"

	"github.com/decorum-crawler/decorum/robots"
)

// judge applies the robots.txt of one origin to the audited agents. Agents of
// one group are judged together.
type judge struct {
	document *robots.Document
	file     *robots.File
	groups   []*robots.Group
	agents   [][]int // of each group, as indexes of Options.Agents
	rules    map[ruleKey]*RuleCount
	against  map[ruleKey]*RuleCount // AI training
}

// ruleKey identifies a rule within a robots.txt. Line 0 means that the reason
// alone decides.
type ruleKey struct {
	line   int
	reason robots.Reason
}

func newJudge(document *robots.Document, agents []string) *judge {
	j := &judge{document: document, file: document.File(), rules: map[ruleKey]*RuleCount{}, against: map[ruleKey]*RuleCount{}}
	for i, agent := range agents {
		group := j.file.Group(agent)
		at := slices.Index(j.groups, group)
		if at < 0 {
			at = len(j.groups)
			j.groups = append(j.groups, group)
			j.agents = append(j.agents, nil)
		}
		j.agents[at] = append(j.agents[at], i)
	}
	return j
}

// verdict judges a path in normal form for the agents of one group.
func (j *judge) verdict(group int, path string) robots.Verdict {
	switch j.document.Class() {
	case robots.ClassAvailable:
		return j.groups[group].Check(path)
	case robots.ClassUnavailable:
		return robots.Verdict{Allowed: true, Reason: robots.ReasonUnavailable}
	default:
		return robots.Verdict{Reason: robots.ReasonUnreachable}
	}
}

// kept is an agent, as an index, that may not fetch a sitemap.
type kept struct {
	agent   int
	verdict robots.Verdict
}

// kept returns the agents that may fetch the home page but not target, and
// whether these are all that may fetch the home page.
func (j *judge) kept(target string) (blocked []kept, all bool) {
	all = true
	for group, agents := range j.agents {
		if !j.verdict(group, "/").Allowed {
			continue
		}
		v := j.verdict(group, target)
		if all = all && !v.Allowed; v.Allowed {
			continue
		}
		for _, at := range agents {
			blocked = append(blocked, kept{at, v})
		}
	}
	return blocked, all && len(blocked) > 0
}

// count adds an agent to the rule that blocks a URL for it, and the URL as well
// if first is set.
func (j *judge) count(v robots.Verdict, agent string, example Example, first bool) {
	rule := j.counted(j.rules, v)
	if !slices.Contains(rule.Agents, agent) {
		rule.Agents = append(rule.Agents, agent)
	}
	if first {
		rule.add(example)
	}
}

// train returns the preference on AI training for a path in normal form, and
// counts those against it by rule.
func (j *judge) train(path string, example Example) robots.Preference {
	t := j.file.Training(path)
	if t.Preference == robots.PreferenceAgainst {
		rule := j.counted(j.against, robots.Verdict{Rule: t.Rule})
		rule.Agents = []string{robots.TrainingToken}
		rule.add(example)
	}
	return t.Preference
}

// counted returns the count of the rule that decided, a new one if necessary.
func (j *judge) counted(counts map[ruleKey]*RuleCount, v robots.Verdict) *RuleCount {
	key := ruleKey{v.Rule.Line, v.Reason}
	rule, ok := counts[key]
	if !ok {
		rule = &RuleCount{RobotsURL: j.document.FinalURL, Line: v.Rule.Line, Rule: ruleText(v), Agents: []string{}, Examples: []Example{}}
		counts[key] = rule
	}
	return rule
}

func (r *RuleCount) add(example Example) {
	r.URLs++
	if len(r.Examples) < maxExamples {
		r.Examples = append(r.Examples, example)
	}
}

// ruleText returns the rule that blocks, or else the reason.
func ruleText(v robots.Verdict) string {
	if v.Rule.Line == 0 {
		return "robots.txt " + string(v.Reason)
	}
	return v.Rule.String()
}

// by returns what blocks, for a message.
func by(v robots.Verdict) string {
	if v.Rule.Line == 0 {
		return "since robots.txt could not be fetched"
	}
	return fmt.Sprintf("by line %d, %s", v.Rule.Line, v.Rule)
}
