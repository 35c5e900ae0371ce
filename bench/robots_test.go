package bench

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	peer "github.com/temoto/robotstxt"

	"github.com/decorum-crawler/decorum/robots"
)

// robotsOf makes a file of n rules in the mix that large sites write: one in
// twenty has a star, one in ten is an Allow.
func robotsOf(n int) []byte {
	var b bytes.Buffer
	b.WriteString("User-agent: *\n")
	for i := range n {
		switch {
		case i%20 == 7:
			fmt.Fprintf(&b, "Disallow: /shop/category-%d/*sort=\n", i)
		case i%10 == 3:
			fmt.Fprintf(&b, "Allow: /shop/category-%d/public/item\n", i-1)
		default:
			fmt.Fprintf(&b, "Disallow: /shop/category-%d/private-area-of-ours\n", i)
		}
	}
	return b.Bytes()
}

// stars is a pattern that makes a matcher which tries everything slow.
var stars = []byte("User-agent: *\nDisallow: /" + strings.Repeat("*a", 200) + "*b\n")

func BenchmarkRobotsParse(b *testing.B) {
	for _, rules := range []int{60, 10_000} {
		body := robotsOf(rules)
		each := func(name string, parse func()) {
			b.Run(fmt.Sprintf("rules=%d/%s", rules, name), func(b *testing.B) {
				b.SetBytes(int64(len(body)))
				b.ReportAllocs()
				for b.Loop() {
					parse()
				}
			})
		}
		each("newlines", func() { bytes.Count(body, []byte("\n")) })
		each("decorum", func() { robots.Parse(body) })
		each("temoto", func() {
			if _, err := peer.FromBytes(body); err != nil {
				b.Fatal(err)
			}
		})
	}
}

func BenchmarkRobotsMatch(b *testing.B) {
	inputs := []struct {
		name string
		body []byte
		path string
	}{
		{"rules=50", robotsOf(50), "/shop/category-48/private-area-of-ours/x.html?page=2"},
		{"rules=10000", robotsOf(10_000), "/shop/category-9998/private-area-of-ours/x.html?page=2"},
		{"stars", stars, "/" + strings.Repeat("a", 2047)},
	}
	for _, input := range inputs {
		ours := robots.Parse(input.body)
		theirs, err := peer.FromBytes(input.body)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(input.name+"/decorum", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				ours.Check("decorum", input.path)
			}
		})
		b.Run(input.name+"/temoto", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				theirs.TestAgent(input.path, "decorum")
			}
		})
	}
}

// TestQuestions asks both readers what RFC 9309 answers. A peer's other answer
// is shown, not failed on.
func TestQuestions(t *testing.T) {
	questions := []struct {
		about, robots, path string
		allowed             bool
	}{
		{"the longest match wins", "User-agent: *\nDisallow: /a\nAllow: /a/b\n", "/a/b", true},
		{"Allow wins a tie", "User-agent: *\nDisallow: /a\nAllow: /a\n", "/a", true},
		{"a star in the middle", "User-agent: *\nDisallow: /*.pdf$\n", "/x/y.pdf", false},
		{"the end of the path", "User-agent: *\nDisallow: /*.pdf$\n", "/x/y.pdf?x", true},
		{"hex digits have no case", "User-agent: *\nDisallow: /caf%c3%a9\n", "/caf%C3%A9", false},
		{"letters may be escaped", "User-agent: *\nDisallow: /%7Eann\n", "/~ann", false},
		{"octets may be unescaped", "User-agent: *\nDisallow: /café\n", "/caf%C3%A9", false},
		{"an escaped slash is no slash", "User-agent: *\nDisallow: /a%2Fb\n", "/a/b", true},
		{"groups of one agent are merged", "User-agent: decorum\nDisallow: /a\n\nUser-agent: x\nDisallow: /\n\nUser-agent: decorum\nDisallow: /b\n", "/b", false},
		{"names match whole", "User-agent: deco\nDisallow: /\n", "/", true},
		{"names have no case", "User-agent: DECORUM\nDisallow: /\n", "/", false},
		{"a byte order mark", "\ufeffUser-agent: *\nDisallow: /\n", "/", false},
		{"a rule before any group", "Disallow: /\nUser-agent: *\nDisallow: /a\n", "/b", true},
		{"an unknown line", "User-agent: *\nColour: blue\nDisallow: /a\n", "/a", false},
		{"Sitemap does not end a group", "User-agent: *\nSitemap: https://shop.example/s.xml\nDisallow: /a\n", "/a", false},
		{"robots.txt itself", "User-agent: *\nDisallow: /\n", "/robots.txt", true},
	}
	agree := 0
	for _, q := range questions {
		if got := robots.Parse([]byte(q.robots)).Check("decorum", q.path); got.Allowed != q.allowed {
			t.Errorf("%s: decorum says %v, want %v", q.about, got.Allowed, q.allowed)
		}
		theirs, err := peer.FromBytes([]byte(q.robots))
		switch {
		case err != nil:
			t.Logf("%-32s temoto refuses the file: %v", q.about, err)
		case theirs.TestAgent(q.path, "decorum") != q.allowed:
			t.Logf("%-32s temoto says %v, RFC 9309 %v", q.about, !q.allowed, q.allowed)
		default:
			agree++
		}
	}
	t.Logf("temoto agrees on %d of %d questions", agree, len(questions))
}
