// Package format writes the results of an audit for people and programs: as a
// table, CSV, JSON, JSON Lines, JUnit, SARIF or HTML. [New] returns a [Writer] by
// its name, which takes the findings as they arise and then the report.
package format

import (
	"fmt"
	"io"
	"slices"

	"github.com/decorum-crawler/decorum/audit"
)

// A Writer writes one audit. It is not safe for concurrent use.
type Writer interface {
	// Finding writes or keeps one finding.
	Finding(f audit.Finding) error
	// End writes the rest, with the report that belongs to the findings.
	End(r *audit.Report) error
}

// makers are the formats by name.
var makers = map[string]func(w io.Writer, version string) Writer{
	"table": newTable, "csv": newCSV, "json": newJSON, "jsonl": newJSONLines, "junit": newJUnit, "sarif": newSARIF, "html": newHTML,
}

// Names returns the names of the formats, sorted.
func Names() []string {
	names := make([]string, 0, len(makers))
	for name := range makers {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// New returns a Writer for one of the [Names]. version is that of the program,
// for formats that state it.
func New(name string, w io.Writer, version string) (Writer, error) {
	maker, ok := makers[name]
	if !ok {
		return nil, fmt.Errorf("format %q is not one of %v", name, Names())
	}
	return maker(w, version), nil
}

// The limits of formats that are written at the end. Together they are what code
// hosts accept as SARIF. Errors have a limit of their own, so that notes cannot
// crowd them out.
const (
	maxErrors = 20_000
	maxNotes  = 5_000
)

// kept keeps findings up to the limits and counts the others.
type kept struct {
	findings   []audit.Finding
	errors     int // of findings
	more       int // left out, including errors
	moreErrors int
}

func (k *kept) Finding(f audit.Finding) error {
	isError := f.Severity == audit.SeverityError
	switch {
	case isError && k.errors >= maxErrors:
		k.more++
		k.moreErrors++
	case !isError && len(k.findings)-k.errors >= maxNotes:
		k.more++
	default:
		k.findings = append(k.findings, f)
		if isError {
			k.errors++
		}
	}
	return nil
}

// leftOut returns how many findings are left out.
func (k *kept) leftOut() string {
	return fmt.Sprintf("%d more findings are left out, including %d errors; the csv and jsonl formats have all", k.more, k.moreErrors)
}

// summary is a decorum.summary/1 object: the report's counts, after the
// findings.
type summary struct {
	Schema    string              `json:"schema"`
	Sites     []string            `json:"sites"`
	Own       []string            `json:"own"`
	URLs      int                 `json:"urls"`
	Blocked   int                 `json:"blocked"`
	ForAll    int                 `json:"blocked_for_all"`
	NewBlocks int                 `json:"new_blocks"`
	Known     int                 `json:"known"`
	Sitemaps  int                 `json:"sitemaps"`
	Agents    []audit.AgentCount  `json:"agents"`
	Training  audit.TrainingCount `json:"training"`
	Findings  map[audit.Code]int  `json:"counts"`
}

func summaryOf(r *audit.Report) summary {
	return summary{
		"decorum.summary/1", r.Sites, r.Own, r.URLs, r.Blocked, r.ForAll, r.NewBlocks, r.Known,
		len(r.Sitemaps), r.Agents, r.Training, r.Findings,
	}
}
