package main

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/decorum-crawler/decorum/robots"
)

// BenchmarkRobotsCheck measures one URL of decorum robots check --urls.
func BenchmarkRobotsCheck(b *testing.B) {
	for name, line := range map[string]string{
		"rules":    "Disallow: /shop/category-%d/private\n",
		"groups":   "User-agent: bot%d\nDisallow: /shop\n",
		"sitemaps": "Sitemap: https://shop.example/%d.xml\n",
	} {
		var body strings.Builder
		body.WriteString("User-agent: *\nDisallow: /checkout\n")
		for i := range 10_000 {
			fmt.Fprintf(&body, line, i)
		}
		document := &robots.Document{Status: http.StatusOK, Body: []byte(body.String())}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			o, j := checkOptions{}, newJudge(document)
			for b.Loop() {
				if err := o.print(io.Discard, j.verdict("decorum", "https://shop.example/shop/category-7/private/a")); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
