package main

import (
	"bufio"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/decorum-crawler/decorum/audit"
)

// baselineKey names a finding across audits: a hash of its fields without line
// numbers, which move. A million of them take some 25 MB.
type baselineKey [16]byte

func keyOf(f audit.Finding) baselineKey {
	sitemap := ""
	if f.URL == "" {
		sitemap = f.Sitemap
	}
	var text []byte
	for _, field := range [...]string{string(f.Code), f.URL, f.Agent, f.Rule, sitemap} {
		text = strconv.AppendInt(text, int64(len(field)), 10) // so that no field runs into the next
		text = append(append(text, ':'), field...)
	}
	sum := sha256.Sum256(text)
	return baselineKey(sum[:16])
}

// UnmarshalJSON takes the key of a finding.
func (k *baselineKey) UnmarshalJSON(data []byte) error {
	var f audit.Finding
	if err := json.Unmarshal(data, &f); err != nil {
		return err
	}
	*k = keyOf(f)
	return nil
}

// readBaseline reads the findings of an earlier audit: the objects of jsonl, or
// the one of json. Without a name there are none.
func readBaseline(name string) (map[baselineKey]bool, error) {
	if name == "" {
		return nil, nil
	}
	file, err := os.Open(name)
	if err == nil {
		defer file.Close()
		var known map[baselineKey]bool
		if known, err = decodeBaseline(bufio.NewReaderSize(file, 64<<10)); err == nil {
			return known, nil
		}
		err = fmt.Errorf("%s: %w", name, err)
	}
	return nil, &commandError{code: exitIO, err: fmt.Errorf("read baseline: %w", err), hint: "give the output of an earlier audit with --format json or jsonl"}
}

func decodeBaseline(in io.Reader) (map[baselineKey]bool, error) {
	known, ended := map[baselineKey]bool{}, false
	decoder := json.NewDecoder(in)
	for {
		var object struct {
			audit.Finding

			Findings []baselineKey `json:"findings"`
		}
		err := decoder.Decode(&object)
		switch {
		case errors.Is(err, io.EOF) && ended:
			return known, nil
		case errors.Is(err, io.EOF):
			return nil, errors.New("it ends without a summary, so it is not a whole audit")
		case err != nil:
			return nil, fmt.Errorf("decode findings: %w", err)
		}
		switch object.Schema {
		case "decorum.finding/1":
			known[keyOf(object.Finding)] = true
		case "decorum.report/1", "decorum.summary/1":
			ended = true
			for _, key := range object.Findings {
				known[key] = true
			}
		default:
			return nil, fmt.Errorf("an object of the schema %q, which no audit writes", object.Schema)
		}
	}
}
