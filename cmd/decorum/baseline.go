package main

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/decorum-crawler/decorum/audit"
)

// baselineKey names a finding across audits: without line numbers, which move.
type baselineKey struct {
	code             audit.Code
	url, agent, rule string
	sitemap          string // of findings without a URL
}

func keyOf(f audit.Finding) baselineKey {
	key := baselineKey{code: f.Code, url: f.URL, agent: f.Agent, rule: f.Rule}
	if f.URL == "" {
		key.sitemap = f.Sitemap
	}
	return key
}

// readBaseline reads the findings of an earlier audit, from json or jsonl,
// which both have one a line.
func readBaseline(name string) (map[baselineKey]bool, error) {
	known := map[baselineKey]bool{}
	if name == "" {
		return known, nil
	}
	objects := 0
	err := eachLine(name, func(line []byte) error {
		line = bytes.TrimSuffix(bytes.TrimSpace(line), []byte(","))
		if bytes.Contains(line, []byte(`"decorum.summary/1"`)) || bytes.Contains(line, []byte(`"decorum.report/1"`)) {
			objects++
		}
		if !bytes.HasPrefix(line, []byte(`{"schema":"decorum.finding/1"`)) {
			return nil
		}
		objects++
		var f audit.Finding
		if err := json.Unmarshal(line, &f); err != nil {
			return err
		}
		known[keyOf(f)] = true
		return nil
	})
	if err == nil && objects == 0 {
		err = fmt.Errorf("%s has neither findings nor a summary", name)
	}
	if err != nil {
		return nil, &commandError{code: exitIO, err: fmt.Errorf("read baseline: %w", err), hint: "give the output of an earlier audit with --format json or jsonl"}
	}
	return known, nil
}
