package corpus

import (
	"encoding/json"
	"iter"
	"os"
	"strings"
	"time"

	"github.com/decorum-crawler/decorum/corpus/measure"
	"github.com/decorum-crawler/decorum/corpus/shard"
	"github.com/decorum-crawler/decorum/corpus/text"
)

// firstSchema is the one before [DocumentSchema]: times were texts, dup_of was in
// metadata, and language was the one that the page declared, with score 0 where
// another one was found.
const firstSchema = "decorum.doc/1"

// UnmarshalJSON reads a record of decorum.doc/2, or of decorum.doc/1 as what
// decorum.doc/2 would say of it; what cannot be known any more stays unknown.
func (d *Document) UnmarshalJSON(data []byte) error {
	type fields Document // without this method
	both := struct {
		*fields
		Metadata struct {
			*Metadata
			DupOf string `json:"dup_of"`
		} `json:"metadata"`
	}{fields: (*fields)(d)}
	both.Metadata.Metadata = &d.Metadata
	if err := json.Unmarshal(data, &both); err != nil {
		return err
	}
	if d.Metadata.Schema == firstSchema {
		d.DupOf = both.Metadata.DupOf
		d.renew()
	}
	return nil
}

// renew makes a record of decorum.doc/1 one of decorum.doc/2. A language with the
// score 0 was declared and not found; which one was found is lost.
func (d *Document) renew() {
	d.Metadata.Schema, d.TextFormat = DocumentSchema, string(text.Plain)
	if d.LanguageScore == 0 {
		d.Language, d.LanguageDeclared = "", d.Language
	}
	d.Counts, d.Marks = measure.Of(d.Text, measure.Facts{Language: d.Language})
	d.Languages = Languages{{d.Language, d.LanguageScore, 1, int64(strings.Count(d.Text, "\n") + 1)}}
}

// Documents yields the documents of a shard. Those of decorum.doc/1 are as
// [Document.UnmarshalJSON] reads them. An error comes last.
func Documents(root *os.Root, name string) iter.Seq2[Document, error] {
	old, err := shard.Lacks(root, name, "text_format")
	switch {
	case err != nil:
		return func(yield func(Document, error) bool) { yield(Document{}, err) }
	case !old:
		return shard.Read[Document](root, name)
	}
	return func(yield func(Document, error) bool) {
		for first, err := range shard.Read[firstDocument](root, name) {
			if err != nil {
				yield(Document{}, err)
				return
			}
			if !yield(first.document(), nil) {
				return
			}
		}
	}
}

// firstDocument is a row of Parquet of decorum.doc/1. The columns that it does not
// name were always empty or are those of date.
type firstDocument struct {
	ID            string        `parquet:"id"`
	Text          string        `parquet:"text"`
	Source        string        `parquet:"source"`
	Added         string        `parquet:"added"`
	URL           string        `parquet:"url"`
	Date          string        `parquet:"date"`
	Language      string        `parquet:"language"`
	LanguageScore float64       `parquet:"language_score"`
	Title         string        `parquet:"title"`
	TextSHA256    string        `parquet:"text_sha256"`
	Simhash       string        `parquet:"simhash"`
	Train         string        `parquet:"train"`
	TrainBasis    string        `parquet:"train_basis"`
	Metadata      firstMetadata `parquet:"metadata"`
}

type firstMetadata struct {
	Schema          string  `parquet:"schema"`
	CrawlID         string  `parquet:"crawl_id"`
	FinalURL        string  `parquet:"final_url"`
	HTTPStatus      int64   `parquet:"http_status"`
	ContentType     string  `parquet:"content_type"`
	Charset         string  `parquet:"charset"`
	CharsetSource   string  `parquet:"charset_source"`
	ETag            string  `parquet:"etag"`
	LastModified    string  `parquet:"last_modified"`
	PayloadDigest   string  `parquet:"payload_digest"`
	WARCFile        string  `parquet:"warc_file"`
	WARCOffset      int64   `parquet:"warc_offset"`
	RobotsDigest    string  `parquet:"robots_digest"`
	RobotsFetchedAt string  `parquet:"robots_fetched_at"`
	RobotsRule      string  `parquet:"robots_rule"`
	RobotsLine      int64   `parquet:"robots_line"`
	Policy          string  `parquet:"policy"`
	Signals         Signals `parquet:"signals,list"`
	Author          string  `parquet:"author"`
	Sitename        string  `parquet:"sitename"`
	Extractor       string  `parquet:"extractor"`
	DupOf           string  `parquet:"dup_of"`
	Truncated       bool    `parquet:"truncated"`
}

func (f firstDocument) document() Document {
	m := f.Metadata
	d := Document{
		ID: f.ID, Text: f.Text, Source: f.Source, Added: firstTime(f.Added), URL: f.URL, Date: f.Date, Language: f.Language,
		LanguageScore: Score(f.LanguageScore), Title: f.Title, TextSHA256: f.TextSHA256, Simhash: f.Simhash, DupOf: m.DupOf,
		Train: f.Train, TrainBasis: f.TrainBasis,
		Metadata: Metadata{
			Schema: m.Schema, CrawlID: m.CrawlID, FinalURL: m.FinalURL, HTTPStatus: m.HTTPStatus, ContentType: m.ContentType,
			Charset: m.Charset, CharsetSource: m.CharsetSource, ETag: m.ETag, LastModified: m.LastModified, PayloadDigest: m.PayloadDigest,
			WARCFile: m.WARCFile, WARCOffset: m.WARCOffset, RobotsDigest: m.RobotsDigest, RobotsFetchedAt: firstTime(m.RobotsFetchedAt),
			RobotsRule: m.RobotsRule, RobotsLine: m.RobotsLine, Policy: m.Policy, Signals: m.Signals, Author: m.Author, Sitename: m.Sitename,
			Extractor: m.Extractor, Truncated: m.Truncated,
		},
	}
	d.renew()
	return d
}

// firstTime reads a time; one that is none is the zero time, as an empty one is.
func firstTime(text string) Timestamp {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return 0
	}
	return TimestampOf(at)
}
