package archive

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/decorum-crawler/decorum/crawler/content"
	"github.com/decorum-crawler/decorum/frontier"
	"github.com/decorum-crawler/decorum/storage/warc"
)

// Record types that are read (ISO 28500 §6).
const (
	typeResponse = "response"
	typeRevisit  = "revisit"
	typeMetadata = "metadata"
)

// response is the decoded HTTP response in a record.
type response struct {
	status    int
	header    http.Header
	body      []byte // nil for a revisit
	truncated bool   // the body is longer
	damaged   bool   // chunks or coding are invalid; body is the part before
}

// canonical returns the canonical form of the URL of a page.
func canonical(address string) (string, bool) {
	switch scheme, _, _ := strings.Cut(address, ":"); strings.ToLower(scheme) {
	case "http", "https":
	default:
		return "", false
	}
	one, err := frontier.Canonical("", address, 0)
	return one, err == nil
}

// dateForms are those of WARC-Date (ISO 28500 §5.4, W3CDTF); a fraction of a
// second is allowed in the first.
var dateForms = []string{time.RFC3339, "2006-01-02T15:04Z07:00", "2006-01-02", "2006-01", "2006"}

// timeOf returns the date of a record, or the earliest time it can mean if it is
// not exact.
func timeOf(record *warc.Record) (at time.Time, err error) {
	for _, form := range dateForms {
		var formErr error
		if at, formErr = time.Parse(form, record.Field("WARC-Date")); formErr == nil {
			return at.UTC(), nil
		}
		err = cmp.Or(err, formErr)
	}
	return at, fmt.Errorf("record of %s: WARC-Date: %w: %w", record.URL(), warc.ErrSyntax, err)
}

// readResponse reads the response in a record, at most limit bytes of its body. A
// revisit may have no block at all (ISO 28500 §6.7); then the response is empty. A
// record that is not a valid response is a warc.ErrSyntax. If the archive cannot
// be read, reading its next record returns the error again.
func readResponse(record *warc.Record, limit int64) (response, error) {
	if record.Type() == typeRevisit && record.Length == 0 {
		return response{header: http.Header{}}, nil
	}
	read, err := record.Answer()
	if err != nil {
		return response{}, err
	}
	a := response{status: read.Status, header: read.Header()}
	if record.Type() == typeRevisit {
		return a, nil
	}
	raw, err := io.ReadAll(io.LimitReader(read.Body, limit+1))
	if errors.Is(err, warc.ErrCut) {
		return response{}, err
	}
	a.damaged = err != nil && !isBroken(err)
	a.truncated = record.Field("WARC-Truncated") == warc.TruncatedLength || int64(len(raw)) > limit || err != nil
	a.body, err = decoded(raw, a.header, limit)
	switch {
	case isBroken(err):
		a.truncated = true // keep the part before
	case err != nil:
		a.damaged = true
	}
	if int64(len(a.body)) > limit {
		a.body, a.truncated = a.body[:limit], true
	}
	return a, nil
}

// isBroken reports whether a stream ended too early.
func isBroken(err error) bool { return errors.Is(err, io.ErrUnexpectedEOF) }

// decoded removes the content codings. Some archivers remove them but keep the
// header, so a body that is not gzip data is returned unchanged.
func decoded(raw []byte, header http.Header, limit int64) ([]byte, error) {
	body, release, err := content.Unpack(bytes.NewReader(raw), header)
	if err != nil {
		if !bytes.HasPrefix(raw, []byte{0x1f, 0x8b}) && strings.Contains(strings.ToLower(header.Get("Content-Encoding")), "gzip") {
			return raw, nil
		}
		return nil, err
	}
	defer release()
	return io.ReadAll(io.LimitReader(body, limit+1))
}
