package crawler

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/decorum-crawler/decorum/crawler/record"
	"github.com/decorum-crawler/decorum/frontier"
)

// frame is the part that all pages of a test site share.
const frame = `<!doctype html><html><head><title>%s</title></head><body><nav><a href="/">Home</a> <a href="/about">About us</a></nav>
<h1>%s</h1>%s<footer>All rights reserved</footer></body></html>`

// answers returns the title and content of a page; false if there is none.
type answers func(u *url.URL) (title, body string, ok bool)

func serve(t *testing.T, pages answers) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		title, body, ok := pages(r.URL)
		if r.URL.Path == "/about" {
			title, body, ok = "About us", "", true
		}
		if ok {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprintf(w, frame, title, title, body)
			return
		}
		http.NotFound(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// random returns a source that is always the same for a text.
func random(text string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(text))
	return rand.New(rand.NewPCG(h.Sum64(), 1))
}

var vocabulary = strings.Fields(`amber barley basket bench blanket bowl bread bridge candle carpet cart chair cheese chimney clock cloth
copper cup curtain door drawer field fire floor garden glass hammer harbour hat hill honey house iron jar kettle key ladder lamp leather
letter market meadow mill mirror needle oak orchard oven paper path pepper plate pond pot rain river roof rope salt shelf shirt shoe silver
spoon stone stove table thread tower towel wagon wall water wheel window wine wood wool yard`)

// sentence returns n words that depend on a text.
func sentence(of string, n int) string {
	source := random(of)
	words := make([]string, n)
	for i := range words {
		words[i] = vocabulary[source.IntN(len(vocabulary))]
	}
	return strings.Join(words, " ")
}

func number(text string) int { n, _ := strconv.Atoi(text); return n }

func links(format string, values ...int) string {
	var b strings.Builder
	for _, value := range values {
		fmt.Fprintf(&b, `<a href="`+format+`">%d</a> `, value, value)
	}
	return b.String()
}

var weekdays = "<table><tr><th>Mon<th>Tue<th>Wed<th>Thu<th>Fri<th>Sat<th>Sun</table>"

func month(n int) string {
	return fmt.Sprintf("Events in %s %d", time.Month(1+((n%12)+12)%12), 2026+n/12)
}

// calendar has a page for each month, with links to twelve others.
func calendar(u *url.URL) (string, string, bool) {
	if u.Path == "/" {
		return "Town hall", links("/cal?month=%d", 0), true
	}
	n := number(u.Query().Get("month"))
	return month(n), weekdays + links("/cal?month=%d", n-6, n-5, n-4, n-3, n-2, n-1, n+1, n+2, n+3, n+4, n+5, n+6), u.Path == "/cal"
}

// pathCalendar is a calendar without a query.
func pathCalendar(u *url.URL) (string, string, bool) {
	if u.Path == "/" {
		return "Town hall", `<a href="/2026/05/">May</a>`, true
	}
	var year, m int
	if n, _ := fmt.Sscanf(u.Path, "/%d/%d/", &year, &m); n != 2 {
		return "", "", false
	}
	var b strings.Builder
	for _, step := range []int{-12, -2, -1, 1, 2, 12} {
		n := year*12 + m - 1 + step
		fmt.Fprintf(&b, `<a href="/%d/%02d/">%s</a>`, n/12, n%12+1, time.Month(n%12+1))
	}
	return month((year-2026)*12 + m - 1), weekdays + b.String(), true
}

// sessionIDs has five pages whose links have a new session id in each answer.
func sessionIDs() answers {
	served := 0
	ids := make(chan int, 1)
	ids <- 0
	return func(*url.URL) (string, string, bool) {
		served = <-ids + 1
		id := fmt.Sprintf("%08X", served*7919)
		ids <- served
		return "Shop", fmt.Sprintf(`<a href="/a;jsessionid=%[1]s">a</a> <a href="/b;jsessionid=%[1]s">b</a> <a href="/c?token=%[1]s">c</a>`, id), true
	}
}

// growing has pages whose links add another parameter to their own URL.
func growing(u *url.URL) (string, string, bool) {
	query := u.RawQuery
	if query != "" {
		query += "&"
	}
	n := strings.Count(query, "=")
	names := []string{"ref", "from", "tag", "part"}
	return "Search", fmt.Sprintf(`No results for %s. <a href="/s?%s%s%d=on">x</a> <a href="/s?%s%s=%s">y</a>`,
		u.Query().Get("ref"), query, names[n%4], n, query, names[(n+1)%4], vocabulary[n%len(vocabulary)]), true
}

