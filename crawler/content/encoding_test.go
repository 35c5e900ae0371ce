package content_test

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"

	"github.com/decorum-crawler/decorum/crawler/content"
)

// packed returns text with the codings applied in order.
func packed(tb testing.TB, text string, names ...string) string {
	tb.Helper()
	for _, name := range names {
		var out bytes.Buffer
		var w io.WriteCloser
		switch name {
		case "gzip":
			w = gzip.NewWriter(&out)
		case "zlib":
			w = zlib.NewWriter(&out)
		case "flate":
			w, _ = flate.NewWriter(&out, flate.BestSpeed)
		case "br":
			w = brotli.NewWriter(&out)
		case "zstd":
			w, _ = zstd.NewWriter(&out)
		}
		if _, err := io.WriteString(w, text); err != nil {
			tb.Fatal(err)
		}
		if err := w.Close(); err != nil {
			tb.Fatal(err)
		}
		text = out.String()
	}
	return text
}

func unpack(body string, contentType string, codings ...string) (string, error) {
	header := http.Header{"Content-Encoding": codings}
	if contentType != "" {
		header.Set("Content-Type", contentType)
	}
	r, release, err := content.Unpack(strings.NewReader(body), header)
	defer release()
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(r)
	return string(text), err
}

func TestUnpack(t *testing.T) {
	const text = "<!doctype html><p>some text, long enough to be one</p>"
	whole := packed(t, text, "gzip")
	picture := "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"
	for _, test := range []struct {
		name, body, contentType string
		codings                 []string
		want                    string
	}{
		{"none at all", text, "", nil, text},
		{"empty body, gzip", "", "", []string{"gzip"}, ""},
		{"empty body, two codings", "", "", []string{"gzip, br"}, ""},
		{"gzip", packed(t, text, "gzip"), "", []string{"gzip"}, text},
		{"x-gzip in capitals", packed(t, text, "gzip"), "", []string{" X-GZip "}, text},
		{"deflate as zlib", packed(t, text, "zlib"), "", []string{"deflate"}, text},
		{"deflate without zlib", packed(t, text, "flate"), "", []string{"deflate"}, text},
		{"br", packed(t, text, "br"), "", []string{"br"}, text},
		{"short br", packed(t, "hello", "br"), "", []string{"br"}, "hello"},
		{"zstd", packed(t, text, "zstd"), "", []string{"zstd"}, text},
		{"word that is no coding", text, "text/html", []string{"none"}, text},
		{"charset as a coding", text, "text/html", []string{"UTF-8"}, text},
		{"picture in an unknown coding", picture, "image/png", []string{"binary"}, picture},
		{"gzip in name only", text, "text/html", []string{"gzip"}, text},
		{"br in name only", text, "text/html", []string{"br"}, text},
		{"br in name only, Latin-1", "<p>caf\xe9", "text/html", []string{"br"}, "<p>caf\xe9"},
		{"zstd in name only, UTF-16", "\xff\xfe<\x00p\x00", "text/html", []string{"zstd"}, "\xff\xfe<\x00p\x00"},
		{"robots.txt, deflate in name only", "User-agent: *\nDisallow: /ä\n", "text/plain", []string{"deflate"}, "User-agent: *\nDisallow: /ä\n"},
		{"identity and gzip", packed(t, text, "gzip"), "", []string{"identity, gzip"}, text},
		{"gzip twice", packed(t, text, "gzip", "gzip"), "", []string{"gzip, gzip"}, text},
		{"gzip twice in two fields", packed(t, text, "gzip", "gzip"), "", []string{"gzip", "gzip"}, text},
		{"gzip named twice, applied once", packed(t, text, "gzip"), "", []string{"gzip, gzip"}, text},
		{"in the order they were applied", packed(t, text, "br", "gzip"), "", []string{"br", "gzip"}, text},
		{"named three times, applied twice", packed(t, text, "gzip", "gzip"), "", []string{"gzip, gzip, gzip"}, text},
		{"several members", packed(t, text, "gzip") + packed(t, "more", "gzip"), "", []string{"gzip"}, text + "more"},
		{"gzip before a word that is no coding", packed(t, text, "gzip"), "text/html", []string{"gzip, none"}, text},
		{"gzip with a weight", packed(t, text, "gzip"), "text/html", []string{`gzip;q=1.0`}, text},
		{"gzip in quotes", packed(t, text, "gzip"), "text/html", []string{`"gzip"`}, text},
		{"gzip under another name", packed(t, text, "gzip"), "text/html", []string{"utf-8"}, text},
		{"gzip without a name", packed(t, text, "gzip"), "text/plain", nil, text},
		{"file that is gzip", packed(t, text, "gzip"), "application/gzip", nil, packed(t, text, "gzip")},
		{"wrong sum", whole[:len(whole)-8] + "\x00\x00\x00\x00" + whole[len(whole)-4:], "", []string{"gzip"}, text},
		{"no sum and length", whole[:len(whole)-8], "", []string{"gzip"}, text},
		{"header with all fields", "\x1f\x8b\x08\x1e\x00\x00\x00\x00\x00\x03\x02\x00abname\x00comment\x00hh" + whole[10:], "", []string{"gzip"}, text},
		{"zeros after the last member", packed(t, text, "gzip") + "\x00\x00\x00", "", []string{"gzip"}, text},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := unpack(test.body, test.contentType, test.codings...)
			if err != nil || got != test.want {
				t.Errorf("got %q, %v, want %q", got, err, test.want)
			}
		})
	}
}

