package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/decorum-crawler/decorum/internal/testsite"
)

// ours are the names that a crawl with archive and corpus may write.
var ours = regexp.MustCompile(`^(crawl\.db|crawl\.log|config\.yaml|corpus\.yaml|manifest\.json|[a-z]+\.jsonl|warc/(\d{5}\.warc\.gz|index\.cdxj|captures\.cdxj)|robots/[0-9a-f-]+\.(txt|json)|files/[0-9a-f-]+(\.json)?|evidence/(pages\.jsonl|[0-9a-f]{16}-\d+\.json|[0-9a-f-]+(\.txt)?)|(documents/train=[a-z_]+|excluded)/part-\d{5}\.jsonl(\.gz)?)$`)

// TestFileNamesAreOurs crawls URLs whose names mean something to file systems.
func TestFileNamesAreOurs(t *testing.T) {
	web := testsite.New()
	defer web.Close()
	site := web.Site("shop")
	var home strings.Builder
	for _, path := range []string{"/..%2f..%2fetc%2fpasswd", "/%2e%2e/x", "/a%00b", "/CON", "/aux.txt", "/.hidden", "/~", "/a:b", "/" + strings.Repeat("n", 300), "/robots/../../x"} {
		site.Page(path, article)
		home.WriteString(`<a href="` + path + `">x</a>`)
	}
	site.Page("/", article+home.String())
	temp := t.TempDir()
	folder := filepath.Join(temp, "corpus")
	if code, _, errs := invoke("corpus", "build", "-o", folder, "--store", "pages,warc", "--unknown", "include", "--ai-txt", "--delay", "0", "--progress", "none", site.URL()); code != exitOK {
		t.Fatalf("got %d, %q", code, errs)
	}
	err := filepath.WalkDir(temp, func(path string, entry fs.DirEntry, err error) error {
		if name, _ := filepath.Rel(folder, path); err == nil && !entry.IsDir() && !ours.MatchString(filepath.ToSlash(name)) {
			t.Errorf("got %s", name)
		}
		if info, failed := entry.Info(); failed == nil && !entry.IsDir() && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: got mode %v, want it readable by its owner only", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestAnEventIsOneLine has URLs and headers with line ends: each event of the log is
// one line, whatever its form.
func TestAnEventIsOneLine(t *testing.T) {
	web := testsite.New()
	defer web.Close()
	site := web.Site("shop")
	site.Redirect("/moved", "/a%0d%0alevel=ERROR", 302)
	site.Page("/", "<title>a\nlevel=ERROR msg=forged</title><a href='/a&#10;level=ERROR'>x</a><a href=/moved>x</a><a href='/b%0Alevel=ERROR'>x</a>"+
		"<a href='http://x&#10;level=ERROR msg=forged/'>x</a>")
	for _, form := range []string{"text", "json"} {
		folder := filepath.Join(t.TempDir(), "crawl")
		_, _, errs := invoke("crawl", "-o", folder, "--delay", "0", "--progress", "none", "-vv", "--log-format", form, site.URL())
		for line := range strings.Lines(errs) {
			if strings.HasPrefix(line, "level=ERROR") || form == "json" && !json.Valid([]byte(line)) || form == "text" && !strings.HasPrefix(line, "time=") {
				t.Errorf("%s: got %q", form, line)
			}
		}
		log, err := os.ReadFile(filepath.Join(folder, "crawl.log"))
		for line := range strings.Lines(string(log)) {
			if !json.Valid([]byte(line)) {
				t.Errorf("crawl.log: got %q", line)
			}
		}
		if err != nil || len(log) == 0 {
			t.Errorf("got %q, %v", log, err)
		}
	}
}

// TestHomographsAreShownInASCII has a link to a name that looks like another one.
func TestHomographsAreShownInASCII(t *testing.T) {
	web := testsite.New()
	defer web.Close()
	site := web.Site("shop")
	site.Page("/", "<a href='http://аpple.com/'>x</a>") // with a Cyrillic letter
	lines := crawlOf(t, site.URL())
	if !strings.Contains(lines, `"url":"http://xn--pple-43d.com/"`) || strings.Contains(lines, "аpple") {
		t.Errorf("got %s", lines)
	}
}

// TestExpressionsAreBounded matches expressions that other engines need years for,
// and refuses what is too long or too much.
func TestExpressionsAreBounded(t *testing.T) {
	web := testsite.New()
	defer web.Close()
	site := web.Site("shop")
	site.Page("/", "<a href=/"+strings.Repeat("a", 1900)+"b>x</a>")
	if lines := crawlOf(t, "--exclude", "(a+)+$", "--exclude", "(a|a|aa)*c$", site.URL()); strings.Count(lines, "\n") != 2 {
		t.Errorf("got %s", lines)
	}
	many := []string{"crawl", "-o", t.TempDir() + "/x"}
	for n := range 1001 {
		many = append(many, "--exclude", fmt.Sprint("x", n))
	}
	for _, args := range [][]string{many, {"crawl", "--exclude", strings.Repeat("x", 5000)}, {"crawl", "--include", "("}} {
		if code, _, errs := invoke(append(args, site.URL())...); code != exitUsage || !strings.Contains(errs, "include or exclude") {
			t.Errorf("got %d, %.200q", code, errs)
		}
	}
}
