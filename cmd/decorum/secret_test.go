package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/decorum-crawler/decorum/internal/testsite"
)

// TestNoSecretIsWritten looks for the secrets of links in every file of a crawl
// directory, in what commands print, and in what servers are asked for.
func TestNoSecretIsWritten(t *testing.T) {
	const secret = "s3cretpw"
	web := testsite.New()
	defer web.Close()
	site, other := web.Site("shop"), web.Site("other")
	other.Page("/", "<title>other</title>")
	user := strings.Replace(site.URL(), "://", "://bob:"+secret+"@", 1)
	site.Robots("User-agent: *\nDisallow: /private\n\nSitemap: BASE/map.xml\n")
	site.Sitemap("/map.xml", user+"/listed", "ftp://bob:"+secret+"@files.example/", "https://far.example/?token="+secret, "http://bob:"+secret+"@a b/")
	links := []string{
		user + "/in", user + "/private", "ftp://bob:" + secret + "@files.example/x", "http://bob:" + secret + "@exa mple.com/", "http://bob:" + secret + "@:99999999/",
		"//bob:" + secret + "@far.example/", "ssh:bob:" + secret + "@far.example", "https://far.example/?access_token=" + secret, "https://far.example/?q=1&amp;Api-Key=" + secret + "#id_token=" + secret,
		"https://s3.example/file?X-Amz-Signature=" + secret + "&amp;X-Amz-Credential=" + secret, "app:open?password=" + secret, "http://[bad/?sig=" + secret,
		"https://excluded.example/?pwd=" + secret, "/trap/a/a/a/a/a?client_secret=" + secret, "http://a..b/?token=" + secret, "/" + strings.Repeat("l", 3000) + "?token=" + secret,
	}
	site.Page("/", `<title>x</title><link rel=canonical href="https://far.example/?token=`+secret+`"><base href="`+user+`/"><a href="`+strings.Join(links, `">x</a><a href="`)+`">x</a>`)
	site.Page("/in", "<title>in</title>")
	site.Page("/listed", `<meta http-equiv=refresh content="0; url=http://bob:`+secret+`@far.example/?token=`+secret+`">`)
	site.Redirect("/moved", "https://bob:"+secret+"@far.example/?token="+secret, 302)
	folder := filepath.Join(t.TempDir(), "crawl")
	for _, args := range [][]string{
		{"crawl", "-o", folder, "--delay", "0", "--progress", "none", "-vv", "--exclude", "excluded", user, site.URL() + "/moved"},
		{"state", "verify", folder},
		{"state", "why", folder, user + "/in"},
		{"sitemap", "validate", "--delay", "0", site.URL()},
		{"robots", "check", "--delay", "0", user + "/in"},
		{"crawl", "http://bob:" + secret + "@exa mple.com/"},
	} {
		if _, out, errs := invoke(args...); strings.Contains(out+errs, secret) {
			t.Errorf("%q: got %q, %q", args, out, errs)
		}
	}
	for _, request := range web.Log() {
		if strings.Contains(request.Path+request.Header.Get("Authorization")+request.Header.Get("Referer"), secret) {
			t.Errorf("got a request with a secret: %+v", request)
		}
	}
	checkFilesHaveNot(t, folder, secret)
	skipped, err := os.ReadFile(filepath.Join(folder, "skipped.jsonl"))
	if n := bytes.Count(skipped, []byte("=REDACTED")); err != nil || n < 8 {
		t.Errorf("got %d values redacted, %v: %s", n, err, skipped)
	}
}

// checkFilesHaveNot reports the files below folder that contain a text.
func checkFilesHaveNot(t *testing.T, folder, text string) {
	t.Helper()
	checked := 0
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		checked++
		data, err := os.ReadFile(path)
		if at := bytes.Index(data, []byte(text)); at >= 0 {
			t.Errorf("%s: got it in %q", path, data[max(0, at-200):min(len(data), at+50)])
		}
		return err
	})
	if err != nil || checked < 5 {
		t.Errorf("got %d files, %v", checked, err)
	}
}
