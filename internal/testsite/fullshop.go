package testsite

import (
	"fmt"
	"net/http"
	"strings"
)

// ShopOptions are the options of FullShop. The zero value suits most tests.
type ShopOptions struct {
	// Seed selects names and texts; the same seed makes the same shop.
	Seed uint64
	// Words is the length of an article's text; zero means 300. A product has
	// a quarter of it.
	Words int
	// PerList is the number of links on a list page; zero means 20.
	PerList int
	// CrawlDelay is written to robots.txt as given, in seconds; empty means no
	// such line.
	CrawlDelay string
	// Training holds the rule lines of the __usage_ai-training group. Nil means
	// "Allow: /articles/" and "Disallow: /"; empty but not nil means no group.
	Training []string
}

// Inventory lists what FullShop made. All entries are path and query, beginning
// with "/", as they appear in links.
type Inventory struct {
	// Pages are ordinary pages: status 200, allowed, indexable, and reachable by
	// links from "/".
	Pages []string
	// Articles and Products are the Pages with text of their own.
	Articles, Products []string
	// Sitemaps lists the index and then its children; the last ones are gzip.
	Sitemaps []string
	// Listed are the entries of the children: Pages, and one that is disallowed.
	Listed []string
	// Disallowed are linked or redirected to, but blocked by robots.txt.
	Disallowed []string
	// DisallowedListed is the one of Disallowed that is in a sitemap.
	DisallowedListed string
	// DisallowedPrefixes are the values of the Disallow lines for all crawlers.
	DisallowedPrefixes []string
	// Redirects maps each redirecting path to its next hop.
	Redirects map[string]string
	// Noindex are linked pages with a noindex directive, the first in a meta
	// element, the second in X-Robots-Tag.
	Noindex []string
	// Missing is linked and returns 404.
	Missing string
	// Nofollow exists, but its only link has rel=nofollow.
	Nofollow string
	// Variant is linked and is another URL of the page that its canonical link
	// names.
	Variant string
}

// sitemapMax is the limit of entries in one file (sitemaps.org protocol).
const sitemapMax = 50_000

// FullShop fills site with a shop. pages is the number of products and articles,
// which alternate; negative counts as zero. It adds a home page and list pages with
// navigation, robots.txt, a sitemap index with gzip children, redirects (one into a
// disallowed path), pages marked noindex, a dead link, a nofollow link, and a
// disallowed page that is listed in a sitemap.
func FullShop(site *Site, pages int, opts ShopOptions) *Inventory {
	s := &shop{site: site, opts: opts, made: newInventory()}
	if s.opts.Words == 0 {
		s.opts.Words = 300
	}
	if s.opts.PerList <= 0 {
		s.opts.PerList = 20
	}
	if s.opts.Training == nil {
		s.opts.Training = []string{"Allow: /articles/", "Disallow: /"}
	}
	s.name(pages)
	s.home()
	s.lists("/products/", "Products", s.products)
	s.lists("/articles/", "Journal", s.articles)
	s.items(s.products, s.opts.Words/4)
	s.items(s.articles, s.opts.Words)
	s.traps()
	s.sitemaps()
	s.robots()
	return s.made
}

func newInventory() *Inventory {
	return &Inventory{
		Disallowed:         []string{"/checkout/cart", "/search?q=lamp", "/private/report"},
		DisallowedListed:   "/private/report",
		DisallowedPrefixes: []string{"/checkout/", "/search", "/private/"},
		Redirects: map[string]string{
			"/catalogue":  "/products/", // a move
			"/sale":       "/offers",    // a chain
			"/offers":     "/products/",
			"/go/report":  "/private/report", // into a disallowed path
			"/loop/start": "/loop/back",      // forever
			"/loop/back":  "/loop/start",
		},
		Noindex:  []string{"/imprint", "/terms"},
		Missing:  "/products/discontinued",
		Nofollow: "/partners/deal",
	}
}

// shop is a FullShop being made.
type shop struct {
	site               *Site
	opts               ShopOptions
	made               *Inventory
	products, articles []item
}

// item is a product or an article.
type item struct {
	path, title string
	number      uint64
}

func (s *shop) name(pages int) {
	for i := range max(pages, 0) {
		prose := newProse(s.opts.Seed, uint64(i))
		title := prose.title()
		it := item{title: title, number: uint64(i)}
		slug := fmt.Sprintf("%s-%d", strings.ReplaceAll(strings.ToLower(title), " ", "-"), i)
		if i%2 == 0 {
			it.path = "/products/" + slug
			s.products = append(s.products, it)
			s.made.Products = append(s.made.Products, it.path)
		} else {
			it.path = "/articles/" + slug
			s.articles = append(s.articles, it)
			s.made.Articles = append(s.made.Articles, it.path)
		}
	}
}

