package crawler

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"
)

// shop has lists of twenty products, and products whose text is made from a few
// words.
func shop(products int) answers {
	return func(u *url.URL) (string, string, bool) {
		if u.Path == "/" {
			return "Shop", links("/list/%d", 0), true
		}
		kind, id, _ := strings.Cut(u.Path[1:], "/")
		n := number(id)
		if kind == "product" {
			return "The " + sentence(id, 2), fmt.Sprintf("<p>%d.99 EUR<p>%s<p>In stock<p>Item %d", n%100, sentence(id, 12), n), true
		}
		var b strings.Builder
		for i := n * 20; i < min(products, n*20+20); i++ {
			fmt.Fprintf(&b, `<a href="/product/%d">The %s</a>`, i, sentence(fmt.Sprint(i), 2))
		}
		for _, next := range []int{2*n + 1, 2*n + 2} {
			if next*20 < products {
				b.WriteString(links("/list/%d", next))
			}
		}
		return "Products", b.String(), kind == "list"
	}
}

// archive has a page for each day of ten years, with an article on one day of
// every; the other days are empty, but linked.
func archive(every int) answers {
	first := time.Date(2016, 1, 1, 0, 0, 0, 0, time.UTC)
	return func(u *url.URL) (string, string, bool) {
		path := strings.Trim(u.Path, "/")
		if path == "" {
			return "Archive", links("/%d/", 2016, 2017, 2018, 2019, 2020, 2021, 2022, 2023, 2024, 2025), true
		}
		parts := strings.Split(path, "/")
		switch len(parts) {
		case 1:
			var b strings.Builder
			for m := 1; m <= 12; m++ {
				fmt.Fprintf(&b, `<a href="/%s/%02d/">%s</a>`, parts[0], m, time.Month(m))
			}
			return "Archive of " + parts[0], b.String(), true
		case 2:
			var b strings.Builder
			for day := time.Date(number(parts[0]), time.Month(number(parts[1])), 1, 0, 0, 0, 0, time.UTC); int(day.Month()) == number(parts[1]); day = day.AddDate(0, 0, 1) {
				fmt.Fprintf(&b, `<a href="%s">%s</a> `, day.Format("/2006/01/02/"), day.Format("2 January"))
			}
			return "Archive", b.String(), true
		case 3:
			day := time.Date(number(parts[0]), time.Month(number(parts[1])), number(parts[2]), 0, 0, 0, 0, time.UTC)
			if int(day.Sub(first).Hours()/24)%every != 0 {
				return day.Format("Monday, 2 January 2006"), "<p>Nothing was published on this day.", true
			}
			return day.Format("Monday, 2 January 2006"), fmt.Sprintf(`<a href="story.html">%s</a>`, sentence(path, 5)), true
		}
		return sentence(strings.TrimSuffix(path, "/story.html"), 5), "<p>" + sentence(path, 50), true
	}
}

// forum has one thread of so many pages.
func forum(pages int) answers {
	return func(u *url.URL) (string, string, bool) {
		n := number(u.Query().Get("page"))
		var b strings.Builder
		for i := range 10 {
			fmt.Fprintf(&b, `<div>%s wrote on 12 May 2026</div><p>%s`, vocabulary[(n+i)%7], sentence(fmt.Sprint(n, i), 8))
		}
		for _, next := range []int{2*n + 1, 2*n + 2} {
			if next < pages {
				b.WriteString(links("/thread?id=7&amp;page=%d", next))
			}
		}
		return "The thread", b.String(), true
	}
}

// gallery has pages that differ in their image only.
func gallery(images int) answers {
	return func(u *url.URL) (string, string, bool) {
		n := number(strings.TrimPrefix(u.Path, "/photo/"))
		var next []int
		for _, i := range []int{2*n + 1, 2*n + 2} {
			if i < images {
				next = append(next, i)
			}
		}
		return "Photo", fmt.Sprintf(`<img alt="" src="/images/%d.jpg">`, n) + links("/photo/%d", next...), true
	}
}

// letters has pages in a script that is not Latin, with its own digits.
func letters(pages int, path, title, words, digits string) answers {
	all := []rune(digits)
	list := strings.Fields(words)
	return func(u *url.URL) (string, string, bool) {
		n := number(u.Path[strings.LastIndexByte(u.Path, '/')+1:])
		source := random(u.Path)
		var text, written strings.Builder
		for range 6 {
			text.WriteString(list[source.IntN(len(list))])
		}
		for _, digit := range fmt.Sprint(n) {
			written.WriteRune(all[digit-'0'])
		}
		body := fmt.Sprintf("<p>%s<p>%s", text.String(), written.String())
		for _, next := range []int{2*n + 1, 2*n + 2} {
			if next < pages {
				body += fmt.Sprintf(`<a href="/%s/%d">%s</a>`, path, next, title)
			}
		}
		return title, body, true
	}
}

// TestOrdinarySitesLoseNothing crawls large sites whose URLs look like those of
// traps. The figures are in docs/traps.md.
func TestOrdinarySitesLoseNothing(t *testing.T) {
	products := 30_000
	if testing.Short() {
		products = 3000
	}
	for _, test := range []struct {
		name  string
		pages answers
		want  int
	}{
		{"shop", shop(products), 1 + products + products/20},
		{"daily archive", archive(1), 1 + 10 + 120 + 2*3653},
		{"archive of mostly empty days", archive(10), 1 + 10 + 120 + 3653 + 366},
		{"forum thread", forum(500), 500},
		{"gallery", gallery(2000), 2000},
		{"Japanese", letters(2000, "記事", "ニュース", "東京 京都 大阪 春 夏 秋 冬 祭り 天気 電車 料理 音楽", "０１２３４５６７８９"), 2000},
		{"Arabic", letters(2000, "مقال", "أخبار", "مدينة بحر سوق بيت شمس كتاب طريق جبل نهر مدرسة", "٠١٢٣٤٥٦٧٨٩"), 2000},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := crawlSite(t, test.pages) // with /about, which all sites have
			if want := test.want + 1; got.pages != want || got.traps != 0 {
				t.Errorf("got %d pages and %d URLs skipped as traps, want %d and none", got.pages, got.traps, want)
			}
		})
	}
}

// TestWikiLosesNoArticle crawls a wiki whose actions are traps.
func TestWikiLosesNoArticle(t *testing.T) {
	const articles = 2000
	got := crawlSite(t, wiki(articles))
	for i := range articles {
		if !got.fetched[fmt.Sprint("/index.php?title=Article_", i)] {
			t.Errorf("article %d was not fetched", i)
		}
	}
}
