package testsite

import (
	"net/http"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	anchor = regexp.MustCompile(`<a href="([^"]+)"`)
	markup = regexp.MustCompile(`<[^>]*>`)
)

// reach follows all links but nofollow ones, and redirects, from "/".
func reach(t *testing.T, site *Site) map[string]int {
	t.Helper()
	status := map[string]int{}
	for queue := []string{"/"}; len(queue) > 0; {
		path := queue[0]
		queue = queue[1:]
		if _, ok := status[path]; ok {
			continue
		}
		response, body := get(t, site.URL()+path)
		status[path] = response.StatusCode
		if to := response.Header.Get("Location"); to != "" {
			queue = append(queue, to)
		}
		for _, m := range anchor.FindAllStringSubmatch(body, -1) {
			queue = append(queue, m[1])
		}
	}
	return status
}

func TestFullShopIsWhatItTells(t *testing.T) {
	web := New()
	defer web.Close()
	site := web.Site("shop")
	made := FullShop(site, 90, ShopOptions{Seed: 1})
	status := reach(t, site)
	if len(made.Articles) != 45 || len(made.Products) != 45 || len(made.Pages) != 90+1+3+3 {
		t.Errorf("got %d articles, %d products, %d pages", len(made.Articles), len(made.Products), len(made.Pages))
	}
	want := map[string]int{made.Missing: 404, made.Variant: 200}
	for _, path := range slices.Concat(made.Pages, made.Noindex, made.Disallowed) {
		want[path] = 200
	}
	for from := range made.Redirects {
		want[from] = 301
	}
	want["/sale"], want["/go/report"] = 302, 302
	for path, code := range want {
		if status[path] != code {
			t.Errorf("%s: got %d, want %d", path, status[path], code)
		}
	}
	if len(status) != len(want) {
		t.Errorf("got %d URLs reached, want %d", len(status), len(want))
	}
	if _, ok := status[made.Nofollow]; ok {
		t.Error("the nofollow page has another link")
	}
	if got := web.Asked("shop", made.DisallowedPrefixes...); len(got) != len(made.Disallowed) {
		t.Errorf("got %q, want one for each of %q", got, made.Disallowed)
	}
	for _, path := range made.Sitemaps {
		if response, _ := get(t, site.URL()+path); response.StatusCode != http.StatusOK {
			t.Errorf("%s: got %d", path, response.StatusCode)
		}
	}
}

func TestFullShopPage(t *testing.T) {
	web := New()
	defer web.Close()
	site := web.Site("shop")
	made := FullShop(site, 10, ShopOptions{})
	path := made.Articles[0]
	_, body := get(t, site.URL()+path)
	for _, want := range []string{`<link rel="canonical" href="` + site.URL() + path + `">`, `<meta name="description" content="The `, "<nav>", "<h1>"} {
		if !strings.Contains(body, want) {
			t.Errorf("got no %s in %s", want, body)
		}
	}
	_, text, _ := strings.Cut(body, "<h1>")
	if n := len(strings.Fields(markup.ReplaceAllString(text, " "))); n < 300 || n > 360 {
		t.Errorf("got %d words, want some 300", n)
	}
	variant, err := url.Parse(made.Variant)
	if err != nil {
		t.Fatal(err)
	}
	_, body = get(t, site.URL()+made.Variant)
	if !strings.Contains(body, `rel="canonical" href="`+site.URL()+variant.Path+`"`) {
		t.Errorf("got no canonical of %s", variant.Path)
	}
}

func TestFullShopRobots(t *testing.T) {
	for name, tt := range map[string]struct {
		opts ShopOptions
		want string
	}{
		"default": {ShopOptions{}, "\n\nUser-agent: __usage_ai-training\nAllow: /articles/\nDisallow: /\n\nSitemap: BASE/sitemap_index.xml\n"},
		"delay":   {ShopOptions{CrawlDelay: "2", Training: []string{}}, "Disallow: /private/\nCrawl-delay: 2\n\nSitemap: BASE/sitemap_index.xml\n"},
	} {
		t.Run(name, func(t *testing.T) {
			web := New()
			defer web.Close()
			site := web.Site("shop")
			FullShop(site, 0, tt.opts)
			if _, got := get(t, site.URL()+"/robots.txt"); !strings.HasSuffix(got, site.based(tt.want)) {
				t.Errorf("got %q, want it to end in %q", got, tt.want)
			}
		})
	}
}

func TestFullShopIsRepeatable(t *testing.T) {
	web := New()
	defer web.Close()
	a, b := web.Site("a"), web.Site("b")
	one, two := FullShop(a, 20, ShopOptions{Seed: 5}), FullShop(b, 20, ShopOptions{Seed: 5})
	if !reflect.DeepEqual(one, two) {
		t.Errorf("got %+v and %+v", one, two)
	}
	for _, path := range one.Pages {
		_, x := get(t, a.URL()+path)
		_, y := get(t, b.URL()+path)
		if strings.ReplaceAll(x, a.URL(), "") != strings.ReplaceAll(y, b.URL(), "") {
			t.Errorf("%s differs between two shops of one seed", path)
		}
	}
}
