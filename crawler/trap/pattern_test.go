package trap

import (
	"net/url"
	"slices"
	"strings"
	"testing"
)

func TestPattern(t *testing.T) {
	for _, test := range []struct{ address, pattern, family string }{
		{"https://a.example/", "", "a.example/*"},
		{"https://a.example", "", "a.example/*"},
		{"https://a.example/about", "", "a.example/*"},
		{"https://a.example/wiki/Oak", "", "a.example/wiki/*"},
		{"https://a.example/shop/42-blue", "a.example/shop/#-blue", "a.example/shop/*"},
		{"https://a.example:81/2026/05/12/", "a.example:81/#/#/#/", "a.example:81/#/*"},
		{"https://a.example/p/9f86d081884c7d65", "a.example/p/#", "a.example/p/*"},
		{"https://a.example/p/deadbeef", "", "a.example/p/*"}, // a word, as far as one can tell
		{"https://a.example/p/123e4567-e89b-12d3-a456-426614174000.html", "a.example/p/#.html", "a.example/p/*"},
		{"https://a.example/p;jsessionid=0A1B2C3D4E", "a.example/p;jsessionid=#", "a.example/*"},
		{"https://a.example/t/dQw4w9WgXcQaaaaaaa", "a.example/t/#", "a.example/t/*"},
		{"https://a.example/cal?month=5&year=2026", "a.example/cal?month=&year=", "a.example/cal/*?*"},
		{"https://a.example/cal?year=2026&month=5", "a.example/cal?month=&year=", "a.example/cal/*?*"},
		{"https://a.example/s?f1=a&f2=b&f3=c", "a.example/s?f#=", "a.example/s/*?*"},
		{"https://a.example/s?f=a&f=b&f=c", "a.example/s?f=", "a.example/s/*?*"},
		{"https://a.example/?page=2", "a.example/?page=", "a.example/*?*"},
		{"https://a.example/w/index.php?title=Oak", "a.example/w/index.php?title=", "a.example/w/*?*"},
		{"https://a.example/w/index.php?title=Oak&action=edit", "a.example/w/index.php?action=edit&title=", "a.example/w/*?*"},
		{"https://a.example/x?view=2026", "a.example/x?view=", "a.example/x/*?*"},
		{"https://a.example/%E8%A8%98%E4%BA%8B/7", "a.example/%E8%A8%98%E4%BA%8B/#", "a.example/%E8%A8%98%E4%BA%8B/*"},
		{"https://a.example/%E8%A8%98%E4%BA%8B", "", "a.example/*"},
		{"https://a.example/x?", "a.example/x?=", "a.example/x/*?*"},
	} {
		if got := Pattern(test.address); got != test.pattern {
			t.Errorf("%s: got pattern %q, want %q", test.address, got, test.pattern)
		}
		if got := Family(test.address); got != test.family {
			t.Errorf("%s: got family %q, want %q", test.address, got, test.family)
		}
	}
}

// FuzzPattern wants that a pattern does not depend on numbers or on the order of a
// query, and is its own pattern.
func FuzzPattern(f *testing.F) {
	f.Add("https://a.example/2026/05/?a=1&b=2", 7)
	f.Add("https://a.example/%E8%A8%98/;x=123e4567-e89b-12d3-a456-426614174000?&&=", 1)
	f.Add("%", 0)
	f.Fuzz(func(t *testing.T, address string, n int) {
		pattern, family := Pattern(address), Family(address)
		if Pattern(address) != pattern || Family(address) != family {
			t.Fatalf("%q: got another pattern the second time", address)
		}
		d := New(0)
		d.Close(family)
		if got := d.Closed(address); got != family && got != pattern {
			t.Fatalf("%q: got %q closed, want %q", address, got, family)
		}
		base, query, ok := strings.Cut(address, "?")
		pairs := strings.Split(query, "&")
		if !ok || len(pairs) > maxKeys || n < 0 {
			return
		}
		slices.Reverse(pairs)
		if got := Family(base + "?" + strings.Join(pairs, "&")); got != family {
			t.Fatalf("%q: got family %q of the reversed query, want %q", address, got, family)
		}
	})
}

func TestPatternOfPermutedQuery(t *testing.T) {
	want := Pattern("https://a.example/?a=1&b=2&c=3&action=edit&d=")
	for _, query := range []string{"d=&c=9&b=7&a=&action=edit", "action=edit&d=1&a=1&c=2&b=3", "b=2&d=4&action=edit&c=3&a=1&a=2"} {
		if got := Pattern("https://a.example/?" + query); got != want {
			t.Errorf("%s: got %q, want %q", query, got, want)
		}
	}
}

func TestWordsOf(t *testing.T) {
	for address, want := range map[string]string{
		"https://a.example/s?q=Red+Oak&n=12&id=ab12":    "red oak ab12",
		"https://a.example/blue-lamp.html":              "blue lamp html",
		"https://a.example/p/" + url.PathEscape("春の京都"): "春の京都",
		"https://a.example/12/":                         "",
	} {
		if got := strings.Join(wordsOf(address), " "); got != want {
			t.Errorf("%s: got %q, want %q", address, got, want)
		}
	}
}

func TestHashText(t *testing.T) {
	for _, test := range []struct {
		a, b string
		same bool
	}{
		{"May 2026", "May  2027", true},
		{"May 2026", "June 2026", false},
		{"the 12th of May", "the 3rd of May", true},
		{"Ref 8f3a2b", "Ref 77ccaa", true},
		{"٢٠٢٦ مايو", "١٩٩٩ مايو", true},
		{"第５回の祭り", "第６回の祭り", true},
		{"第５回の祭り", "第５回の音楽", false},
		{"page 1 of 2", "page 10 of 20", true},
	} {
		a, _ := hashText([]byte(test.a))
		b, _ := hashText([]byte(test.b))
		if (a == b) != test.same {
			t.Errorf("%q and %q: got same %v, want %v", test.a, test.b, a == b, test.same)
		}
	}
	if _, n := hashText([]byte("12 a2b 3c")); n != 0 {
		t.Errorf("got %d letters of numbers, want 0", n)
	}
}
