package audit

import (
	"bufio"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// A Baseline is the set of findings of an earlier audit. Its Has fits
// [Options.Known]. A nil Baseline has no findings. It is safe for concurrent
// use; a million findings take some 25 MB.
type Baseline struct {
	keys map[findingKey]struct{}
}

// ReadBaseline reads the output of an earlier audit as audit/format writes it:
// the objects of jsonl, or the single one of json. An output that was cut short
// is an error, since findings that it lost would count as new ones.
func ReadBaseline(in io.Reader) (*Baseline, error) {
	b, complete := &Baseline{keys: map[findingKey]struct{}{}}, false
	text := bufio.NewReader(in)
	if mark, _ := text.Peek(3); string(mark) == "\ufeff" { // an error comes back with the first read
		_, _ = text.Discard(len(mark))
	}
	decoder := json.NewDecoder(text)
	for {
		var object struct {
			Finding

			Findings []findingKey `json:"findings"`
		}
		err := decoder.Decode(&object)
		switch {
		case errors.Is(err, io.EOF) && complete:
			return b, nil
		case errors.Is(err, io.EOF):
			return nil, errors.New("incomplete audit: it ends without a summary")
		case err != nil:
			return nil, fmt.Errorf("decode findings: %w", err)
		}
		switch object.Schema {
		case "decorum.finding/1":
			b.keys[keyOf(object.Finding)] = struct{}{}
		case "decorum.report/1", "decorum.summary/1":
			complete = true
			for _, key := range object.Findings {
				b.keys[key] = struct{}{}
			}
		default:
			return nil, fmt.Errorf("object of schema %q, which no audit writes", object.Schema)
		}
	}
}

// Has reports whether the earlier audit has the finding. Line numbers and
// messages may differ.
func (b *Baseline) Has(f Finding) bool {
	if b == nil {
		return false
	}
	_, ok := b.keys[keyOf(f)]
	return ok
}

// findingKey identifies a finding across audits: a hash of its fields without
// line numbers, which move.
type findingKey [16]byte

func keyOf(f Finding) findingKey {
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
	return findingKey(sum[:16])
}

// UnmarshalJSON sets the key to that of a finding in JSON.
func (k *findingKey) UnmarshalJSON(data []byte) error {
	var f Finding
	if err := json.Unmarshal(data, &f); err != nil {
		return err
	}
	*k = keyOf(f)
	return nil
}
