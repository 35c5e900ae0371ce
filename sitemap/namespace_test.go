package sitemap

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const extensionSpaces = ` xmlns:image="http://www.google.com/schemas/sitemap-image/1.1" xmlns:video="http://www.google.com/schemas/sitemap-video/1.1"` +
	` xmlns:news="http://www.google.com/schemas/sitemap-news/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml"`

func TestNamespaces(t *testing.T) {
	set := func(inside string) string { return `<urlset xmlns="` + Namespace + `">` + inside + "</urlset>" }
	const rdf = `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:rss="http://purl.org/rss/1.0/">`
	tests := []struct{ name, text, want string }{
		{"loc of another default namespace", set(`<url><note xmlns="urn:x"/><loc xmlns="urn:x">https://farm.example/x</loc><loc>https://farm.example/a</loc></url>`), "/a@1"},
		{"foreign subtree", set(`<url><loc>https://farm.example/a</loc></url><x xmlns="urn:x"><url><loc>https://farm.example/x</loc></url></x>`), "/a@1"},
		{"scope ends with its element", set(`<x xmlns="urn:x"><y/></x><url><loc>https://farm.example/a</loc></url>`), "/a@1"},
		{"element of an extension by default namespace", set(`<url><loc>https://farm.example/a</loc><PageMap xmlns="http://www.google.com/schemas/sitemap-pagemap/1.0"><DataObject type="d"/></PageMap></url>`), "/a@1"},
		{"prefix in upper case", `<S:urlset xmlns:S="` + Namespace + `"><S:url><S:loc>https://farm.example/a</S:loc></S:url></S:urlset>`, "/a@1"},
		{"name in upper case", `<s:URLSET xmlns:s="` + Namespace + `"><s:url><s:loc>https://farm.example/a</s:loc></s:url></s:URLSET>`, "/a@1 tag-case@1"},
		{"prefix declared inside", `<urlset xmlns="urn:x"><s:url xmlns:s="` + Namespace + `"><s:loc>https://farm.example/a</s:loc></s:url></urlset>`, "/a@1 namespace@1"},
		{"default namespace removed", set(`<url xmlns=""><loc>https://farm.example/a</loc></url>`), "/a@1 namespace@1"},
		{"RSS 1.0 with prefixes", rdf + `<rss:item><rss:link>https://farm.example/a</rss:link></rss:item></rdf:RDF>`, "/a@1"},
		{"link of Atom in RSS by default namespace", `<rss><channel><item><link xmlns="http://www.w3.org/2005/Atom" href="https://farm.example/x"/><link>https://farm.example/a</link></item></channel></rss>`, "/a@1"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := summary(NewReader(strings.NewReader(test.text), base, Options{Strict: true})); got != test.want {
				t.Errorf("got %s\nwant %s\nfrom %s", got, test.want, test.text)
			}
		})
	}
}

func TestExtensions(t *testing.T) {
	text := `<urlset xmlns="` + Namespace + `"` + extensionSpaces + `><url><loc>https://farm.example/a</loc>
<image:image><image:loc>https://farm.example/i.png</image:loc><image:title>T &amp; t</image:title><image:caption>C</image:caption><image:license>https://farm.example/l</image:license></image:image>
<image:image><image:loc>https://farm.example/1</image:loc><image:loc>https://farm.example/2</image:loc></image:image>
<video:video><video:thumbnail_loc>https://farm.example/t.png</video:thumbnail_loc><video:title>V</video:title><video:description>D</video:description>` +
		`<video:content_loc>https://farm.example/v.mp4</video:content_loc><video:player_loc>https://farm.example/p</video:player_loc><video:duration>90</video:duration>` +
		`<video:publication_date>2024-01-02</video:publication_date><video:expiration_date>2025-01-02T00:00:00Z</video:expiration_date></video:video>
<news:news><news:publication><news:name>N</news:name><news:language>en</news:language></news:publication><news:publication_date>2024-01-02</news:publication_date><news:title>H</news:title></news:news>
<xhtml:link rel="alternate" hreflang="de" href="/de/a"/>
<title>no</title></url><url><loc>https://farm.example/b</loc><v:video><v:title>x</v:title></v:video></url></urlset>`
	all := readAll(NewReader(strings.NewReader(text), base, Options{}))
	day := time.Date(2024, 1, 2, 0, 0, 0, 0, time.UTC)
	want := []Entry{{
		Loc: "https://farm.example/a", Line: 1, Offset: all.Entries[0].Offset,
		Alternates: []Alternate{{"de", "https://farm.example/de/a"}},
		Images: []Image{
			{"https://farm.example/i.png", "T & t", "C", "https://farm.example/l"},
			{Loc: "https://farm.example/1"},
			{Loc: "https://farm.example/2"},
		},
		Videos: []Video{{
			"https://farm.example/t.png", "V", "D", "https://farm.example/v.mp4", "https://farm.example/p",
			90 * time.Second, day, day.AddDate(1, 0, 0), 4,
		}},
		News: &News{"N", "en", day, "H", 5},
	}, {Loc: "https://farm.example/b", Line: 7, Offset: all.Entries[1].Offset}}
	if diff := cmp.Diff(all.Entries, want); diff != "" {
		t.Errorf("got -, want +:\n%s", diff)
	}
	if got := codes(all.Problems); !cmp.Equal(got, []string{"relative-href"}) {
		t.Errorf("got %v, want relative-href", got)
	}
}

