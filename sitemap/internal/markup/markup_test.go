package markup

import (
	"fmt"
	"strings"
	"testing"
	"testing/iotest"
)

// TestScanner reads text byte by byte, so that every mark is torn.
func TestScanner(t *testing.T) {
	s := NewScanner(iotest.OneByteReader(strings.NewReader("one\n<a b='>'/>two<!-- x -- -->\n<c<d>three<e")))
	var got []string
	piece := func(text []byte) { got = append(got, string(text)) }
	for s.Text(piece) {
		if strings.HasPrefix(string(s.Peek(4)), "<!--") {
			s.Until("-->")
			continue
		}
		at := s.Place()
		tag, state := s.Tag()
		got = append(got, fmt.Sprintf("<%s>%d@%d", tag, state, at.Line))
	}
	want := "one\n<a b='>'/>0@2two\n<c>1@3<d>0@3three<>3@3"
	if text := strings.Join(got, ""); text != want || s.Err() != nil || s.Size() != s.Offset() {
		t.Errorf("got %q, %v, want %q", text, s.Err(), want)
	}
}

func TestAttributes(t *testing.T) {
	got := ""
	for name, value := range Attributes([]byte(` a="1" b = '2>' C=3 d="&lt;é" /e="`)) {
		got += fmt.Sprintf("%s:%s ", name, AttributeText(value))
	}
	if want := "a:1 b:2> C:3 d:<é "; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if value, ok := Attribute([]byte(` xmlns:X="u"`), "xmlns:x"); value != "u" || !ok {
		t.Errorf("got %q, %v", value, ok)
	}
}

func TestUnescape(t *testing.T) {
	for value, want := range map[string]string{
		"a&amp;b&#65;&#x42;&quot;": `a&bAB" false false`,
		"a&nbsp;b":                 "a&nbsp;b true false",
		"a & b":                    "a & b false true",
		"a&b=1":                    "a&b=1 false true",
	} {
		text, unknown, raw := Unescape([]byte(value))
		if got := fmt.Sprint(text, " ", unknown, " ", raw); got != want {
			t.Errorf("%q: got %s, want %s", value, got, want)
		}
	}
}
