package crawler

import (
	"bytes"
	"io"
)

func newBody(data []byte) io.ReadCloser { return io.NopCloser(bytes.NewReader(data)) }
