package lint

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/decorum-crawler/decorum/robots"
)

// TestText names for each body the findings wanted, as "line code severity".
func TestText(t *testing.T) {
	tests := []struct {
		name, robots string
		want         []string
		fix          string // of the first finding
	}{
		{"clean", "# ours\nUser-agent: *\nDisallow: /cart\nAllow: /cart/help\n\nSitemap: https://shop.example/s.xml\n", nil, ""},
		{"allow all", "User-agent: *\nDisallow:\n", nil, ""},
		{"empty", "", nil, ""},
		{"comment behind a value", "User-agent: * # all\nDisallow: /x # no\n", nil, ""},
		{"several agents", "User-agent: a\nUser-agent: b\n\nDisallow: /x\n", nil, ""},
		{"end of the path", "User-agent: *\nDisallow: /*.pdf$\n", nil, ""},
		{"capitals", "USER-AGENT: *\ndisallow: /x\n", nil, ""},
		{"CR LF", "User-agent: *\r\nDisallow: /x\r\n", nil, ""},
		{"content preferences", "User-agent: *\nDisallow: /x\nContent-Usage: /a train-ai=n\nContent-Signal: search=yes, ai-train=no\nLicense: https://shop.example/rsl.xml\n", nil, ""},

		{"BOM", "\ufeffUser-agent: *\nDisallow: /x\n", []string{"1 bom warning"}, "save the file without a byte order mark"},
		{"UTF-16", "\xff\xfeU\x00s\x00", []string{"0 utf-16 error"}, "save the file as UTF-8"},
		{"UTF-16 without a mark", "U\x00s\x00e\x00r\x00-\x00a\x00", []string{"0 utf-16 error"}, "save the file as UTF-8"},
		{"not UTF-8", "User-agent: *\nDisallow: /caf\xe9\n", []string{"2 not-utf-8 warning", "2 escape-not-normal info"}, "save the file as UTF-8"},
		{"NUL", "User-agent: *\nDisallow: /x\x00\n", []string{"2 nul warning"}, "delete it"},
		{"HTML", "<!DOCTYPE html><title>Home</title>\n", []string{"0 html error"}, "answer with the rules as text/plain, or with status 404"},
		{"too long", "User-agent: *\nDisallow: /x\n" + strings.Repeat("#", robots.MaxBytes), []string{"3 too-long error"}, "shorten the file; patterns with * replace many rules"},

		{"no colon, forgiven", "User-agent *\nDisallow: /x\n", []string{"1 missing-colon warning"}, "User-agent: *"},
		{"no colon, not forgiven", "User-agent: *\nDisallow: /x\nAllow /x/y\n", []string{"3 missing-colon error"}, "Allow: /x/y"},
		{"prose", "welcome to our file\nUser-agent: *\nDisallow: /x\n", []string{"1 missing-colon error"}, "begin it with # if it is a comment"},
		{"unknown field", "User-agent: *\nDisallow: /x\nColour: blue\n", []string{"3 unknown-field warning"}, ""},
		{"misspelt and forgiven", "Useragent: *\nDisalow: /x\n", []string{"1 misspelt-field warning", "2 misspelt-field warning"}, "User-agent: *"},
		{"misspelt", "User-agent: *\nDisallow: /x\nAlow: /x/y\n", []string{"3 misspelt-field error"}, "Allow: /x/y"},
		{"Noindex", "User-agent: *\nDisallow: /x\nNoindex: /y\n", []string{"3 foreign-field info"}, ""},
		{"Host", "Host: shop.example\n", []string{"1 foreign-field info"}, ""},
		{"Clean-param", "Clean-param: ref /x\n", []string{"1 foreign-field info"}, ""},

		{"rule before any group", "Disallow: /x\nUser-agent: *\nDisallow: /y\n", []string{"1 rule-before-group error"}, "put a User-agent line above it"},
		{"delay before any group", "Crawl-delay: 3\nUser-agent: *\nDisallow: /y\n", []string{"1 rule-before-group error"}, "put a User-agent line above it"},
		{"no slash", "User-agent: *\nDisallow: private\n", []string{"2 no-leading-slash error"}, "Disallow: /private"},
		{"whole URL", "User-agent: *\nDisallow: https://shop.example/private?x\n", []string{"2 no-leading-slash error"}, "write the path alone, if the URL is one of this site"},
		{"dollar inside", "User-agent: *\nDisallow: /a$b\n", []string{"2 dollar-inside warning"}, "Disallow: /a%24b"},
		{"escape", "User-agent: *\nDisallow: /%7Eann/caf%c3%a9\n", []string{"2 escape-not-normal info"}, "Disallow: /~ann/caf%C3%A9"},
		{"not escaped", "User-agent: *\nDisallow: /café\n", []string{"2 escape-not-normal info"}, "Disallow: /caf%C3%A9"},
		{"hash", "User-agent: *\nDisallow: /a#b\n", []string{"2 comment-in-value warning"}, "write %23 for a # in a URL, or a blank before a comment"},

		{"agent with version", "User-agent: GPTBot/1.2\nDisallow: /x\n", []string{"1 agent-not-a-token info"}, "User-agent: GPTBot"},
		{"whole User-Agent", "User-agent: Mozilla/5.0 (compatible; bingbot/2.0)\nDisallow: /x\n", []string{"1 agent-not-a-token warning"}, "write the crawler's product token, such as Googlebot"},
		{"star in a name", "User-agent: Google*\nDisallow: /x\n", []string{"1 agent-not-a-token info"}, "User-agent: Google"},
		{"star before a name", "User-agent: *bot\nDisallow: /x\n", []string{"1 agent-not-a-token error"}, "write * alone, or a line for each crawler"},
		{"no name", "User-agent:\nDisallow: /x\n", []string{"1 agent-not-a-token error"}, "name a crawler, or write * for all of them"},
		{"named twice", "User-agent: a\nUser-agent: A\nDisallow: /x\n", []string{"2 duplicate-agent info"}, "delete the line"},
		{"group twice", "User-agent: a\nDisallow: /x\nUser-agent: a\nDisallow: /y\n", []string{"3 duplicate-group info"}, "move the rules into one group"},
		{"two groups of one agent", "User-agent: a\nDisallow: /x\nUser-agent: a\nUser-agent: b\nDisallow: /y\n", []string{"3 split-group info"}, "move the rules for a into one group"},
		{"group without rules", "User-agent: a\nCrawl-delay: 3\n", []string{"1 empty-group info"}, "write Disallow: below it to say so explicitly"},
		{"training group without rules", "User-agent: *\nDisallow: /x\n\nUser-agent: __usage_ai-training\n", []string{"4 empty-training-group warning"}, "write Disallow: / below it, or Allow: / to say so explicitly"},

		{"same rule twice", "User-agent: *\nDisallow: /x\nDisallow: /x\n", []string{"3 duplicate-rule info"}, "delete the line"},
		{"same rule written otherwise", "User-agent: *\nDisallow: /~x\nDisallow: /%7ex\n", []string{"3 escape-not-normal info", "3 duplicate-rule info"}, "Disallow: /~x"},
		{"tie", "User-agent: *\nDisallow: /x\nAllow: /x\n", []string{"2 shadowed-rule warning"}, "delete one of the two"},
		{"star at the end", "User-agent: *\nDisallow: /x\nDisallow: /x*\n", []string{"2 shadowed-rule info"}, "delete one of the two"},
		{"wider and as long", "User-agent: *\nDisallow: /x$\nAllow: /x*\nDisallow: /\n", []string{"2 shadowed-rule warning"}, "delete one of the two"},
		{"shadowed for one agent only", "User-agent: a\nUser-agent: b\nDisallow: /x\nUser-agent: b\nAllow: /x\n", []string{"4 split-group info"}, "move the rules for b into one group"},
		{"Allow alone", "User-agent: *\nAllow: /\n", nil, ""},
		{"Allow beside", "User-agent: *\nDisallow: /private\nAllow: /public\n", []string{"3 allow-without-effect info"}, "delete the line"},
		{"Allow across", "User-agent: *\nDisallow: /*.pdf\nAllow: /open/\n", nil, ""},
		{"Allow too short", "User-agent: *\nDisallow: /private\nAllow: /\n", []string{"3 allow-without-effect info"}, "delete the line"},
		{"empty Allow", "User-agent: *\nDisallow: /x\nAllow:\n", []string{"3 allow-without-effect info"}, "delete the line"},

		{"relative sitemap", "Sitemap: /sitemap.xml\n", []string{"1 sitemap-url error"}, "Sitemap: https://HOST/sitemap.xml, with your host"},
		{"broken sitemap", "Sitemap: https://shop.example/a b.xml\n", []string{"1 sitemap-url error"}, "escape what a URL may not contain: a blank is %20"},
		{"sitemap elsewhere", "Sitemap: ftp://shop.example/s.xml\n", []string{"1 sitemap-url error"}, "Sitemap: https://HOST/sitemap.xml, with your host"},
		{"delay with a unit", "User-agent: *\nDisallow: /x\nCrawl-delay: 5s\n", []string{"3 crawl-delay error"}, "Crawl-delay: 10"},
		{"long delay", "User-agent: *\nDisallow: /x\nCrawl-delay: 600\n", []string{"3 crawl-delay-long warning"}, "Crawl-delay: 10"},
		{"Content-Usage with blanks", "User-agent: *\nDisallow: /x\nContent-Usage: search=y train-ai=n\n", []string{"3 content-usage error"}, "Content-Usage: search=y, train-ai=n"},
		{"Content-Usage in capitals", "User-agent: *\nDisallow: /x\nContent-Usage: Train-AI=n\n", []string{"3 content-usage error"}, "Content-Usage: train-ai=n"},
		{"Content-Usage of a string", "User-agent: *\nDisallow: /x\nContent-Usage: train-ai=\"n\"\n", []string{"3 content-usage warning"}, "Content-Usage: train-ai=n"},
		{"Content-Signal", "User-agent: *\nDisallow: /x\nContent-Signal: search yes\n", []string{"3 content-signal error"}, "write signals such as search=yes, with a comma between two"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			findings := Text([]byte(test.robots))
			var got []string
			for _, f := range findings {
				got = append(got, fmt.Sprintf("%d %s %s", f.Line, f.Code, f.Severity))
			}
			if strings.Join(got, "; ") != strings.Join(test.want, "; ") {
				t.Fatalf("got %q, want %q; %+v", got, test.want, findings)
			}
			if len(findings) > 0 && findings[0].Fix != test.fix {
				t.Errorf("got fix %q, want %q", findings[0].Fix, test.fix)
			}
		})
	}
}

