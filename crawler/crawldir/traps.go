package crawldir

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"

	"github.com/decorum-crawler/decorum/crawler/record"
	"github.com/decorum-crawler/decorum/frontier"
	"github.com/decorum-crawler/decorum/storage/jsonl"
)

// ClosedTraps returns the patterns of URLs that the runs so far have closed as
// traps, sorted. It skips lines that cannot be decoded.
func (v *View) ClosedTraps() ([]string, error) {
	info, err := v.state.Info()
	if err != nil {
		return nil, err
	}
	place := filepath.Join(v.path, SkippedName)
	file, err := v.openOutput(SkippedName, info.Offsets[record.OutputSkipped])
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", place, err)
	}
	defer file.Close()
	patterns := map[string]bool{}
	for line, err := range jsonl.Lines(io.LimitReader(file, info.Offsets[record.OutputSkipped])) {
		if err != nil && !errors.Is(err, jsonl.ErrRow) {
			return nil, fmt.Errorf("read %s: %w", place, err)
		}
		if err != nil || !bytes.Contains(line, []byte(`"pattern":`)) {
			continue
		}
		var skip record.Skip
		if json.Unmarshal(line, &skip) == nil && skip.Reason == frontier.SkipTrap && skip.Pattern != "" {
			patterns[skip.Pattern] = true
		}
	}
	return slices.Sorted(maps.Keys(patterns)), nil
}
