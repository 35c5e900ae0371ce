package signal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/decorum-crawler/decorum/crawler/content"
	"github.com/decorum-crawler/decorum/robots"
)

// maxRules bounds the entries of a TDMRep file that are read.
const maxRules = 10_000

// tdmrep reads the TDM Reservation Protocol: a meta element replaces the header,
// which replaces the file. In the file the first entry that matches applies.
func (r *evaluator) tdmrep() Signal {
	file := r.tdmFile()
	header := r.tdmHeader()
	meta := r.tdmMeta()
	switch {
	case meta.Value != none:
		return over(meta, header, file)
	case header.Value != none:
		return over(header, file)
	case file.Where != "":
		return file
	}
	return stricter(stricter(meta, header), file)
}

// over returns s with the signal that it replaces named in the basis.
func over(s Signal, replaced ...Signal) Signal {
	for _, r := range replaced {
		if r.Value != none {
			s.Basis += " over " + r.Where
			return s
		}
	}
	return s
}

func (r *evaluator) tdmHeader() Signal {
	best := silent(NameTDMRep, "absent")
	for _, line := range r.page.Header["Tdm-Reservation"] {
		value, basis := reservation(line, "header")
		best = stricter(best, Signal{NameTDMRep, value, basis, "header", 0, cut(line)})
	}
	return best
}

func (r *evaluator) tdmMeta() Signal {
	best := silent(NameTDMRep, "absent")
	for _, m := range r.page.Meta {
		if m.Name == "tdm-reservation" {
			value, basis := reservation(m.Content, "meta")
			best = stricter(best, Signal{NameTDMRep, value, basis, "html", 0, m.Content})
		}
	}
	return best
}

// reservation reads the value of tdm-reservation; of several the strictest counts.
func reservation(text, basis string) (robots.Preference, string) {
	value := none
	for one := range strings.SplitSeq(text, ",") {
		switch strings.ToLower(strings.Trim(one, " \t\"")) {
		case "1", "1.0", "true":
			return against, basis
		case "0", "0.0", "false":
			value = inFavor
		}
	}
	if value == none {
		return none, basisParseError
	}
	return value, basis
}

// tdmFile holds the entries of a TDMRep file.
type tdmFile []struct {
	Location    string          `json:"location"`
	Reservation json.RawMessage `json:"tdm-reservation"`

	path string // the pattern in Location
}

// trailingComma is one before the end of a list or an object, which JSON forbids.
var trailingComma = regexp.MustCompile(`,(\s*[\]}])`)

// parseTDMRep reads a TDMRep file leniently, so that no statement is lost to a byte
// order mark, another charset, a trailing comma or a missing list.
func parseTDMRep(body []byte) (tdmFile, error) {
	body, _ = content.Decode(body, "")
	body = bytes.Trim(body, "\x00\ufeff \t\r\n")
	body = trailingComma.ReplaceAll(body, []byte("$1"))
	if bytes.HasPrefix(body, []byte("{")) {
		body = slices.Concat([]byte("["), body, []byte("]"))
	}
	var rules tdmFile
	if err := json.Unmarshal(body, &rules); err != nil {
		return nil, err
	}
	rules = rules[:min(len(rules), maxRules)]
	for i := range rules {
		rules[i].path = locationPath(rules[i].Location)
	}
	return rules, nil
}

func (r *evaluator) tdmFile() Signal {
	if !r.site.TDMRep.found() {
		return silent(NameTDMRep, "absent")
	}
	rules, err := r.site.TDMRep.tdmrep.get(r.site.TDMRep.Body, parseTDMRep)
	if err != nil {
		return Signal{Signal: NameTDMRep, Value: none, Basis: basisParseError, Where: "file"}
	}
	for i, rule := range rules {
		if _, ok := robots.MatchPattern(rule.path, r.target); !ok {
			continue
		}
		value, basis := reservation(strings.Trim(string(rule.Reservation), `"`), fmt.Sprintf("file rule %d", i+1))
		return Signal{NameTDMRep, value, basis, "file", 0, cut(fmt.Sprintf("%s %s", rule.Location, rule.Reservation))}
	}
	return Signal{Signal: NameTDMRep, Value: none, Basis: "no_matching_rule", Where: "file"}
}

// locationPath returns the pattern in a location, which may be an absolute URL.
func locationPath(location string) string {
	if u, err := url.Parse(location); err == nil && u.Host != "" {
		return u.RequestURI()
	}
	return location
}
