package content

import "strings"

// A Link is one value of a Link header (RFC 8288 §3).
type Link struct {
	Target string            // as written, to be resolved against the page
	Params map[string]string // by name in lower case, each the first of its name
}

// Rel reports whether the link has a relation type, ignoring case.
func (l Link) Rel(name string) bool {
	for word := range strings.FieldsSeq(l.Params["rel"]) {
		if strings.EqualFold(word, name) {
			return true
		}
	}
	return false
}

// ParseLinks returns the links of one Link header line, at most limit of them. It
// stops at the first syntax error.
func ParseLinks(line string, limit int) []Link {
	var found []Link
	for len(found) < limit {
		_, rest, ok := strings.Cut(line, "<")
		target, rest, closed := strings.Cut(rest, ">")
		if !ok || !closed {
			break
		}
		end := endOfLink(rest)
		found = append(found, Link{Target: strings.TrimSpace(target), Params: linkParams(rest[:end])})
		line = rest[end:]
	}
	return found
}

// endOfLink returns the index of the comma that ends a link's parameters.
func endOfLink(text string) int {
	for part := range splitOutsideQuotes(text, ',') {
		return len(part)
	}
	return len(text)
}

func linkParams(text string) map[string]string {
	found := map[string]string{}
	for part := range splitOutsideQuotes(text, ';') {
		name, value, ok := strings.Cut(part, "=")
		name = strings.ToLower(strings.TrimSpace(name))
		if _, again := found[name]; ok && !again {
			found[name] = strings.Trim(strings.TrimSpace(value), `"`)
		}
	}
	return found
}
