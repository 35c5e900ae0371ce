package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"math"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/decorum-crawler/decorum/configs"
	"github.com/decorum-crawler/decorum/corpus"
	"github.com/decorum-crawler/decorum/crawler"
	"github.com/decorum-crawler/decorum/crawler/record"
	"github.com/decorum-crawler/decorum/frontier"
	"github.com/decorum-crawler/decorum/storage"
	"github.com/decorum-crawler/decorum/storage/jsonl"
	"github.com/decorum-crawler/decorum/storage/warc"
	"github.com/decorum-crawler/decorum/storage/whole"
)

// storeWARC is the word of --store for an archive.
const storeWARC = "warc"

// The outputs and the files of an archive.
const (
	outputWARC     = "warc"
	outputCaptures = "captures"

	warcDir      = "warc"
	capturesName = warcDir + "/captures.cdxj" // index lines in the order of the files; grows with the crawl
	indexName    = warcDir + "/index.cdxj"    // the same in the order of the URLs; made when a run ends
)

// wireArchive keeps what went over the wire of a crawl. A nil one keeps nothing.
type wireArchive struct {
	encoder warc.Encoder
}

// openArchive opens the files of the archive, which learns what it holds.
func (f *folder) openArchive(c configs.Config, info storage.Info) error {
	if err := f.root.MkdirAll(warcDir, 0o700); err != nil {
		return err
	}
	captures, err := jsonl.Open(f.root, capturesName, info.Offsets[outputCaptures])
	if err != nil {
		return err
	}
	f.outputs[outputCaptures] = captures
	files, err := warc.Open(f.root, warcDir, info.Offsets[outputWARC], warc.Options{
		MaxFileBytes: int64(c.WARCBytes), Index: captures.Append,
		Info: []warc.Field{
			{Name: "software", Value: "decorum/" + version},
			{Name: "format", Value: "WARC File Format 1.1"},
			{Name: "conformsTo", Value: "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/"},
			{Name: "isPartOf", Value: info.Run},
			{Name: "operator", Value: c.Contact},
			{Name: "robots", Value: "obey"},
			{Name: "http-header-user-agent", Value: crawlOptions(c, nil).UserAgent()},
		},
	})
	if err != nil {
		return err
	}
	f.outputs[outputWARC] = files
	f.archive = &wireArchive{}
	return eachCapture(f.root, math.MaxInt64, files.Recall)
}

// eachCapture hands over the index lines of the first so many bytes, in the
// order of the files.
func eachCapture(root *os.Root, bytesOf int64, take func(line []byte) error) error {
	file, err := root.Open(capturesName)
	if err != nil {
		return fmt.Errorf("read index: %w", err)
	}
	defer file.Close()
	if err := eachLineOf(io.LimitReader(file, bytesOf), take); err != nil {
		return fmt.Errorf("read %s: %w", capturesName, err)
	}
	return nil
}

// capture gives what a crawl calls of each request.
func (a *wireArchive) capture() func(*crawler.Wire) ([]frontier.Record, error) {
	if a == nil {
		return nil
	}
	return func(w *crawler.Wire) ([]frontier.Record, error) {
		entry, err := a.encoder.Encode(warc.Capture{
			URL: w.URL, At: w.StartedAt, IP: w.IP, Request: w.Request, Head: w.Head, Body: w.Body,
			Truncated: string(w.Cut), PayloadType: payloadType(w.Decoded), Metadata: metadata(w),
		})
		if err != nil {
			return nil, err
		}
		return []frontier.Record{{Output: outputWARC, Data: entry}}, nil
	}
}

// payloadType gives the media type that a body looks like.
func payloadType(body []byte) string {
	if len(body) == 0 {
		return ""
	}
	media, _, _ := strings.Cut(http.DetectContentType(body), ";")
	return media
}

