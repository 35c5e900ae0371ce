package crawldir

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/decorum-crawler/decorum/crawler/record"
	"github.com/decorum-crawler/decorum/storage/jsonl"
	"github.com/decorum-crawler/decorum/storage/warc"
)

// archive checks the committed part of the archive, if there is one.
func (c *verifier) archive() error {
	exists, err := c.Archive().Exists()
	if err != nil {
		return err
	}
	if !exists {
		if c.info.Offsets[OutputCaptures] > 0 {
			c.say("%s is missing", CapturesName)
		}
		return nil
	}
	if err := c.records(); err != nil {
		return err
	}
	return c.responses()
}

// records compares the records with the index lines.
func (c *verifier) records() error {
	captures := c.Archive().first(c.info.Offsets[OutputCaptures])
	defer captures.Close()
	committed := c.info.Offsets[OutputArchive]
	for serial, before := 0, int64(0); before < committed; serial++ {
		name := warc.FileName(serial)
		size, err := c.file(name, committed-before, captures)
		if err != nil {
			return err
		}
		if size == 0 {
			c.say("%s/%s: %d bytes of the archive are missing", ArchiveDir, name, committed-before)
			break
		}
		before += size
	}
	for {
		line, err, ok := captures.next()
		if err != nil || !ok {
			return err
		}
		c.say("%s: the record of %s is not in the archive", CapturesName, line.URL)
	}
}

// file checks the first committed bytes of a file and returns its size, 0 when
// it does not exist.
func (c *verifier) file(name string, committed int64, captures *Captures) (int64, error) {
	file, err := c.root.Open(ArchiveDir + "/" + name)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return 0, err
	}
	reader := warc.NewReader(io.LimitReader(file, committed))
	for {
		record, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return info.Size(), nil
		}
		if err != nil {
			c.say("%s/%s: %v", ArchiveDir, name, err)
			return info.Size(), nil
		}
		if err := c.record(name, record, captures); err != nil {
			return 0, err
		}
	}
}

// record checks one record and, when it is a capture, its index line.
func (c *verifier) record(name string, r *warc.Record, captures *Captures) error {
	place := fmt.Sprintf("%s/%s at %d", ArchiveDir, name, r.Offset)
	sum := sha256.New()
	if _, err := io.Copy(sum, r.Block); err != nil {
		c.say("%s: %v", place, err)
		return nil
	}
	if got, want := "sha256:"+hex.EncodeToString(sum.Sum(nil)), r.Field("WARC-Block-Digest"); want != "" && got != want {
		c.say("%s: digest mismatch: the block has %s, the record says %s", place, got, want)
	}
	if r.Type() != "response" && r.Type() != "revisit" {
		return nil
	}
	line, err, ok := captures.next()
	switch {
	case err != nil:
		return err
	case !ok:
		c.say("%s: %s has no line in %s", place, r.URL(), CapturesName)
	case line.Filename != name || line.Offset != r.Offset || line.URL != r.URL() || line.ID != r.Field("WARC-Record-ID"):
		c.say("%s: the record is of %s, but the index has %s at %d of %s", place, r.URL(), line.URL, line.Offset, line.Filename)
	}
	return nil
}

// responses looks for the capture of each page with a response, and reports the
// first one that is missing: after it no other can be found.
func (c *verifier) responses() error {
	captures := c.Archive().first(c.info.Offsets[OutputCaptures])
	defer captures.Close()
	for page, err := range rows[record.Page](c.View, record.OutputPages, PagesName) {
		switch {
		case errors.Is(err, jsonl.ErrRow):
			continue // output has reported it
		case errors.Is(err, jsonl.ErrShort):
			return nil // output has reported it
		case err != nil:
			return err
		case page.Status == 0:
			continue
		}
		_, ok, err := captures.Find(page.URL, page.FetchedAt)
		if err != nil {
			return err
		}
		if !ok {
			c.say("the response of %s is not in the archive", page.URL)
			return nil
		}
	}
	return nil
}
