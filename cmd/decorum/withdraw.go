package main

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/decorum-crawler/decorum/corpus"
	"github.com/decorum-crawler/decorum/internal/atomicfile"
	"github.com/decorum-crawler/decorum/storage/warc"
)

// withdrawer gives what takes documents out of the archive of a corpus; nil
// when it has none.
func withdrawer(root *os.Root) func([]corpus.Document) error {
	if _, err := root.Lstat(capturesName); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return func(documents []corpus.Document) error { return withdraw(root, documents) }
}

// withdraw overwrites the records of documents and their index lines where
// they stand, for the lengths of both files are a part of the crawl's state.
func withdraw(root *os.Root, documents []corpus.Document) error {
	wanted := map[string]bool{}
	for _, d := range documents {
		wanted[d.URL+" "+d.Added] = true
	}
	var failed error // of one record; the index must tell of the others all the same
	err := atomicfile.ReplaceLines(root, capturesName, func(line []byte) ([]byte, error) {
		c, err := warc.ParseIndexLine(line)
		if err != nil || !wanted[c.URL+" "+c.At.Format(time.RFC3339)] {
			return nil, err
		}
		tombstone, err := warc.Withdraw(root, warcDir, line)
		failed = cmp.Or(failed, err)
		return tombstone, nil
	})
	return errors.Join(failed, err)
}
