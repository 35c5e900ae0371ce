package warc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/decorum-crawler/decorum/internal/escape"
)

// errLine means that a line does not belong to an index.
var errLine = errors.New("warc: not a line of a CDXJ index")

const revisitMIME = "warc/revisit"

var emptyDigest = digestOf(nil)

// line is one capture in an index: key, timestamp and a JSON object whose
// values are all strings.
type line struct {
	key       string
	timestamp string

	URL       string `json:"url"`
	MIME      string `json:"mime"`
	Status    string `json:"status"`
	Digest    string `json:"digest"`
	Length    string `json:"length"`
	Offset    string `json:"offset"`
	Filename  string `json:"filename"`
	ID        string `json:"id"`
	Truncated string `json:"truncated,omitempty"`
}

func (h captureHeader) line() line {
	return line{
		key: SURT(h.URL), timestamp: time.Unix(h.At, 0).UTC().Format(timestampForm),
		URL: h.URL, MIME: h.MIME, Status: h.Status, Digest: h.Digest, ID: h.ID, Truncated: h.Truncated,
	}
}

func (l *line) locate(file string, offset, length int64) {
	l.Filename, l.Offset, l.Length = file, strconv.FormatInt(offset, 10), strconv.FormatInt(length, 10)
}

// encode returns the line with its line end.
func (l *line) encode() []byte {
	var out bytes.Buffer
	out.WriteString(l.key + " " + l.timestamp + " ")
	if err := escape.Encoder(&out).Encode(l); err != nil {
		panic("warc: encode an index line: " + err.Error()) // strings always encode
	}
	return out.Bytes()
}

func parseLine(data []byte) (line, error) {
	key, rest, _ := bytes.Cut(data, []byte(" "))
	timestamp, object, ok := bytes.Cut(rest, []byte(" "))
	l := line{key: string(key), timestamp: string(timestamp)}
	if !ok {
		return l, errLine
	}
	if err := json.Unmarshal(object, &l); err != nil {
		return l, fmt.Errorf("%w: %w", errLine, err)
	}
	return l, nil
}

// original returns the capture of the line, as the one that stores its payload.
func (l line) original() original {
	at, err := time.Parse(timestampForm, l.timestamp)
	if err != nil {
		return original{id: l.ID, url: l.URL}
	}
	return original{id: l.ID, url: l.URL, date: at.Format(dateForm)}
}

// SURT returns the key by which indexes order URLs: the labels of the host from
// the last to the first, then path and query, all in lower case, without www and
// with the parts of the query sorted. It is the key that warcio.js writes and
// replayweb.page looks up. Anything but an http or https URL is its own key.
func SURT(address string) string {
	u, err := url.Parse(strings.ToLower(address))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return withoutBlanks(address)
	}
	host := strings.TrimSuffix(u.Host, map[string]string{"http": ":80", "https": ":443"}[u.Scheme])
	name, port := withoutWWW(host), ""
	if colon := strings.LastIndexByte(name, ':'); colon > strings.LastIndexByte(name, ']') {
		name, port = name[:colon], name[colon:]
	}
	labels := strings.Split(name, ".")
	slices.Reverse(labels)
	key := strings.Join(labels, ",") + port + ")" + u.EscapedPath()
	if u.EscapedPath() == "" {
		key += "/"
	}
	if u.RawQuery != "" {
		parts := strings.Split(u.RawQuery, "&")
		slices.Sort(parts)
		key += "?" + strings.Join(parts, "&")
	}
	return withoutBlanks(key)
}

// withoutBlanks escapes characters that would end a key or a line.
func withoutBlanks(key string) string {
	if !strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' }) {
		return key
	}
	var out strings.Builder
	for _, r := range key {
		if r <= ' ' {
			fmt.Fprintf(&out, "%%%02x", r)
		} else {
			out.WriteRune(r)
		}
	}
	return out.String()
}

// withoutWWW returns a host without the prefix www and a number after it.
func withoutWWW(host string) string {
	rest, ok := strings.CutPrefix(host, "www")
	if !ok {
		return host
	}
	if rest, ok = strings.CutPrefix(strings.TrimLeft(rest, "0123456789"), "."); !ok || rest == "" {
		return host
	}
	return rest
}
