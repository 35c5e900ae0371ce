package sitemap

import (
	"net/url"
	"strings"
	"testing"
)

func TestServed(t *testing.T) {
	set := func(declaration, path string) string {
		return declaration + `<urlset xmlns="` + Namespace + `"><url><loc>https://farm.example` + path + `</loc></url></urlset>`
	}
	const latin1 = `<?xml version="1.0" encoding="ISO-8859-1"?>`
	tests := []struct {
		name, file, text string
		served           Served
		want             string
	}{
		{"charset of the header", "/s.xml", set("", "/f\xfcr"), Served{Charset: "iso-8859-1"}, "/f%C3%BCr@1 unescaped-loc@1"},
		{"charset of a list", "/s.txt", "https://farm.example/f\xfcr\n", Served{Charset: "iso-8859-1"}, "/f%C3%BCr@1 unescaped-loc@1"},
		{"header before declaration", "/s.xml", set(latin1, "/für"), Served{Charset: "UTF-8"}, "/f%C3%BCr@1 unescaped-loc@1"},
		{"declaration before header that is unknown", "/s.xml", set(latin1, "/f\xfcr"), Served{Charset: "klingon"}, "/f%C3%BCr@1 unescaped-loc@1"},
		{"mark before header", "/s.xml", "\xef\xbb\xbf" + set("", "/für"), Served{Charset: "iso-8859-1"}, "/f%C3%BCr@1 unescaped-loc@1"},
		{"no charset", "/s.xml", set("", "/f\xfcr"), Served{}, "/f%FCr@1 bad-utf8@1"},
		{"compressed by its coding", "/s.xml.gz", set("", "/a"), Served{Gzip: true}, "/a@1"},
		{"not compressed", "/s.xml.gz", set("", "/a"), Served{}, "/a@1 not-gzip@1"},
		{"in its folder", "/maps/s.xml", set("", "/a"), Served{}, "/a@1 above-folder@1"},
		{"named by robots.txt", "/maps/s.xml", set("", "/a"), Served{Named: true}, "/a@1"},
		{"another host is still another", "/maps/s.xml", `<urlset xmlns="` + Namespace + `"><url><loc>https://barn.example/a</loc></url></urlset>`, Served{Named: true}, "https://barn.example/a@1 other-host@1"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			file := &url.URL{Scheme: "https", Host: "farm.example", Path: test.file}
			if got := summary(NewReader(strings.NewReader(test.text), file, Options{Served: test.served})); got != test.want {
				t.Errorf("got %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestDeclaredEncodingMustBeUTF8(t *testing.T) {
	for label, want := range map[string]string{
		"UTF-8": "/a@1", "utf8": "/a@1", "ISO-8859-1": "/a@1 encoding@1", "x-nothing": "/a@1 encoding@1", "UTF-16": "/a@1 encoding@1",
	} {
		text := `<?xml version="1.0" encoding="` + label + `"?><urlset xmlns="` + Namespace + `"><url><loc>https://farm.example/a</loc></url></urlset>`
		for _, served := range []Served{{}, {Charset: "utf-8"}} {
			if got := summary(NewReader(strings.NewReader(text), base, Options{Strict: true, Served: served})); got != want {
				t.Errorf("%s, %+v: got %s, want %s", label, served, got, want)
			}
		}
	}
}

func TestMarkupBeforeList(t *testing.T) {
	const document = `<urlset xmlns="` + Namespace + "\">\n<url><loc>\nhttps://farm.example/a?x=1&amp;y=2\n</loc></url>\n<url><loc>https://farm.example/b</loc></url></urlset>"
	for _, before := range []string{
		"Notice: x in a.php\n", "Notice: x\n<?xml version=\"1.0\"?>\n", "https://farm.example/notice\n", strings.Repeat("Notice: x in a.php\n", 500),
	} {
		var paths []string
		r := NewReader(strings.NewReader(before+document), base, Options{})
		for entry, err := range r.Entries() {
			if err != nil {
				t.Fatal(err)
			}
			paths = append(paths, strings.TrimPrefix(entry.Loc, "https://farm.example"))
		}
		if got := strings.Join(append(paths, codes(r.Problems())...), " "); got != "/a?x=1&y=2 /b leading-junk" {
			t.Errorf("%.40q: got %s", before, got)
		}
	}
}
