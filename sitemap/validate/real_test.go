package validate

import (
	"bytes"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/decorum-crawler/decorum/sitemap"
)

// TestFaultsOfRealFiles has the faults of files that sites really serve, each in the
// smallest file that has it.
func TestFaultsOfRealFiles(t *testing.T) {
	for name, want := range map[string]string{
		"amp-in-title.xml":                "/ raw-ampersand",
		"undeclared-prefix.xml":           "/ not-well-formed",
		"amp-in-href.xml":                 "/ not-well-formed",
		"case-mismatch.xml":               "/ not-well-formed",
		"nbsp-in-title.xml":               "/ unknown-entity missing-video missing-video missing-video",
		"junk-then-loc.xml":               "/a?x=1&y=2 /b leading-junk",
		"zone-names.rss":                  "/1@19:03:11 /2@12:03:11 /3@12:03:11",
		"xml-base.atom":                   "/blog/2024/a.html@00:00:00",
		"entry-in-content.atom":           "/outer@00:00:00",
		"default-namespace-extension.xml": "/",
		"foreign-loc.xml":                 "/",
		"changefreq-case-and-empty.xml":   "/ empty-element changefreq-case empty-element",
		"hreflang-faults.xml":             "/ relative-href bad-hreflang",
		"upper-case-prefix.xml":           "/",
		"extensions.xml":                  "/a missing-video relative-href",
		"prefixed-rss10.rss":              "/1",
		"self-listed-index.xml":           "/s.xml /a.xml self-listed",
	} {
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join("testdata", name))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			v := Validator{OnEntry: func(_ sitemap.Kind, entry sitemap.Entry) {
				text := strings.TrimPrefix(entry.Loc, "https://h.example")
				if !entry.LastMod.IsZero() {
					text += entry.LastMod.Format("@15:04:05")
				}
				got = append(got, text)
			}}
			base := &url.URL{Scheme: "https", Host: "h.example", Path: "/s.xml"}
			result := v.File(bytes.NewReader(data), base, sitemap.Served{})
			for _, p := range result.Problems {
				got = append(got, p.Code)
			}
			if text := strings.Join(got, " "); text != want || result.Err != nil {
				t.Errorf("got %s, %v, want %s", text, result.Err, want)
			}
		})
	}
}

func TestReturnLinks(t *testing.T) {
	page := func(path string, alternates ...string) string {
		text := "<url><loc>https://h.example" + path + "</loc>"
		for i, a := range alternates {
			text += fmt.Sprintf(`<xhtml:link rel="alternate" hreflang="%s" href="https://h.example%s"/>`, []string{"en", "de", "fr", "x-default"}[i%4], a)
		}
		return text + "</url>\n"
	}
	tests := []struct {
		name  string
		files []string
		want  string
	}{
		{"complete", []string{page("/en", "/en", "/de", "/fr", "/en") + page("/de", "/en", "/de", "/fr") + page("/fr", "/en", "/de", "/fr")}, ""},
		{"across files", []string{page("/en", "/en", "/de"), page("/de", "/en", "/de")}, ""},
		{"without itself", []string{page("/en", "/de") + page("/de", "/en")}, ""},
		{"not listed", []string{page("/en", "/en", "/de")}, ""},
		{"later page has none", []string{page("/en", "/en", "/de") + page("/de")}, "0:3"},
		{"earlier page has none", []string{page("/de") + page("/en", "/en", "/de")}, "0:3"},
		{"later page has others", []string{page("/en", "/en", "/de") + page("/de", "/fr", "/de")}, "0:3"},
		{"later file", []string{page("/en", "/en", "/de"), page("/x") + page("/de")}, "1:3"},
		{"two pages wait", []string{page("/en", "/de") + page("/fr", "/de") + page("/de", "/fr")}, "0:4"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var v Validator
			var got []string
			for i, inside := range test.files {
				text := `<urlset xmlns="` + sitemap.Namespace + `" xmlns:xhtml="http://www.w3.org/1999/xhtml">` + "\n" + inside + "</urlset>"
				for _, p := range v.File(strings.NewReader(text), nil, sitemap.Served{}).Problems {
					if p.Code != CodeNoReturnLink || !strings.Contains(p.Message, "https://h.example/") {
						t.Errorf("got %+v", p)
					}
					got = append(got, fmt.Sprintf("%d:%d", i, p.Line))
				}
			}
			if text := strings.Join(got, " "); text != test.want || v.links.count < 0 {
				t.Errorf("got %s, want %s", text, test.want)
			}
		})
	}
}

func TestReturnLinksAreBounded(t *testing.T) {
	var v Validator
	for i := range 300 {
		entry := sitemap.Entry{Loc: fmt.Sprint("https://h.example/", i)}
		for j := range 1000 {
			entry.Alternates = append(entry.Alternates, sitemap.Alternate{HrefLang: "de", Href: fmt.Sprint("https://h.example/", i, "/", j)})
		}
		if got := v.missingLinks(entry); len(got) > 0 || v.links.count > maxLinks {
			t.Fatalf("got %v, %d links", got, v.links.count)
		}
	}
	if !v.links.off {
		t.Error("got links that are still checked, though some are not kept")
	}
}

func TestNamedFilesMayListAnyPath(t *testing.T) {
	s := &site{files: map[string]string{
		"/maps/index.xml": index("/maps/a.xml"),
		"/maps/a.xml":     urlset("/a"),
		"/maps/b.xml":     urlset("/b"),
	}}
	var got []string
	walk := Walk{
		Open:  s.Open,
		Named: func(root string) bool { return strings.HasSuffix(root, "/index.xml") },
		OnFile: func(f File) {
			for _, p := range f.Problems {
				got = append(got, strings.TrimPrefix(f.URL, origin)+" "+p.Code)
			}
		},
	}
	if err := walk.Run(t.Context(), []string{origin + "/maps/index.xml", origin + "/maps/b.xml"}); err != nil {
		t.Fatal(err)
	}
	if text := strings.Join(got, ", "); text != "/maps/b.xml above-folder" {
		t.Errorf("got %s", text)
	}
}
