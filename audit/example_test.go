package audit_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/decorum-crawler/decorum/audit"
	"github.com/decorum-crawler/decorum/robots"
	"github.com/decorum-crawler/decorum/sitemap"
)

// An audit of a draft: neither file is on the network yet.
func ExampleRun() {
	draft := []byte("User-agent: *\nDisallow: /cart\nSitemap: https://shop.example/sitemap.xml\n")
	listed := `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc>https://shop.example/</loc></url>
<url><loc>https://shop.example/cart/offer</loc></url>
</urlset>`
	report, err := audit.Run(context.Background(), []string{"https://shop.example"}, audit.Options{
		Agents: []string{"Googlebot", "Bingbot"},
		Robots: func(_ context.Context, origin string) (*robots.Document, error) {
			return &robots.Document{Origin: origin, FinalURL: origin + "/robots.txt", Status: http.StatusOK, Body: draft}, nil
		},
		Open: func(context.Context, string) (sitemap.Body, error) {
			return sitemap.Body{ReadCloser: io.NopCloser(strings.NewReader(listed))}, nil
		},
		OnFinding: func(f audit.Finding) error {
			fmt.Printf("%s: %s (line %d of the sitemap)\n", f.URL, f.Message, f.SitemapLine)
			return nil
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d of %d URLs are blocked\n", report.Blocked, report.URLs)
	// Output:
	// https://shop.example/cart/offer: blocked for all audited agents, by line 2, Disallow: /cart (line 3 of the sitemap)
	// 1 of 2 URLs are blocked
}
