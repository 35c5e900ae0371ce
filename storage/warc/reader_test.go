package warc

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func gzipped(parts ...string) string {
	var out bytes.Buffer
	for _, part := range parts {
		w := gzip.NewWriter(&out)
		_, _ = io.WriteString(w, part)
		_ = w.Close()
	}
	return out.String()
}

func record(fields, block string) string {
	return fmt.Sprintf("WARC/1.0\r\n%sContent-Length: %d\r\n\r\n%s\r\n\r\n", fields, len(block), block)
}

func TestReaderReadsEachForm(t *testing.T) {
	one, two := record("WARC-Type: warcinfo\r\n", ""), record("WARC-Type: response\r\nwarc-target-uri: <http://a/>\r\nX: 1\r\n  2\r\nnonsense\r\n", "b\r\n\r\nc")
	bare := strings.ReplaceAll(two, "\r\n", "\n")
	bare = strings.Replace(bare, "Content-Length: 6", "Content-Length: 4", 1)
	for name, test := range map[string]struct {
		file string
		want []int64
	}{
		"plain":             {one + two, []int64{0, int64(len(one))}},
		"member per record": {gzipped(one, two), []int64{0, int64(len(gzipped(one)))}},
		"one member":        {gzipped(one + two), []int64{0, 0}},
		"torn over members": {gzipped(one+two[:40], two[40:]), []int64{0, 0}},
		"LF alone":          {one + bare, []int64{0, int64(len(one))}},
		"blank lines":       {"\r\n\r\n" + one + "\n\n\n" + two, []int64{4, int64(len(one)) + 7}},
	} {
		t.Run(name, func(t *testing.T) {
			reader := NewReader(strings.NewReader(test.file))
			var got []int64
			var last *Record
			for {
				r, err := reader.Next()
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				last, got = r, append(got, r.Offset)
			}
			if !cmp.Equal(got, test.want) {
				t.Errorf("got offsets %v, want %v", got, test.want)
			}
			if last.Type() != "response" || last.URL() != "http://a/" || last.Field("x") != "1 2" {
				t.Errorf("got %+v", last.Fields)
			}
		})
	}
}

func TestReaderReportsDamage(t *testing.T) {
	good := record("WARC-Type: response\r\n", "block")
	broken := []byte(gzipped(good))
	broken[len(broken)-6] ^= 1 // the checksum
	for name, test := range map[string]struct {
		file string
		want error
	}{
		"empty":           {"", io.EOF},
		"not an archive":  {"<html>", ErrSyntax},
		"no length":       {"WARC/1.0\r\nA: b\r\n\r\n", ErrSyntax},
		"negative length": {"WARC/1.0\r\nContent-Length: -1\r\n\r\n", ErrSyntax},
		"cut head":        {"WARC/1.0\r\nContent-", io.ErrUnexpectedEOF},
		"cut block":       {good[:len(good)-6], io.ErrUnexpectedEOF},
		"cut gzip":        {gzipped(good)[:30], io.ErrUnexpectedEOF},
		"cut gzip head":   {gzipped(good)[:5], ErrSyntax},
		"wrong sum":       {string(broken), ErrSyntax},
		"endless head":    {"WARC/1.0\r\n" + strings.Repeat("a", maxHead), ErrSyntax},
		"junk after it":   {gzipped(good) + "junk", ErrSyntax},
	} {
		reader := NewReader(strings.NewReader(test.file))
		var err error
		for err == nil {
			_, err = reader.Next()
		}
		if !errors.Is(err, test.want) {
			t.Errorf("%s: got %v, want %v", name, err, test.want)
		}
		if _, again := reader.Next(); !errors.Is(again, err) {
			t.Errorf("%s: got %v the second time, want %v", name, again, err)
		}
	}
}

func TestAnswer(t *testing.T) {
	for name, test := range map[string]struct {
		block  string
		status int
		body   string
		err    error
	}{
		"plain":                {"HTTP/1.1 200 OK\r\nA: b\r\n\r\nbody", 200, "body", nil},
		"chunks":               {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nbod\r\n1;x\r\ny\r\n0\r\n\r\n", 200, "body", nil},
		"chunks declared only": {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nbody\r\n", 200, "body\r\n", nil},
		"head alone":           {"HTTP/1.1 301\r\nLocation: /\r\n", 301, "", nil},
		"head cut in a line":   {"HTTP/1.1 301\r\nA: b\r\nLocation: /", 301, "", nil},
		"HTTP/2":               {"HTTP/2 404\r\n\r\n", 404, "", nil},
		"no status line":       {"dns:a", 0, "", ErrSyntax},
		"no number":            {"HTTP/1.1 OK\r\n\r\n", 0, "", ErrSyntax},
		"empty":                {"", 0, "", ErrSyntax},
	} {
		r, err := NewReader(strings.NewReader(record("WARC-Type: response\r\n", test.block))).Next()
		if err != nil {
			t.Fatal(err)
		}
		a, err := r.Answer()
		if !errors.Is(err, test.err) {
			t.Errorf("%s: got %v, want %v", name, err, test.err)
		}
		if err != nil {
			continue
		}
		body, err := io.ReadAll(a.Body)
		if want := fieldNamed(test.block, "Location"); a.Header().Get("Location") != want {
			t.Errorf("%s: got %v, want Location %q", name, a.Fields, want)
		}
		if err != nil || string(body) != test.body || a.Status != test.status {
			t.Errorf("%s: got %d %q, %v, want %d %q", name, a.Status, body, err, test.status, test.body)
		}
	}
}

// fieldNamed returns the value of a line in a block.
func fieldNamed(block, name string) string {
	_, value, _ := strings.Cut(block, name+": ")
	value, _, _ = strings.Cut(value, "\r\n")
	return value
}

func FuzzReader(f *testing.F) {
	one := record("WARC-Type: response\r\nWARC-Target-URI: http://a/\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n")
	f.Add([]byte(one + one))
	f.Add([]byte(gzipped(one, one)))
	f.Add([]byte(gzipped(one + one)))
	f.Add([]byte(gzipped(one)[:50]))
	f.Add([]byte(framed(f, nil, one, one)))
	f.Add([]byte(skippable("\x50\x2a\x4d\x18", "note") + framed(f, nil, one+one)))
	f.Fuzz(func(t *testing.T, file []byte) {
		reader := NewReader(bytes.NewReader(file))
		for before := int64(-1); ; {
			r, err := reader.Next()
			if err != nil {
				return
			}
			if r.Offset < before || r.Offset > int64(len(file)) {
				t.Fatalf("got offset %d after %d in %d bytes", r.Offset, before, len(file))
			}
			before = r.Offset
			if a, err := r.Answer(); err == nil {
				_, _ = io.Copy(io.Discard, a.Body)
			}
			_ = SURT(r.URL())
		}
	})
}
