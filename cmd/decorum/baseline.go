package main

import (
	"bufio"
	"fmt"

	"github.com/decorum-crawler/decorum/audit"
)

// readBaseline reads the findings of an earlier audit from a file. Without a
// name there are none.
func readBaseline(name string) (*audit.Baseline, error) {
	if name == "" {
		return nil, nil
	}
	file, err := openInput(name)
	if err != nil {
		return nil, baselineError(err)
	}
	defer file.Close()
	baseline, err := audit.ReadBaseline(bufio.NewReaderSize(file, 64<<10))
	if err != nil {
		return nil, baselineError(fmt.Errorf("%s: %w", name, err))
	}
	return baseline, nil
}

func baselineError(err error) error {
	return &commandError{code: exitIO, err: fmt.Errorf("read baseline: %w", err), hint: "name the output of an earlier audit with --format json or jsonl"}
}
