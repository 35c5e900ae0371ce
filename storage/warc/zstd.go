package warc

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

// Bounds on the memory for a file compressed with Zstandard, in bytes. The window
// is that of "zstd --long".
const (
	maxWindow     = 128 << 20
	maxDictionary = 16 << 20
)

// Magic numbers of a frame (RFC 8878 §3.1.1), and of the skippable frame with a
// dictionary at the start of an archive (IIPC, "Zstandard compression for WARC
// files").
var (
	frameMagic      = []byte{0x28, 0xb5, 0x2f, 0xfd}
	dictionaryMagic = []byte{0x5d, 0x2a, 0x4d, 0x18}
)

// frames decompresses a file, one Zstandard frame after the other.
type frames struct {
	in      *bufio.Reader
	decoder *zstd.Decoder
	frame   frame
}

// newFrames reads the dictionary at the start of a file, if there is one.
func newFrames(in *bufio.Reader) (*frames, error) {
	options := []zstd.DOption{zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow)}
	if magic, _ := in.Peek(len(dictionaryMagic)); bytes.Equal(magic, dictionaryMagic) {
		dictionary, err := readDictionary(in)
		if err != nil {
			return nil, fmt.Errorf("read dictionary: %w", err)
		}
		options = append(options, zstd.WithDecoderDicts(dictionary))
	}
	decoder, err := zstd.NewReader(nil, options...)
	return &frames{in: in, decoder: decoder, frame: frame{in: in}}, err
}

// readDictionary reads the frame of a dictionary, which may be compressed
// itself.
func readDictionary(in io.Reader) ([]byte, error) {
	size, err := readSkippable(in)
	if err != nil {
		return nil, err
	}
	if size > maxDictionary {
		return nil, fmt.Errorf("%d bytes exceed the limit of %d", size, maxDictionary)
	}
	data := make([]byte, size)
	if _, err := io.ReadFull(in, data); err != nil {
		return nil, unexpectedEOF(err)
	}
	if !bytes.HasPrefix(data, frameMagic) {
		return data, nil
	}
	decoder, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxDictionary))
	if err != nil {
		return nil, err
	}
	defer decoder.Close()
	return decoder.DecodeAll(data, nil)
}

// readSkippable reads the head of a skippable frame (RFC 8878 §3.1.2) and returns
// how many bytes follow.
func readSkippable(in io.Reader) (int64, error) {
	var head [8]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return 0, unexpectedEOF(err)
	}
	return int64(binary.LittleEndian.Uint32(head[4:])), nil
}

// isSkippable reports whether a frame of that magic number has no data.
func isSkippable(magic []byte) bool {
	return len(magic) == 4 && magic[0]&0xf0 == 0x50 && bytes.Equal(magic[1:], dictionaryMagic[1:])
}

// Read reads bytes of the current frame, and returns io.EOF at its end.
func (f *frames) Read(p []byte) (int, error) { return f.decoder.Read(p) }

// skip moves past frames without data.
func (f *frames) skip() error {
	if err := skipZeros(f.in); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	for {
		magic, err := f.in.Peek(len(dictionaryMagic))
		if err != nil || !isSkippable(magic) {
			return nil //nolint:nilerr // next returns it
		}
		size, err := readSkippable(f.in)
		if err != nil {
			return err
		}
		if _, err := io.CopyN(io.Discard, f.in, size); err != nil {
			return unexpectedEOF(err)
		}
	}
}

func (f *frames) next() error {
	if err := f.frame.begin(); err != nil {
		return err
	}
	return f.decoder.Reset(&f.frame)
}

// frame reads one compressed frame, and no byte after it.
type frame struct {
	in       *bufio.Reader
	left     int  // bytes of the current head or block
	last     bool // the current block is the last
	checksum bool // four bytes follow the last block
}

// begin reads the head of a frame (RFC 8878 §3.1.1.1). It returns io.EOF after the
// last frame.
func (f *frame) begin() error {
	head, err := f.in.Peek(len(frameMagic) + 1)
	switch {
	case len(head) == 0:
		return err
	case err != nil:
		return unexpectedEOF(err)
	case !bytes.Equal(head[:4], frameMagic):
		return errors.New("a frame does not start here")
	}
	descriptor := head[4]
	f.left = len(head) + [...]int{0, 1, 2, 4}[descriptor&3] + [...]int{0, 2, 4, 8}[descriptor>>6]
	if single := descriptor&(1<<5) != 0; !single || descriptor>>6 == 0 {
		f.left++ // size of the window, or of the content
	}
	f.last, f.checksum = false, descriptor&(1<<2) != 0
	return nil
}

// Read reads the compressed bytes.
func (f *frame) Read(p []byte) (int, error) {
	if f.left == 0 {
		if f.last {
			return 0, io.EOF
		}
		if err := f.block(); err != nil {
			return 0, err
		}
	}
	n, err := f.in.Read(p[:min(len(p), f.left)])
	f.left -= n
	return n, unexpectedEOF(err)
}

// block reads the head of the next block (RFC 8878 §3.1.1.2).
func (f *frame) block() error {
	head, err := f.in.Peek(3)
	if err != nil {
		return unexpectedEOF(err)
	}
	header := int(head[0]) | int(head[1])<<8 | int(head[2])<<16
	f.left, f.last = len(head)+header>>3, header&1 == 1
	if repeated := header>>1&3 == 1; repeated {
		f.left = len(head) + 1
	}
	if f.last && f.checksum {
		f.left += 4
	}
	return nil
}
