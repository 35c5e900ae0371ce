package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/decorum-crawler/decorum/configs"
	"github.com/decorum-crawler/decorum/crawler/crawldir"
	"github.com/decorum-crawler/decorum/frontier"
	"github.com/decorum-crawler/decorum/storage/jsonl"
)

// folder is an open crawl directory, with the settings of its corpus.
type folder struct {
	*crawldir.Dir

	corpus *corpusSettings // nil: a crawl without a corpus
}

// createFolder creates a crawl directory with its settings, further files and
// then an empty state of that name.
func createFolder(path, state string, c configs.Config, files []crawldir.File) (*folder, error) {
	corpus, err := corpusSettingsIn(path, files)
	if err != nil {
		return nil, err
	}
	dir, err := crawldir.Create(path, c, crawldir.Options{State: state, Outputs: corpus.outputs(), Files: files, Version: version})
	if err != nil {
		return nil, err
	}
	return &folder{Dir: dir, corpus: corpus}, nil
}

// openFolder opens a crawl directory to resume its crawl.
func openFolder(env environment, path, state string) (*folder, error) {
	if err := checkState(env, path, state); err != nil {
		return nil, err
	}
	corpus, err := corpusSettingsIn(path, nil)
	if err != nil {
		return nil, err
	}
	dir, err := crawldir.Open(path, crawldir.Options{State: state, Outputs: corpus.outputs(), Version: version})
	if err != nil {
		return nil, err
	}
	return &folder{Dir: dir, corpus: corpus}, nil
}

// hostPages returns how many pages earlier runs have requested of each host, if
// that counts.
func (f *folder) hostPages(c configs.Config) (map[string]int64, error) {
	if c.MaxPagesPerHost == 0 {
		return nil, nil
	}
	pages := map[string]int64{}
	for page, err := range jsonl.Rows[struct{ URL string }](f.Root(), crawldir.PagesName) {
		if err != nil {
			return nil, err
		}
		pages[frontier.HostOf(page.URL)]++
	}
	return pages, nil
}

// corpusSettingsIn returns the settings of the corpus from files or else from a
// directory, and nil for a crawl without a corpus.
func corpusSettingsIn(path string, files []crawldir.File) (*corpusSettings, error) {
	for _, file := range files {
		if file.Name == corpusName {
			return parseCorpusSettings(file.Data)
		}
	}
	data, err := os.ReadFile(filepath.Join(path, corpusName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // a crawl may have no corpus
	}
	if err != nil {
		return nil, fmt.Errorf("open crawl directory %s: %w", path, err)
	}
	return parseCorpusSettings(data)
}

// look opens a crawl for reading.
func look(env environment, directory string) (*crawldir.View, error) {
	if err := checkState(env, directory, crawldir.StateName); err != nil {
		return nil, err
	}
	return lookUnchecked(directory)
}

// lookUnchecked is look for a process that a damaged state may end.
func lookUnchecked(directory string) (*crawldir.View, error) {
	view, err := crawldir.Look(directory)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, noCrawl(directory)
	}
	return view, err
}

func noCrawl(directory string) error {
	return &commandError{
		code: exitDirectory, err: fmt.Errorf("%s does not contain a crawl", directory),
		hint: "name the directory of a crawl, or start one with decorum crawl",
	}
}

// watchDisk calls stop when less than floor bytes are free on the file system of
// path.
func watchDisk(ctx context.Context, path string, floor int64, stop func()) {
	ticker := time.NewTicker(2 * time.Second)
	defer ticker.Stop()
	for {
		if free, err := freeBytes(path); err == nil && free < floor {
			stop()
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}
