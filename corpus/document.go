package corpus

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// DocumentSchema names the shape of [Document] in each record.
const DocumentSchema = "decorum.doc/1"

// Document is a text and its provenance. Every record has every key, in this
// order and never null, so that readers that infer a schema from the first rows
// infer the right one. Times are RFC 3339 in UTC; unknown values are "" or 0.
type Document struct {
	ID            string   `json:"id" parquet:"id"` // see [DocumentID]
	Text          string   `json:"text" parquet:"text"`
	Source        string   `json:"source" parquet:"source"` // host of URL
	Added         string   `json:"added" parquet:"added"`   // when it was fetched
	Created       string   `json:"created" parquet:"created"`
	URL           string   `json:"url" parquet:"url"`
	Date          string   `json:"date" parquet:"date"` // of publication, "2006-01-02"
	Language      string   `json:"language" parquet:"language"`
	LanguageScore Score    `json:"language_score" parquet:"language_score"`
	Title         string   `json:"title" parquet:"title"`
	TextSHA256    string   `json:"text_sha256" parquet:"text_sha256"`
	Simhash       string   `json:"simhash" parquet:"simhash"` // 16 hex digits, see [FormatSimhash]
	Train         string   `json:"train" parquet:"train"`     // "in_favor" or "none"
	TrainBasis    string   `json:"train_basis" parquet:"train_basis"`
	Metadata      Metadata `json:"metadata" parquet:"metadata"`
}

// Metadata holds the facts by which the decision on a document and its provenance
// can be checked.
type Metadata struct {
	Schema          string  `json:"schema" parquet:"schema"` // DocumentSchema
	CrawlID         string  `json:"crawl_id" parquet:"crawl_id"`
	FinalURL        string  `json:"final_url" parquet:"final_url"`
	HTTPStatus      int64   `json:"http_status" parquet:"http_status"`
	ContentType     string  `json:"content_type" parquet:"content_type"`
	Charset         string  `json:"charset" parquet:"charset"`
	CharsetSource   string  `json:"charset_source" parquet:"charset_source"`
	ETag            string  `json:"etag" parquet:"etag"`
	LastModified    string  `json:"last_modified" parquet:"last_modified"`
	PayloadDigest   string  `json:"payload_digest" parquet:"payload_digest"`
	WARCFile        string  `json:"warc_file" parquet:"warc_file"`
	WARCOffset      int64   `json:"warc_offset" parquet:"warc_offset"`
	RobotsDigest    string  `json:"robots_digest" parquet:"robots_digest"`
	RobotsFetchedAt string  `json:"robots_fetched_at" parquet:"robots_fetched_at"`
	RobotsRule      string  `json:"robots_rule" parquet:"robots_rule"`
	RobotsLine      int64   `json:"robots_line" parquet:"robots_line"`
	Policy          string  `json:"policy" parquet:"policy"`
	Signals         Signals `json:"signals" parquet:"signals,list"`
	Author          string  `json:"author" parquet:"author"`
	Sitename        string  `json:"sitename" parquet:"sitename"`
	Extractor       string  `json:"extractor" parquet:"extractor"`
	DupOf           string  `json:"dup_of" parquet:"dup_of"` // ID of the document with the same text
	Truncated       bool    `json:"truncated" parquet:"truncated"`
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

// Score is a number from 0 to 1.
type Score float64

// MarshalJSON always writes a fraction, "0.0" for 0: a reader that sees "0"
// first infers a column of integers.
func (s Score) MarshalJSON() ([]byte, error) {
	text := strconv.FormatFloat(float64(s), 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return []byte(text), nil
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
