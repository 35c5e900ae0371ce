package crawler

import "testing"

func TestWithoutUserinfo(t *testing.T) {
	for address, want := range map[string]string{
		"ftp://bob:s3cret@a.example/x":      "ftp://a.example/x",
		"http://bob:s3cret@exa mple.com/":   "http://exa mple.com/",
		"HTTP:\\\\bob:s3cret@a.example":     "HTTP:\\\\a.example",
		"//bob@a.example/x":                 "//a.example/x",
		"https:///bob:p@ss@a.example":       "https:///a.example",
		"ssh:bob:s3cret@a.example":          "ssh:a.example",
		"mailto:bob@a.example":              "mailto:bob@a.example",
		"http://a.example/x@y":              "http://a.example/x@y",
		"javascript:f('a@b')":               "javascript:f('a@b')",
		"http://a.example?next=http://b@c/": "http://a.example?next=http://b@c/",
		"":                                  "",
	} {
		if got := withoutUserinfo(address); got != want {
			t.Errorf("%s: got %s, want %s", address, got, want)
		}
	}
}
