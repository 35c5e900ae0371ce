package secret_test

import (
	"strings"
	"testing"

	"github.com/decorum-crawler/decorum/internal/secret"
)

func TestAddress(t *testing.T) {
	for address, want := range map[string]string{
		"https://a.example/x?q=1&key=2":                            "https://a.example/x?q=1&key=2",
		"ftp://bob:pw@a.example/x":                                 "ftp://a.example/x",
		"http://bob:pw@exa mple.com":                               "http://exa mple.com",
		"//bob@a.example/":                                         "//a.example/",
		"mailto:bob@a.example":                                     "mailto:bob@a.example",
		"sip:bob:pw@a.example":                                     "sip:a.example",
		"https://a.example/?access_token=x":                        "https://a.example/?access_token=REDACTED",
		"https://a.example/?a=1&Api-Key=x&b=2":                     "https://a.example/?a=1&Api-Key=REDACTED&b=2",
		"https://a.example/?access%5Ftoken=x#top":                  "https://a.example/?access%5Ftoken=REDACTED#top",
		"https://s3.example/f?X-Amz-Credential=a&X-Amz-Signature=": "https://s3.example/f?X-Amz-Credential=REDACTED&X-Amz-Signature=",
		"app:open#id_token=a=b==&state=s":                          "app:open#id_token=REDACTED&state=s",
		"http://a.example/x;password=p;y=1?sig=q":                  "http://a.example/x;password=REDACTED;y=1?sig=REDACTED",
		"ht!tp//?token=t&token=u":                                  "ht!tp//?token=REDACTED&token=REDACTED",
		"https://a.example/token=x":                                "https://a.example/token=x",
		"":                                                         "",
	} {
		if got := secret.Address(address); got != want {
			t.Errorf("%s: got %s, want %s", address, got, want)
		}
		if got := secret.Address(want); got != want {
			t.Errorf("%s: got %s again", want, got)
		}
	}
}

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
		if got := secret.Address(address); got != want {
			t.Errorf("%s: got %s, want %s", address, got, want)
		}
	}
}

func TestText(t *testing.T) {
	const in = `Get "https://bob:pw@a.example/?token=t&q=1": refused by https://a.example/?sig=s, mail me@a.example`
	const want = `Get "https://a.example/?token=REDACTED&q=1": refused by https://a.example/?sig=REDACTED mail me@a.example`
	if got := secret.Text(in); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func FuzzAddress(f *testing.F) {
	f.Add("https://a:b@c?token=x&y==z;sig=")
	f.Fuzz(func(t *testing.T, text string) {
		once := secret.Address(text)
		if again := secret.Address("x?token=hidden&" + once); strings.Contains(again, "hidden") {
			t.Errorf("got %q", again)
		}
		secret.Text(text)
	})
}

func BenchmarkAddress(b *testing.B) {
	for b.Loop() {
		secret.Address("https://shop.example/products/chair?colour=green&size=4&sort=price&page=17")
	}
}
