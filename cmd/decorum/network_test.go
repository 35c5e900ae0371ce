package main

import (
	"bytes"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/encoding/unicode"

	"github.com/decorum-crawler/decorum/internal/testsite"
)

// invoke runs a command line in this process.
func invoke(args ...string) (code int, stdout, stderr string) {
	return invokeWith(nil, args...)
}

// invokeWith runs a command with variables of the environment.
func invokeWith(variables map[string]string, args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = run(environment{args: args, stdin: strings.NewReader(""), stdout: &out, stderr: &errs, getenv: func(name string) string { return variables[name] }})
	return code, out.String(), errs.String()
}

func TestRobotsCheckFetches(t *testing.T) {
	web := testsite.New()
	defer web.Close()
	site := web.Site("shop")
	testsite.Shop(site, 3)
	code, out, _ := invoke("robots", "check", "--delay", "0", site.URL()+"/about", site.URL()+"/account/x")
	if code != exitFindings || !strings.Contains(out, "blocked  "+site.URL()+"/account/x  for decorum (line 2, Disallow: /account)") {
		t.Errorf("got %d, %q", code, out)
	}
	if log := web.Log(); len(log) != 1 || log[0].Path != "/robots.txt" {
		t.Errorf("got %v asked, want robots.txt once", log)
	}
}

func TestRobotsExplainFetchesOrLooksIntoACrawl(t *testing.T) {
	web := testsite.New()
	defer web.Close()
	site := web.Site("shop")
	testsite.Shop(site, 3)
	folder := t.TempDir() + "/crawl"
	if code, _, errs := invoke("crawl", "-o", folder, "--delay", "0", "--progress", "none", site.URL()); code != exitOK {
		t.Fatalf("got %d, %q", code, errs)
	}
	asked := len(web.Log())
	address := site.URL() + "/account/x"
	code, held, errs := invoke("robots", "explain", "--crawl", folder, address)
	if code != exitFindings || len(web.Log()) != asked {
		t.Errorf("got %d, %q, %d requests, want none", code, errs, len(web.Log())-asked)
	}
	code, fetched, errs := invoke("robots", "explain", "--delay", "0", address)
	if code != exitFindings || len(web.Log()) != asked+1 {
		t.Errorf("got %d, %q, %d requests, want one", code, errs, len(web.Log())-asked)
	}
	for _, out := range []string{held, fetched} {
		if !strings.Contains(out, "BLOCKED for decorum: line 2 decides, Disallow: /account") || !strings.Contains(out, "status 200 OK: available") {
			t.Errorf("got %q", out)
		}
	}
	if code, _, errs := invoke("robots", "explain", "--crawl", folder, "http://other.example/"); code != exitNothing || !strings.Contains(errs, "has no robots.txt") {
		t.Errorf("got %d, %q", code, errs)
	}
}

func TestRobotsLintFetches(t *testing.T) {
	web := testsite.New()
	defer web.Close()
	site := web.Site("shop")
	serve := func(status int, kind, body string) {
		site.Handle("/robots.txt", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body))
		})
	}
	tests := []struct {
		name, kind, body string
		status, code     int
		want             string
	}{
		{"clean", "text/plain; charset=utf-8", "User-agent: *\nDisallow: /x\n", 200, exitOK, "/robots.txt: nothing found"},
		{"type", "text/html", "User-agent: *\nDisallow: /x\n", 200, exitFindings, `warning: the type is "text/html", not text/plain [content-type]`},
		{"page", "text/html", "<!doctype html><title>x</title>", 200, exitFindings, "[html]"},
		{"none", "text/plain", "", 404, exitOK, "note: the server answers 404 Not Found, so everything is allowed [status]"},
		{"down", "text/plain", "", 503, exitNothing, ""},
		{"long", "text/plain", "User-agent: *\nDisallow: /x\n" + strings.Repeat("#\n", 300<<10), 200, exitFindings, "[too-long]"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			serve(test.status, test.kind, test.body)
			code, out, errs := invoke("robots", "lint", "--delay", "0", site.URL())
			if code != test.code || !strings.Contains(out, test.want) {
				t.Errorf("got %d, %q, %q, want %d, %q", code, out, errs, test.code, test.want)
			}
			if code == exitNothing && !strings.Contains(errs, " answered 503 Service Unavailable, so crawlers must assume that nothing is allowed") {
				t.Errorf("got %q", errs)
			}
		})
	}
}

