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
)

// errLine means that a line is none of an index.
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

func (k card) line() line {
	return line{
		key: SURT(k.URL), timestamp: time.Unix(k.At, 0).UTC().Format(timestampForm),
		URL: k.URL, MIME: k.MIME, Status: k.Status, Digest: k.Digest, ID: k.ID, Truncated: k.Truncated,
	}
}

func (l *line) place(file string, offset, length int64) {
	l.Filename, l.Offset, l.Length = file, strconv.FormatInt(offset, 10), strconv.FormatInt(length, 10)
}

// encode gives the line with its end.
func (l *line) encode() []byte {
	var out bytes.Buffer
	out.WriteString(l.key + " " + l.timestamp + " ")
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(l); err != nil {
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

// origin gives where the payload of the line's capture stands.
func (l line) origin() origin {
	at, err := time.Parse(timestampForm, l.timestamp)
	if err != nil {
		return origin{id: l.ID, url: l.URL}
	}
	return origin{id: l.ID, url: l.URL, date: at.Format(dateForm)}
}

// SURT gives the key by which indexes order URLs: the host's labels from the
// last to the first, then path and query, all in lower case, without www and
// with the query's parts in order. It is the key that warcio.js makes, and
// replayweb.page looks up. What is no http or https URL is its own key.
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

// withoutBlanks escapes what would end a key or a line.
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

// withoutWWW takes www and a number behind it off a host.
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
