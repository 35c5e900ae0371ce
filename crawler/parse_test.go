package crawler

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/decorum-crawler/decorum/crawler/content"
)

func TestParseHTML(t *testing.T) {
	page := parseHTML([]byte(`<!doctype html><head><title> A &amp;
	 b</title><base href="/dir/"><link rel="canonical" href="/c"><link rel=stylesheet href=s.css>
	<meta name="robots" content="noindex"></head><a href=" x ">1</a><a href="#top">2</a><area href=y rel="external NoFollow">
	<iframe src=z></iframe><svg><title>not this</title></svg><a>none</a>`), false, 10, nil)
	if got, want := linksOf(page), "/c x y! z"; got != want {
		t.Errorf("got links %q, want %q", got, want)
	}
	if page.title != "A & b" || page.base != "/dir/" || page.canonical != "/c" || !page.statements.For("decorum").NoIndex {
		t.Errorf("got %+v", page)
	}
}

// linksOf returns the links of a page, those with nofollow marked by "!".
func linksOf(page markup) string {
	var links []string
	for _, l := range page.links {
		if l.nofollow {
			l.href += "!"
		}
		links = append(links, l.href)
	}
	return strings.Join(links, " ")
}

func TestLinksOfElements(t *testing.T) {
	for _, test := range []struct {
		name, text, want string
		xml              bool
	}{
		{"frames", `<frameset><frame src=/f><noframes><a href=/n>x</a></noframes></frameset>`, "/f /n", false},
		{"noscript", `<noscript><a href=/n></noscript>`, "/n", false},
		{"link of SVG", `<svg><a xlink:href="/x"><text>t</text></a><a href=/h xlink:href=/x></svg>`, "/x /h", false},
		{"embedded pages", `<embed src=/a.swf><embed src=/b type=text/html><object data=/c type="text/html; charset=x"></object><object data=/d.html?x></object><object data=/e.pdf>`, "/b /c /d.html?x", false},
		{"first of two attributes", `<a href=/1 href=/2>`, "/1", false},
		{"script that ends in its tag, of XHTML", `<script src="s.js"/><title/><a href="/x"/>`, "/x", true},
		{"script that ends in its tag, of HTML", `<script src="s.js"/><a href="/x"></script><a href=/y>`, "/y", false},
		{"after a style of SVG", `<svg><style/><script href=x /></svg><a href=/x>`, "/x", false},
		{"after a script of SVG with an end", `<svg><script>var a = "<b>"</script></svg><a href=/x>`, "/x", false},
		{"script in HTML within SVG", `<svg><foreignObject><script>"<a href=/no>"</script></foreignObject></svg><a href=/x>`, "/x", false},
		{"SVG that is not closed", `<svg><p><script>"<a href=/no>"</script><a href=/x>`, "/x", false},
		{"object with a fragment", `<object data="/x.htm#f"></object>`, "/x.htm#f", false},
		{"script of XHTML with a base", `<base href="/d/"/><title/><p/><a href="x"/>`, "x", true},
		{"in a script", `<script>"<a href=/x>"</script>`, "", false},
		{"in a comment", `<!-- <a href=/x> -->`, "", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := linksOf(parseHTML([]byte(test.text), test.xml, 10, nil)); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestStatementsOfElements(t *testing.T) {
	for text, want := range map[string]bool{
		`<head><noscript><meta name=robots content=noindex></noscript></head>`: true,
		`<body><p>text<meta name=robots content=noindex>`:                      true,
		`<svg><style/></svg><meta name=robots content=noindex>`:                true,
		`<meta name="robots, googlebot" content=noindex>`:                      true,
		`<meta property=robots content=noindex>`:                               true,
		`<!-- <meta name=robots content=noindex> -->`:                          false,
		`<meta http-equiv="X-Robots-Tag" content="noindex">`:                   true,
		`<meta name=googlebot content=noindex>`:                                false,
	} {
		page := parseHTML([]byte(text), false, 10, nil)
		if got := page.statements.For("decorum").NoIndex; got != want {
			t.Errorf("%s: got noindex %v, want %v", text, got, want)
		}
	}
}

func TestLinkHeaders(t *testing.T) {
	var page markup
	page.headers("https://a.example/dir/p", http.Header{
		"Link":         {`</i.png>; rel=image_src, </a>; rel="canonical"`, `<2>; rel=next, </de>; rel="alternate nofollow"; hreflang=de, </x>; rel=next; anchor="/other"`},
		"Refresh":      {"5; url=/r"},
		"X-Robots-Tag": {"noindex"},
	}, 10)
	if got, want := linksOf(page), "https://a.example/a https://a.example/dir/2 https://a.example/de!"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if page.canonical != "https://a.example/a" || page.refresh != (declaredRefresh{"/r", 5 * time.Second}) || !page.statements.For("x").NoIndex {
		t.Errorf("got %+v", page)
	}
}

func TestRefresh(t *testing.T) {
	for text, want := range map[string]declaredRefresh{
		"0;url='/t'":                 {"/t", 0},
		"0; URL=\n/t":                {"/t", 0},
		"5;/t":                       {"/t", 5 * time.Second},
		"0,url=/t":                   {"/t", 0},
		" 3.5 ; url = \"/t\" x":      {"/t", 3 * time.Second},
		"0 /t":                       {"/t", 0},
		".5;url=/t":                  {"/t", 0},
		"0;url='/t":                  {"/t", 0},
		"0;urls=/t":                  {"urls=/t", 0},
		"30":                         {},
		"x;url=/t":                   {},
		"5/t":                        {},
		"99999999999999999999;url=t": {"t", 24 * time.Hour},
		"":                           {},
	} {
		if got := parseRefresh(text); got != want {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
}

func TestParseHTMLIsBounded(t *testing.T) {
	page := parseHTML(bytes.Repeat([]byte("<div>"), 1_000_000), false, 10, nil)
	if len(page.links) != 0 || page.more != 0 {
		t.Errorf("got %d links and %d more, want none", len(page.links), page.more)
	}
	page = parseHTML(bytes.Repeat([]byte(`<a href=x>`), 1000), false, 10, nil)
	if len(page.links) != 10 || page.more != 990 {
		t.Errorf("got %d links and %d more, want 10 and 990", len(page.links), page.more)
	}
	page = parseHTML([]byte(`<a href="`+strings.Repeat("x", 8<<20)+`"><a href=y>`), false, 10, nil)
	if len(page.links) != 2 {
		t.Errorf("got %d links after a long tag, want both", len(page.links))
	}
}

func FuzzParseHTML(f *testing.F) {
	f.Add([]byte(`<a href="x" rel=nofollow><base href=y><title>t</title>`))
	f.Fuzz(func(t *testing.T, body []byte) {
		text, _ := content.Decode(body, "text/html")
		if page := parseHTML(text, false, 100, nil); len(page.links) > 100 || len(page.title) > maxTitle {
			t.Fatalf("got %d links, a title of %d bytes", len(page.links), len(page.title))
		}
	})
}

func FuzzRefresh(f *testing.F) {
	f.Add("0;url='/t")
	f.Add(".5 ,URL = x")
	f.Fuzz(func(t *testing.T, text string) {
		if r := parseRefresh(text); r.after < 0 || r.after > 24*time.Hour || len(r.href) > len(text) {
			t.Errorf("%q: got %v", text, r)
		}
	})
}
