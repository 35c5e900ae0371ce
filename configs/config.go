// Package configs holds the settings of decorum: their defaults, their file
// and their checks.
//
// [Default] returns the defaults, [Load] merges a YAML file into a [Config],
// [Set] sets one key, and [Config.Validate] checks the result. default.yaml is
// the reference of every key.
package configs

import (
	_ "embed" // for default.yaml
	"reflect"
	"strings"
)

// Reference is default.yaml: every key with its default, unit and effect.
//
//go:embed default.yaml
var Reference []byte

// Config holds every setting. The YAML key is also the name of the flag and, in
// capitals after DECORUM_ and with _ for -, of the environment variable.
type Config struct {
	AgentToken string `yaml:"agent-token"`
	Contact    string `yaml:"contact"`

	Seed     []string `yaml:"seed"`
	Scope    string   `yaml:"scope"`
	Include  []string `yaml:"include"`
	Exclude  []string `yaml:"exclude"`
	Discover []string `yaml:"discover"`

	Delay        Duration `yaml:"delay"`
	MaxDelay     Duration `yaml:"max-delay"`
	PerIPDelay   Duration `yaml:"per-ip-delay"`
	Workers      int      `yaml:"workers"`
	Timeout      Duration `yaml:"timeout"`
	MaxPageBytes Size     `yaml:"max-page-bytes"`
	MaxRedirects int      `yaml:"max-redirects"`
	MaxRetries   int      `yaml:"max-retries"`
	MaxURLLength int      `yaml:"max-url-length"`
	MaxDepth     int      `yaml:"max-depth"`

	TrapBudget      int  `yaml:"trap-budget"`
	NoTrapDetection bool `yaml:"no-trap-detection"`

	MaxPages        int      `yaml:"max-pages"`
	MaxPagesPerHost int      `yaml:"max-pages-per-host"`
	MaxTime         Duration `yaml:"max-time"`
	MaxBytes        Size     `yaml:"max-bytes"`
	MinFreeDisk     Size     `yaml:"min-free-disk"`

	AllowNet []string `yaml:"allow-net"`
	Own      []string `yaml:"own"`
	FailOn   []string `yaml:"fail-on"`

	Store     []string `yaml:"store"`
	WARCBytes Size     `yaml:"warc-bytes"`

	LogFormat        string   `yaml:"log-format"`
	Progress         string   `yaml:"progress"`
	ProgressInterval Duration `yaml:"progress-interval"`
}

// Keys returns every key, in the order of the reference.
func Keys() []string {
	var keys []string
	for field := range reflect.TypeFor[Config]().Fields() {
		keys = append(keys, field.Tag.Get("yaml"))
	}
	return keys
}

// Form returns the name of a key's value in help texts: DURATION, SIZE, N, BOOL,
// TEXT, RE or LIST, or an empty string for an unknown key. Values of a LIST may be
// separated by commas, those of RE may not.
func Form(key string) string {
	field, ok := fieldOf(new(Config), key)
	if !ok {
		return ""
	}
	switch field.Addr().Interface().(type) {
	case *Duration:
		return "DURATION"
	case *Size:
		return "SIZE"
	case *int:
		return "N"
	case *bool:
		return "BOOL"
	case *[]string:
		if key == "include" || key == "exclude" {
			return "RE"
		}
		return "LIST"
	}
	return "TEXT"
}

// nearest returns the known key that is most like name, or an empty string.
func nearest(name string) string {
	best, least := "", 1+len(name)/3
	for _, key := range Keys() {
		if d := distance(strings.ToLower(name), key); d <= least {
			best, least = key, d-1
		}
	}
	return best
}

// distance returns the number of edits between two short words.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(diagonal+cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
