package content_test

import (
	"testing"

	"github.com/decorum-crawler/decorum/crawler/content"
)

func TestEncodeQuery(t *testing.T) {
	for _, test := range []struct{ address, charset, want string }{
		{"/ko/дом?q=дом&x=1#дом", "windows-1251", "/ko/дом?q=%E4%EE%EC&x=1#дом"},
		{"/?q=天", "gbk", "/?q=%CC%EC"},
		{"/?q=дом", "utf-8", "/?q=дом"},
		{"/?q=дом", "utf-16le", "/?q=дом"},
		{"/?q=天", "windows-1251", "/?q=%26%2322825%3B"},
		{"/?q=%E4", "windows-1251", "/?q=%E4"},
		{"/дом", "windows-1251", "/дом"},
		{"/?q=é", "klingon", "/?q=é"},
	} {
		if got := content.EncodeQuery(test.address, test.charset); got != test.want {
			t.Errorf("%s in %s: got %s, want %s", test.address, test.charset, got, test.want)
		}
	}
}
