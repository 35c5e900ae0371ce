package signal

import (
	"fmt"
	"strings"

	"github.com/dunglas/httpsfv"

	"github.com/decorum-crawler/decorum/robots"
)

// contentUsage reads Content-Usage: the header, whose lines form one dictionary
// (RFC 9651 §3.2), and the lines of our group in robots.txt, of which the one with
// the longest matching path decides. The stricter of header and line applies.
func (r *evaluator) contentUsage() Signal {
	return stricter(r.usageHeader(), r.usageRobots())
}

func (r *evaluator) usageHeader() Signal {
	lines := r.page.Header["Content-Usage"]
	if len(lines) == 0 {
		return silent(NameContentUsage, "absent")
	}
	value, basis := usage(lines)
	if basis == "" {
		basis = "header"
		if len(lines) > 1 {
			basis = "header joined"
		}
	}
	return Signal{NameContentUsage, value, basis, "header", 0, cut(strings.Join(lines, ", "))}
}

func (r *evaluator) usageRobots() Signal {
	best, length := silent(NameContentUsage, "absent"), -1
	for _, line := range r.file.Extensions(robots.FieldContentUsage, r.agent) {
		if !line.Grouped {
			continue
		}
		path, dictionary := "/", line.Value
		if strings.HasPrefix(line.Value, "/") {
			path, dictionary, _ = strings.Cut(line.Value, " ")
		}
		octets, ok := robots.MatchPattern(path, r.target)
		if !ok || octets < length {
			continue
		}
		value, basis := usage([]string{strings.TrimSpace(dictionary)})
		if basis == "" {
			basis = r.usageBasis(path, line)
		}
		found := Signal{NameContentUsage, value, basis, "robots", line.Line, cut(line.Value)}
		if octets == length {
			found = combined(best, found)
		}
		best, length = found, octets
	}
	return best
}

// combined returns the signal of two lines for one path: the stricter one.
func combined(a, b Signal) Signal {
	strict := stricter(a, b)
	if a.Value != b.Value && strict.Value == against {
		strict.Basis = "conflict on same path"
	}
	return strict
}

func (r *evaluator) usageBasis(path string, line robots.Extension) string {
	switch token := r.file.Group(r.agent).Token(); {
	case path != "/":
		return "robots path " + path
	case token != "*":
		return "robots group " + token
	default:
		return fmt.Sprintf("robots line %d", line.Line)
	}
}

// usage returns the value of the key train-ai of a dictionary. The basis is empty
// when it is y or n. A syntax error anywhere invalidates the whole dictionary.
func usage(lines []string) (value robots.Preference, basis string) {
	dictionary, err := httpsfv.UnmarshalDictionary(lines)
	if err != nil {
		return none, basisParseError
	}
	member, ok := dictionary.Get("train-ai")
	if !ok {
		return none, "no train-ai key"
	}
	item, _ := member.(httpsfv.Item)
	switch item.Value {
	case httpsfv.Token("n"):
		return against, ""
	case httpsfv.Token("y"):
		return inFavor, ""
	}
	if _, token := item.Value.(httpsfv.Token); token {
		return none, "neither y nor n"
	}
	return none, "not_a_token"
}

// stricter returns the signal that comes first in this order: against, in favor,
// none that was found somewhere, none. It returns a if they are equal.
func stricter(a, b Signal) Signal {
	rank := func(s Signal) int {
		switch {
		case s.Value == against:
			return 3
		case s.Value == inFavor:
			return 2
		case s.Where != "":
			return 1
		}
		return 0
	}
	if rank(b) > rank(a) {
		return b
	}
	return a
}

// contentSignal reads Content-Signal: the lines of our group and those outside
// any group, and the header. A no anywhere wins over every yes.
func (r *evaluator) contentSignal() Signal {
	best := silent(NameContentSignal, "absent")
	for _, line := range r.file.Extensions(robots.FieldContentSignal, r.agent) {
		basis := "robots outside group"
		if line.Grouped {
			basis = "robots group " + r.file.Group(r.agent).Token()
		}
		value, fault := aiTrain(line.Value)
		if fault != "" {
			basis = fault
		}
		best = stricter(best, Signal{NameContentSignal, value, basis, "robots", line.Line, cut(line.Value)})
	}
	for _, line := range r.page.Header["Content-Signal"] {
		value, basis := aiTrain(line)
		if basis == "" {
			basis = "header"
		}
		best = stricter(best, Signal{NameContentSignal, value, basis, "header", 0, cut(line)})
	}
	return best
}

// aiTrain returns the value of ai-train in a list of name=yes and name=no,
// ignoring case. The basis is empty when the value is valid.
func aiTrain(list string) (value robots.Preference, basis string) {
	value, basis = none, "no ai-train key"
	for part := range strings.SplitSeq(list, ",") {
		name, answer, _ := strings.Cut(part, "=")
		if !strings.EqualFold(strings.TrimSpace(name), "ai-train") {
			continue
		}
		switch strings.ToLower(strings.TrimSpace(answer)) {
		case "no":
			return against, ""
		case "yes":
			value, basis = inFavor, ""
		default:
			if value == none {
				basis = basisParseError
			}
		}
	}
	return value, basis
}