func (s *shop) home() {
	links := []string{
		link("/catalogue", "Our catalogue"), link("/sale", "Sale"), link("/go/report", "Annual report"),
		link("/loop/start", "Newsletter"), link(s.made.Missing, "Last year's lamp"),
		link(s.made.Noindex[0], "Imprint"), link(s.made.Noindex[1], "Terms"),
		`<a rel="nofollow" href="` + s.made.Nofollow + `">Partner offer</a>`,
	}
	if len(s.products) > 0 {
		s.made.Variant = s.products[0].path + "?ref=home"
		links = append(links, link(s.made.Variant, s.products[0].title))
	}
	s.page("/", view{title: "Harbour Street Goods", body: list(links)})
}

// lists makes the pages of a list; the first has no query.
func (s *shop) lists(base, title string, items []item) {
	for n, rest := 1, items; ; n++ {
		count := min(s.opts.PerList, len(rest))
		var links []string
		for _, it := range rest[:count] {
			links = append(links, link(it.path, it.title))
		}
		rest = rest[count:]
		body := list(links)
		if len(rest) > 0 {
			body += "<p>" + link(fmt.Sprintf("%s?page=%d", base, n+1), "Next page") + "</p>\n"
		}
		path := base
		if n > 1 {
			path = fmt.Sprintf("%s?page=%d", base, n)
		}
		s.page(path, view{title: fmt.Sprintf("%s, page %d", title, n), body: body})
		if len(rest) == 0 {
			return
		}
	}
}

// items makes the pages of products or articles, each linking to some others.
func (s *shop) items(items []item, words int) {
	for i, it := range items {
		prose := newProse(s.opts.Seed+1, it.number)
		related := []string{}
		for range 3 {
			other := items[prose.IntN(len(items))]
			related = append(related, link(other.path, other.title))
		}
		next := items[(i+1)%len(items)]
		related = append(related, link(next.path, "Next: "+next.title))
		body := prose.paragraphs(words) + "<aside><h2>See also</h2>\n" + list(related) + "</aside>\n"
		s.page(it.path, view{title: it.title, description: prose.sentence(), body: body})
	}
}

// traps makes the pages that are not ordinary.
func (s *shop) traps() {
	for from, to := range s.made.Redirects {
		status := http.StatusMovedPermanently
		if from == "/go/report" || from == "/sale" {
			status = http.StatusFound
		}
		s.site.Redirect(from, to, status)
	}
	for _, path := range append([]string{s.made.Nofollow}, s.made.Disallowed...) {
		s.site.Page(path, s.render(path, view{title: "Not for crawlers", body: "<p>Nothing to see.</p>\n"}))
	}
	meta, header := s.made.Noindex[0], s.made.Noindex[1]
	s.site.Page(meta, s.render(meta, view{title: "Imprint", robots: "noindex", body: "<p>Harbour Street 1.</p>\n"}))
	s.site.Page(header, s.render(header, view{title: "Terms", body: "<p>Be kind.</p>\n"}), "X-Robots-Tag: noindex")
}

func (s *shop) sitemaps() {
	var general []string
	for _, path := range s.made.Pages {
		if path == "/" || strings.HasSuffix(path, "/") || strings.Contains(path, "?page=") {
			general = append(general, path)
		}
	}
	general = append(general, s.made.DisallowedListed)
	s.made.Sitemaps = []string{"/sitemap_index.xml"}
	s.children("/sitemap-pages-%d.xml", general)
	s.children("/sitemap-products-%d.xml.gz", s.made.Products)
	s.children("/sitemap-articles-%d.xml.gz", s.made.Articles)
	s.site.SitemapIndex(s.made.Sitemaps[0], s.made.Sitemaps[1:]...)
}

func (s *shop) children(format string, paths []string) {
	s.made.Listed = append(s.made.Listed, paths...)
	for n := 1; ; n++ {
		count := min(sitemapMax, len(paths))
		path := fmt.Sprintf(format, n)
		s.site.Sitemap(path, paths[:count]...)
		s.made.Sitemaps = append(s.made.Sitemaps, path)
		if paths = paths[count:]; len(paths) == 0 {
			return
		}
	}
}

func (s *shop) robots() {
	lines := []string{"# Harbour Street Goods", "User-agent: *"}
	for _, prefix := range s.made.DisallowedPrefixes {
		lines = append(lines, "Disallow: "+prefix)
	}
	if s.opts.CrawlDelay != "" {
		lines = append(lines, "Crawl-delay: "+s.opts.CrawlDelay)
	}
	if len(s.opts.Training) > 0 {
		lines = append(lines, "", "User-agent: __usage_ai-training")
		lines = append(lines, s.opts.Training...)
	}
	lines = append(lines, "", "Sitemap: "+s.site.URL()+s.made.Sitemaps[0], "")
	s.site.Robots(strings.Join(lines, "\n"))
}

// page makes an ordinary page.
func (s *shop) page(path string, v view) {
	s.site.Page(path, s.render(path, v))
	s.made.Pages = append(s.made.Pages, path)
}
