package testsite

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
)

// Shop fills a site with n products, their lists, a few articles, and cases that a
// crawler must handle: a private area that is listed in a sitemap, redirects, a
// missing page, a noindex page and a nofollow link.
func Shop(s *Site, n int) {
	s.Robots("User-agent: *\nDisallow: /account\nDisallow: /*?sort=\nAllow: /account/help\n\n" +
		"User-agent: __usage_ai-training\nDisallow: /article/\nAllow: /\n\nSitemap: BASE/sitemap.xml\n")
	listed := []string{"/", "/account/orders", "/account/help", "/about"}
	for i := range n {
		listed = append(listed, product(i))
	}
	s.Sitemap("/sitemap.xml", listed...)
	s.Page("/", page("Home", `<a href="/list/0">Products</a> <a href="/about">About</a> <a href="/old">Old</a>
<a href="/account">Account</a> <a href="/gone">Gone</a> <a href="/list/0?sort=price">By price</a>
<a rel="nofollow" href="/partner">Partner</a> <a href="https://elsewhere.example/">Elsewhere</a> <a href="/article/0">News</a>`))
	s.Page("/about", page("About us", words(0, 120)))
	s.Page("/account/help", page("Help", words(1, 60)))
	s.Page("/drafts", `<!doctype html><title>Drafts</title><meta name="robots" content="noindex"><p>Not yet.`)
	s.Redirect("/old", "/about", http.StatusMovedPermanently)
	const perList = 20
	for from := 0; from < n; from += perList {
		var b strings.Builder
		for i := from; i < min(from+perList, n); i++ {
			fmt.Fprintf(&b, "<li><a href=%q>Product %d</a>\n", product(i), i)
		}
		if from+perList < n {
			fmt.Fprintf(&b, "<a rel=next href=\"/list/%d\">More</a>", from/perList+1)
		}
		s.Page(fmt.Sprintf("/list/%d", from/perList), page("Products", b.String()))
	}
	for i := range n {
		s.Page(product(i), page(fmt.Sprintf("Product %d", i), words(uint64(i), 200)))
	}
	for i := range 5 {
		s.Page(fmt.Sprintf("/article/%d", i), page(fmt.Sprintf("News %d", i),
			words(uint64(1000+i), 300)+fmt.Sprintf(`<a href="/article/%d">Next</a> <a href="/drafts">Drafts</a>`, i+1)))
	}
}

func product(i int) string { return fmt.Sprintf("/product/%d", i) }

func page(title, body string) string {
	return "<!doctype html><html lang=en><head><title>" + title + "</title></head><body><h1>" + title + "</h1>\n" + body + "\n</body></html>\n"
}

// words returns n words that look like text, the same for the same seed.
func words(seed uint64, n int) string {
	vocabulary := strings.Fields("the a small field of barley stands behind our old barn where sheep and hens walk slowly between " +
		"stone walls while rain falls on the roof and someone carries water from a well to the kitchen garden")
	source := rand.New(rand.NewPCG(seed, 7))
	var b strings.Builder
	b.WriteString("<p>")
	for i := range n {
		b.WriteString(vocabulary[source.IntN(len(vocabulary))])
		if i%12 == 11 {
			b.WriteString(".")
		}
		b.WriteString(" ")
	}
	return b.String()
}
