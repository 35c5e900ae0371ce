package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/decorum-crawler/decorum/corpus"
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
	file, err := root.OpenFile(capturesName, os.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("withdraw documents: %w", err)
	}
	defer file.Close()
	lines := bufio.NewReaderSize(file, 256<<10)
	for offset := int64(0); ; {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return file.Sync()
		}
		if err != nil {
			return fmt.Errorf("read %s: %w", capturesName, err)
		}
		c, err := warc.ParseIndexLine(line)
		if err != nil {
			return fmt.Errorf("read %s: %w", capturesName, err)
		}
		if wanted[c.URL+" "+c.At.Format(time.RFC3339)] {
			tombstone, err := warc.Withdraw(root, warcDir, line)
			if err != nil {
				return err
			}
			if _, err := file.WriteAt(tombstone, offset); err != nil {
				return fmt.Errorf("write %s: %w", capturesName, err)
			}
		}
		offset += int64(len(line))
	}
}
