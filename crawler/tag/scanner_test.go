package tag

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

func TestScanner(t *testing.T) {
	for _, test := range []struct {
		name, page, want string
		xml              bool
	}{
		{"tags", `a<b>c<BR/>d</b >e`, "<b> <br/> </b>", false},
		{"attributes", `<a HREF="x&amp;y" b=c d e = 'f>' g="1"/>`, `<a href="x&y" b="c" d="" e="f>" g="1"/>`, false},
		{"value that ends in a slash", `<a b=c/>`, `<a b="c/">`, false},
		{"name that begins with an equals sign", `<a =b=c>`, `<a =b="c">`, false},
		{"no tags", `1 < 2 <3 </4> <!x <b>> <?x <b>> </> <`, "", false},
		{"tag without an end", `<b><a href=x`, "<b>", false},
		{"comments", `<!--<b>--><!--><i><!---><u><!-- -- ><b>--!><p>`, "<i> <u> <p>", false},
		{"comment without an end", `<i><!-- <b> ->`, "<i>", false},
		{"script", `<script>"<a>"</scriptx></script ><b>`, "<script> </script> <b>", false},
		{"script in a comment in a script", `<script><!-- <script> </script> <a> --> <i></script><b>`, "<script> </script> <b>", false},
		{"empty comment in a script", `<script><!--> <script></script><b>`, "<script> </script> <b>", false},
		{"odd sign in a comment in a script", `<script><!-- < <script></script> <a> --></script><b>`, "<script> </script> <b>", false},
		{"style, text area and others", `<style><a></STYLE><textarea><a></textarea><xmp><a></xmp><iframe><a></iframe>`, "<style> </style> <textarea> </textarea> <xmp> </xmp> <iframe> </iframe>", false},
		{"for clients without scripts", `<noscript><a></noscript><noframes><b></noframes>`, "<noscript> <a> </noscript> <noframes> <b> </noframes>", false},
		{"plain text", `<plaintext><a></plaintext>`, "<plaintext>", false},
		{"style of SVG", `<svg><style><a></style><title><b></title></svg><style><i></style>`, "<svg> <style> <a> </style> <title> <b> </title> </svg> <style> </style>", false},
		{"script that ends in its tag, of XHTML", `<script/><b/><![CDATA[<a>]]><i/>`, "<script/> <b/> <i/>", true},
		{"CDATA of HTML", `<![CDATA[<a>]]><b>`, "<b>", false},
		{"unknown names", `<x-y><aaaaaaaaaaaaaaaaaaaaaaaaaaaa>`, "<> <>", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := strings.Join(scan([]byte(test.page), test.xml), " "); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func scan(page []byte, xml bool) []string {
	var tags []string
	for s := NewScanner(page, xml); s.Next(); {
		var attributes []html.Attribute
		if s.Kind() != End {
			for name, value := range s.Attributes() {
				attributes = append(attributes, html.Attribute{Key: normal(name), Val: Decode(value)})
			}
		}
		tags = append(tags, format(s.Kind(), s.Name(), attributes))
	}
	return tags
}

func format(kind Kind, name atom.Atom, attributes []html.Attribute) string {
	var b strings.Builder
	b.WriteString(map[Kind]string{Start: "<", SelfClosing: "<", End: "</"}[kind] + name.String())
	for i, a := range attributes {
		if !slices.ContainsFunc(attributes[:i], func(b html.Attribute) bool { return b.Key == a.Key }) {
			fmt.Fprintf(&b, " %s=%q", a.Key, a.Val)
		}
	}
	b.WriteString(map[Kind]string{Start: ">", SelfClosing: "/>", End: ">"}[kind])
	return b.String()
}

func TestText(t *testing.T) {
	for page, want := range map[string]string{
		"<title>a &lt; <b></title>":     "a &lt; <b>",
		"<p>a < b</p>":                  "a < b",
		"<svg><title>a<b>c":             "a",
		"<title>":                       "",
		"<title>to the end</title":      "to the end</title",
		"<p>5 <6":                       "5 <6",
		"<textarea>\n</x></textarea  >": "\n</x>",
	} {
		s := NewScanner([]byte(page), false)
		for s.Next() && s.Name() != atom.Title && s.Name() != atom.P && s.Name() != atom.Textarea {
		}
		if got := string(s.Text()); got != want {
			t.Errorf("%s: got %q, want %q", page, got, want)
		}
	}
}

func TestDecode(t *testing.T) {
	for value, want := range map[string]string{
		"":                          "",
		"?a=1&b=2&copy=3&copyx&lt":  "?a=1&b=2&copy=3&copyx<",
		"&amp;&AMP;&semi;&fjlig;":   "&&;fj",
		"&#65;&#x42&#67x&#;&#x;&#0": "ABCx&#;&#x;\ufffd",
		"&notit;&not;&not=":         "&notit;¬&not=",
		"a\r\nb\rc\x00":             "a\nb\nc\ufffd",
		"&":                         "&",
	} {
		if got := Decode([]byte(value)); got != want {
			t.Errorf("%q: got %q, want %q", value, got, want)
		}
	}
}

// exempt matches a "<" within a comment of a script that begins neither tag, which
// ends the comment for the tokenizer of x/net/html although §13.2.5.22 says that it
// does not.
var exempt = regexp.MustCompile(`(?si)<script.*<!--.*<[^a-z/]`)

// repeats reports whether a tag has an attribute twice. Before "/>" x/net/html takes
// the "/" for a part of the tag even if it belongs to the value of the second one.
func repeats(page []byte, xml bool) bool {
	for s := NewScanner(page, xml); s.Next(); {
		seen := map[string]bool{}
		for name := range s.Attributes() {
			if seen[string(name)] {
				return true
			}
			seen[string(name)] = true
		}
	}
	return false
}

// FuzzAgainstTokenizer shows that the scanner reads the tags that the tokenizer of
// x/net/html reads.
func FuzzAgainstTokenizer(f *testing.F) {
	for _, seed := range []string{
		`<!doctype html><title>a</title><a href="x&amp;y" b=c>d</a><!-- <b> --><script>"<a>"</script>`,
		`<script><!-- <script> </script> --></script><svg><style><a></style></svg>`,
		`<a b = 'c' / d/e="f><noscript><i></noscript><textarea></textarea>`,
	} {
		f.Add([]byte(seed), false)
	}
	f.Fuzz(func(t *testing.T, page []byte, xml bool) {
		if exempt.Match(page) || bytes.Contains(page, []byte("/>")) && repeats(page, xml) {
			return
		}
		want, got := tokenize(page, xml), scan(page, xml)
		if !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", page, got, want)
		}
	})
}

func tokenize(page []byte, xml bool) []string {
	z := html.NewTokenizer(bytes.NewReader(page))
	z.AllowCDATA(xml)
	nesting := nesting{xml: xml}
	var tags []string
	for {
		switch token := z.Next(); token {
		case html.ErrorToken:
			return tags
		case html.StartTagToken, html.SelfClosingTagToken:
			kind := Start
			if token == html.SelfClosingTagToken {
				kind = SelfClosing
			}
			got := z.Token()
			name := lookup([]byte(got.Data))
			if nesting.start(name, kind == SelfClosing) || xml && kind == SelfClosing || !isRaw(name) {
				z.NextIsNotRawText()
			}
			tags = append(tags, format(kind, name, got.Attr))
		case html.EndTagToken:
			name := lookup([]byte(z.Token().Data))
			nesting.end(name)
			tags = append(tags, format(End, name, nil))
		}
	}
}

func BenchmarkScanner(b *testing.B) {
	page := []byte("<!doctype html><title>Rivers</title>" + strings.Repeat(`<p>Some text about <a href="/rivers/1?a=2&amp;b=3">rivers</a>. `+strings.Repeat("The survey showed that levels had fallen. ", 15)+"</p>\n", 30))
	b.SetBytes(int64(len(page)))
	b.ReportAllocs()
	for b.Loop() {
		for s := NewScanner(page, false); s.Next(); {
			if s.Kind() == Start && s.Name() == atom.A {
				for range s.Attributes() {
				}
			}
		}
	}
}
