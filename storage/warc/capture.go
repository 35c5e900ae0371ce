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

// Why a body is not whole (ISO 28500 §5.13).
const (
	TruncatedLength      = "length"      // a limit of ours
	TruncatedTime        = "time"        // it took too long
	TruncatedDisconnect  = "disconnect"  // the connection broke
	TruncatedUnspecified = "unspecified" // for another reason, such as a wish of the site
)

// A Capture is one request with its answer, as they went over the wire.
type Capture struct {
	URL     string // as asked for, absolute
	At      time.Time
	IP      string // of the server; empty if unknown
	Request []byte // line, header lines and the empty line behind them

	// Head is the status line and the header lines of the answer with the
	// empty line behind them; Body what follows, without the transfer coding
	// and with the content coding.
	Head      []byte
	Body      []byte
	Truncated string // why Body is not whole; empty if it is
	// PayloadType is the media type that the decoded body looks like, whatever
	// the header says; empty if unknown.
	PayloadType string

	Metadata []Field // further facts on the capture
}

// errEntry means that an entry was not made by an [Encoder].
var errEntry = errors.New("warc: not an entry")

// card is what a [Writer] must know of an entry.
type card struct {
	ID        string `json:"id"`
	URL       string `json:"url"`
	At        int64  `json:"at"` // seconds
	IP        string `json:"ip"`
	Digest    string `json:"digest"`
	Status    string `json:"status"`
	MIME      string `json:"mime"`
	Truncated string `json:"truncated"`
	Empty     bool   `json:"empty"`
	Head      []byte `json:"head"`     // for a revisit
	Response  int    `json:"response"` // length of the response's member
}

// Encode makes the entry of a capture for [Writer.Append]: its records,
// compressed. What is in it is none of the caller's concern.
func (e *Encoder) Encode(c Capture) ([]byte, error) {
	stored := unchunk(c.Head)
	k := card{
		ID: newID(), URL: c.URL, At: c.At.Unix(), IP: c.IP, Digest: digestOf(c.Body), Status: statusOf(stored),
		MIME: mediaType(stored), Truncated: c.Truncated, Empty: len(c.Body) == 0, Head: stored,
	}
	var records bytes.Buffer
	records.Grow(4096 + len(c.Body)/3)
	err := e.member(&records, typeResponse, k.ID, append(k.fields(responseType),
		Field{"WARC-Identified-Payload-Type", c.PayloadType}, Field{"WARC-Truncated", c.Truncated}), stored, c.Body)
	k.Response = records.Len()
	if err == nil && len(c.Request) > 0 {
		err = e.member(&records, typeRequest, newID(), k.beside(requestType, true), c.Request)
	}
	if err == nil && len(c.Metadata) > 0 {
		err = e.member(&records, typeMetadata, newID(), k.beside(fieldsType, false), appendFields(nil, c.Metadata))
	}
	if err != nil {
		return nil, fmt.Errorf("encode the capture of %s: %w", c.URL, err)
	}
	head, err := json.Marshal(k)
	if err != nil {
		return nil, fmt.Errorf("encode the capture of %s: %w", c.URL, err)
	}
	entry := make([]byte, 0, 4+len(head)+records.Len())
	entry = binary.BigEndian.AppendUint32(entry, uint32(len(head)))
	entry = append(entry, head...)
	return append(entry, records.Bytes()...), nil
}

// fields are those of a response or a revisit.
func (k card) fields(contentType string) []Field {
	return []Field{
		{"WARC-Date", k.date()},
		{"WARC-Target-URI", k.URL},
		{"WARC-IP-Address", k.IP},
		{"Content-Type", contentType},
		{"WARC-Payload-Digest", k.Digest},
	}
}

// beside are the fields of a record that goes with the response.
func (k card) beside(contentType string, wire bool) []Field {
	fields := []Field{
		{"WARC-Date", k.date()},
		{"WARC-Target-URI", k.URL},
		{"WARC-Concurrent-To", k.ID},
		{"Content-Type", contentType},
	}
	if wire {
		fields = append(fields, Field{"WARC-IP-Address", k.IP})
	}
	return fields
}

func (k card) date() string { return time.Unix(k.At, 0).UTC().Format(dateForm) }

// parse takes an entry apart: its card, the response, and the records beside.
func parse(entry []byte) (k card, response, rest []byte, err error) {
	if len(entry) < 4 {
		return k, nil, nil, errEntry
	}
	n := int64(binary.BigEndian.Uint32(entry))
	if entry = entry[4:]; n > int64(len(entry)) {
		return k, nil, nil, errEntry
	}
	if err := json.Unmarshal(entry[:n], &k); err != nil {
		return k, nil, nil, fmt.Errorf("%w: %w", errEntry, err)
	}
	if entry = entry[n:]; k.Response < 0 || k.Response > len(entry) {
		return k, nil, nil, errEntry
	}
	return k, entry[:k.Response], entry[k.Response:], nil
}

// unchunk renames the header lines of a transfer coding, which is gone.
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

// statusOf gives the status code of a status line, or "-".
func statusOf(head []byte) string {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	words := strings.Fields(string(line))
	if len(words) < 2 || len(words[1]) != 3 {
		return "-"
	}
	return words[1]
}

// mediaType gives the media type that a header declares, or "unk", which is
// what indexes have for none.
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
