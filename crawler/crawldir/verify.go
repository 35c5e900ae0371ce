package crawldir

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/decorum-crawler/decorum/crawler/record"
	"github.com/decorum-crawler/decorum/frontier"
	"github.com/decorum-crawler/decorum/storage"
	"github.com/decorum-crawler/decorum/storage/jsonl"
)

// Verify checks that the state, the outputs and the archive of the crawl agree,
// and calls report for each fault. It checks the pages, queue and counters of the
// state; that each page of the state has exactly one line in the outputs and each
// line its page; the digest of each record of the archive; that records and index
// lines are the same captures; and that each page with a response is among them.
// It reads only the committed lengths.
//
// It returns an error only when something cannot be read. A damaged state file
// can crash the process in a way that recover cannot catch, so check a file that
// may be damaged in a separate process.
func (v *View) Verify(report func(fault string)) error {
	info, err := v.state.Info()
	if err != nil {
		return err
	}
	c := verifier{View: v, info: info, say: func(format string, args ...any) { report(fmt.Sprintf(format, args...)) }}
	if err := v.state.Check(c.say); err != nil {
		return err
	}
	pages, err := c.output(record.OutputPages, PagesName, frontier.StateDone)
	if err != nil {
		return err
	}
	skipped, err := c.output(record.OutputSkipped, SkippedName, frontier.StateSkipped)
	if err != nil {
		return err
	}
	if pages != info.Counters.Done {
		c.say("%s has %d lines, but the state has %d pages", PagesName, pages, info.Counters.Done)
	}
	if skipped != info.Counters.Skipped {
		c.say("%s has %d lines, but the state has %d skipped URLs", SkippedName, skipped, info.Counters.Skipped)
	}
	return c.archive()
}

// verifier is one check of a directory.
type verifier struct {
	*View

	info storage.Info
	say  func(format string, args ...any)
}

// output checks the committed part of an output line by line and returns how
// many lines it has.
func (c *verifier) output(output, file string, want frontier.State) (lines int64, err error) {
	name := filepath.Join(c.path, file)
	in, err := c.openOutput(file, c.info.Offsets[output])
	if err != nil {
		return 0, fmt.Errorf("read %s: %w", name, err)
	}
	defer in.Close()
	seen := map[string]bool{}
	committed := &io.LimitedReader{R: in, N: c.info.Offsets[output]}
	for row, err := range jsonl.Decode[struct{ URL string }](committed) {
		if err != nil && !errors.Is(err, jsonl.ErrRow) {
			return lines, fmt.Errorf("read %s: %w", name, err)
		}
		lines++
		if err != nil {
			c.say("%s %v", name, err)
			continue
		}
		if seen[row.URL] {
			c.say("%s line %d: duplicate record of %s", name, lines, row.URL)
		}
		seen[row.URL] = true
		if _, at, err := c.state.Lookup(frontier.Item{URL: row.URL}); err != nil || at != want {
			c.say("%s line %d: the state has %s as %q, not %q", name, lines, row.URL, at, want)
		}
	}
	if committed.N > 0 {
		c.say("%s is shorter than the %d bytes committed in the state", name, c.info.Offsets[output])
	}
	return lines, nil
}
