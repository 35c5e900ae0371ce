package warc

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httputil"
	"strconv"
	"strings"
)

// An Answer is the HTTP response in a response or revisit record.
type Answer struct {
	Status int
	Fields []Field // header lines in order, including repeated ones
	// Body has no transfer coding, but still its content coding.
	Body io.Reader
}

// Header returns the header lines by name. A Transfer-Encoding line that a Writer
// renamed keeps its new name.
func (a *Answer) Header() http.Header {
	header := http.Header{}
	for _, f := range a.Fields {
		header.Add(f.Name, f.Value)
	}
	return header
}

// Answer reads the head of the HTTP response in the record's block. The body is
// read from the archive. A block without an HTTP response is ErrSyntax.
func (r *Record) Answer() (*Answer, error) { return r.answerIn(bufio.NewReader(r.Block), maxInterim) }

// maxInterim is how many interim responses may come before the final one.
const maxInterim = 16

func (r *Record) answerIn(text *bufio.Reader, interim int) (*Answer, error) {
	lines := headLines{text: text, left: maxHead}
	first, err := lines.next()
	if err != nil && first == "" && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read the response of %s: %w", r.URL(), truncated(err))
	}
	words := strings.Fields(first)
	if len(words) < 2 || !strings.HasPrefix(words[0], "HTTP/") {
		return nil, fmt.Errorf("read the response of %s: %w: no status line", r.URL(), ErrSyntax)
	}
	a := &Answer{Body: text}
	if a.Status, err = strconv.Atoi(words[1]); err != nil || a.Status < 100 || a.Status > 999 {
		return nil, fmt.Errorf("read the response of %s: %w: status %q", r.URL(), ErrSyntax, words[1])
	}
	if a.Fields, err = lines.fields(); err != nil && !errors.Is(err, io.EOF) { // some files end without the empty line
		return nil, fmt.Errorf("read the response of %s: %w", r.URL(), truncated(err))
	}
	if interim > 0 && a.Status/100 == 1 && a.Status != http.StatusSwitchingProtocols && beginsWithHead(text) {
		return r.answerIn(text, interim-1) // an interim response (RFC 9110 §15.2)
	}
	a.transfer(text)
	return a, nil
}

// transfer removes the transfer codings. One under "chunked" becomes a content
// coding, which is applied last.
func (a *Answer) transfer(text *bufio.Reader) {
	chunked, coding := false, ""
	for part := range strings.SplitSeq(fieldOf(a.Fields, "Transfer-Encoding"), ",") {
		switch part = strings.ToLower(strings.TrimSpace(part)); part {
		case "chunked":
			chunked = true
		case "gzip", "x-gzip", "deflate":
			coding = part
		}
	}
	if !chunked || !beginsWithChunk(text) {
		return
	}
	a.Body = httputil.NewChunkedReader(text)
	if coding != "" {
		a.Fields = append(a.Fields, Field{"Content-Encoding", coding})
	}
}

// beginsWithHead reports whether another response follows.
func beginsWithHead(text *bufio.Reader) bool {
	start, _ := text.Peek(5)
	return string(start) == "HTTP/"
}

// beginsWithChunk reports whether a body begins with the size of a chunk. Some
// tools store the body without chunks but keep the header line.
func beginsWithChunk(text *bufio.Reader) bool {
	start, _ := text.Peek(32)
	size, _, ok := bytes.Cut(start, []byte("\n"))
	size, _, _ = bytes.Cut(size, []byte(";"))
	_, err := strconv.ParseUint(string(bytes.TrimSpace(size)), 16, 63)
	return ok && err == nil
}
