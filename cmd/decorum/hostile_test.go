package main

import (
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/decorum-crawler/decorum/audit/format"
	"github.com/decorum-crawler/decorum/internal/escape"
	"github.com/decorum-crawler/decorum/internal/testsite"
)

// unseen has a character of each kind that may not be written as it is.
const unseen = "\x1b]0;x\x07\x1b[2J\u009b2J\x7f\u202ecod\u2066\u061c\u200b\ufeff\U000e0041\u2028[red]"

// hostileSite serves a site with hostile text in everything that decorum reads.
func hostileSite(web *testsite.Web) *testsite.Site {
	site := web.Site("hostile")
	site.Robots("User-agent: *\nAllow: /\nDisallow: /no" + unseen + "\nDisallow: /*/priv" + unseen + "\nAllow: /a" + unseen +
		"\nNoindex" + unseen + ": /x\nCrawl-delay: " + unseen + "\nContent-Usage: train-ai=" + unseen + "\n\nUser-agent: B" + unseen +
		"\nDisallow: /\n\nSitemap: BASE/map.xml\nSitemap: BASE/" + unseen + ".xml\nSitemap: ftp://" + unseen + "/\n")
	site.Handle("/map.xml", func(w http.ResponseWriter, _ *http.Request) {
		const text = "\u009b2J\x7f\u202e\u2066\u200b\U000e0041\u2028" // no C0, which ends the reading of XML
		_, _ = io.WriteString(w, `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`+
			`<url><loc>`+site.URL()+`/page`+text+`</loc><lastmod>`+text+`</lastmod><priority>`+text+`</priority></url>`+
			`<url><loc>`+site.URL()+`/no`+text+`</loc></url><url><loc>x`+text+`:y</loc></url><`+text+`/></urlset>`)
	})
	site.Page("/", `<!doctype html><html lang="en`+unseen+`"><title>Title `+unseen+`</title><meta name="robots" content="noai, `+unseen+`">`+
		`<link rel=canonical href="/`+unseen+`"><meta name="tdm-policy" content="`+unseen+`"><a href="/page`+unseen+`">x</a><a href="x`+unseen+`:y">x</a>`+
		`<a href="http://`+unseen+`/">x</a><a href=/plain>x</a><a href="/no`+unseen+`">x</a>`+strings.ReplaceAll(article, "harbour", "harbour "+unseen))
	site.Handle("/page", func(w http.ResponseWriter, _ *http.Request) {
		connection, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		_, _ = io.WriteString(connection, "HTTP/1.1 404 No \x1b[2J\u009b2J\u202e\r\nContent-Type: text/html; charset=\u009b\u202e\r\nX-Robots-Tag: \u202e\u009b, B\u202e: none\r\nContent-Length: 0\r\n\r\n")
		_ = connection.Close()
	})
	site.Page("/plain", "<title>"+unseen+"</title>"+article)
	return site
}

// checkSeen reports characters of text that should have been escaped.
func checkSeen(t *testing.T, what, text string) {
	t.Helper()
	for i, r := range text {
		if r != '\n' && r != '\t' && escape.Unseen(r) {
			t.Errorf("%s: got %U in %q", what, r, text[max(0, i-60):min(len(text), i+20)])
			return
		}
	}
}

