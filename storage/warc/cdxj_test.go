package warc

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
)

func TestIndexPointsAtRecords(t *testing.T) {
	a := newArchive(t)
	w := a.open(0, Options{MaxFileBytes: 3000})
	for i := range 20 {
		add(t, w, capture(fmt.Sprintf("http://www.b.example:8080/%d?z&a", 19-i), fmt.Sprint(i%15)))
	}
	flush(t, w)
	var sorted bytes.Buffer
	if err := sortLines(&sorted, bytes.NewReader(bytes.Join(a.lines, nil)), t.TempDir(), 700); err != nil {
		t.Fatal(err)
	}
	before, files, revisits := "", a.files(), 0
	for text := range strings.Lines(sorted.String()) {
		if text <= before {
			t.Errorf("%q follows %q", text, before)
		}
		before = text
		l, err := parseLine([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		var offset, length int
		fmt.Sscan(l.Offset+" "+l.Length, &offset, &length)
		got := records(t, strings.NewReader(files[l.Filename][offset:offset+length]))
		if len(got) != 1 || got[0].Fields["WARC-Target-URI"] != l.URL || got[0].Fields["WARC-Record-ID"] != l.ID || got[0].Fields["WARC-Payload-Digest"] != l.Digest {
			t.Errorf("%s: got %v", text, got)
		}
		if l.MIME == revisitMIME {
			revisits++
		}
	}
	if n := strings.Count(sorted.String(), "\n"); n != 20 || revisits != 5 {
		t.Errorf("got %d lines, %d of revisits, want 20 and 5", n, revisits)
	}
	want := `example,b:8080)/19?a&z 20260203040506 {"url":"http://www.b.example:8080/19?z&a","mime":"text/html","status":"200","digest":"`
	if got := string(a.lines[0]); !strings.HasPrefix(got, want) {
		t.Errorf("got %s, want %s...", got, want)
	}
}

func TestSortIndex(t *testing.T) {
	for name, test := range map[string]struct{ in, want string }{
		"empty":       {"", ""},
		"one":         {"b\n", "b\n"},
		"no end":      {"b\na", "a\nb\n"},
		"equal":       {"a\nb\na\n", "a\na\nb\n"},
		"bytes":       {"a,b)/\na)/\na:80)/\nA\n", "A\na)/\na,b)/\na:80)/\n"},
		"blank lines": {"b\n\na\n", "\na\nb\n"},
	} {
		for _, memory := range []int{1, 60, sortBytes} {
			var got bytes.Buffer
			if err := sortLines(&got, strings.NewReader(test.in), t.TempDir(), memory); err != nil || got.String() != test.want {
				t.Errorf("%s in %d bytes: got %q, %v, want %q", name, memory, got.String(), err, test.want)
			}
		}
	}
	if err := SortIndex(io.Discard, strings.NewReader(strings.Repeat("x", maxLine+1)), ""); err == nil {
		t.Error("got no error for a line without end")
	}
}

func TestSURT(t *testing.T) {
	for address, want := range map[string]string{
		"https://example.com":                      "com,example)/",
		"http://example.com:80/":                   "com,example)/",
		"https://example.com:443/a":                "com,example)/a",
		"http://example.com:443/a":                 "com,example:443)/a",
		"https://www.Example.COM/A/b%2Fc?B=2&a=1":  "com,example)/a/b%2fc?a=1&b=2",
		"https://www2.a.example/":                  "example,a)/",
		"https://wwwa.example/":                    "example,wwwa)/",
		"http://[2001:db8::1]:8080/x":              "[2001:db8::1]:8080)/x",
		"http://127.0.0.1:81/x/":                   "1,0,0,127:81)/x/",
		"urn:uuid:1 2":                             "urn:uuid:1%202",
		"https://example.com/a b":                  "com,example)/a%20b",
		"https://example.com/?":                    "com,example)/",
		"https://xn--bcher-kva.example/?a=%C3%BC&": "example,xn--bcher-kva)/?&a=%c3%bc",
	} {
		if got := SURT(address); got != want {
			t.Errorf("%s: got %s, want %s", address, got, want)
		}
	}
}

func FuzzSURT(f *testing.F) {
	f.Add("https://www.example.com:8080/a b?b&a")
	f.Fuzz(func(t *testing.T, address string) {
		if key := SURT(address); strings.ContainsAny(key, " \t\r\n") {
			t.Errorf("%q: got %q, want no blanks", address, key)
		}
	})
}

func FuzzParseIndexLine(f *testing.F) {
	l := line{timestamp: "20260203040506", URL: "https://a.example/", MIME: "text/html", Status: "200", Digest: emptyDigest, ID: "<a:b>"}
	l.locate(FileName(0), 1, 2)
	f.Add(l.encode())
	f.Fuzz(func(t *testing.T, data []byte) {
		l, err := ParseIndexLine(data)
		if err != nil {
			return
		}
		tombstone, err := withdrawnLine(data)
		if err != nil {
			return
		}
		got, err := ParseIndexLine(tombstone)
		if err != nil || len(tombstone) != len(data) || !got.Withdrawn || got.URL != l.URL || got.Offset != l.Offset || got.ID != l.ID {
			t.Errorf("got %q, %v, want the tombstone of %q", tombstone, err, data)
		}
	})
}
