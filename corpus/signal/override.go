package signal

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
)

// An Override admits pages whatever they state, because somebody holds a license
// for them. Overrides come only from a file, and each use is recorded in the
// decision.
type Override struct {
	Pattern  string `yaml:"pattern"`  // of URLs; "*" matches any octets, and one is implied at the end
	License  string `yaml:"license"`  // ID of the license
	Approver string `yaml:"approver"` // who approved the override
	Expires  string `yaml:"expires"`  // "2006-01-02", the last day on which it applies
}

// Overrides are the overrides of a file, in its order; the first that matches
// applies.
type Overrides []Override

// ReadOverrides reads a YAML list of overrides. Every field is required, and no
// other is allowed.
func ReadOverrides(data []byte) (Overrides, error) {
	var list Overrides
	if err := yaml.UnmarshalWithOptions(bytes.TrimPrefix(data, []byte("\ufeff")), &list, yaml.Strict()); err != nil {
		return nil, fmt.Errorf("read overrides: %w", err)
	}
	for i, o := range list {
		if o.Pattern == "" || o.License == "" || o.Approver == "" {
			return nil, fmt.Errorf("read overrides: entry %d must have a pattern, a license and an approver", i+1)
		}
		if !strings.Contains(o.Pattern, "://") {
			return nil, fmt.Errorf("read overrides: entry %d: pattern %q must begin with a scheme such as https://", i+1, o.Pattern)
		}
		if _, err := time.Parse(time.DateOnly, o.Expires); err != nil {
			return nil, fmt.Errorf("read overrides: entry %d: expires must be a date such as 2030-12-31: %w", i+1, err)
		}
	}
	return list, nil
}

// Apply returns the decision d on a page, or the decision to admit it if an
// override matches address and had not expired when the page was fetched.
func (l Overrides) Apply(d Decision, address string, fetched time.Time) Decision {
	if d.Train == TrainInFavor {
		return d
	}
	for _, o := range l {
		last, err := time.Parse(time.DateOnly, o.Expires)
		if err != nil || !fetched.Before(last.AddDate(0, 0, 1)) || !matches(o.Pattern, address) {
			continue
		}
		d.Basis = fmt.Sprintf("override: license %s, approved by %s until %s; without it %s by %s", o.License, o.Approver, o.Expires, d.Train, d.Basis)
		d.Train = TrainInFavor
		return d
	}
	return d
}

// matches reports whether a pattern matches the beginning of an address.
func matches(pattern, address string) bool {
	pieces := strings.Split(pattern, "*")
	if !strings.HasPrefix(address, pieces[0]) {
		return false
	}
	address = address[len(pieces[0]):]
	for _, piece := range pieces[1:] {
		at := strings.Index(address, piece)
		if at < 0 {
			return false
		}
		address = address[at+len(piece):]
	}
	return true
}