// TestNoCommandWritesUnseenCharacters runs every command on a hostile site: no
// control, bidi or other unseen character comes out as it is, neither on standard
// output and error nor in a text file. Bodies are kept as they were sent, in the
// archive, as evidence and in Parquet.
func TestNoCommandWritesUnseenCharacters(t *testing.T) {
	web := testsite.New()
	defer web.Close()
	site := hostileSite(web)
	temp := t.TempDir()
	place := func(name string) string { return filepath.Join(temp, name) }
	rules, names := place("robots.txt"), place("urls.txt")
	for name, text := range map[string]string{rules: "User-agent: *\nDisallow: /" + unseen + "\n" + unseen + ": " + unseen + "\n", names: site.URL() + "/" + unseen + "\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	quick := []string{"--delay", "0", "--max-retries", "0", "--progress", "none", "-vv"}
	commands := [][]string{
		append([]string{"crawl", "-o", place("crawl"), "--store", "pages,warc", "--log-format", "json", site.URL()}, quick...),
		append([]string{"corpus", "build", "-o", place("corpus"), "--unknown", "include", "--ai-txt", site.URL()}, quick...),
		{"resume", place("crawl")},
		{"corpus", "build", "--from-warc", place("crawl/warc/00000.warc.gz"), "-o", place("again"), "--unknown", "include"},
		{"robots", "diff", rules, site.URL() + "/robots.txt", "--urls", names, "--delay", "0"},
		{"sitemap", "list", "--delay", "0", site.URL()},
		{"sitemap", "validate", "--delay", "0", site.URL()},
		{"sitemap", "generate", place("crawl"), "-o", place("maps")},
		{"state", "inspect", place("crawl")},
		{"state", "verify", place("crawl")},
		{"state", "export", place("crawl"), "-o", place(unseen + ".wacz")},
		{"crawl", "-o", place(unseen), site.URL()},
		{"corpus", "stats", place("corpus")},
		{"corpus", "verify", place("corpus")},
		{"corpus", "recheck", "--delay", "0", place("corpus")},
		{"corpus", "decide", "--policy", "cautious", place("corpus")},
	}
	misused := [][]string{
		{"crawl", "-o", place("none"), "--contact", "x" + unseen, "http://" + unseen + "/"},
		{"crawl", unseen},
		{unseen},
		{"crawl", "--" + unseen},
		{"robots", "lint", place(unseen)},
		{"robots", "check", "x" + unseen + ":y"},
		{"robots", "explain", "x" + unseen + ":y"},
	}
	for _, address := range []string{site.URL() + "/", site.URL() + "/page" + unseen, site.URL() + "/no" + unseen} {
		commands = append(commands, []string{"robots", "check", "--delay", "0", address}, []string{"robots", "explain", "--delay", "0", address},
			[]string{"robots", "check", "--file", rules, address}, []string{"state", "why", place("crawl"), address})
	}
	for _, name := range format.Names() {
		commands = append(commands, append([]string{"audit", "--format", name, "--check-pages", "--crawl", place("pages"), site.URL()}, quick[:6]...))
	}
	for _, name := range []string{"text", "jsonl", "sarif"} {
		commands = append(commands, []string{"robots", "lint", "--format", name, rules}, []string{"robots", "lint", "--delay", "0", "--format", name, site.URL()})
	}
	for i, args := range append(commands, misused...) {
		code, out, errs := invoke(args...)
		if i < len(commands) && (code != exitOK && code != exitFindings || out+errs == "") {
			t.Errorf("%q: got %d, %q", args, code, errs)
		}
		checkSeen(t, strings.Join(args, " "), out)
		checkSeen(t, strings.Join(args, " ")+" (standard error)", errs)
		if code, out, errs := invoke(append(args, "--json")...); code != exitUsage {
			checkSeen(t, strings.Join(args, " ")+" --json", out)
			checkSeen(t, strings.Join(args, " ")+" --json (standard error)", errs)
		}
	}
	checkFilesSeen(t, temp)
}

// checkFilesSeen checks the text files below a folder.
func checkFilesSeen(t *testing.T, folder string) {
	t.Helper()
	checked := 0
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !slices.Contains([]string{".jsonl", ".json", ".log", ".cdxj", ".yaml", ".xml"}, filepath.Ext(path)) {
			return err
		}
		checked++
		text, err := os.ReadFile(path)
		checkSeen(t, path, string(text))
		return err
	})
	if err != nil || checked < 12 {
		t.Errorf("got %d files checked, %v", checked, err)
	}
}
