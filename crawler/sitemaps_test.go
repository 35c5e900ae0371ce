package crawler

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/decorum-crawler/decorum/crawler/fetch"
	"github.com/decorum-crawler/decorum/crawler/record"
	"github.com/decorum-crawler/decorum/frontier"
	"github.com/decorum-crawler/decorum/internal/testsite"
)

// TestSitemapsKeepToTheCrawl has an index and a robots.txt that name files which
// are none of the crawl's business: they are not requested, and stand in the
// output of sitemaps like those that are.
func TestSitemapsKeepToTheCrawl(t *testing.T) {
	web := testsite.New()
	defer web.Close()
	shop, friend, foreign := web.Site("shop"), web.Site("friend"), web.Site("foreign")
	shop.Robots("User-agent: *\nDisallow: /private\nSitemap: BASE/index.xml\nSitemap: BASE/logout\nSitemap: " + friend.URL() + "/shop.xml\n")
	serve := func(site *testsite.Site, path, root string, locs ...string) {
		site.Handle(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/xml")
			item := map[string]string{"urlset": "url", "sitemapindex": "sitemap"}[root]
			fmt.Fprintf(w, `<%s xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`, root)
			for _, loc := range locs {
				fmt.Fprintf(w, "<%s><loc>%s</loc></%s>", item, loc, item)
			}
			fmt.Fprintf(w, "</%s>", root)
		})
	}
	serve(shop, "/index.xml", "sitemapindex", shop.URL()+"/a.xml", shop.URL()+"/logout?all=1", shop.URL()+"/private/s.xml",
		foreign.URL()+"/search?q=expensive", friend.URL()+"/shop.xml", shop.URL()+"/gone.xml")
	serve(shop, "/a.xml", "urlset", shop.URL()+"/1")
	serve(friend, "/shop.xml", "urlset", shop.URL()+"/2")
	for _, path := range []string{"/", "/1", "/2"} {
		shop.Page(path, "<title>x</title>")
	}

	scope, err := frontier.NewScope(frontier.ReachHost, []string{shop.URL() + "/"}, nil, []string{"logout"})
	if err != nil {
		t.Fatal(err)
	}
	lines := &memoryOutput{}
	queue, err := frontier.NewLocal(frontier.NewMemory(), frontier.Options{
		Outputs: map[string]frontier.Output{record.OutputSitemaps: lines}, Skipped: record.Skipped,
	})
	if err != nil {
		t.Fatal(err)
	}
	c := New(queue, Options{Fetch: fetch.Options{Delay: -1, Allow: fetch.Network{Loopback: true}}, Scope: scope, Sitemaps: true})
	if _, err := c.Seed(t.Context(), []string{shop.URL() + "/"}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Run(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if err := queue.Close(); err != nil {
		t.Fatal(err)
	}

	var got []string
	for _, text := range lines.lines {
		var line record.Sitemap
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			t.Fatal(err)
		}
		name := strings.NewReplacer(shop.URL(), "shop", friend.URL(), "friend", foreign.URL(), "foreign").Replace(line.URL)
		got = append(got, fmt.Sprintf("%s %d %s %d %s", name, line.Status, line.Kind, line.Entries, line.Reason))
	}
	slices.Sort(got)
	want := []string{
		"foreign/search?q=expensive 0  0 out-of-scope",
		"friend/shop.xml 200 urlset 1 ",
		"shop/a.xml 200 urlset 1 ",
		"shop/gone.xml 404  0 ",
		"shop/index.xml 200 sitemapindex 6 ",
		"shop/logout 0  0 excluded",
		"shop/logout?all=1 0  0 excluded",
		"shop/private/s.xml 0  0 robots-disallow",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("got +, want -:\n%s", diff)
	}
	for _, request := range web.Log() {
		if strings.Contains(request.Path, "logout") || strings.Contains(request.Path, "search") || strings.Contains(request.Path, "private") {
			t.Errorf("%s was requested", request.Path)
		}
	}
}