// FuzzText takes each rule away that is said to decide nothing and wants every
// verdict as before.
func FuzzText(f *testing.F) {
	for _, seed := range []string{
		"User-agent: *\nDisallow: /a\nAllow: /a*\nDisallow: /*b$\nAllow: /\n",
		"User-agent: a\nUser-agent: b\nDisallow: /x\nUser-agent: b\nAllow: /x\nAllow: /*/y\nDisallow: *\n",
		"User-agent: *\nDisallow: /x?f[\nAllow: /x?f[\nDisallow: /*?*[\nDisallow: /x?f%5B\nAllow: /x?f%5B0\n",
		"User-agent: *\nDisallow: /%b\nAllow: /%25b\nDisallow: /%*\nDisallow: /%bc\n",
		"User-agent: *\nDisallow: /**a*\nAllow: /*b*\nDisallow: /x$\nAllow: /x*\n",
	} {
		f.Add(seed, "/a/b")
	}
	f.Fuzz(func(t *testing.T, body, path string) {
		if len(body) > 400 || len(path) > 60 {
			t.Skip("longer ones say no more")
		}
		before := robots.Parse([]byte(body))
		lines := splitLines(body)
		paths := append(pathsOf([]byte(body)), "/"+path, "/")
		for _, finding := range Text([]byte(body)) {
			switch finding.Code {
			case CodeDuplicateRule, CodeShadowedRule, CodeIdleAllow:
			default:
				continue
			}
			old := lines[finding.Line-1]
			lines[finding.Line-1] = "Disallow:" // keeps the groups apart
			after := robots.Parse([]byte(strings.Join(lines, "\n")))
			lines[finding.Line-1] = old
			for _, agent := range append(before.Agents(), "stranger") {
				for _, p := range paths {
					if a, b := before.Check(agent, p), after.Check(agent, p); a.Allowed != b.Allowed {
						t.Fatalf("%+v: without %q %s becomes %v for %s in %q", finding, old, p, b.Allowed, agent, body)
					}
				}
			}
		}
	})
}

