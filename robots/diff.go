package robots

import "slices"

// A Diff compares two files URL by URL: the one in force and a draft, for
// example. Use [NewDiff] to make one. It is safe for concurrent use.
type Diff struct {
	before, after *File
	agents        []string
	groups        [][2]*Group // of each agent, before and after
}

// A Change is a verdict that differs between two files.
type Change struct {
	Agent         string // as it was passed to NewDiff
	Before, After Verdict
}

// NewDiff returns the comparison of two files for agents, each a product token
// or a whole User-Agent value. Without agents it is for "*" and for every token
// that either file names, except the [TrainingToken].
func NewDiff(before, after *File, agents ...string) *Diff {
	if len(agents) == 0 {
		agents = []string{"*"}
		for _, token := range append(before.Agents(), after.Agents()...) {
			if !slices.Contains(agents, token) && token != TrainingToken {
				agents = append(agents, token)
			}
		}
	}
	d := &Diff{before: before, after: after, agents: slices.Clone(agents)}
	for _, agent := range agents {
		d.groups = append(d.groups, [2]*Group{before.Group(agent), after.Group(agent)})
	}
	return d
}

// Agents returns the agents for which the files are compared, in order.
func (d *Diff) Agents() []string { return slices.Clone(d.agents) }

// Verdicts returns the verdicts on pathQuery that change, in the order of the
// agents. The same answer by another rule is not a change.
func (d *Diff) Verdicts(pathQuery string) []Change {
	var changes []Change
	for i, agent := range d.agents {
		before, after := d.groups[i][0].Check(pathQuery), d.groups[i][1].Check(pathQuery)
		if before.Allowed != after.Allowed {
			changes = append(changes, Change{Agent: agent, Before: before, After: after})
		}
	}
	return changes
}

// Training returns what the files state on AI training with pathQuery, and
// whether the preference changes.
func (d *Diff) Training(pathQuery string) (before, after Training, changed bool) {
	before, after = d.before.Training(pathQuery), d.after.Training(pathQuery)
	return before, after, before.Preference != after.Preference
}
