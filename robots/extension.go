package robots

import "slices"

// The fields whose lines are kept along with the rules (RFC 9309 §2.2.4).
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
	Grouped bool // it belongs to a group; else it precedes the first User-agent line
}

type extended struct {
	field  field
	agents []string // nil outside a group
	value  string
	line   int
}

type extensionKey struct {
	field field
	token string
}

// Extensions returns the lines of one of the fields above that concern agent,
// in file order: those of the agent's group, chosen as for rules (RFC 9309
// §2.2.1), and those outside of any group. They are collected once, at the
// first call; the caller must not change the slice.
//
// Within a run of User-agent lines such a line belongs to the agents named so
// far. It does not end the run for the rules that follow.
func (f *File) Extensions(field, agent string) []Extension {
	key := extensionKey{fieldOf(field), f.tokenFor(agent)}
	f.mu.Lock()
	defer f.mu.Unlock()
	found, ok := f.extensions[key]
	if !ok {
		found = f.collect(key)
		f.extensions[key] = found
	}
	return found
}

func (f *File) collect(key extensionKey) []Extension {
	var found []Extension
	for _, e := range f.extended {
		if e.field == key.field && (e.agents == nil || slices.Contains(e.agents, key.token)) {
			found = append(found, Extension{Value: e.value, Line: e.line, Grouped: e.agents != nil})
		}
	}
	return slices.Clip(found)
}