// robotsOf makes a file of n rules in the mix that large sites write.
func robotsOf(n int) []byte {
	var b strings.Builder
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
	return []byte(b.String())
}

func matches(pattern, path string) bool {
	_, ok := robots.MatchPattern(pattern, path)
	return ok
}

func splitLines(data string) []string {
	var lines []string
	for line := range robots.Lines([]byte(data)) {
		lines = append(lines, line.Text)
	}
	return lines
}

// FuzzOverlap compares with a search of all short paths.
func FuzzOverlap(f *testing.F) {
	f.Add("/a*b$", "/*")
	f.Add("/**$", "/a")
	f.Fuzz(func(t *testing.T, a, b string) {
		a, b = small(a), small(b)
		common, uncovered := false, false
		for _, path := range shortPaths {
			inA, inB := matches(a, path), matches(b, path)
			common = common || inA && inB
			uncovered = uncovered || inB && !inA
		}
		if got := overlaps(a, b); got != common {
			t.Errorf("%q and %q: got overlap %v, want %v", a, b, got, common)
		}
		if covers(a, b) && uncovered {
			t.Errorf("%q does not cover %q", a, b)
		}
	})
}

// small keeps a pattern of a few letters, so that short paths tell all.
func small(pattern string) string {
	body := strings.Map(func(r rune) rune {
		return []rune("ab*")[int(r)%3]
	}, pattern[:min(len(pattern), 3)])
	if strings.HasSuffix(pattern, "$") {
		return "/" + body + "$"
	}
	return "/" + body
}

var shortPaths = func() []string {
	paths := []string{"/"}
	for first := 0; len(paths[first]) < 8; first++ {
		paths = append(paths, paths[first]+"a", paths[first]+"b")
	}
	return paths
}()

func TestTextOfTheVectors(t *testing.T) {
	data, err := os.ReadFile("../testdata/robots.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	Text(data) // no robots.txt at all, and no reason to panic
}

func BenchmarkText(b *testing.B) {
	body := robotsOf(10_000)
	b.ReportAllocs()
	for b.Loop() {
		Text(body)
	}
}