func TestUnpackRefuses(t *testing.T) {
	const text = "<p>some text</p>"
	whole := packed(t, strings.Repeat(text, 100), "gzip")
	for _, test := range []struct {
		name, body string
		codings    []string
		want       error
	}{
		{"three layers", packed(t, text, "gzip", "gzip", "gzip"), []string{"gzip, gzip, gzip"}, content.ErrEncoding},
		{"data in no coding", "\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a", []string{"gzip"}, content.ErrEncoding},
		{"data in an unknown coding", "\x1f\x9d\x90\x00\x01", []string{"compress"}, content.ErrEncoding},
		{"broken in the middle", whole[:20] + "\xff\xff\xff\xff" + whole[24:], []string{"gzip"}, content.ErrEncoding},
		{"cut short", whole[:len(whole)-12], []string{"gzip"}, io.ErrUnexpectedEOF},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, err := unpack(test.body, "text/html", test.codings...); !errors.Is(err, test.want) {
				t.Errorf("got %v, want %v", err, test.want)
			}
		})
	}
}

// TestUnpackTellsTheConnection checks that a read error of the body is returned
// unchanged, not as an ErrEncoding.
func TestUnpackTellsTheConnection(t *testing.T) {
	lost := errors.New("connection lost")
	whole := packed(t, strings.Repeat("some text ", 1000), "gzip")
	body := io.MultiReader(strings.NewReader(whole[:len(whole)/2]), failing{lost})
	r, release, err := content.Unpack(body, http.Header{"Content-Encoding": {"gzip"}})
	if err == nil {
		_, err = io.ReadAll(r)
	}
	release()
	if !errors.Is(err, lost) || errors.Is(err, content.ErrEncoding) {
		t.Errorf("got %v, want %v alone", err, lost)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// TestUnpackBoundsTheOverhead checks that an outer coding cannot hide an unlimited
// number of empty members in the inner one.
func TestUnpackBoundsTheOverhead(t *testing.T) {
	var inner bytes.Buffer
	w := gzip.NewWriter(&inner)
	empty := packed(t, "", "gzip")
	for range (65 << 20) / len(empty) {
		if _, err := io.WriteString(w, empty); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := unpack(inner.String(), "", "gzip, gzip"); !errors.Is(err, content.ErrEncoding) {
		t.Errorf("got %v, want %v", err, content.ErrEncoding)
	}
}

func FuzzUnpack(f *testing.F) {
	for _, names := range [][]string{{"gzip"}, {"gzip", "gzip"}, {"br"}, {"zstd"}, {"zlib"}} {
		f.Add(packed(f, "<p>text", names...), strings.ReplaceAll(strings.Join(names, ","), "zlib", "deflate"))
	}
	f.Add("plain", "utf-8")
	f.Fuzz(func(t *testing.T, body, codings string) {
		r, release, err := content.Unpack(strings.NewReader(body), http.Header{"Content-Encoding": {codings}})
		defer release()
		if err != nil {
			return
		}
		_, _ = io.CopyN(io.Discard, r, 1<<20)
	})
}
