package validate

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/decorum-crawler/decorum/sitemap"
	"github.com/decorum-crawler/decorum/sitemap/internal/wellformed"
)

// seeds are valid files, small so that most mutations hit something.
var seeds = []string{
	`<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<!-- made by hand --><?p x?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc>https://h.example/a?x=1&amp;y=2</loc><lastmod>2024-01-02</lastmod><changefreq>daily</changefreq><priority>0.5</priority></url>
<url><loc><![CDATA[https://h.example/b]]></loc><!-- x --></url>
</urlset>
<!-- end -->
`,
	`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1" xmlns:xhtml="http://www.w3.org/1999/xhtml">
<url><loc>https://h.example/</loc><image:image><image:loc>https://h.example/i.png</image:loc><image:title>Salt &amp; Pepper &#233;</image:title></image:image>
<xhtml:link rel="alternate" hreflang="de" href='https://h.example/?a=1&amp;b=2'/></url></urlset>`,
	`<s:urlset xmlns:s="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:x="urn:x">
<s:url x:a="1" b="2"><s:loc>https://h.example/</s:loc><x:y z="&lt;">é<x:w/></x:y></s:url></s:urlset>`,
	`<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><sitemap><loc>https://h.example/a.xml</loc></sitemap></sitemapindex>`,
	`<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><title>t</title><item><link>https://h.example/1</link>
<pubDate>Fri, 28 Apr 2006 12:03:11 PDT</pubDate><content:encoded><![CDATA[<p>x & y</p>]]></content:encoded></item></channel></rss>`,
	`<feed xmlns="http://www.w3.org/2005/Atom"><title>t</title><entry><id>u:2</id><link href="https://h.example/a"/><updated>2024-01-01T00:00:00Z</updated>
<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p class="x">text</p></div></content></entry></feed>`,
}

// snippets are what a mutation inserts.
var snippets = []string{
	"&", "<", ">", "\"", "'", "/", "!", "?", "-", "--", "]]>", ";", "=", ":", " ", "\n", "\t", "x", "A", "0", ".", "&nbsp;", "&amp;", "&#0;", "&#x41;", "&#xFFFE;",
	"\x00", "\x01", "\x0b", "\x7f", "\u0085", "\ufeff", "\uffff", "\xff", "\xc3", "é", "\xed\xa0\x80", "<!--", "-->", "<![CDATA[", "]]", "<?", "?>", "<?xml version='1.0'?>", "<?XML?>",
	"</url>", "<url>", "<x/>", "<x:z/>", "<a b=c/>", "</", "/>", "xmlns=\"urn:y\"", " xmlns:x=\"\"", " a=\"1\"", " x:a=\"2\"", " xml:lang=\"de\"", "xmlns:xml=\"urn:x\"",
	"<!DOCTYPE a>", "<!ENTITY x 'y'>", "urlset", "image:", " encoding=\"x\"", " version=\"1.0\"",
}

// mutate makes one edit of a text.
func mutate(r *rand.Rand, text string) string {
	at := r.IntN(len(text) + 1)
	to := min(len(text), at+1+r.IntN(3))
	snippet := snippets[r.IntN(len(snippets))]
	switch r.IntN(8) {
	case 0:
		return text[:at] + text[to:] // less
	case 1:
		return text[:at] + snippet + text[to:] // something else
	case 2, 3:
		return text[:at] + snippet + text[at:] // more
	case 4: // the same again
		return text[:to] + text[at:]
	case 5: // another case
		if part := text[at:to]; part != strings.ToUpper(part) {
			return text[:at] + strings.ToUpper(part) + text[to:]
		}
		return text[:at] + strings.ToLower(text[at:to]) + text[to:]
	case 6: // a longer piece moves
		from := r.IntN(len(text) + 1)
		piece := text[from:min(len(text), from+r.IntN(30))]
		return text[:at] + piece + text[at:]
	default:
		return strings.Replace(text, []string{"\"", "'", "</", "/>", "&amp;", "xmlns", ":", " ", ">", "?>"}[r.IntN(10)], snippet, 1+r.IntN(3))
	}
}

// mutations returns n files with one or two edits each.
func mutations(n int) []string {
	r := rand.New(rand.NewPCG(1, 2)) // the same every time
	files := make([]string, n)
	for i := range files {
		files[i] = mutate(r, seeds[i%len(seeds)])
		if r.IntN(2) == 0 {
			files[i] = mutate(r, files[i])
		}
	}
	return files
}

// refusal is a line of xmllint on a file that it refuses. It also says what is odd
// about the URI of a namespace, which it accepts.
var refusal = regexp.MustCompile(`(?m)^(\d+)\.xml:\d+: (?:parser|namespace) error : (.*)$`)

// refused returns what xmllint has against files.
func refused(t *testing.T, files []string) map[int]string {
	t.Helper()
	xmllint, err := exec.LookPath("xmllint")
	if err != nil {
		const missing = "xmllint is missing: install libxml2-utils"
		if os.Getenv("DECORUM_CI") != "" || os.Getenv("CI") == "true" {
			t.Fatal(missing)
		}
		t.Skip(missing)
	}
	dir := t.TempDir()
	found := map[int]string{}
	const batch = 500
	for first := 0; first < len(files); first += batch {
		command := exec.CommandContext(t.Context(), xmllint, "--noout", "--nonet")
		command.Dir = dir
		for i := first; i < min(len(files), first+batch); i++ {
			name := fmt.Sprintf("%d.xml", i)
			if err := os.WriteFile(filepath.Join(dir, name), []byte(files[i]), 0o600); err != nil {
				t.Fatal(err)
			}
			command.Args = append(command.Args, name)
		}
		out, _ := command.CombinedOutput() // its status is that of one of them
		for _, match := range refusal.FindAllSubmatch(out, -1) {
			var i int
			_, _ = fmt.Sscan(string(match[1]), &i)
			if _, ok := found[i]; !ok && !bytes.HasSuffix(match[2], []byte("is not a valid URI")) {
				found[i] = string(match[2])
			}
		}
	}
	return found
}

func TestSeedsAreValid(t *testing.T) {
	for _, text := range seeds {
		if got := new(Validator).File(strings.NewReader(text), nil, sitemap.Served{}); !got.Valid() {
			t.Errorf("got %+v of %s", got, text)
		}
	}
}

// TestNothingThatXmllintRefusesIsValid also shows that the check for
// well-formedness finds no fault where xmllint finds none.
func TestNothingThatXmllintRefusesIsValid(t *testing.T) {
	files := mutations(6000)
	verdicts := refused(t, files)
	if n := len(verdicts); n < len(files)/3 || n > len(files)*19/20 {
		t.Fatalf("xmllint refuses %d of %d files, want most but not all", n, len(files))
	}
	for i, text := range files {
		why, bad := verdicts[i]
		if got := new(Validator).File(strings.NewReader(text), nil, sitemap.Served{}); bad && got.Valid() {
			t.Errorf("got valid, xmllint says %q of\n%q", why, text)
		}
		var c wellformed.Checker
		_, _ = c.Write([]byte(text))
		if fault := c.Finish(); !bad && fault != nil && !strings.Contains(fault.Message, "XML declaration") &&
			!strings.HasPrefix(text, "\ufeff") && !strings.Contains(text, "\x00") { // xmllint takes a NUL after the root for the end
			t.Errorf("got %+v, xmllint accepts\n%q", *fault, text)
		}
	}
}