func TestFaultsOfExtensions(t *testing.T) {
	video := func(inside string) string {
		return `<video:video><video:thumbnail_loc>https://farm.example/t</video:thumbnail_loc><video:title>V</video:title><video:description>D</video:description>` + inside + `</video:video>`
	}
	const content = `<video:content_loc>https://farm.example/v</video:content_loc>`
	news := func(language, rest string) string {
		return `<news:news><news:publication><news:name>N</news:name><news:language>` + language + `</news:language></news:publication>` + rest + `<news:title>H</news:title></news:news>`
	}
	const date = `<news:publication_date>2024-01-02</news:publication_date>`
	link := func(hreflang, href string) string {
		return `<xhtml:link rel="alternate" hreflang="` + hreflang + `" href="` + href + `"/>`
	}
	tests := []struct{ name, inside, want string }{
		{"video", video(content), ""},
		{"empty video", "\n<video:video>\n</video:video>", "missing-video@2 missing-video@2 missing-video@2 missing-video@2"},
		{"video without content", video(""), "missing-video@1"},
		{"video of no length", video(content + "<video:duration>0</video:duration>"), "bad-duration@1"},
		{"video too long", video(content + "<video:duration>28801</video:duration>"), "bad-duration@1"},
		{"duration in minutes", video(content + "<video:duration>1:30</video:duration>"), "bad-duration@1"},
		{"date of a video", video(content + "<video:publication_date>soon</video:publication_date>"), "bad-date@1"},
		{"news", news("en", date) + "", ""},
		{"news in Chinese", news("zh-cn", date), ""},
		{"news in no language", news("english", date), "bad-news-language@1"},
		{"news without a date", news("en", ""), "missing-news@1"},
		{"date of news", news("en", "<news:publication_date>2 Jan 2024</news:publication_date>"), "date-form@1"},
		{"image without loc", "<image:image><image:title>x</image:title></image:image>", "missing-image-loc@1"},
		{"alternate", link("de-AT", "https://farm.example/at"), ""},
		{"language unknown", link("english_UK", "https://farm.example/e"), "bad-hreflang@1"},
		{"country unknown", link("en-UK", "https://farm.example/e"), "bad-hreflang@1"},
		{"relative href", link("de", "/de"), "relative-href@1"},
		{"href with a blank", link("de", "https://farm.example/d e"), "unescaped-href@1"},
		{"href of another scheme", link("de", "mailto:x@farm.example"), "bad-href@1"},
		{"link without its namespace", `<link rel="alternate" hreflang="de" href="https://farm.example/d"/>`, "unknown-element@1"},
		{"namespace of nobody", `<image:image xmlns:image="urn:x"><image:loc>https://farm.example/i</image:loc></image:image>`, "namespace@1"},
		{"entity in a title", `<image:image><image:loc>https://farm.example/i</image:loc><image:title>a&nbsp;b</image:title></image:image>`, "unknown-entity@1"},
		{"frequency in upper case", "<changefreq>Daily</changefreq>", "changefreq-case@1"},
		{"empty elements", "<lastmod></lastmod>\n<changefreq/><priority> </priority>", "empty-element@1 empty-element@2 empty-element@2"},
		{"priority with an exponent", "<priority>5e-1</priority>", "bad-priority@1"},
		{"hexadecimal priority", "<priority>0x1p-1</priority>", "bad-priority@1"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			text := `<urlset xmlns="` + Namespace + `"` + extensionSpaces + `><url><loc>https://farm.example/a</loc>` + test.inside + `</url></urlset>`
			got := summary(NewReader(strings.NewReader(text), base, Options{Strict: true}))
			if want := strings.TrimSpace("/a@1 " + test.want); got != want {
				t.Errorf("got %s\nwant %s\nfrom %s", got, want, text)
			}
		})
	}
}

func TestExtensionsAreBounded(t *testing.T) {
	image := "<image:image><image:loc>https://farm.example/i</image:loc><image:title>" + strings.Repeat("x", 8000) + "</image:title></image:image>"
	text := "<urlset><url><loc>https://farm.example/a</loc>" + strings.Repeat(image, 2000) + "</url></urlset>"
	for entry, err := range NewReader(strings.NewReader(text), base, Options{}).Entries() {
		size := 0
		for _, i := range entry.Images {
			size += len(i.Loc) + len(i.Title)
		}
		if err != nil || size > maxExtraBytes || len(entry.Images) > 1000 || len(entry.Images) < 100 {
			t.Errorf("got %d images of %d bytes, %v", len(entry.Images), size, err)
		}
	}
}
