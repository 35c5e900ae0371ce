package crawldir

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"

	"github.com/decorum-crawler/decorum/storage/jsonl"
)

// run is what the log tells of a run of a crawl.
type runLog struct {
	Msg     string
	Run     string // of the state; in the first line of a run
	Pages   int64
	Skipped int64
	Pending *int64 // nil: the run did not end
	Err     any
}

// lastRun returns the last run in the log; the zero runLog without one. Lines that
// are not JSON are skipped.
func lastRun(root *os.Root) (runLog, error) {
	var last runLog
	file, err := root.Open(LogName)
	if errors.Is(err, fs.ErrNotExist) {
		return last, nil
	}
	if err != nil {
		return last, err
	}
	defer file.Close()
	for line, err := range jsonl.Lines(file) {
		var entry runLog
		if err != nil || json.Unmarshal(line, &entry) != nil {
			continue
		}
		switch entry.Msg {
		case "start":
			last = entry
		case "end":
			entry.Run = last.Run
			last = entry
		}
	}
	return last, nil
}

// finished reports whether the run ended with these numbers of lines and left
// nothing to do.
func (l runLog) finished(pages, skipped int64) bool {
	return l.Pending != nil && *l.Pending == 0 && l.Err == nil && l.Pages == pages && l.Skipped == skipped
}
