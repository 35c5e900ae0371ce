package invariant

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/decorum-crawler/decorum/crawler/crawldir"
)

// states checks that each URL has one final state: one line in one output.
func (c Crawl) states() []string {
	if c.Dir == "" {
		return nil
	}
	var found []string
	seen := map[string]string{}
	for _, name := range []string{crawldir.PagesName, crawldir.SkippedName} {
		data, err := os.ReadFile(filepath.Join(c.Dir, name))
		if err != nil {
			found = append(found, err.Error())
			continue
		}
		for line := range bytes.Lines(data) {
			var record struct{ URL string }
			if err := json.Unmarshal(line, &record); err != nil || record.URL == "" || !bytes.HasSuffix(line, []byte("\n")) {
				found = append(found, fmt.Sprintf("%s has a torn line: %q", name, line))
				continue
			}
			if first, ok := seen[record.URL]; ok {
				found = append(found, fmt.Sprintf("%s is in %s and in %s", record.URL, first, name))
			}
			seen[record.URL] = name
		}
	}
	return found
}

// agreement checks that state, outputs and archive tell the same.
func (c Crawl) agreement() []string {
	if c.Dir == "" {
		return nil
	}
	view, err := crawldir.Look(c.Dir)
	if err != nil {
		return []string{err.Error()}
	}
	defer func() { _ = view.Close() }()
	var found []string
	if err := view.Verify(func(fault string) { found = append(found, fault) }); err != nil {
		found = append(found, err.Error())
	}
	info, err := view.State().Info()
	if err != nil {
		return append(found, err.Error())
	}
	if n := info.Counters; c.Finished && n.Pending+n.Tentative > 0 {
		found = append(found, fmt.Sprintf("%d URLs are pending and %d tentative after the end", n.Pending, n.Tentative))
	}
	for _, name := range []string{crawldir.PagesName, crawldir.SkippedName} {
		if file, err := view.Root().Stat(name); err != nil || c.Finished && file.Size() != info.Offsets[outputs[name]] {
			found = append(found, fmt.Sprintf("%s has %v bytes, %d are committed: %v", name, file, info.Offsets[outputs[name]], err))
		}
	}
	return found
}

// outputs are the names that the state has for files.
var outputs = map[string]string{crawldir.PagesName: "pages", crawldir.SkippedName: "skipped"}

// disk returns the size of all files of the crawl.
func (c Crawl) disk() (size int64) {
	if c.Dir == "" {
		return 0
	}
	_ = filepath.WalkDir(c.Dir, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return nil //nolint:nilerr // what is not there takes no space
		}
		info, err := entry.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		size += info.Size()
		return err
	})
	return size
}
