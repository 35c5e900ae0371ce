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

// ErrEncoding means that a body is not in the encoding its header names.
var ErrEncoding = errors.New("content encoding")

// Unpack removes one content encoding from a body: gzip, br, zstd, or none by an
// empty name. Another one, and more than one, is [ErrEncoding]. release ends
// the use of the reader that is returned. Nothing is bounded but the window of
// zstd, 8 MiB.
func Unpack(body io.Reader, encoding string) (r io.Reader, release func(), err error) {
	nothing := func() {}
	switch strings.ToLower(strings.TrimSpace(encoding)) {
	case "", "identity":
		return body, nothing, nil
	case "gzip", "x-gzip":
		r, err := gzip.NewReader(body)
		if err != nil {
			return nil, nothing, fmt.Errorf("gzip: %w: %w", ErrEncoding, err)
		}
		return r, nothing, nil
	case "br":
		return brotli.NewReader(body), nothing, nil
	case "zstd":
		r, err := zstd.NewReader(body, zstd.WithDecoderMaxWindow(8<<20), zstd.WithDecoderConcurrency(1))
		if err != nil {
			return nil, nothing, fmt.Errorf("zstd: %w: %w", ErrEncoding, err)
		}
		return r, r.Close, nil
	}
	return nil, nothing, fmt.Errorf("%q: %w", encoding, ErrEncoding)
}
