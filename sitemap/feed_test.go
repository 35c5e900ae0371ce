package sitemap

import (
	"strings"
	"testing"
	"time"
)

func TestAtom(t *testing.T) {
	feed := func(attributes, inside string) string {
		return `<feed xmlns="http://www.w3.org/2005/Atom"` + attributes + `>` + inside + `</feed>`
	}
	link := func(href string) string { return `<link href="` + href + `"/>` }
	inner := `<entry>` + link("https://farm.example/inner") + `</entry>`
	tests := []struct{ name, text, want string }{
		{"base of feed and entry", feed(` xml:base="https://farm.example/blog/"`, `<entry xml:base="2024/">`+link("a")+`</entry><entry>`+link("b")+`</entry>`), "/blog/2024/a@1 /blog/b@1"},
		{"base of a link", feed("", `<entry><link xml:base="https://farm.example/x/" href="a"/></entry><entry>`+link("/b")+`</entry>`), "/x/a@1 /b@1 relative-loc@1"},
		{"base that is relative", feed(` xml:base="/blog/"`, `<entry>`+link("a")+`</entry>`), "/blog/a@1"},
		{"base that is broken", feed(` xml:base="%zz:"`, `<entry>`+link("https://farm.example/a")+`</entry>`), "/a@1"},
		{"entry in content", feed("", `<entry><content type="application/atom+xml">`+inner+`</content>`+link("https://farm.example/outer")+`</entry>`), "/outer@1"},
		{"feed in content", feed("", `<entry><content><feed>`+inner+`</feed></content>`+link("https://farm.example/outer")+`</entry>`), "/outer@1"},
		{"entry that is not closed", feed("", `<entry>`+link("https://farm.example/a")+"\n"+`<entry>`+link("https://farm.example/b")+`</entry>`), "/a@1 /b@2 malformed@2"},
		{"title in another namespace", feed("", `<entry><x:link xmlns:x="urn:x" href="https://farm.example/x"/>`+link("https://farm.example/a")+`</entry>`), "/a@1"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := summary(NewReader(strings.NewReader(test.text), base, Options{})); got != test.want {
				t.Errorf("got %s\nwant %s\nfrom %s", got, test.want, test.text)
			}
		})
	}
}

func TestAtomBaseWithoutThatOfTheFile(t *testing.T) {
	text := `<feed xml:base="https://farm.example/x/"><entry><link href="a"/></entry></feed>`
	if got := summary(NewReader(strings.NewReader(text), nil, Options{})); got != "/x/a@1" {
		t.Errorf("got %s", got)
	}
}

func TestZonesOfRSS(t *testing.T) {
	for date, want := range map[string]string{
		"Fri, 28 Apr 2006 12:03:11 PDT": "2006-04-28T19:03:11Z",
		"Fri, 28 Apr 06 12:03:11 GMT":   "2006-04-28T12:03:11Z",
		"Fri, 28 Apr 2006 12:03:11 UT":  "2006-04-28T12:03:11Z",
		"Fri, 28 Apr 2006 12:03:11 CET": "2006-04-28T12:03:11Z date-zone",
	} {
		r := NewReader(strings.NewReader("<rss><channel><item><link>https://farm.example/</link><pubDate>"+date+"</pubDate></item></channel></rss>"), base, Options{})
		for entry, err := range r.Entries() {
			got := strings.TrimSpace(entry.LastMod.Format(time.RFC3339) + " " + strings.Join(codes(r.Problems()), " "))
			if err != nil || got != want {
				t.Errorf("%s: got %s, %v, want %s", date, got, err, want)
			}
		}
	}
}
