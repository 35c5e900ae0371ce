package escape

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// JSON returns encoded JSON with escapes for what is [Unseen] in its strings, but
// for the white space between values. It is the same value. data is returned as it
// is when there is nothing to escape.
func JSON(data []byte) []byte {
	return encoded(data, func(out []byte, r rune) []byte {
		if r > 0xffff {
			high, low := utf16.EncodeRune(r)
			return fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		}
		return fmt.Appendf(out, `\u%04x`, r)
	})
}

// XML returns an XML 1.0 document with character references for what is [Unseen]
// in its text and attributes. Its markup must be in ASCII. XML has no reference for
// other C0 controls than tab and line ends, which stay.
func XML(data []byte) []byte {
	return encoded(data, func(out []byte, r rune) []byte { return fmt.Appendf(out, "&#x%X;", r) })
}

// encoded returns data with what is unseen above ASCII, and DEL, replaced by what
// escape appends.
func encoded(data []byte, escape func(out []byte, r rune) []byte) []byte {
	var out []byte
	done, at := 0, 0
	for {
		at += plain(data[at:])
		if at == len(data) {
			break
		}
		r, size := utf8.DecodeRune(data[at:])
		if size > 1 && Unseen(r) || r == 0x7f {
			out = append(out, data[done:at]...)
			out = escape(out, r)
			done = at + size
		}
		at += size
	}
	if out == nil {
		return data
	}
	return append(out, data[done:]...)
}

// plain returns the length of the first part of data that has neither DEL nor bytes
// above ASCII. It looks at 32 bytes at a time, since most lines have none at all.
func plain(data []byte) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	n := 0
	for ; n+32 <= len(data); n += 32 {
		part := (*[32]byte)(data[n:])
		a, b := binary.LittleEndian.Uint64(part[:8]), binary.LittleEndian.Uint64(part[8:16])
		c, d := binary.LittleEndian.Uint64(part[16:24]), binary.LittleEndian.Uint64(part[24:])
		if (a|(a+ones)|b|(b+ones)|c|(c+ones)|d|(d+ones))&highs != 0 {
			break
		}
	}
	for n < len(data) && data[n] < 0x7f {
		n++
	}
	return n
}

// Encoder returns an encoder of JSON Lines that escapes what is [Unseen]. It does
// not escape "&" and "<", as HTML would need, so that URLs stay readable.
func Encoder(w io.Writer) *json.Encoder {
	encoder := json.NewEncoder(JSONWriter(w))
	encoder.SetEscapeHTML(false)
	return encoder
}

// JSONWriter returns a writer that passes JSON on as [JSON] does. Each Write must be
// whole characters, as those of encoding/json and log/slog are.
func JSONWriter(w io.Writer) io.Writer { return jsonWriter{w} }

type jsonWriter struct{ out io.Writer }

func (j jsonWriter) Write(data []byte) (int, error) {
	if n, err := j.out.Write(JSON(data)); err != nil {
		return min(n, len(data)), err
	}
	return len(data), nil
}
