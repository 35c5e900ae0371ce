package robots_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/decorum-crawler/decorum/robots"
)

const shop = `User-agent: *
Crawl-delay: 2
Disallow: /cart
Disallow: /*?sort=
Allow: /cart/help

User-agent: GPTBot
Disallow: /

User-agent: __usage_ai-training
Disallow: /reviews/

Sitemap: https://shop.example/sitemap.xml
`

func ExampleFile_Check() {
	file := robots.Parse([]byte(shop))
	for _, path := range []string{"/", "/cart/1", "/cart/help", "/shoes?sort=price"} {
		verdict := file.Check("decorum", path)
		fmt.Println(path, verdict.Allowed, verdict.Reason, verdict.Rule.Line)
	}
	fmt.Println(file.Check("Mozilla/5.0", "/").Allowed, file.Check("GPTBot/1.2", "/").Rule)
	// Output:
	// / true no-matching-rule 0
	// /cart/1 false disallowed-by-rule 3
	// /cart/help true allowed-by-rule 5
	// /shoes?sort=price false disallowed-by-rule 4
	// true Disallow: /
}

// Many URLs are judged for one agent: the group is looked up once.
func ExampleFile_Group() {
	group := robots.Parse([]byte(shop)).Group("decorum")
	delay, _ := group.CrawlDelay()
	fmt.Println(group.Token(), delay, len(group.Rules()))
	fmt.Println(group.Check("/cart").Allowed)
	// Output:
	// * 2s 3
	// false
}

func ExampleFile_Training() {
	file := robots.Parse([]byte(shop))
	for _, path := range []string{"/shoes", "/reviews/7"} {
		training := file.Training(path)
		fmt.Println(path, training.Preference, training.Rule.Line)
	}
	// A rule for all agents does not state a preference on training.
	fmt.Println(robots.Parse([]byte("User-agent: *\nDisallow: /\n")).Training("/").Preference)
	// Output:
	// /shoes in_favor 0
	// /reviews/7 against 11
	// none
}

func ExampleFile_Sitemaps() {
	fmt.Println(robots.Parse([]byte(shop)).Sitemaps())
	// Output: [https://shop.example/sitemap.xml]
}

// Target returns what is compared with the rules: path and query of a URL.
func ExampleTarget() {
	target, err := robots.Target("https://shop.example/caf%c3%a9/%7Eann?page=2#top")
	fmt.Println(target, err)
	fmt.Println(robots.Normalize(target))
	// Output:
	// /caf%c3%a9/%7Eann?page=2 <nil>
	// /caf%C3%A9/~ann?page=2
}

// A robots.txt that cannot be fetched has a meaning as well (RFC 9309 §2.3.1).
func ExampleFetch() {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	document := robots.Fetch(context.Background(), server.URL, http.DefaultTransport.RoundTrip)
	verdict := document.Check("decorum", "/")
	fmt.Println(document.Status, document.Class(), verdict.Allowed, verdict.Reason)
	// Output: 404 unavailable true unavailable
}

func ExampleStatements() {
	var page robots.Statements
	page.AddHeader("googlebot: nofollow")
	page.AddMeta("robots", "noindex, unavailable_after: 2030-01-01")
	directives := page.For("decorum")
	fmt.Println(directives.NoIndex, directives.NoFollow)
	// Output: true false
}

func ExampleFile_Agents() {
	fmt.Println(robots.Parse([]byte(shop)).Agents())
	// Output: [* gptbot __usage_ai-training]
}
