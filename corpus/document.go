package corpus

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/decorum-crawler/decorum/corpus/measure"
)

// DocumentSchema names the shape of [Document] in each record. Rows of
// decorum.doc/1 are read too, see [Document.UnmarshalJSON].
const DocumentSchema = "decorum.doc/2"

// Document is a text and its provenance. Every record has every key, in this
// order and never null, so that readers that infer a schema from the first rows
// infer the right one. Unknown values are "" or 0. What is always known as a time is
// a [Timestamp]; the times that a page or its header may lack are texts.
type Document struct {
	ID               string         `json:"id" parquet:"id"` // see [DocumentID]
	Text             string         `json:"text" parquet:"text"`
	TextFormat       string         `json:"text_format" parquet:"text_format"`                  // "plain" or "markdown"
	Source           string         `json:"source" parquet:"source"`                            // host of URL
	Added            Timestamp      `json:"added" parquet:"added,timestamp(microsecond:local)"` // when it was fetched
	URL              string         `json:"url" parquet:"url"`
	Date             string         `json:"date" parquet:"date"`         // of publication, "2006-01-02"
	Language         string         `json:"language" parquet:"language"` // that was found in the text: ISO 639-1, or 639-3 without one
	LanguageScore    Score          `json:"language_score" parquet:"language_score"`
	LanguageDeclared string         `json:"language_declared" parquet:"language_declared"` // by the page, BCP 47
	Languages        Languages      `json:"languages" parquet:"languages,list"`            // by line; at least one
	Title            string         `json:"title" parquet:"title"`
	Counts           measure.Counts `json:"counts" parquet:"counts"`
	Marks            measure.Marks  `json:"marks" parquet:"marks"`
	TextSHA256       string         `json:"text_sha256" parquet:"text_sha256"`
	Simhash          string         `json:"simhash" parquet:"simhash"`         // 16 hex digits, see [FormatSimhash]
	DupOf            string         `json:"dup_of" parquet:"dup_of"`           // ID of the first document with the same text
	NearDupOf        string         `json:"near_dup_of" parquet:"near_dup_of"` // ID of the first document of the cluster of nearly the same texts
	Train            string         `json:"train" parquet:"train"`             // "in_favor" or "none"
	TrainBasis       string         `json:"train_basis" parquet:"train_basis"`
	Metadata         Metadata       `json:"metadata" parquet:"metadata"`
}

// Metadata holds the facts by which the decision on a document and its provenance
// can be checked.
type Metadata struct {
	Schema          string    `json:"schema" parquet:"schema"` // DocumentSchema
	CrawlID         string    `json:"crawl_id" parquet:"crawl_id"`
	FinalURL        string    `json:"final_url" parquet:"final_url"`
	HTTPStatus      int64     `json:"http_status" parquet:"http_status"`
	ContentType     string    `json:"content_type" parquet:"content_type"`
	Charset         string    `json:"charset" parquet:"charset"`
	CharsetSource   string    `json:"charset_source" parquet:"charset_source"`
	ETag            string    `json:"etag" parquet:"etag"`
	LastModified    string    `json:"last_modified" parquet:"last_modified"` // RFC 3339
	PayloadDigest   string    `json:"payload_digest" parquet:"payload_digest"`
	WARCFile        string    `json:"warc_file" parquet:"warc_file"`
	WARCOffset      int64     `json:"warc_offset" parquet:"warc_offset"`
	RobotsDigest    string    `json:"robots_digest" parquet:"robots_digest"`
	RobotsFetchedAt Timestamp `json:"robots_fetched_at" parquet:"robots_fetched_at,timestamp(microsecond:local)"`
	RobotsRule      string    `json:"robots_rule" parquet:"robots_rule"`
	RobotsLine      int64     `json:"robots_line" parquet:"robots_line"`
	Policy          string    `json:"policy" parquet:"policy"`
	Signals         Signals   `json:"signals" parquet:"signals,list"`
	Author          string    `json:"author" parquet:"author"`
	Sitename        string    `json:"sitename" parquet:"sitename"`
	Extractor       string    `json:"extractor" parquet:"extractor"`
	Truncated       bool      `json:"truncated" parquet:"truncated"`
}

// Signal is one stated preference on training.
type Signal struct {
	Signal string `json:"signal" parquet:"signal"`
	Value  string `json:"value" parquet:"value"` // "in_favor", "against" or "none"
	Basis  string `json:"basis" parquet:"basis"`
	Where  string `json:"where" parquet:"where"` // "robots", "header", "html" or a file
	Line   int64  `json:"line" parquet:"line"`
	Raw    string `json:"raw" parquet:"raw"`
}

// Signals are the signals of a document.
type Signals []Signal

// MarshalJSON writes nil as an empty list: null has no type that a reader could
// infer.
func (s Signals) MarshalJSON() ([]byte, error) {
	if s == nil {
		return []byte("[]"), nil
	}
	return json.Marshal([]Signal(s))
}

// Language is a run of lines of a text in one language.
type Language struct {
	Language string `json:"language" parquet:"language"` // as in [Document]; "": none was found
	Score    Score  `json:"score" parquet:"score"`
	Line     int64  `json:"line" parquet:"line"`   // the first one, from 1
	Lines    int64  `json:"lines" parquet:"lines"` // how many, empty ones too
}

// Languages are the languages of a text, in the order of its lines.
type Languages []Language

// MarshalJSON writes nil as an empty list.
func (l Languages) MarshalJSON() ([]byte, error) {
	if l == nil {
		return []byte("[]"), nil
	}
	return json.Marshal([]Language(l))
}

// Score is a number from 0 to 1.
type Score = measure.Share

// Timestamp is a time in microseconds since 1970 in UTC: JSON has it as
// "2006-01-02T15:04:05.000000Z", Parquet as a TIMESTAMP. Readers find the same type
// in both, a timestamp without a zone.
type Timestamp int64

// timestampForm has always six digits behind the point.
const timestampForm = "2006-01-02T15:04:05.000000Z"

// TimestampOf returns a time without its nanoseconds.
func TimestampOf(t time.Time) Timestamp { return Timestamp(t.UnixMicro()) }

// Time returns the time in UTC.
func (t Timestamp) Time() time.Time { return time.UnixMicro(int64(t)).UTC() }

// String returns the time as it is in JSON.
func (t Timestamp) String() string { return t.Time().Format(timestampForm) }

// MarshalJSON writes the time as a string.
func (t Timestamp) MarshalJSON() ([]byte, error) { return []byte(`"` + t.String() + `"`), nil }

// UnmarshalJSON reads any time of RFC 3339; the empty string is the zero time.
func (t *Timestamp) UnmarshalJSON(text []byte) error {
	if string(text) == `""` {
		*t = 0
		return nil
	}
	var at time.Time
	if err := json.Unmarshal(text, &at); err != nil {
		return err
	}
	*t = TimestampOf(at)
	return nil
}

// DocumentID returns the ID of what was fetched from url at a time: "urn:decorum:"
// and the first 32 hex digits of the SHA-256 of url, NUL and the time in RFC
// 3339 with nanoseconds, in UTC.
func DocumentID(url string, fetched time.Time) string {
	sum := sha256.Sum256([]byte(url + "\x00" + fetched.UTC().Format(time.RFC3339Nano)))
	return "urn:decorum:" + hex.EncodeToString(sum[:16])
}

// FormatSimhash returns a 64-bit fingerprint as 16 hex digits: as a number it
// would not fit the integers of most readers.
func FormatSimhash(fingerprint uint64) string { return fmt.Sprintf("%016x", fingerprint) }
