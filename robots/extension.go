package robots

import "slices"

// The fields whose lines are kept beside the rules (RFC 9309 §2.2.4).
const (
	FieldContentUsage  = "Content-Usage"  // IETF aipref attachment draft
	FieldContentSignal = "Content-Signal" // a content delivery network's convention
	FieldLicense       = "License"        // Really Simple Licensing
)

// An Extension is a line of a field that RFC 9309 does not define. The value
// is as written; its meaning is the reader's business.
type Extension struct {
	Value   string
	Line    int
	Grouped bool // it stands in a group; else before the first User-agent line
}

type extended struct {
	field  field
	agents []string // nil outside a group
	value  string
	line   int
}

// Extensions gives the lines of one of the fields above that concern agent, in
// file order: those of the agent's group, chosen as for rules (RFC 9309
// §2.2.1), and those that stand in no group.
//
// Within a run of User-agent lines such a line belongs to the agents named so
// far; for the rules that follow it ends nothing.
func (f *File) Extensions(field, agent string) []Extension {
	kind := fieldOf(field)
	token := Token(agent)
	if token == "" || !f.names(token) {
		token = "*"
	}
	var found []Extension
	for _, e := range f.extended {
		if e.field == kind && (e.agents == nil || slices.Contains(e.agents, token)) {
			found = append(found, Extension{Value: e.value, Line: e.line, Grouped: e.agents != nil})
		}
	}
	return found
}
