package content_test

import (
	"testing"

	"github.com/decorum-crawler/decorum/crawler/content"
)

func TestDecode(t *testing.T) {
	tests := []struct{ name, body, contentType, want, charset, source string }{
		{"plain", "caf\xc3\xa9", "text/html", "café", "utf-8", "valid"},
		{"header", "caf\xe9", "text/html; charset=ISO-8859-1", "café", "windows-1252", "header"},
		{"meta", "<meta charset=windows-1251>\xe4\xee\xec", "text/html", "<meta charset=windows-1251>дом", "windows-1251", "meta"},
		{"http-equiv", `<meta http-equiv=content-type content="text/html; charset=koi8-r">` + "\xc4", "text/html", `<meta http-equiv=content-type content="text/html; charset=koi8-r">д`, "koi8-r", "meta"},
		{"meta that cannot be", "<meta charset=utf-16>caf\xc3\xa9", "text/html", "<meta charset=utf-16>café", "utf-8", "meta"},
		{"mark before header", "\xef\xbb\xbfcaf\xc3\xa9", "text/html; charset=latin1", "café", "utf-8", "bom"},
		{"UTF-16", "\xff\xfec\x00\xe9\x00", "text/html", "cé", "utf-16le", "bom"},
		{"guess", "caf\xe9", "", "café", "windows-1252", "default"},
		{"unknown label", "caf\xc3\xa9", "text/html; charset=klingon", "café", "utf-8", "valid"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			text, charset := content.Decode([]byte(test.body), test.contentType)
			if want := (content.Charset{test.charset, test.source}); string(text) != test.want || charset != want {
				t.Errorf("got %q, %v, want %q, %v", text, charset, test.want, want)
			}
		})
	}
}
