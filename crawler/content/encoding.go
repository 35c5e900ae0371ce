package content

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

// ErrEncoding means that the coding of a body cannot be removed: the body is neither
// in the coding that its Content-Encoding names nor text.
var ErrEncoding = errors.New("invalid content encoding")

const (
	maxLayers  = 2        // codings of one body; browsers accept more, but servers do not send more
	maxBetween = 64 << 20 // bytes between two layers, since the inner one may be all overhead
	maxWindow  = 8 << 20  // of zstd, RFC 9659 §3
)

// Unpack removes from a body the codings in the Content-Encoding fields of header
// (RFC 9110 §8.4): gzip, deflate, br and zstd, at most two of them.
//
// Servers name codings that they did not apply, so, as in browsers, the body
// decides: an empty body stays empty, and a body that is text despite its header,
// or that has an unknown coding ("none", "utf-8"), is returned unchanged. Anything
// else is an [ErrEncoding], from Unpack or from the reader.
//
// Unpack reads the beginning of body. The caller calls release, which is never nil,
// when done with the reader. The number of bytes that the reader returns is not
// bounded.
func Unpack(body io.Reader, header http.Header) (r io.Reader, release func(), err error) {
	var stack layers
	names, unknown := codings(header)
	for i := len(names) - 1; i >= 0 && err == nil; i-- { // listed in the order they were applied
		body, err = stack.remove(body, names[i])
	}
	if media := Media(TypeOf(header)); err == nil && (unknown && saysText(media) || isPlain(media)) {
		body, err = stack.reveal(body, unknown)
	}
	if err != nil {
		stack.release()
		return nil, func() {}, err
	}
	return body, stack.release, nil
}

// HasGzip reports whether header names gzip as a coding of the body.
func HasGzip(header http.Header) bool {
	names, _ := codings(header)
	return slices.Contains(names, "gzip")
}

// codings returns the names of the codings that can be removed, in the order of the
// header, and whether it has others.
func codings(header http.Header) (names []string, unknown bool) {
	for _, value := range header.Values("Content-Encoding") {
		for name := range strings.SplitSeq(value, ",") {
			name, _, _ = strings.Cut(name, ";")
			name = strings.TrimPrefix(strings.ToLower(strings.Trim(name, ` "\t`)), "x-")
			switch name {
			case "gzip", "deflate", "br", "zstd":
				names = append(names, name)
			case "", "identity":
			default:
				unknown = true
			}
		}
	}
	return names, unknown
}

// layers are the decoders of one body, the outermost first.
type layers struct {
	removed  int
	releases []func()
}

func (l *layers) release() {
	for _, release := range l.releases {
		release()
	}
}

// remove returns body with one coding removed, if body is in it.
func (l *layers) remove(body io.Reader, name string) (io.Reader, error) {
	peeked := bufio.NewReaderSize(&source{from: body}, sniffed) // longer reads pass it by
	head, err := peeked.Peek(sniffed)
	if len(head) == 0 {
		if err == io.EOF { //nolint:errorlint // bufio returns io.EOF itself
			return peeked, nil
		}
		return nil, err
	}
	if !compressed(head, name) {
		return peeked, nil
	}
	if l.removed++; l.removed > maxLayers {
		return nil, fmt.Errorf("%w: more than %d codings", ErrEncoding, maxLayers)
	}
	var limited io.Reader = peeked
	if l.removed > 1 {
		limited = &bounded{from: peeked, left: maxBetween}
	}
	from := &source{from: limited}
	decoder, err := l.decoder(from, name)
	if err != nil {
		return nil, from.explain(name, err)
	}
	return &layer{name: name, decoder: decoder, source: from}, nil
}

// reveal returns body without a gzip coding that no header names, although the
// header says that the body is text. With unknown the header names another coding:
// then data that is not text is an error.
func (l *layers) reveal(body io.Reader, unknown bool) (io.Reader, error) {
	peeked := bufio.NewReaderSize(&source{from: body}, sniffed) // longer reads pass it by
	head, _ := peeked.Peek(sniffed)                             // an error comes back with the first read
	switch {
	case bytes.HasPrefix(head, gzipMagic):
		return l.remove(peeked, "gzip")
	case unknown && !isText(head):
		return nil, fmt.Errorf("%w: the coding is not supported", ErrEncoding)
	}
	return peeked, nil
}

func (l *layers) decoder(body io.Reader, name string) (io.Reader, error) {
	switch name {
	case "gzip":
		return newMembers(body)
	case "br":
		return brotli.NewReader(body), nil
	case "deflate":
		return inflate(body)
	}
	r, err := zstd.NewReader(body, zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	l.releases = append(l.releases, r.Close)
	return r, nil
}

// inflate reads zlib, the meaning of "deflate" in RFC 9110 §8.4.1.2, or the bare
// stream that many servers send instead.
func inflate(body io.Reader) (io.Reader, error) {
	peeked := bufio.NewReader(body)
	head, _ := peeked.Peek(2) // the first read returns an error again
	if isZlib(head) {
		return zlib.NewReader(peeked)
	}
	return flate.NewReader(peeked), nil
}

// isZlib reports whether head is the beginning of a zlib stream (RFC 1950 §2.2).
func isZlib(head []byte) bool {
	return len(head) >= 2 && head[0]&0x0f == 8 && head[0]>>4 <= 7 && (int(head[0])<<8|int(head[1]))%31 == 0
}

// compressed reports whether to treat a body that begins with head as being in a
// coding: it is, unless it is text and lacks the signature of the coding.
func compressed(head []byte, name string) bool {
	switch {
	case name == "gzip" && bytes.HasPrefix(head, gzipMagic),
		name == "deflate" && isZlib(head),
		name == "zstd" && isZstd(head):
		return true
	}
	if name == "br" || name == "deflate" { // no signature, and a short stream may look like text
		return !isText(head) || !isMarkup(head) && !isUTF8(head)
	}
	return !isText(head)
}

// isZstd reports whether head begins with a frame, possibly a skippable one
// (RFC 8878 §3.1).
func isZstd(head []byte) bool {
	if len(head) < 4 {
		return false
	}
	return bytes.HasPrefix(head, []byte("\x28\xb5\x2f\xfd")) ||
		head[0]&0xf0 == 0x50 && bytes.HasPrefix(head[1:], []byte("\x2a\x4d\x18"))
}
