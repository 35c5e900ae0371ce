package wellformed

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"unicode"
)

// check returns the first fault of a text that is written in pieces of size bytes.
func check(text string, size int) *Fault {
	var c Checker
	for len(text) > 0 {
		n := min(size, len(text))
		_, _ = io.WriteString(&c, text[:n])
		text = text[n:]
	}
	return c.Finish()
}

func TestWellFormed(t *testing.T) {
	for _, text := range []string{
		"<a/>",
		"\n<!-- x --><?p?><a\t/>\n<!-- - x --><?p ?? ??>\r\n",
		`<?xml version="1.0" encoding='UTF-8' standalone = "yes" ?><a></a >`,
		`<a b="1" c='"' d = ">"><b/>x &amp; &#65; &#x1F600; &#0065; ]] ></a>`,
		"<a>]]<![CDATA[<x>& ]] ]]]></a>",
		`<x:a xmlns:x="urn:x" x:b="" b=""><x:c xml:lang="de" xmlns:y="urn:y"><y:d/></x:c></x:a>`,
		`<a xmlns:x="urn:x" xmlns:y="urn:y" x:b="" y:b=""/>`,
		"<é·ü_-.1>\u00e9\ufffd\U0010ffff\x7f</é·ü_-.1>",
		"<!DOCTYPE a [<!ENTITY x 'y'>]><a>&x;", // is not checked
		strings.Repeat("<a>", 250) + strings.Repeat("</a>", 250),
		"<a>" + strings.Repeat("x", 200_000) + "<!--" + strings.Repeat("-x", 100_000) + "--></a>",
	} {
		for _, size := range []int{1, 2, 3, 7, len(text)} {
			if got := check(text, size); got != nil {
				t.Errorf("pieces of %d: got %+v of %.100q", size, *got, text)
			}
		}
	}
}

