// Package sarif writes findings in the Static Analysis Results Interchange
// Format, SARIF 2.1.0, so that code hosts show them next to the lines they are
// about. Its only function is [Write].
package sarif

import (
	"io"
	"slices"

	"github.com/decorum-crawler/decorum/internal/escape"
)

// A Result is one finding.
type Result struct {
	Rule    string // stable code of the kind of finding
	Level   string // "error", "warning" or "note"
	Message string // plain text
	URI     string // of the file: a path relative to the root of the sources, or a URL
	Line    int    // 1-based; 0 means the file as a whole
}

// The SARIF 2.1.0 objects that are used here, by section: log file (3.13),
// run (3.14), tool (3.18), reporting descriptor (3.49), result (3.27).
type (
	logFile struct {
		Schema  string `json:"$schema"`
		Version string `json:"version"`
		Runs    []run  `json:"runs"`
	}
	run struct {
		Tool    tool     `json:"tool"`
		Results []result `json:"results"`
	}
	tool struct {
		Driver driver `json:"driver"`
	}
	driver struct {
		Name           string       `json:"name"`
		Version        string       `json:"version"`
		InformationURI string       `json:"informationUri"`
		Rules          []descriptor `json:"rules"`
	}
	descriptor struct {
		ID string `json:"id"`
	}
	result struct {
		RuleID    string     `json:"ruleId"`
		RuleIndex int        `json:"ruleIndex"`
		Level     string     `json:"level"`
		Message   message    `json:"message"`
		Locations []location `json:"locations"`
	}
	message struct {
		Text string `json:"text"`
	}
	location struct {
		Physical physical `json:"physicalLocation"`
	}
	physical struct {
		Artifact artifact `json:"artifactLocation"`
		Region   *region  `json:"region,omitempty"`
	}
	artifact struct {
		URI string `json:"uri"`
	}
	region struct {
		StartLine int `json:"startLine"`
	}
)

const schemaURI = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

// Write writes a log of one run of decorum in that version with its results, in
// the order given.
func Write(w io.Writer, version string, results []Result) error {
	one := run{Tool: tool{driver{
		Name: "decorum", Version: version, InformationURI: "https://github.com/decorum-crawler/decorum", Rules: []descriptor{},
	}}, Results: []result{}}
	for _, r := range results {
		rules := &one.Tool.Driver.Rules
		at := slices.Index(*rules, descriptor{r.Rule})
		if at < 0 {
			at = len(*rules)
			*rules = append(*rules, descriptor{r.Rule})
		}
		place := physical{Artifact: artifact{r.URI}}
		if r.Line > 0 {
			place.Region = &region{r.Line}
		}
		one.Results = append(one.Results, result{r.Rule, at, r.Level, message{r.Message}, []location{{place}}})
	}
	encoder := escape.Encoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(logFile{schemaURI, "2.1.0", []run{one}})
}