func TestSitemapListFetches(t *testing.T) {
	web := testsite.New()
	defer web.Close()
	site := web.Site("shop")
	testsite.Shop(site, 3)
	site.Sitemap("/account/map.xml", "/x")
	code, out, errs := invoke("sitemap", "list", "--delay", "0", site.URL())
	if code != exitOK || strings.Count(out, "\n") != 7 || !strings.Contains(out, site.URL()+"/product/2\n") {
		t.Errorf("got %d, %q, %q", code, out, errs)
	}
	code, _, errs = invoke("sitemap", "list", "--delay", "0", site.URL()+"/account/map.xml")
	if code != exitNothing || !strings.Contains(errs, "is blocked by robots.txt, line 2: Disallow: /account") {
		t.Errorf("got %d, %q, want the rule", code, errs)
	}
}

func TestCrawlNothingDone(t *testing.T) {
	web := testsite.New()
	defer web.Close()
	blocked, broken := web.Site("blocked"), web.Site("broken")
	blocked.Robots("User-agent: decorum\nDisallow: /\n")
	broken.Handle("/robots.txt", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) })
	folder := t.TempDir()
	code, _, errs := invoke("crawl", "-o", folder+"/a", "--delay", "0", "--progress", "none", blocked.URL()+"/x")
	if want := blocked.URL() + "/x is blocked by robots.txt, line 2: Disallow: /"; code != exitNothing || !strings.Contains(errs, want) {
		t.Errorf("got %d, %q, want 3 and %q", code, errs, want)
	}
	cause := "robots.txt of " + broken.URL() + " answered 500 Internal Server Error"
	code, out, errs := invoke("crawl", "-o", folder+"/b", "--delay", "0", "--max-retries", "0", "--progress", "none", broken.URL()+"/x")
	if want := broken.URL() + "/x was skipped: robots-unreachable: " + cause; code != exitNothing || !strings.Contains(errs, want) {
		t.Errorf("got %d, %q, want 3 and %q", code, errs, want)
	}
	if !strings.Contains(out, cause) {
		t.Errorf("got the summary %q, want %q in it", out, cause)
	}
	if _, out, _ := invoke("state", "why", folder+"/b", broken.URL()+"/x"); !strings.Contains(out, "cause    "+cause) {
		t.Errorf("got %q, want %q in it", out, cause)
	}
}

// TestRobotsCheckGivesUp has a robots.txt whose redirect asks for a wait of 30
// days: that is told, not waited for.
func TestRobotsCheckGivesUp(t *testing.T) {
	web := testsite.New()
	defer web.Close()
	site := web.Site("shop")
	site.Handle("/robots.txt", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Retry-After", "2592000")
		http.Redirect(w, r, "/rules.txt", http.StatusFound)
	})
	code, _, errs := invoke("robots", "check", "--delay", "0", site.URL()+"/x")
	until := time.Now().Add(30 * 24 * time.Hour).UTC().Format("2006-01-02")
	if code != exitNothing || !strings.Contains(errs, "is not allowed before "+until) || !strings.Contains(errs, "(retry-after)") {
		t.Errorf("got %d, %q, want 3 with %s and the reason", code, errs, until)
	}
	if log := web.Log(); len(log) != 1 {
		t.Errorf("got %d requests, want one", len(log))
	}
}

func TestCrawlLimitsAndGoesOn(t *testing.T) {
	web := testsite.New()
	defer web.Close()
	site := web.Site("shop")
	testsite.Shop(site, 20)
	folder := t.TempDir() + "/crawl"
	code, out, errs := invoke("crawl", "-o", folder, "--delay", "0", "--max-pages", "7", "--progress", "none", site.URL())
	if code != exitOK || !strings.Contains(out, "7 pages") || !strings.Contains(out, "(limit)") || !strings.Contains(out, "decorum resume ") {
		t.Errorf("got %d, %q, %q, want seven pages", code, out, errs)
	}
	code, out, errs = invoke("crawl", "-o", folder, "--delay", "0", "--max-pages", "0", "--progress", "none", site.URL())
	if code != exitOK || !strings.Contains(out, "0 pending") || !strings.Contains(errs, "resuming the crawl in ") {
		t.Errorf("got %d, %q, %q, want the rest", code, out, errs)
	}
	if code, out, _ := invoke("state", "verify", folder); code != exitOK {
		t.Errorf("got %d, %q, want a clean state", code, out)
	}
}

func TestHostileTitleStaysOffTheTerminal(t *testing.T) {
	web := testsite.New()
	defer web.Close()
	site := web.Site("evil")
	site.Page("/", "<!doctype html><title>\x1b]0;x\x07</title><a href='/\x1b[2J'>x</a>")
	folder := t.TempDir() + "/crawl"
	_, out, errs := invoke("crawl", "-o", folder, "--delay", "0", "-vv", site.URL())
	log, err := os.ReadFile(folder + "/crawl.log")
	if err != nil {
		t.Fatal(err)
	}
	if all := out + errs + string(log); strings.Contains(all, "\x1b") {
		t.Errorf("got an escape in %q", all)
	}
}

