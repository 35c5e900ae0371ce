package sitemap

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

func zip(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func summary(r *Reader) string {
	all := readAll(r)
	var b strings.Builder
	for _, entry := range all.Entries {
		fmt.Fprintf(&b, "%s@%d ", strings.TrimPrefix(entry.Loc, "https://farm.example"), entry.Line)
	}
	for _, p := range all.Problems {
		fmt.Fprintf(&b, "%s@%d ", p.Code, p.Line)
	}
	return strings.TrimSpace(b.String() + all.Err)
}

func TestFaults(t *testing.T) {
	const a, b = "<url><loc>https://farm.example/a</loc></url>", "<url><loc>https://farm.example/b</loc></url>"
	set := func(inside string) string { return `<urlset xmlns="` + Namespace + "\">\n" + inside + "</urlset>" }
	tests := []struct{ name, text, want string }{
		{"lines of a list", "https://farm.example/a\nx\n\nhttps://farm.example/b#c", "/a@1 /b#c@4 bad-line@2 fragment@4"},
		{"list in CR LF, cut nowhere", "https://farm.example/a\r\nhttps://farm.example/b", "/a@1 /b@2"},
		{"list in CR", "\rhttps://farm.example/a\rx\r\rhttps://farm.example/b#c\r", "/a@2 /b#c@5 bad-line@3 fragment@5"},
		{"document in CR", strings.ReplaceAll(set(a+"\n"+b), "\n", "\r"), "/a@2 /b@3"},
		{"fault at its loc", set("<url>\n<loc>\n/a</loc>\n\n</url>"), "/a@2 relative-loc@3"},
		{"no loc at its entry", set("<url>\n\n</url>" + b), "/b@4 missing-loc@2"},
		{"element of an extension named url", set("<url><loc>https://farm.example/a</loc><v:url>https://farm.example/x</v:url></url>"), "/a@2"},
		{"loc of an extension", set("<url><image:loc>https://farm.example/i</image:loc><loc>https://farm.example/a</loc></url>"), "/a@2"},
		{"second prefix of the namespace", `<urlset xmlns="` + Namespace + `" xmlns:s="` + Namespace + `"><s:url><s:loc>https://farm.example/a</s:loc></s:url></urlset>`, "/a@1"},
		{"url opened again inside loc", set("<url><loc>https://farm.example/x\n" + a + "\n" + b), "/a@3 /b@4 malformed@3 missing-loc@2"},
		{"attribute without its end", set(`<url><x:link href="y></url>` + "\n" + b), "/b@3 malformed@2 malformed@2 missing-loc@2"},
		{"quotes in a comment of a DOCTYPE", `<!DOCTYPE urlset [ <!-- don't --> <!ENTITY x "y"> ]>` + set(a), "/a@2 doctype@1"},
		{"warning of a script before", "<br />\n<b>Warning</b>: x\n<?xml version='1.0'?>" + set(a), "/a@4 leading-junk@1"},
		{"text behind", set(a) + "<script>x</script>", "/a@2"},
		{"RSS with an Atom link", `<rss><channel><item><atom:link href="https://farm.example/x"/><link>https://farm.example/a</link></item></channel></rss>`, "/a@1"},
		{"only blanks", " \n ", "sitemap: the file is empty"},
		{"JSON", `{"a": 1}`, "sitemap: the file is not a sitemap, a feed or a list of URLs"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := summary(NewReader(strings.NewReader(test.text), base, Options{})); got != test.want {
				t.Errorf("got %s\nwant %s\nfrom %s", got, test.want, test.text)
			}
		})
	}
}

func TestBrokenGzip(t *testing.T) {
	whole := zip(t, `<urlset xmlns="`+Namespace+`"><url><loc>https://farm.example/a</loc></url></urlset>`)
	list := zip(t, "https://farm.example/a\n")
	tests := []struct {
		name string
		data []byte
		want string
	}{
		{"padding behind it", append(bytes.Clone(whole), make([]byte, 600)...), "/a@1"},
		{"no checksum, document whole", whole[:len(whole)-8], "/a@1"},
		{"no checksum of a list", list[:len(list)-8], "/a@1 truncated@2"},
		{"header cut", whole[:6], "truncated@1 open gzip: sitemap: the file is empty"},
		{"nothing but a header", whole[:10], "truncated@1 sitemap: the file is empty"},
		{"no such method", []byte("\x1f\x8b\x09aaaaaaaaaaaaaaa"), "open gzip: sitemap: the file is not a sitemap, a feed or a list of URLs"},
		{"three times", zip(t, string(zip(t, string(whole)))), "double-gzip@1 sitemap: the file is not a sitemap, a feed or a list of URLs"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := NewReader(bytes.NewReader(test.data), base, Options{})
			if got := summary(r); got != test.want {
				t.Errorf("got %s\nwant %s", got, test.want)
			}
		})
	}
	for _, err := range NewReader(bytes.NewReader(whole[:6]), base, Options{}).Entries() {
		if !errors.Is(err, ErrSyntax) || Code(err) != "empty" {
			t.Errorf("got %v, want a fault of the file", err)
		}
	}
}

func TestMaxBytesTruncates(t *testing.T) {
	data, err := io.ReadAll(&urlset{n: 1000})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name     string
		max      int64
		data     []byte
		complete bool
	}{
		{"exactly", int64(len(data)), data, true},
		{"half", int64(len(data) / 2), data, false},
		{"half, gzip", int64(len(data) / 2), zip(t, string(data)), false},
		{"half, gzip twice", int64(len(data) / 2), zip(t, string(zip(t, string(data)))), false},
		{"no limit", -1, data, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := NewReader(bytes.NewReader(test.data), base, Options{MaxBytes: test.max})
			n, err := read(r)
			truncated := strings.Contains(fmt.Sprint(codes(r.Problems())), "truncated")
			if err != nil || truncated == test.complete || test.complete != (n == 1000) || n < 400 {
				t.Errorf("got %d entries, %v, problems %v", n, err, r.Problems())
			}
		})
	}
}

func TestGzipBombStopsAtTheLimit(t *testing.T) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := io.Copy(z, repeat("<!-- -->", 64<<20/8)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	r := NewReader(&b, base, Options{MaxBytes: 1 << 20})
	if _, err := read(r); !errors.Is(err, ErrUnknownFormat) || !r.cut {
		t.Errorf("got %v, want the end at the limit", err)
	}
}

func TestBreakInAnUnclosedEntry(t *testing.T) {
	text := "<urlset><url><loc>https://farm.example/a</loc><url><loc>https://farm.example/b</loc></url></urlset>"
	var got []string
	for entry := range NewReader(strings.NewReader(text), base, Options{}).Entries() {
		got = append(got, entry.Loc)
		break
	}
	if diff := cmp.Diff(got, []string{"https://farm.example/a"}); diff != "" {
		t.Errorf("got -, want +:\n%s", diff)
	}
}

func TestEntryHasItsOffset(t *testing.T) {
	text := "<urlset>\n<url><loc>https://farm.example/a</loc></url>\n <url><loc>/b</loc></url></urlset>"
	for entry, err := range NewReader(strings.NewReader(text), base, Options{}).Entries() {
		if err != nil || !strings.HasPrefix(text[entry.Offset:], "<url>") {
			t.Errorf("got offset %d, %v, want that of a <url>", entry.Offset, err)
		}
	}
}
