package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"time"

	"github.com/decorum-crawler/decorum/crawler/record"
	"github.com/decorum-crawler/decorum/storage"
	"github.com/decorum-crawler/decorum/storage/warc"
)

// verifyArchive checks the committed part of an archive: the digest of every
// record, that records and index lines are the same captures in the same order,
// and that every answered page is among them.
func verifyArchive(directory string, info storage.Info, say func(string, ...any)) error {
	root, err := os.OpenRoot(directory)
	if err != nil {
		return err
	}
	defer root.Close() //nolint:errcheck // it is only read
	if _, err := root.Lstat(capturesName); errors.Is(err, fs.ErrNotExist) {
		if info.Offsets[outputCaptures] > 0 {
			say("%s is not there", capturesName)
		}
		return nil
	}
	v := archiveVerifier{root: root, say: say, committed: info.Offsets[outputCaptures]}
	if err := v.records(info.Offsets[outputWARC]); err != nil {
		return err
	}
	return v.pages(info.Offsets[record.OutputPages])
}

type archiveVerifier struct {
	root      *os.Root
	say       func(string, ...any)
	committed int64 // bytes of index lines
}

// records holds the records against the index lines.
func (v *archiveVerifier) records(committed int64) error {
	next, stop := iter.Pull2(captures(v.root, v.committed))
	defer stop()
	for serial, before := 0, int64(0); before < committed; serial++ {
		name := warc.FileName(serial)
		size, err := v.file(name, committed-before, next)
		if err != nil {
			return err
		}
		if size == 0 {
			v.say("%s/%s: %d bytes of the archive are missing", warcDir, name, committed-before)
			break
		}
		before += size
	}
	for {
		c, err, ok := next()
		if err != nil || !ok {
			return err
		}
		v.say("%s: the record of %s is not in the archive", capturesName, c.URL)
	}
}

// file checks one file as far as it is committed and gives its size.
func (v *archiveVerifier) file(name string, committed int64, next func() (warc.IndexLine, error, bool)) (int64, error) {
	file, err := v.root.Open(warcDir + "/" + name)
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
			v.say("%s/%s: %v", warcDir, name, err)
			return info.Size(), nil
		}
		if err := v.record(name, record, next); err != nil {
			return 0, err
		}
	}
}

// record checks one record and, when it is a capture, its index line.
func (v *archiveVerifier) record(name string, r *warc.Record, next func() (warc.IndexLine, error, bool)) error {
	place := fmt.Sprintf("%s/%s at %d", warcDir, name, r.Offset)
	sum := sha256.New()
	if _, err := io.Copy(sum, r.Block); err != nil {
		v.say("%s: %v", place, err)
		return nil
	}
	if got, want := "sha256:"+hex.EncodeToString(sum.Sum(nil)), r.Field("WARC-Block-Digest"); want != "" && got != want {
		v.say("%s: the digest of its block is %s, the record says %s", place, got, want)
	}
	if r.Type() != "response" && r.Type() != "revisit" {
		return nil
	}
	c, err, ok := next()
	switch {
	case err != nil:
		return err
	case !ok:
		v.say("%s: %s is in no line of %s", place, r.URL(), capturesName)
	case c.Filename != name || c.Offset != r.Offset || c.URL != r.URL() || c.ID != r.Field("WARC-Record-ID"):
		v.say("%s: it is %s, the index has %s at %d of %s", place, r.URL(), c.URL, c.Offset, c.Filename)
	}
	return nil
}

// pages looks for every page that was answered; pages and captures are in the
// same order, that of the commits.
func (v *archiveVerifier) pages(committed int64) error {
	order := newCaptureOrder(v.root, v.committed)
	defer order.stop()
	file, err := v.root.Open(outputNames[record.OutputPages])
	if err != nil {
		return err
	}
	defer file.Close()
	return eachLineOf(io.LimitReader(file, committed), func(line []byte) error {
		var p struct {
			URL       string    `json:"url"`
			Status    int       `json:"status"`
			FetchedAt time.Time `json:"fetched_at"`
		}
		if err := json.Unmarshal(bytes.TrimSpace(line), &p); err != nil || p.Status == 0 {
			return nil //nolint:nilerr // it was named before
		}
		_, ok, err := order.find(p.URL, p.FetchedAt.UTC().Format(time.RFC3339))
		if err == nil && !ok {
			v.say("the answer of %s is not in the archive", p.URL)
			return errStopReading
		}
		return err
	})
}