// permuted has pages that name their own parameters in any order.
func permuted(u *url.URL) (string, string, bool) {
	pairs := strings.FieldsFunc(u.RawQuery, func(r rune) bool { return r == '&' })
	if len(pairs) < 8 {
		pairs = strings.Split("a=1&b=2&c=3&d=4&e=5&f=6&g=7&h=8", "&")
	}
	var b strings.Builder
	for i := range pairs[1:] {
		swapped := slices.Clone(pairs)
		swapped[i], swapped[i+1] = swapped[i+1], swapped[i]
		fmt.Fprintf(&b, `<a href="/list?%s">sort</a>`, strings.Join(swapped, "&amp;"))
	}
	return "Our list", b.String(), true
}

const facetProducts = 300

// facets shows the products that have all chosen values of eight filters.
func facets(u *url.URL) (string, string, bool) {
	if name, ok := strings.CutPrefix(u.Path, "/product/"); ok {
		return productName(number(name)), "<p>" + sentence(u.Path, 30), true
	}
	query := u.Query()
	var b strings.Builder
	for filter := range 8 {
		for value := range 6 {
			next := u.Query()
			next.Set(fmt.Sprintf("filter_%c", 'a'+filter), strconv.Itoa(value))
			fmt.Fprintf(&b, `<a href="/shop?%s">%s</a>`, next.Encode(), vocabulary[filter*6+value])
		}
	}
	shown := 0
	for i := range facetProducts {
		fits := true
		for filter := range 8 {
			value := query.Get(fmt.Sprintf("filter_%c", 'a'+filter))
			fits = fits && (value == "" || number(value) == (i>>filter)%6)
		}
		if fits && shown < 20 {
			shown++
			fmt.Fprintf(&b, `<li><a href="/product/%d">%s</a>`, i, productName(i))
		}
	}
	return "Products", b.String() + links("/all/%d", 0), u.Path == "/" || u.Path == "/shop"
}

func productName(i int) string { return "The " + sentence(fmt.Sprint("product", i), 3) }

// duplicates has the same page under any name of three letters and a number.
func duplicates(u *url.URL) (string, string, bool) {
	source := random(u.Path)
	var b strings.Builder
	for range 5 {
		fmt.Fprintf(&b, `<a href="/page/%x">more</a> <a href="/%s-%s-%s">more</a>`, source.Uint64(),
			vocabulary[source.IntN(len(vocabulary))], vocabulary[source.IntN(len(vocabulary))], vocabulary[source.IntN(len(vocabulary))])
	}
	return "Welcome", b.String(), true
}

// wiki has articles with the actions of MediaWiki.
func wiki(articles int) answers {
	return func(u *url.URL) (string, string, bool) {
		query := u.Query()
		title := query.Get("title")
		switch {
		case u.Path == "/":
			return "Main page", `<a href="/index.php?title=Article_0">First</a>`, true
		case u.Path == "/login":
			return "Log in", `<form>Your name <input></form>`, true
		case u.Path != "/index.php":
			return "", "", false
		case query.Get("action") == "edit":
			return "Editing " + title, "<p>You are not logged in.<textarea>" + sentence(title, 50) + "</textarea>", true
		case query.Get("action") == "history":
			n := number(query.Get("offset"))
			return "History of " + title, fmt.Sprintf(`<p>Revisions of the page. <a href="/index.php?title=%[1]s&amp;action=history&amp;offset=%[2]d">older</a>
<a href="/index.php?title=%[1]s&amp;oldid=%[2]d">old</a>`, title, n+1), true
		case query.Get("action") == "info":
			return "Information about " + title, "<p>Number of watchers", true
		}
		i := number(strings.TrimPrefix(title, "Article_"))
		var b strings.Builder
		fmt.Fprintf(&b, "<p>%s", sentence(title, 60))
		for _, other := range []int{2*i + 1, 2*i + 2} {
			if other < articles {
				fmt.Fprintf(&b, `<a href="/index.php?title=Article_%d">%s</a>`, other, sentence(fmt.Sprint(other), 2))
			}
		}
		for _, action := range []string{"edit", "history", "info"} {
			fmt.Fprintf(&b, `<a href="/index.php?title=%s&amp;action=%s">%s</a>`, title, action, action)
		}
		fmt.Fprintf(&b, `<a href="/login?returnto=%s">Log in</a>`, title)
		return title, b.String(), true
	}
}

