package signal

import (
	"fmt"
	"strings"

	"github.com/dunglas/httpsfv"

	"github.com/decorum-crawler/decorum/robots"
)

// contentUsage reads Content-Usage: the header, whose lines are one dictionary
// (RFC 9651 §3.2), and the lines of our group in robots.txt, of which the
// longest path that matches decides. The stricter of both counts.
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

// combined is what two lines for one path say: the ban wins.
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

// usage reads the key train-ai of a dictionary. The basis is empty when it is
// y or n; one fault anywhere makes the whole unknown.
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

// stricter returns the signal that restricts more: against, then in favor, then
// none; of two that are none, the one that was found somewhere.
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
// of any, and the header. Any no wins, and a header's yes never outvotes one.
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

// aiTrain reads the name ai-train of a list of name=yes and name=no, without
// case. The basis is empty when it is there.
func aiTrain(list string) (value robots.Preference, basis string) {
	value, basis = none, "no ai-train key"
	for part := range strings.SplitSeq(list, ",") {
		name, answer, ok := strings.Cut(part, "=")
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
		_ = ok
	}
	return value, basis
}
