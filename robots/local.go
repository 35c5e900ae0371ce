package robots

import (
	"fmt"
	"io"
	"net/http"
)

// ReadLocal reads a robots.txt from in rather than from a site, such as a draft,
// and returns it as if a server had answered with it. At most [MaxBytes] plus
// one are read, so in may be endless; a longer text is cut to whole lines, as
// by [Fetch]. FinalURL is name, Status is 200, and Origin and FetchedAt are
// zero.
func ReadLocal(name string, in io.Reader) (*Document, error) {
	document := &Document{FinalURL: name, Status: http.StatusOK}
	if err := document.read(in); err != nil {
		return nil, fmt.Errorf("read robots.txt %s: %w", name, err)
	}
	return document, nil
}

// read reads the body and cuts what is beyond the limit.
func (d *Document) read(in io.Reader) error {
	body, err := io.ReadAll(io.LimitReader(in, MaxBytes+1))
	if err != nil {
		return err
	}
	if len(body) > MaxBytes {
		body, d.Truncated = cutLine(body[:MaxBytes]), true
	}
	d.Body = body
	return nil
}
