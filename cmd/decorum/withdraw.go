package main

import (
	"os"
	"time"

	"github.com/decorum-crawler/decorum/corpus"
	"github.com/decorum-crawler/decorum/crawler/crawldir"
)

// withdrawer returns a function that removes documents from the archive of a
// corpus, or nil if it has none.
func withdrawer(root *os.Root) (func([]corpus.Document) error, error) {
	archive := crawldir.ArchiveIn(root)
	exists, err := archive.Exists()
	if err != nil || !exists {
		return nil, err
	}
	return func(documents []corpus.Document) error {
		wanted := map[string]bool{}
		for _, d := range documents {
			wanted[d.URL+" "+d.Added.Time().Format(time.RFC3339)] = true
		}
		return archive.Withdraw(func(url string, at time.Time) bool { return wanted[url+" "+at.Format(time.RFC3339)] })
	}, nil
}
