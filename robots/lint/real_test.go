package lint

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/decorum-crawler/decorum/robots"
)

// TestOddities has the kinds of lines that real files have, with each finding
// as "line code severity: fix".
func TestOddities(t *testing.T) {
	const star = "User-agent: *\n"
	tests := []struct {
		name, robots string
		want         []string
	}{
		{"the only rule of a group is not deleted", "User-agent: friend\nAllow: /\n\nUser-agent: *\nDisallow: /\n", []string{"5 site-closed info: "}},
		{
			"nor is the only one if it is said before", "User-agent: friend\nDisallow: /x\n\nUser-agent: *\nDisallow: /\n\nUser-agent: friend\nDisallow: /x\n\nUser-agent: other\nDisallow: /y\n",
			[]string{"5 site-closed info: ", "7 duplicate-group info: move the rules into one group", "8 duplicate-rule info: "},
		},
		{"one of two is kept", star + "Disallow: /x\n\nUser-agent: a\nAllow: /y\nAllow: /z\nDisallow: /x\n", []string{"5 allow-without-effect info: delete the line", "6 allow-without-effect info: delete the line"}},
		{
			"two are not kept empty", "User-agent: a\nAllow: /y\nAllow: /z\n\nUser-agent: a\nUser-agent: b\nDisallow: /x\n",
			[]string{"2 allow-without-effect info: delete the line", "3 allow-without-effect info: ", "5 split-group info: move the rules for a into one group"},
		},
		{
			"URL of another host", star + "Disallow: https://staging.example/\nDisallow: https://staging.example/*\n",
			[]string{"2 no-leading-slash error: write the path alone, if the URL is one of this site", "3 no-leading-slash error: write the path alone, if the URL is one of this site"},
		},
		{"URL of this host", star + "Disallow: https://shop.example/private?x\n", []string{"2 no-leading-slash error: Disallow: /private?x (changes)"}},
		{"URL of the whole site", star + "Disallow: https://shop.example/\n", []string{"2 no-leading-slash error: write Disallow: /, if it is meant for the whole site"}},
		{"comment after an empty Disallow", star + "Disallow: # Allow everything\n", nil},
		{
			"names that are no tokens", "User-agent: Yahoo! Slurp\nUser-agent: Offline Explorer\nUser-agent: archive.org_bot\nUser-agent: Y!J-SRD/1.0\nUser-agent: AbcBot, DefBot\nDisallow: /x\n",
			[]string{
				"1 agent-not-a-token info: ", "2 agent-not-a-token info: ", "3 agent-not-a-token info: ", "4 agent-not-a-token info: ",
				"5 agent-not-a-token warning: write a User-agent line for each",
			},
		},
		{
			"stars that are none", "User-agent: **\nDisallow: /a\n\nUser-agent: *<br/>Sitemap: https://h.example/s.xml\nDisallow: /b\n\nUser-agent: *\\\nDisallow: /c\n",
			[]string{
				"1 agent-not-a-token error: write * alone, or a line for each crawler", "4 two-fields error: write each on a line of its own",
				"7 agent-not-a-token error: write * alone, or a line for each crawler",
			},
		},
		{"crawlers that were cut to one name", "User-agent: Image Sucker\nDisallow: /a\n\nUser-agent: Image Stripper\nDisallow: /b\n", []string{"1 agent-not-a-token info: ", "4 agent-not-a-token info: "}},
		{
			"two fields, several paths", "User-agent: * Disallow: /\nUser-agent: b\nDisallow: / User-agent: c\nDisallow: /a /b /c\n",
			[]string{"1 two-fields error: write each on a line of its own", "3 two-fields error: write each on a line of its own", "4 several-paths error: write a line for each path"},
		},
		{"a blank in a path", star + "Disallow: /a b\n", []string{"2 escape-not-normal info: Disallow: /a%20b"}},
		{
			"what is meant of names and queries", star + "Allow: .css\nDisallow: ?sort=\nDisallow: print=1\nDisallow: none\nDisallow: index.php?x=1\n",
			[]string{
				"2 no-leading-slash error: Allow: /*.css (changes)", "3 no-leading-slash error: Disallow: /*?sort= (changes)",
				"4 no-leading-slash error: begin it with /, or with * if it is a part of a path", "5 no-leading-slash error: begin it with /, or with * if it is a part of a path",
				"6 no-leading-slash error: Disallow: /index.php?x=1 (changes)",
			},
		},
		{
			"invisible characters", star + "Disallow: /a\u200b\nDisallow:\u00a0/b\nSitemap:\u00a0https://h.example/s.xml\nDisallow: /a\u00a0b\n\u00a0User-agent: x\n",
			[]string{
				"2 invisible-character error: Disallow: /a (changes)", "3 invisible-character error: Disallow: /b (changes)", "4 invisible-character error: Sitemap: https://h.example/s.xml",
				"5 invisible-character error: delete it and write the line by hand", "6 invisible-character error: write it as User-agent: x",
			},
		},
		{"invisible and closing", star + "Disallow: \u200b/\n", []string{"2 invisible-character error: write Disallow: /, if it is meant for the whole site"}},
		{"the whole site", star + "Disallow: /\n", []string{"2 site-closed warning: write Disallow: if the site is public"}},
		{"the whole site but a part", star + "Disallow: /\nAllow: /open/\n", nil},
		{"regular expressions", star + "Disallow: /(a|b)/\\\\d+\\\\.html\nDisallow: /(?:a)\nDisallow: /x[0-9]\nDisallow: /.*\n", []string{
			"2 regular-expression warning: write * for any characters and $ for the end", "3 regular-expression warning: write * for any characters and $ for the end",
			"4 regular-expression warning: write * for any characters and $ for the end",
		}},
		{"full-width colon", "User-agent： *\nDisallow: /x\n", []string{"1 full-width-colon error: write it as User-agent: *", "2 rule-before-group error: put a User-agent line above it"}},
		{"full-width colon of a rule", star + "Disallow： /x\n", []string{"1 empty-group info: write Disallow: below it to say so explicitly", "2 full-width-colon error: Disallow: /x (changes)"}},
		{
			"sitemaps", star + "Disallow: /x\nSitemap: //h.example/news.xml\nSitemap: www.h.example/a.xml\nSitemap: my-map.xml\n",
			[]string{
				"3 sitemap-url error: Sitemap: https://h.example/news.xml", "4 sitemap-url error: Sitemap: https://www.h.example/a.xml, if that is its address",
				"5 sitemap-url error: Sitemap: https://shop.example/my-map.xml",
			},
		},
		{
			"a colon that comes too late", star + "Disallow: /y\nDisallow https://h.example/x\nDisallow /wiki/Special:Search\n",
			[]string{"3 missing-colon error: write a colon after Disallow", "4 missing-colon error: Disallow: /wiki/Special:Search (changes)"},
		},
		{"a rule that would divide the agents", "User-agent: a\nAllow /x y\nUser-agent: b\nDisallow: /x\n", []string{"2 missing-colon error: write Allow: /x y below the User-agent lines"}},
		{"a misspelling that would close the site", star + "Disallow: /x\nDisallwo: /\n", []string{"3 misspelt-field error: write Disallow: /, if it is meant for the whole site"}},
		{"placeholders", star + "Disallow: {{ url }}\nDisallow: /<?php echo $x ?>\n", []string{
			"2 template error: write what the template should have put here", "3 template error: write what the template should have put here",
		}},
		{
			"lone percent", star + "Disallow: /*%\nDisallow: /itm/*/%\nDisallow: /sale-50%-off\nAllow: /*%\n",
			[]string{"2 lone-percent info: ", "3 lone-percent info: ", "4 lone-percent warning: Disallow: /sale-50%25-off", "5 lone-percent info: "},
		},
		{"fields of others", star + "Disallow: /x\nACAP-crawler: *\nNoarchive: /x\nLLMs-Txt: /llms.txt\nCrawl-rate: 1\n", []string{
			"3 foreign-field info: ", "4 foreign-field info: ", "5 foreign-field info: ", "6 foreign-field info: ",
		}},
		{"JSON", "{\n\"error\": \"not found\",\n\"code\": 404\n}\n", []string{"0 no-rules error: answer with the rules as text/plain, or with status 404"}},
		{"text behind 600 blanks", strings.Repeat(" ", 600) + "Not found", []string{"0 no-rules error: answer with the rules as text/plain, or with status 404"}},
		{"text", "Not found\nThe page was not found: sorry\n", []string{"0 no-rules error: answer with the rules as text/plain, or with status 404"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			document := &robots.Document{Origin: "https://shop.example", FinalURL: "https://shop.example/robots.txt", Status: 200, Body: []byte(test.robots)}
			var got []string
			for _, f := range Document(document) {
				if f.Code == CodeContentType {
					continue
				}
				changes := ""
				if f.Changes {
					changes = " (changes)"
				}
				got = append(got, fmt.Sprintf("%d %s %s: %s%s", f.Line, f.Code, f.Severity, f.Fix, changes))
			}
			if d := cmp.Diff(got, test.want); d != "" {
				t.Errorf("got -, want +:\n%s\n%s", d, strings.TrimSpace(test.robots))
			}
		})
	}
}