// outcome is what a crawl fetched and skipped as a trap.
type outcome struct {
	pages, traps int
	patterns     []string
	fetched      map[string]bool // path and query
}

func crawlSite(t *testing.T, pages answers) outcome {
	t.Helper()
	base := serve(t, pages)
	lines, skips := crawled(t, Options{MaxDepth: 1_000_000}, base+"/")
	o := outcome{pages: len(lines), fetched: map[string]bool{}}
	for _, line := range lines {
		var p record.Page
		if err := json.Unmarshal([]byte(line), &p); err != nil {
			t.Fatal(err)
		}
		o.fetched[strings.TrimPrefix(p.URL, base)] = true
	}
	for _, line := range skips {
		var s record.Skip
		if err := json.Unmarshal([]byte(line), &s); err != nil {
			t.Fatal(err)
		}
		if s.Reason != frontier.SkipTrap {
			continue
		}
		o.traps++
		pattern := strings.TrimPrefix(s.Pattern, strings.TrimPrefix(base, "http://"))
		if !slices.Contains(o.patterns, pattern) {
			o.patterns = append(o.patterns, pattern)
		}
	}
	t.Logf("%d pages, %d URLs skipped as traps, patterns %q", o.pages, o.traps, o.patterns)
	return o
}

// TestTrapsEnd crawls sites without end, with no limit of depth or pages. The
// figures are in docs/traps.md.
func TestTrapsEnd(t *testing.T) {
	for _, test := range []struct {
		name  string
		pages answers
		most  int
	}{
		{"calendar", calendar, 600},
		{"calendar in the path", pathCalendar, 600},
		{"session ids", sessionIDs(), 600},
		{"growing query", growing, 3000},
		{"permuted query", permuted, 600},
		{"facets", facets, 6000},
		{"soft duplicates", duplicates, 2000},
		{"wiki actions", wiki(400), 3000},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := crawlSite(t, test.pages)
			if got.pages > test.most || got.traps == 0 {
				t.Errorf("got %d pages and %d URLs skipped as traps, want at most %d pages", got.pages, got.traps, test.most)
			}
			if test.name != "facets" {
				return
			}
			for i := range facetProducts {
				if !got.fetched[fmt.Sprint("/product/", i)] {
					t.Errorf("product %d was not fetched", i)
				}
			}
		})
	}
}

// BenchmarkNews parses articles of 30 KiB, each with new text, with and without a
// look for it.
func BenchmarkNews(b *testing.B) {
	var text strings.Builder
	text.WriteString("<!doctype html><title>The article</title><nav>")
	for i := range 80 {
		fmt.Fprintf(&text, `<li><a class="entry" href="/section/%d">%s</a></li>`, i, sentence(fmt.Sprint("menu", i), 2))
	}
	for i := range 120 {
		fmt.Fprintf(&text, `<p class="paragraph">%s <b>%s</b></p>`, sentence(fmt.Sprint("text", i), 25), sentence(fmt.Sprint(i), 2))
	}
	page := []byte(text.String())
	var paragraphs []int // where the first ten begin
	for at := bytes.Index(page, []byte("<p class")); len(paragraphs) < 10; at += 1 + bytes.Index(page[at+1:], []byte("<p class")) {
		paragraphs = append(paragraphs, at+len(`<p class="paragraph">`))
	}
	for _, o := range []Options{{NoTraps: true}, {}} {
		b.Run(fmt.Sprintf("off=%v", o.NoTraps), func(b *testing.B) {
			found, n := newTraps(o), 0
			b.ReportAllocs()
			for b.Loop() {
				n++
				for i, begin := range paragraphs {
					copy(page[begin:], fmt.Appendf(nil, "%c%c%c%c%c", 'a'+i%26, 'a'+n%26, 'a'+n/26%26, 'a'+n/676%26, 'a'+n/17576%26))
				}
				news := found.read("https://a.example/article/" + strconv.Itoa(n))
				parseHTML(page, false, 10_000, news)
				news.End()
			}
		})
	}
}