func TestFailOn(t *testing.T) {
	web := testsite.New()
	defer web.Close()
	site := web.Site("shop")
	testsite.Shop(site, 5)
	tests := []struct {
		wish, limit string
		code        int
	}{
		{"blocked", "0", exitFindings}, {"errors", "0", exitFindings}, {"partial", "0", exitOK}, {"partial", "3", exitPartial},
	}
	for _, test := range tests {
		code, _, errs := invoke("crawl", "-o", t.TempDir()+"/crawl", "--delay", "0", "--progress", "none",
			"--fail-on", test.wish, "--max-pages", test.limit, site.URL())
		if code != test.code {
			t.Errorf("--fail-on %s with %s pages: got %d, want %d: %s", test.wish, test.limit, code, test.code, errs)
		}
	}
}

func TestSeedsFromAFile(t *testing.T) {
	web := testsite.New()
	defer web.Close()
	one, two := web.Site("one"), web.Site("two")
	one.Page("/", "<!doctype html><title>1</title>")
	two.Page("/", "<!doctype html><title>2</title>")
	text := "# two sites\n" + one.URL() + "/\n\n" + two.URL() + "/\n"
	windows, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String(strings.ReplaceAll(text, "\n", "\r\n"))
	if err != nil {
		t.Fatal(err)
	}
	list := t.TempDir() + "/seeds.txt"
	for name, text := range map[string]string{"plain": text, "with a byte order mark": "\ufeff" + text, "UTF-16": windows} {
		if err := os.WriteFile(list, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		code, out, errs := invoke("crawl", "-o", t.TempDir()+"/crawl", "--delay", "0", "--progress", "none", "--seeds", list, "--json")
		if code != exitOK || !strings.Contains(out, `"pages":2,`) {
			t.Errorf("%s: got %d, %s, %s, want two pages", name, code, out, errs)
		}
	}
}

func TestAuditAsksOnlyForRobotsAndSitemaps(t *testing.T) {
	web := testsite.New()
	defer web.Close()
	site := web.Site("shop")
	site.Robots("User-agent: *\nDisallow: /account\nDisallow: /hidden\n\nUser-agent: GPTBot\nDisallow: /\n\nSitemap: " + site.URL() + "/index.xml\n")
	site.SitemapIndex("/index.xml", "/one.xml", "/hidden/two.xml", "/gone.xml")
	site.Sitemap("/one.xml", "/", "/account/1", "/account/2")
	site.Sitemap("/hidden/two.xml", "/three")
	code, out, errs := invoke("audit", "--delay", "0", "--progress", "none", site.URL())
	for _, want := range []string{
		"robots.txt blocks 3 of the 3 URLs", "Disallow: /account\n", "blocks 2 URLs for decorum, *, Googlebot, Bingbot, ClaudeBot, CCBot",
		site.URL() + "/one.xml line ", "sitemap-blocked, 1 time", "sitemap-unreachable, 1 time",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("got %q, want %q in it", out, want)
		}
	}
	if code != exitFindings {
		t.Errorf("got %d, %q", code, errs)
	}
	var asked []string
	for _, request := range web.Log() {
		asked = append(asked, request.Path)
	}
	if got := strings.Join(asked, " "); got != "/robots.txt /index.xml /one.xml /gone.xml" {
		t.Errorf("got %s asked, want robots.txt and sitemaps only, and none that is forbidden", got)
	}

	host := strings.TrimPrefix(site.URL(), "http://")
	code, out, errs = invoke("audit", "--delay", "0", "--progress", "none", "--own", host, "--agent", "decorum", "--format", "jsonl", site.URL())
	if code != exitFindings || !strings.Contains(out, `"code":"own"`) || !strings.Contains(out, `"urls":4,`) || !strings.Contains(out, `"own":["`+host) {
		t.Errorf("got %d, %q, %q, want the forbidden sitemap read and its use recorded", code, out, errs)
	}
}

func TestAuditReadsNothing(t *testing.T) {
	web := testsite.New()
	defer web.Close()
	site := web.Site("empty")
	code, out, errs := invoke("audit", "--delay", "0", "--progress", "none", site.URL())
	if code != exitNothing || !strings.Contains(out, "No URL could be judged") || !strings.Contains(errs, "no sitemap could be read") {
		t.Errorf("got %d, %q, %q", code, out, errs)
	}
}

