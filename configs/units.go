package configs

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Duration is a time.Duration written as "1m30s". A number without a unit is
// refused, except for 0.
type Duration time.Duration

// ParseDuration parses a duration of at least 0.
func ParseDuration(text string) (Duration, error) {
	if text == "0" {
		return 0, nil
	}
	d, err := time.ParseDuration(text)
	switch {
	case err != nil && isNumber(text):
		return 0, fmt.Errorf("%q has no unit: write %ss for seconds or %sms for milliseconds", text, text, text)
	case err != nil:
		return 0, fmt.Errorf("%q is not a duration: write for example 500ms, 2s or 1m30s", text)
	case d < 0:
		return 0, fmt.Errorf("%q is negative", text)
	}
	return Duration(d), nil
}

// String returns the duration as [ParseDuration] reads it.
func (d Duration) String() string { return time.Duration(d).String() }

// MarshalYAML writes the duration as text.
func (d Duration) MarshalYAML() (any, error) { return d.String(), nil }

// UnmarshalYAML reads the duration from text.
func (d *Duration) UnmarshalYAML(read func(any) error) error {
	var text string
	err := read(&text)
	if err == nil {
		*d, err = ParseDuration(text)
	}
	return err
}

// Size is a number of bytes written as "10MiB". A number without a unit is refused,
// except for 0.
type Size int64

var units = []struct {
	name  string
	bytes int64
}{
	{"TiB", 1 << 40},
	{"GiB", 1 << 30},
	{"MiB", 1 << 20},
	{"KiB", 1 << 10},
	{"TB", 1e12},
	{"GB", 1e9},
	{"MB", 1e6},
	{"kB", 1e3},
	{"B", 1},
}

// ParseSize parses a size of at least 0.
func ParseSize(text string) (Size, error) {
	if text == "0" {
		return 0, nil
	}
	if isNumber(text) {
		return 0, fmt.Errorf("%q has no unit: write %sMiB, %sKiB or %sB", text, text, text, text)
	}
	for _, unit := range units {
		number, ok := strings.CutSuffix(text, unit.name)
		if !ok {
			continue
		}
		value, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if err != nil || value < 0 || value*float64(unit.bytes) >= math.MaxInt64 || math.IsNaN(value) {
			break
		}
		return Size(value * float64(unit.bytes)), nil
	}
	return 0, fmt.Errorf("%q is not a size: write for example 10MiB, 500KiB or 1GiB", text)
}

// String returns the size in the largest unit that divides it.
func (s Size) String() string {
	for _, unit := range units {
		if s != 0 && int64(s)%unit.bytes == 0 {
			return strconv.FormatInt(int64(s)/unit.bytes, 10) + unit.name
		}
	}
	return "0"
}

// MarshalYAML writes the size as text.
func (s Size) MarshalYAML() (any, error) { return s.String(), nil }

// UnmarshalYAML reads the size from text.
func (s *Size) UnmarshalYAML(read func(any) error) error {
	var text string
	err := read(&text)
	if err == nil {
		*s, err = ParseSize(text)
	}
	return err
}

func isNumber(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return err == nil
}
