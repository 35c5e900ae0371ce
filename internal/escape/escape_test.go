package escape_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"strings"
	"testing"
	"unicode"

	"github.com/decorum-crawler/decorum/internal/escape"
)

func TestUnseen(t *testing.T) {
	for _, r := range "\x00\x1b\x7f\u0080\u009b\u009f\u061c\u200b\u200e\u200f\u2028\u2029\u202a\u202e\u2060\u2066\u2069\u206f\ufeff\ufff9\U000e0041" {
		if !escape.Unseen(r) {
			t.Errorf("%U: got seen", r)
		}
	}
	for _, r := range " ~\u00a0\u00ad\u200c\u200d\u3000\ufffdäжあ😀" {
		if escape.Unseen(r) {
			t.Errorf("%U: got unseen", r)
		}
	}
}

func TestUnseenIsWhatUnicodeSays(t *testing.T) {
	const words = "\u00ad\u200c\u200d"
	for r := rune(0); r <= unicode.MaxRune; r++ {
		want := unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) && !strings.ContainsRune(words, r)
		if got := escape.Unseen(r); got != want {
			t.Errorf("%U: got %v, want %v", r, got, want)
		}
	}
}

func TestText(t *testing.T) {
	const in = "a\tb\n\x1b[2J\u202ex\U000e0041\u200d\x9b"
	if got, want := escape.Text(in), "a\tb\n\\u001b[2J\\u202ex\\U000e0041\u200d\ufffd"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := escape.Line(in), "a\\u0009b\\u000a\\u001b[2J\\u202ex\\U000e0041\u200d\ufffd"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// unseenIn returns the first character of data that should have been escaped.
func unseenIn(data []byte) rune {
	for _, r := range string(data) {
		if r != '\n' && escape.Unseen(r) {
			return r
		}
	}
	return 0
}

func TestJSONKeepsTheValue(t *testing.T) {
	every := "ä あ 😀 \u200d \xff & < \" \\"
	for r := range rune(0x110000) {
		if escape.Unseen(r) {
			every += string(r)
		}
	}
	for _, text := range []string{"", "plain", every, strings.Repeat("x", 31) + "\x7f", strings.Repeat("x", 40) + "\u009b"} {
		var out, want bytes.Buffer
		if err := escape.Encoder(&out).Encode([]string{text}); err != nil {
			t.Fatal(err)
		}
		if r := unseenIn(out.Bytes()); r != 0 {
			t.Errorf("got %U in %q", r, out.Bytes())
		}
		var got []string
		if err := json.Unmarshal(out.Bytes(), &got); err != nil || got[0] != strings.ToValidUTF8(text, "\ufffd") {
			t.Errorf("got %q, %v, want %q", got, err, text)
		}
		_ = json.NewEncoder(&want).Encode(text)
		if unseenIn(want.Bytes()) == 0 && !bytes.Equal(escape.JSON(want.Bytes()), want.Bytes()) {
			t.Errorf("got a change of %q", want.Bytes())
		}
	}
}

func TestXMLKeepsTheValue(t *testing.T) {
	type element struct {
		Text string `xml:"text,attr"`
	}
	in := element{"a\u009b\u202e\u007f\U000e0041ä\u200d"}
	data, err := xml.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	data = escape.XML(data)
	if r := unseenIn(data); r != 0 {
		t.Errorf("got %U in %q", r, data)
	}
	var got element
	if err := xml.Unmarshal(data, &got); err != nil || got != in {
		t.Errorf("got %+v, %v, want %+v", got, err, in)
	}
}

func FuzzJSON(f *testing.F) {
	f.Add("\u202e\u009b x")
	f.Fuzz(func(t *testing.T, text string) {
		data, err := json.Marshal(text)
		if err != nil {
			t.Skip()
		}
		var got string
		if err := json.Unmarshal(escape.JSON(data), &got); err != nil || got != strings.ToValidUTF8(text, "\ufffd") && got != text {
			var plain string
			if _ = json.Unmarshal(data, &plain); got != plain {
				t.Errorf("got %q, want %q", got, plain)
			}
		}
	})
}
