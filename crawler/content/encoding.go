package content

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

// ErrEncoding means that a body is not in the encoding that its header names, or
// that the encoding is not supported.
var ErrEncoding = errors.New("invalid content encoding")

// Unpack removes one content encoding from a body: gzip, br, zstd, or none if
// encoding is empty. It returns [ErrEncoding] for any other encoding and for a
// list of several. The caller calls release when done with the reader. The
// decoded length is not bounded; the window of zstd is, at 8 MiB.
func Unpack(body io.Reader, encoding string) (r io.Reader, release func(), err error) {
	nothing := func() {}
	switch strings.ToLower(strings.TrimSpace(encoding)) {
	case "", "identity":
		return body, nothing, nil
	case "gzip", "x-gzip":
		r, err := gzip.NewReader(body)
		if err != nil {
			return nil, nothing, fmt.Errorf("decode gzip body: %w: %w", ErrEncoding, err)
		}
		return r, nothing, nil
	case "br":
		return brotli.NewReader(body), nothing, nil
	case "zstd":
		r, err := zstd.NewReader(body, zstd.WithDecoderMaxWindow(8<<20), zstd.WithDecoderConcurrency(1))
		if err != nil {
			return nil, nothing, fmt.Errorf("decode zstd body: %w: %w", ErrEncoding, err)
		}
		return r, r.Close, nil
	}
	return nil, nothing, fmt.Errorf("%w: %q is not supported", ErrEncoding, encoding)
}