func TestSitemapValidateFollowsAnIndex(t *testing.T) {
	web := testsite.New()
	defer web.Close()
	site := web.Site("shop")
	site.Robots("User-agent: *\nDisallow:\nSitemap: " + site.URL() + "/index.xml\nSitemap: " + site.URL() + "/none.xml\n")
	site.SitemapIndex("/index.xml", "/one.xml", "/nested.xml", "/gone.xml")
	site.SitemapIndex("/nested.xml", "/one.xml")
	site.Sitemap("/one.xml", "/a", "/a")
	code, out, errs := invoke("sitemap", "validate", "--delay", "0", site.URL())
	for _, want := range []string{
		site.URL() + "/index.xml: valid (sitemapindex, 3 entries)", "listed before: " + site.URL() + "/a [duplicate]",
		site.URL() + "/nested.xml:1: an index must not list an index [nested-index]", "/gone.xml returned 404 Not Found [unreadable]",
		site.URL() + "/none.xml:1: ",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("got %q, want %q in it", out, want)
		}
	}
	if code != exitFindings || errs != "" {
		t.Errorf("got %d, %q", code, errs)
	}
}

func TestAuditChecksPages(t *testing.T) {
	web := testsite.New()
	defer web.Close()
	site := web.Site("shop")
	site.Robots("User-agent: *\nDisallow: /account\nSitemap: " + site.URL() + "/map.xml\n")
	other := web.Site("other")
	site.Sitemap("/map.xml", "/", "/gone", "/moved", "/away", "/hidden", "/copy", "/account/1")
	site.Page("/", `<a href="/unlisted">more</a>`)
	site.Page("/unlisted", "<title>unlisted</title>")
	serve := func(path string, status int, header, value, body string) {
		site.Handle(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			w.Header().Set(header, value)
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body))
		})
	}
	serve("/gone", 410, "X-Test", "", "")
	serve("/moved", 301, "Location", "/", "")
	serve("/away", 302, "Location", other.URL()+"/", "")
	serve("/hidden", 200, "X-Robots-Tag", "noindex", "<title>x</title>")
	serve("/copy", 200, "X-Test", "", `<link rel=canonical href="/">`)
	folder := t.TempDir() + "/pages"
	audit := func(more ...string) (string, string) {
		args := append([]string{"audit", "--delay", "0", "--progress", "none", "--allow-net", "loopback", "--agent", "decorum", "--format", "jsonl", "--crawl", folder}, more...)
		_, out, errs := invoke(append(args, site.URL())...)
		return out, errs
	}
	out, errs := audit("--check-pages")
	for code, path := range map[string]string{"page-status": "/gone", "page-redirected": "/moved", "page-noindex": "/hidden", "page-canonical-elsewhere": "/copy", "blocked-for-all": "/account/1"} {
		if want := `"code":"` + code + `","severity":"`; !strings.Contains(out, want) || !strings.Contains(out, `"url":"`+site.URL()+path+`"`) {
			t.Errorf("got %s, %s, want %s of %s", out, errs, code, path)
		}
	}
	if strings.Contains(out, `"missing"`) || strings.Contains(out, `"orphan"`) || strings.Contains(out, `"page-not-fetched"`) {
		t.Errorf("got %s, want every page met and none beside them", out)
	}
	asked := map[string]int{}
	for _, request := range web.Log() {
		asked[request.Path]++
		if request.Site != "shop" {
			t.Errorf("got %+v asked, want no request to where a redirect leads off the site", request)
		}
	}
	if asked["/robots.txt"] != 1 || asked["/gone"] != 1 || asked["/unlisted"] != 0 || asked["/account/1"] != 0 {
		t.Errorf("got %v asked", asked)
	}
	if again, _ := audit("--check-pages"); again == "" || len(web.Log()) != len(asked)+1 { // the sitemap once more
		t.Errorf("got %d requests after %d, want only the sitemap again", len(web.Log()), len(asked))
	}

	folder = t.TempDir() + "/crawl"
	if code, _, errs := invoke("crawl", "-o", folder, "--delay", "0", "--progress", "none", "--discover", "links", site.URL()); code != exitOK {
		t.Fatalf("got %d, %q", code, errs)
	}
	out, errs = audit()
	for code, path := range map[string]string{"missing": "/unlisted", "orphan": "/gone"} {
		if want := `"code":"` + code + `","severity":"warning","url":"` + site.URL() + path + `"`; !strings.Contains(out, want) {
			t.Errorf("got %s, %s, want %s", out, errs, want)
		}
	}
}
