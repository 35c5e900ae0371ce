package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/decorum-crawler/decorum/internal/testsite"
)

// crawlOf crawls without a delay unless more flags say otherwise, and returns
// the lines of its pages and skips.
func crawlOf(t *testing.T, args ...string) (lines string) {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "crawl")
	_, _, errs := invoke(append([]string{"crawl", "-o", folder, "--delay", "0", "--max-retries", "0", "--progress", "none", "-q"}, args...)...)
	for _, name := range []string{"pages.jsonl", "skipped.jsonl"} {
		data, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatalf("%v: %s", err, errs)
		}
		lines += string(data)
	}
	return lines
}

// TestRedirectsAreJudged follows redirects to what must not be requested: private
// addresses, other schemes, and paths that the robots.txt of their own host forbids.
func TestRedirectsAreJudged(t *testing.T) {
	web := testsite.New()
	defer web.Close()
	site, other, secret := web.Site("shop"), web.Site("other"), web.Site("secret")
	site.Robots("User-agent: *\nDisallow: /private\n")
	other.Robots("User-agent: *\nDisallow: /private\n")
	targets := map[string]string{
		secret.URL() + "/metadata": "private-address", "http://10.0.0.1/": "private-address", "http://169.254.169.254/latest": "private-address",
		"file:///etc/passwd": "scheme", "ftp://files.example/": "scheme", "javascript:alert(1)": "scheme", "data:text/html,x": "scheme",
		site.URL() + "/private/a": "robots-disallow", other.URL() + "/private/b": "robots-disallow",
	}
	var home strings.Builder
	n := 0
	for target := range targets {
		n++
		path := "/" + strings.Repeat("r", n)
		site.Redirect(path, target, http.StatusFound)
		home.WriteString(`<a href="` + path + `">x</a>`)
	}
	site.Page("/", home.String())
	other.Page("/", "<title>other</title>")
	lines := crawlOf(t, "--scope", "any", "--contact", "me@shop.example", site.URL(), other.URL())
	for target, reason := range targets {
		if !strings.Contains(lines, `"url":"`+target+`","reason":"`+reason+`"`) {
			t.Errorf("got no %s with %s", target, reason)
		}
	}
	for _, request := range web.Log() {
		if request.Site == "secret" || strings.Contains(request.Path, "private") {
			t.Errorf("got a request of %s %s", request.Site, request.Path)
		}
	}
}

// TestNumericHosts has links to loopback in the spellings that some resolvers know.
func TestNumericHosts(t *testing.T) {
	web := testsite.New()
	defer web.Close()
	site, secret := web.Site("shop"), web.Site("secret")
	_, port, _ := strings.Cut(secret.Host(), ":")
	var home strings.Builder
	for _, host := range []string{"2130706433", "0x7f000001", "017700000001", "0x7f.1", "127.1", "127。0。0。1", "１２７.0.0.1", "[::ffff:127.0.0.1]", "[::1]", "localhost", "127.0.0.1.", "0", "[::]"} {
		home.WriteString(`<a href="http://` + host + ":" + port + `/x">x</a>`)
	}
	site.Page("/", home.String())
	lines := crawlOf(t, "--scope", "any", "--contact", "me@shop.example", site.URL())
	for _, request := range web.Log() {
		if request.Site == "secret" {
			t.Errorf("got %s", request.Path)
		}
	}
	if n := strings.Count(lines, "private-address") + strings.Count(lines, "bad-url") + strings.Count(lines, "robots-unreachable"); n < 3 {
		t.Errorf("got %s", lines)
	}
}

// TestEachPortHasItsRules has two servers of one host with opposite rules.
func TestEachPortHasItsRules(t *testing.T) {
	web := testsite.New()
	defer web.Close()
	one, two := web.Site("one"), web.Site("two")
	one.Robots("User-agent: *\nDisallow: /b\n")
	two.Robots("User-agent: *\nDisallow: /a\n")
	for _, site := range []*testsite.Site{one, two} {
		site.Page("/", "<a href=/a>a</a><a href=/b>b</a>")
		site.Page("/a", "a")
		site.Page("/b", "b")
	}
	crawlOf(t, one.URL(), two.URL())
	for _, request := range web.Log() {
		if request.Site == "one" && request.Path == "/b" || request.Site == "two" && request.Path == "/a" {
			t.Errorf("got %s of %s, which its own robots.txt forbids", request.Path, request.Site)
		}
	}
}

// TestRedirectChainKeepsTheGap follows a chain without end: each hop is a request
// that waits its turn, and there are at most eleven.
func TestRedirectChainKeepsTheGap(t *testing.T) {
	web := testsite.New()
	defer web.Close()
	site := web.Site("shop")
	for n := range 100 {
		site.Redirect("/"+strings.Repeat("h", n+1), "/"+strings.Repeat("h", n+2), http.StatusFound)
	}
	lines := crawlOf(t, "--discover", "links", "--delay", "30ms", site.URL()+"/h")
	var last time.Time
	hops := 0
	for _, request := range web.Log() {
		if gap := request.Start.Sub(last); !last.IsZero() && gap < 25*time.Millisecond {
			t.Errorf("got %s after %v", request.Path, gap)
		}
		if last = request.Start; request.Path != "/robots.txt" {
			hops++
		}
	}
	if hops != 11 || !strings.Contains(lines, `"reason":"redirect-limit"`) {
		t.Errorf("got %d hops, want 11 and the last one skipped", hops)
	}
}

// TestNoCookieIsSent has a server that sets 10,000 cookies, and checks what every
// request carries: our one token, and nothing that identifies a visitor.
func TestNoCookieIsSent(t *testing.T) {
	web := testsite.New()
	defer web.Close()
	site := web.Site("shop")
	site.Robots("User-agent: testbot\nDisallow: /private\n\nUser-agent: *\nDisallow: /\n")
	cookies := make([]string, 2_000)
	for i := range cookies {
		cookies[i] = "Set-Cookie: id" + strings.Repeat("x", i%90) + "=1; Path=/"
	}
	site.Page("/", "<a href=/next>x</a><a href=/private>x</a>", cookies...)
	site.Page("/next", "next")
	lines := crawlOf(t, "--agent-token", "testbot", site.URL())
	if !strings.Contains(lines, site.URL()+`/next","status":200`) || strings.Contains(lines, site.URL()+`/private","status"`) {
		t.Errorf("got %s, want the group of the token that is sent", lines)
	}
	for _, request := range web.Log() {
		if request.Header.Get("Cookie") != "" || request.Header.Get("Authorization") != "" || request.Header.Get("Referer") != "" {
			t.Errorf("got %v", request.Header)
		}
		if !strings.HasPrefix(request.Header.Get("User-Agent"), "testbot/") {
			t.Errorf("got %q sent, want the token that is matched", request.Header.Get("User-Agent"))
		}
	}
}