// metadata says how a URL came to be asked for and by which rule it might be.
// The first names are those that other crawlers use.
func metadata(w *crawler.Wire) []warc.Field {
	fields := []warc.Field{
		{Name: "via", Value: w.Via},
		{Name: "fetchTimeMs", Value: strconv.FormatInt(w.Elapsed.Milliseconds(), 10)},
	}
	p := w.Page
	if p == nil {
		return append(fields, warc.Field{Name: record.FieldKind, Value: record.KindFile})
	}
	return append(fields,
		warc.Field{Name: record.FieldKind, Value: record.KindPage},
		warc.Field{Name: record.FieldFetched, Value: w.StartedAt.UTC().Format(time.RFC3339Nano)},
		warc.Field{Name: record.FieldSource, Value: string(p.Source)},
		warc.Field{Name: record.FieldDepth, Value: strconv.Itoa(p.Depth)},
		warc.Field{Name: "decorum-robots", Value: withRule(string(p.Robots.Reason), p.Robots.Rule, p.Robots.Line)},
		warc.Field{Name: "decorum-robots-digest", Value: p.Robots.Digest},
		warc.Field{Name: "decorum-training", Value: withRule(string(p.Training.Preference), p.Training.Rule, p.Training.Line)},
	)
}

func withRule(what, rule string, line int) string {
	if line == 0 {
		return what
	}
	return fmt.Sprintf("%s by line %d: %s", what, line, rule)
}

// sortCaptures makes the index of the archive in a directory, if there is one.
func sortCaptures(root *os.Root, directory string) error {
	in, err := root.Open(capturesName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("make index: %w", err)
	}
	defer in.Close()
	return whole.Write(root, indexName, func(out io.Writer) error {
		return warc.SortIndex(out, in, directory)
	})
}

// archiveFiles gives the files of an archive; none when there is no archive.
func archiveFiles(root *os.Root) ([]string, error) {
	var names []string
	for serial := 0; ; serial++ {
		name := warcDir + "/" + warc.FileName(serial)
		_, err := root.Lstat(name)
		if errors.Is(err, fs.ErrNotExist) {
			return names, nil
		}
		if err != nil {
			return nil, fmt.Errorf("list archive: %w", err)
		}
		names = append(names, name)
	}
}

// captureOrder finds captures that are asked for in the order of the commits,
// as pages, documents and captures all are, so one reading serves all.
type captureOrder struct {
	next func() (warc.IndexLine, error, bool)
	stop func()
}

// newCaptureOrder reads the index lines of the first so many bytes.
func newCaptureOrder(root *os.Root, bytesOf int64) *captureOrder {
	o := &captureOrder{}
	o.next, o.stop = iter.Pull2(captures(root, bytesOf))
	return o
}

// captures gives what [eachCapture] hands over.
func captures(root *os.Root, bytesOf int64) iter.Seq2[warc.IndexLine, error] {
	return func(yield func(warc.IndexLine, error) bool) {
		err := eachCapture(root, bytesOf, func(line []byte) error {
			c, err := warc.ParseIndexLine(line)
			if err == nil && !yield(c, nil) {
				return errStopReading
			}
			return err
		})
		if err != nil {
			yield(warc.IndexLine{}, err)
		}
	}
}

// find gives the next capture of a URL at a time, in RFC 3339 and seconds; ok is
// false when there is none behind the last one.
func (o *captureOrder) find(address, at string) (c warc.IndexLine, ok bool, err error) {
	for {
		c, err, ok := o.next()
		if err != nil || !ok {
			return warc.IndexLine{}, false, err
		}
		if c.URL == address && c.At.Format(time.RFC3339) == at {
			return c, true, nil
		}
	}
}

// placeOf gives where the answer of a document stands.
func (o *captureOrder) placeOf(d corpus.Document) (file string, offset int64, err error) {
	c, ok, err := o.find(d.URL, d.Added)
	if err == nil && !ok {
		err = fmt.Errorf("find the record of %s in %s: %w", d.URL, capturesName, fs.ErrNotExist)
	}
	return c.Filename, c.Offset, err
}
