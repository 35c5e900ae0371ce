package address

import (
	"net/url"
	"testing"
)

func TestEscape(t *testing.T) {
	for _, test := range []struct{ text, forgiving, strict string }{
		{"https://h.example/a?b=c#d", "https://h.example/a?b=c#d", "https://h.example/a?b=c#d"},
		{"https://h.example/a b", "https://h.example/a%20b", "https://h.example/a%20b"},
		{"https://h.example/é", "https://h.example/%C3%A9", "https://h.example/%C3%A9"},
		{"https://h.example/[x]%", "https://h.example/[x]%", "https://h.example/%5Bx%5D%25"},
		{"https://[::1]/[", "https://[::1]/[", "https://[::1]/%5B"},
		{"//[::1]/%41", "//[::1]/%41", "//[::1]/%41"},
		{"", "", ""},
	} {
		if got := Escape(test.text, false); got != test.forgiving {
			t.Errorf("Escape(%q, false): got %q, want %q", test.text, got, test.forgiving)
		}
		if got := Escape(test.text, true); got != test.strict {
			t.Errorf("Escape(%q, true): got %q, want %q", test.text, got, test.strict)
		}
	}
}

func TestSchemes(t *testing.T) {
	for text, want := range map[string][2]bool{
		"https://h.example": {true, true}, "HTTP://h.example": {true, true}, "https://": {false, true}, "mailto:x": {false, true},
		"/a:b": {false, false}, ":x": {false, false}, "1x:y": {false, false}, "": {false, false},
	} {
		if got := [2]bool{IsAbsolute(text), HasScheme(text)}; got != want {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
}

func TestSameHost(t *testing.T) {
	base := &url.URL{Scheme: "https", Host: "h.example"}
	for _, test := range []struct {
		scheme, host string
		want         bool
	}{
		{"https", "H.example", true},
		{"https", "h.example:443", true},
		{"http", "h.example", true},
		{"http", "h.example:80", true},
		{"https", "h.example:8443", false},
		{"https", "www.h.example", false},
	} {
		if got := SameHost(base, test.scheme, test.host); got != test.want {
			t.Errorf("%s://%s: got %v, want %v", test.scheme, test.host, got, test.want)
		}
	}
}