func TestFaults(t *testing.T) {
	tests := []struct {
		text string
		line int
		part Part
		want string
	}{
		{"", 1, End, "no element"},
		{"<!-- x -->\n", 2, End, "no element"},
		{"x<a/>", 1, Prolog, "text outside"},
		{"\ufeff<a/>", 1, Prolog, "text outside"},
		{"\n<?xml version='1.0'?><a/>", 2, Prolog, "XML declaration after"},
		{"<?xml version='1.0'?><a/><?xml version='1.0'?>", 1, Epilog, "XML declaration after"},
		{"<?XML version='1.0'?><a/>", 1, Prolog, "broken XML declaration"},
		{"<?xml version='1.1'?><a/>", 1, Prolog, "broken XML declaration"},
		{"<?xml version='1.0' standalone='maybe'?><a/>", 1, Prolog, "broken XML declaration"},
		{"<?xml version='1.0'encoding='UTF-8'?><a/>", 1, Prolog, "broken XML declaration"},
		{"<?xml version='1.0' >\n<a/>", 2, End, "inside the XML declaration"},
		{"<??><a/>", 1, Prolog, "without a target"},
		{"<?a:b?><a/>", 1, Prolog, "without a target"},
		{"<?a?b?><a/>", 1, Prolog, "without a target"},
		{"<a/>\n<b/>", 2, Epilog, "second root"},
		{"<a/>\nx", 2, Epilog, "text outside"},
		{"<a/>&amp;", 1, Epilog, "text outside"},
		{"<a/><![CDATA[x]]>", 1, Epilog, "CDATA section outside"},
		{"<a/></a>", 1, Epilog, "without its element"},
		{"<a/><!DOCTYPE a>", 1, Epilog, "<! that"},
		{"<a><!ELEMENT a></a>", 1, Content, "<! that"},
		{"<!doctype a><a/>", 1, Prolog, "<! that"},
		{"<a>\n<b></a>", 2, Content, "</a> where </b> is due"},
		{"<a></A>", 1, Content, "</A> where </a> is due"},
		{"<a></a b>", 1, Content, "is due"},
		{"<a></ a>", 1, Content, "is due"},
		{"<a>\n", 2, End, "inside the element a"},
		{"<a", 1, End, "inside a tag"},
		{"<a/><!--", 1, End, "inside a comment"},
		{"<a/><?p", 1, End, "inside a processing instruction"},
		{"<a/><?p ", 1, End, "inside a processing instruction"},
		{"<a><![CDATA[", 1, End, "inside a CDATA"},
		{"<a><!-- x", 1, End, "inside a comment"},
		{"<a><!-- x --", 1, End, "inside a comment"},
		{"<a><!-- x -- y --></a>", 1, Content, "-- inside a comment"},
		{"<a><!-- x ---></a>", 1, Content, "-- inside a comment"},
		{"<a><![CDATA[x]]", 1, End, "inside a CDATA"},
		{"<a><?p x", 1, End, "inside a processing instruction"},
		{"<a>x ]]> y</a>", 1, Content, "]]> outside"},
		{"<a>\nx & y</a>", 2, Content, "& that begins no reference"},
		{"<a>x &amp y</a>", 1, Content, "& that begins no reference"},
		{"<a>&nbsp;</a>", 1, Content, "the entity nbsp"},
		{"<a>&#0;</a>", 1, Content, "reference to a character"},
		{"<a>&#X41;</a>", 1, Content, "reference to a character"},
		{"<a>&#xD800;</a>", 1, Content, "reference to a character"},
		{"<a>&#;</a>", 1, Content, "reference to a character"},
		{"<a>&;</a>", 1, Content, "& that begins no reference"},
		{"<a>&#&;</a>", 1, Content, "& that begins no reference"},
		{"<a>&" + strings.Repeat("x", 100) + ";</a>", 1, Content, "& that begins no reference"},
		{"<a b='&x'/>", 1, Content, "& that begins no reference"},
		{"<a b='<'/>", 1, Prolog, "< inside a tag"},
		{"<a <b/></a>", 1, Prolog, "< inside a tag"},
		{"<a b='1'c='2'/>", 1, Content, "no blank before"},
		{"<a b=1/>", 1, Content, "attribute b without quotes"},
		{"<a b/>", 1, Content, "attribute b without a value"},
		{"<a b c='1'/>", 1, Content, "attribute b without a value"},
		{"<a b='1' b='2'/>", 1, Content, "attribute b twice"},
		{"<a 1b='1'/>", 1, Content, "without a proper name"},
		{"<a a:b:c='1'/>", 1, Content, "without a proper name"},
		{"<1a/>", 1, Prolog, "tag without a proper name"},
		{"< a/>", 1, Prolog, "tag without a proper name"},
		{"<a:/>", 1, Prolog, "tag without a proper name"},
		{"<a/ >", 1, Prolog, "tag without a proper name"},
		{"<>", 1, Prolog, "tag without a proper name"},
		{"<x:a/>", 1, Content, "prefix x is not declared"},
		{"<a x:b=''/>", 1, Content, "prefix x is not declared"},
		{"<a><b xmlns:x='urn:x'/><x:c/></a>", 1, Content, "prefix x is not declared"},
		{"<a xmlns:x='u' xmlns:y='&#117;' x:b='' y:b=''/>", 1, Content, "twice, with two prefixes"},
		{"<a xmlns:x=''/>", 1, Content, "declared without a namespace"},
		{"<a xmlns:xml='urn:x'/>", 1, Content, "reserved"},
		{"<a xmlns:xmlns='urn:x'/>", 1, Content, "reserved"},
		{"<a xmlns='http://www.w3.org/XML/1998/namespace'/>", 1, Content, "reserved"},
		{"<a>\x00</a>", 1, Content, "U+0000"},
		{"<a>\x1b</a>", 1, Content, "U+001B"},
		{"<a b='\x01'/>", 1, Content, "U+0001"},
		{"<a><!--\uffff--></a>", 1, Content, "U+FFFF"},
		{"<a>caf\xe9</a>", 1, Content, "not UTF-8"},
		{"<a>\xed\xa0\x80</a>", 1, Content, "not UTF-8"},
		{"<a>\xe2\x82", 1, Content, "not UTF-8"},
		{"<a><![CDATA[\x02]]></a>", 1, Content, "U+0002"},
		{"<a><?p \x02?></a>", 1, Content, "U+0002"},
		{"<a>\r\r&\r</a>", 3, Content, "& that begins no reference"},
		{strings.Repeat("<a>", 300), 1, Content, "more than 256 nested"},
		{"<a b='" + strings.Repeat("x", 70_000) + "'/>", 1, Prolog, "more than 64 KiB"},
		{"<" + strings.Repeat("x", 2000) + "/>", 1, Prolog, "more than 1,024 bytes"},
	}
	for _, test := range tests {
		for _, size := range []int{1, 2, 3, 7, max(1, len(test.text))} {
			if size < 7 && len(test.text) > 10_000 {
				continue
			}
			got := check(test.text, size)
			if got == nil {
				t.Errorf("%.80q in pieces of %d: got no fault, want %s", test.text, size, test.want)
				continue
			}
			if got.Line != test.line || got.Part != test.part || !strings.Contains(got.Message, test.want) {
				t.Errorf("%.80q in pieces of %d: got %+v, want %q in line %d, part %d", test.text, size, *got, test.want, test.line, test.part)
			}
		}
	}
}

