package frontier

import (
	"errors"
	"net/url"
	"strings"
	"testing"
)

func TestCanonical(t *testing.T) {
	tests := []struct {
		name, base, raw, want string
		err                   error
	}{
		{"scheme and host in lower case", "", "HTTPS://Shop.Example/Up", "https://shop.example/Up", nil},
		{"default port", "", "https://shop.example:443/x", "https://shop.example/x", nil},
		{"other port", "", "http://shop.example:443/x", "http://shop.example:443/x", nil},
		{"userinfo and fragment", "", "https://u:p@shop.example/x#f", "https://shop.example/x", nil},
		{"empty path", "", "https://shop.example?u=/x", "https://shop.example/?u=/x", nil},
		{"bare question mark stays", "", "https://shop.example/x?", "https://shop.example/x?", nil},
		{"bare question mark before a fragment", "", "https://shop.example/x?#f", "https://shop.example/x?", nil},
		{"dot segments", "", "https://shop.example/a/./../b/.", "https://shop.example/b/", nil},
		{"escaped dot segments", "", "https://shop.example/a/%2e%2E/b", "https://shop.example/b", nil},
		{"unreserved octets", "", "https://shop.example/%7euser/%61?q=%2d", "https://shop.example/~user/a?q=-", nil},
		{"hex digits", "", "https://shop.example/caf%c3%a9/a%2fb", "https://shop.example/caf%C3%A9/a%2Fb", nil},
		{"not ASCII", "", "https://bücher.example/café?q=ü", "https://xn--bcher-kva.example/caf%C3%A9?q=%C3%BC", nil},
		{"broken escape", "", "https://shop.example/%zz", "https://shop.example/%25zz", nil},
		{"broken escape before an escape", "", "https://shop.example/%%341?%%341", "https://shop.example/%2541?%2541", nil},
		{"broken escape in a query", "", "https://shop.example/?q=100%&r=%4", "https://shop.example/?q=100%25&r=%254", nil},
		{"relative", "https://shop.example/a/b", "../c?d", "https://shop.example/c?d", nil},
		{"backslash and blanks", "https://shop.example/a/", " \\b\n", "https://shop.example/b", nil},
		{"number as host", "", "http://0x7f.1/", "http://127.0.0.1/", nil},
		{"mailto", "https://shop.example/", "mailto:a@b", "", ErrScheme},
		{"javascript", "https://shop.example/", "javascript:void(0)", "", ErrScheme},
		{"port too large", "", "http://shop.example:99999/", "", ErrBadURL},
		{"empty label", "", "http://a..com/", "", ErrBadURL},
		{"no host", "", "http:///", "", ErrBadURL},
		{"zone", "", "http://[fe80::1%25eth0]/", "", ErrBadURL},
		{"relative without base", "", "/a", "", ErrBadURL},
		{"too long", "", "https://shop.example/" + strings.Repeat("a", 2048), "", ErrTooLong},
		{"absurdly long", "", strings.Repeat("a", 100_000), "", ErrTooLong},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := Canonical(test.base, test.raw, 0)
			if got != test.want || !errors.Is(err, test.err) {
				t.Errorf("got %q, %v, want %q, %v, from %.80q", got, err, test.want, test.err, test.raw)
			}
		})
	}
}

func FuzzCanonical(f *testing.F) {
	for _, seed := range []string{"https://a.example/%2e%2e/x?%", "http://[::1]:80/?#", "//b/..;/%%34", "x y", "http://1.2.3.4./a//.."} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		got, err := Canonical("https://base.example/dir/", raw, 0)
		if err != nil {
			return
		}
		again, err := Canonical("", got, 0)
		if err != nil || again != got {
			t.Fatalf("from %q: got %q, then %q, %v", raw, got, again, err)
		}
		if _, err := url.Parse(got); err != nil {
			t.Fatalf("from %q: net/url refuses %q: %v", raw, got, err)
		}
	})
}

func TestResolveIsCanonical(t *testing.T) {
	bases := []string{"https://shop.example/a/b?c", "http://shop.example:8080/"}
	addresses := []string{
		"/x", "/x?y=1&z", "//h.example/x", "x", "x/y", "../x", "./x", "x/../y", "?q", "", "#f", "/x#f", "a:b", "/a:b", "http://h.example/x",
		"http://h.example", "https://H.example/", "http://h.example:80/", "http://1.2/", "http://a-.example/", "http://xn--a.example/",
		"http://a_b.example/", "/x'y", "/[x]", "/x?a/./b", "/x?a/../b", "x?a:b", "http://h.example//x", "/a//b", "http:///x", "http://-a.example/x",
	}
	for _, base := range bases {
		for _, address := range addresses {
			want, wantErr := Canonical(base, address, 0)
			got, err := NewBase(base).Resolve(address, 0)
			if got != want || (err == nil) != (wantErr == nil) {
				t.Errorf("%s at %s: got %q, %v, want %q, %v", address, base, got, err, want, wantErr)
			}
		}
	}
}

func FuzzResolve(f *testing.F) {
	f.Add("https://shop.example/a/b", "../c?d")
	f.Add("http://h.example/", "http://h.example/x/.y")
	f.Fuzz(func(t *testing.T, base, address string) {
		base, err := Canonical("", base, 0)
		if err != nil {
			t.Skip("no base")
		}
		want, wantErr := Canonical(base, address, 0)
		got, err := NewBase(base).Resolve(address, 0)
		if got != want || (err == nil) != (wantErr == nil) {
			t.Fatalf("%q at %q: got %q, %v, want %q, %v", address, base, got, err, want, wantErr)
		}
	})
}

func BenchmarkResolve(b *testing.B) {
	base := NewBase("https://shop.example/list/3")
	b.Run("short", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, _ = base.Resolve("/product/12?size=m", 0)
		}
	})
	b.Run("full", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, _ = base.Resolve("/produit/caf%c3%a9", 0)
		}
	})
}
