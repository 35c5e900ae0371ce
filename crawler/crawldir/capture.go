package crawldir

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/decorum-crawler/decorum/crawler"
	"github.com/decorum-crawler/decorum/crawler/fetch"
	"github.com/decorum-crawler/decorum/crawler/record"
	"github.com/decorum-crawler/decorum/frontier"
	"github.com/decorum-crawler/decorum/internal/atomicfile"
	"github.com/decorum-crawler/decorum/storage"
	"github.com/decorum-crawler/decorum/storage/jsonl"
	"github.com/decorum-crawler/decorum/storage/warc"
)

// openArchive opens the files of the archive and reads the index of their
// records.
func (d *Dir) openArchive(info storage.Info) error {
	if err := atomicfile.MakeFolder(d.root, ArchiveDir); err != nil {
		return err
	}
	captures, err := jsonl.Open(d.root, CapturesName, info.Offsets[OutputCaptures])
	if err != nil {
		return err
	}
	d.outputs[OutputCaptures] = captures
	files, err := warc.Open(d.root, ArchiveDir, info.Offsets[OutputArchive], warc.Options{
		MaxFileBytes: int64(d.settings.WARCBytes), Index: captures.Append, Info: d.description(info.Run),
	})
	if err != nil {
		return err
	}
	d.outputs[OutputArchive], d.archived = files, true
	for line, err := range d.Archive().lines(info.Offsets[OutputCaptures]) {
		if err != nil {
			return err
		}
		if err := files.Recall(line); err != nil {
			return fmt.Errorf("read %s: %w", CapturesName, err)
		}
	}
	return nil
}

// description returns the fields that describe the crawl in each file of the
// archive.
func (d *Dir) description(run string) []warc.Field {
	agent := fetch.Options{AgentToken: d.settings.AgentToken, Version: d.version, Contact: d.settings.Contact}.UserAgent()
	return []warc.Field{
		{Name: "software", Value: "decorum/" + d.version},
		{Name: "format", Value: "WARC File Format 1.1"},
		{Name: "conformsTo", Value: "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/"},
		{Name: "isPartOf", Value: run},
		{Name: "operator", Value: d.settings.Contact},
		{Name: "robots", Value: "obey"},
		{Name: "http-header-user-agent", Value: agent},
	}
}

// capture returns the function that a crawl calls after each request, or nil
// without an archive.
func (d *Dir) capture() func(crawler.Capture) ([]frontier.Record, error) {
	if !d.archived {
		return nil
	}
	encoder := &warc.Encoder{}
	return func(w crawler.Capture) ([]frontier.Record, error) {
		entry, err := encoder.Encode(warc.Capture{
			URL: w.URL, At: w.StartedAt, IP: w.IP, Request: w.Request, Head: w.Head, Body: w.Body,
			Truncated: string(w.Cut), PayloadType: payloadType(w.Decoded), Metadata: metadata(w),
		})
		if err != nil {
			return nil, err
		}
		return []frontier.Record{{Output: OutputArchive, Data: entry}}, nil
	}
}

// payloadType returns the media type that a body looks like.
func payloadType(body []byte) string {
	if len(body) == 0 {
		return ""
	}
	media, _, _ := strings.Cut(http.DetectContentType(body), ";")
	return media
}

// metadata returns how a URL was found and which rule allowed it. The first names
// are those that other crawlers use.
func metadata(w crawler.Capture) []warc.Field {
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