// FuzzChecker shows that pieces make no difference, and that the parser of the
// standard library, which is more forgiving, reads what has no fault.
func FuzzChecker(f *testing.F) {
	f.Add(`<?xml version="1.0"?><a xmlns:b="urn:b"><b:c d="&#65;"/><!-- x --><![CDATA[]]]]></a>`, 3)
	f.Add("<a>é]]&gt;\r\n<?p x??></a >", 1)
	f.Add("<㰎/>", 2)
	f.Fuzz(func(t *testing.T, text string, size int) {
		whole := check(text, max(1, len(text)))
		parts := check(text, max(1, size))
		switch {
		case (whole == nil) != (parts == nil), whole != nil && *whole != *parts:
			t.Fatalf("got %+v whole, %+v in pieces of %d", whole, parts, size)
		case whole != nil || strings.Contains(text, "<!DOCTYPE"):
			return
		}
		decoder := xml.NewDecoder(strings.NewReader(text))
		decoder.CharsetReader = func(_ string, input io.Reader) (io.Reader, error) { return input, nil }
		for {
			_, err := decoder.Token()
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil && !olderName(text, err) {
				t.Fatalf("got no fault, encoding/xml says %v", err)
			}
			if err != nil {
				return
			}
		}
	})
}

// olderName tells whether err is about a name of XML 1.0's fifth edition: encoding/xml
// knows the letters of the fourth, which stop short of "㐀" for instance.
func olderName(text string, err error) bool {
	fault, ok := errors.AsType[*xml.SyntaxError](err)
	return ok && strings.HasPrefix(fault.Msg, "invalid XML name") &&
		strings.ContainsFunc(text, func(r rune) bool { return r > unicode.MaxASCII })
}

func BenchmarkChecker(b *testing.B) {
	const entry = "<url><loc>https://farm.example/cows/bella?a=1&amp;b=2</loc><lastmod>2025-01-02</lastmod><priority>0.5</priority></url>\n"
	text := []byte(`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + strings.Repeat(entry, 20_000) + "</urlset>")
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		var c Checker
		for rest := text; len(rest) > 0; {
			n := min(len(rest), 64<<10)
			_, _ = c.Write(rest[:n])
			rest = rest[n:]
		}
		if fault := c.Finish(); fault != nil {
			b.Fatal(fault)
		}
	}
}
