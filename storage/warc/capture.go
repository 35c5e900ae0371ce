package warc

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Reasons for an incomplete body (ISO 28500 §5.13).
const (
	TruncatedLength      = "length"      // it exceeded a limit of the crawler
	TruncatedTime        = "time"        // it took too long
	TruncatedDisconnect  = "disconnect"  // the connection broke
	TruncatedUnspecified = "unspecified" // another reason, such as a request of the site
)

// A Capture is one request and its response, as sent over the network.
type Capture struct {
	URL     string // as requested, absolute
	At      time.Time
	IP      string // of the server; empty if unknown
	Request []byte // request line, header lines and the empty line

	// Head is the status line, the header lines and the empty line of the
	// response. Body is what follows, without the transfer coding and with the
	// content coding.
	Head      []byte
	Body      []byte
	Truncated string // why Body is incomplete; empty if it is complete
	// PayloadType is the media type detected from the decoded body, regardless of
	// the header; empty if unknown.
	PayloadType string

	Metadata []Field // of the metadata record
}

// errEntry means that an entry does not come from an [Encoder].
var errEntry = errors.New("warc: not an entry")

// captureHeader is what a [Writer] has to know of an entry.
type captureHeader struct {
	ID        string `json:"id"`
	URL       string `json:"url"`
	At        int64  `json:"at"` // seconds
	IP        string `json:"ip"`
	Digest    string `json:"digest"`
	Status    string `json:"status"`
	MIME      string `json:"mime"`
	Truncated string `json:"truncated"`
	Empty     bool   `json:"empty"`
	Head      []byte `json:"head"`     // of the response, for a revisit
	Response  int    `json:"response"` // length of the gzip member of the response
}

// Encode returns the entry of a capture for [Writer.Append]: its compressed
// records, in a form that only a Writer reads.
func (e *Encoder) Encode(c Capture) ([]byte, error) {
	stored := unchunk(c.Head)
	h := captureHeader{
		ID: newID(), URL: c.URL, At: c.At.Unix(), IP: c.IP, Digest: digestOf(c.Body), Status: statusOf(stored),
		MIME: mediaType(stored), Truncated: c.Truncated, Empty: len(c.Body) == 0, Head: stored,
	}
	var records bytes.Buffer
	records.Grow(4096 + len(c.Body)/3)
	err := e.member(&records, typeResponse, h.ID, append(h.fields(responseType),
		Field{"WARC-Identified-Payload-Type", c.PayloadType}, Field{"WARC-Truncated", c.Truncated}), stored, c.Body)
	h.Response = records.Len()
	if err == nil && len(c.Request) > 0 {
		err = e.member(&records, typeRequest, newID(), h.concurrentFields(requestType, true), c.Request)
	}
	if err == nil && len(c.Metadata) > 0 {
		err = e.member(&records, typeMetadata, newID(), h.concurrentFields(fieldsType, false), appendFields(nil, c.Metadata))
	}
	if err != nil {
		return nil, fmt.Errorf("encode the capture of %s: %w", c.URL, err)
	}
	head, err := json.Marshal(h)
	if err != nil {
		return nil, fmt.Errorf("encode the capture of %s: %w", c.URL, err)
	}
	entry := append(records.Bytes(), head...) // at the end, so that the records are not copied
	return binary.BigEndian.AppendUint32(entry, uint32(len(head))), nil
}

// fields returns the fields of a response or a revisit.
func (h captureHeader) fields(contentType string) []Field {
	return []Field{
		{"WARC-Date", h.date()},
		{"WARC-Target-URI", h.URL},
		{"WARC-IP-Address", h.IP},
		{"Content-Type", contentType},
		{"WARC-Payload-Digest", h.Digest},
	}
}

// concurrentFields returns the fields of a record that belongs to the response.
func (h captureHeader) concurrentFields(contentType string, wire bool) []Field {
	fields := []Field{
		{"WARC-Date", h.date()},
		{"WARC-Target-URI", h.URL},
		{"WARC-Concurrent-To", h.ID},
		{"Content-Type", contentType},
	}
	if wire {
		fields = append(fields, Field{"WARC-IP-Address", h.IP})
	}
	return fields
}

func (h captureHeader) date() string { return time.Unix(h.At, 0).UTC().Format(dateForm) }

// parse splits an entry into its header, which is last, the response and the other
// records.
func parse(entry []byte) (h captureHeader, response, rest []byte, err error) {
	if len(entry) < 4 {
		return h, nil, nil, errEntry
	}
	records := entry[:len(entry)-4]
	n := int64(binary.BigEndian.Uint32(entry[len(records):]))
	if n > int64(len(records)) {
		return h, nil, nil, errEntry
	}
	records, head := records[:int64(len(records))-n], records[int64(len(records))-n:]
	if err := json.Unmarshal(head, &h); err != nil {
		return h, nil, nil, fmt.Errorf("%w: %w", errEntry, err)
	}
	if h.Response < 0 || h.Response > len(records) {
		return h, nil, nil, errEntry
	}
	return h, records[:h.Response], records[h.Response:], nil
}

// unchunk renames the header lines of the transfer coding, which was removed.
func unchunk(head []byte) []byte {
	var out []byte
	for line := range bytes.Lines(head) {
		name, _, _ := bytes.Cut(line, []byte(":"))
		if bytes.EqualFold(name, []byte("Transfer-Encoding")) {
			out = append(out, "X-Archive-Orig-"...)
		}
		out = append(out, line...)
	}
	return out
}

// statusOf returns the status code of a status line, or "-".
func statusOf(head []byte) string {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	words := strings.Fields(string(line))
	if len(words) < 2 || len(words[1]) != 3 {
		return "-"
	}
	return words[1]
}

// mediaType returns the media type in a header, or "unk", which is how indexes
// write an unknown one.
func mediaType(head []byte) string {
	for line := range bytes.Lines(head) {
		name, value, _ := bytes.Cut(line, []byte(":"))
		if bytes.EqualFold(name, []byte("Content-Type")) {
			media, _, _ := strings.Cut(strings.ToLower(string(value)), ";")
			if media = strings.TrimSpace(media); media != "" && !strings.ContainsAny(media, " \t") {
				return media
			}
		}
	}
	return "unk"
}
