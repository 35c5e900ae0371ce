package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/decorum-crawler/decorum/crawler/record"
)

const nginxSite = `daemon off;
pid %[1]s/nginx.pid;
error_log %[1]s/error.log;
events {}
http {
  access_log %[1]s/access.log;
  types { text/html html; text/plain txt; application/xml xml; text/css css; image/png png; }
  default_type application/octet-stream;
  server {
    listen 127.0.0.1:%[2]d;
    root %[3]s;
    location = /robots.txt { alias %[1]s/robots.txt; }
    location = /sitemap.xml { alias %[1]s/sitemap.xml; }
  }
}
`

// TestNginx crawls real documentation behind a real server, and compares what was
// fetched with an independent walk of the links in the files.
func TestNginx(t *testing.T) {
	documents, err := filepath.Glob("/usr/share/doc/python3.*/html")
	if err != nil || len(documents) == 0 {
		t.Skip("needs the Debian package python3-doc")
	}
	server, err := exec.LookPath("nginx")
	if err != nil {
		t.Skip("needs the Debian package nginx-light")
	}
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	folder := t.TempDir()
	base := startNginx(t, server, folder, documents[0])
	crawl := filepath.Join(folder, "crawl")
	finish(t, program(t), "crawl", base+"/index.html", "-o", crawl, "--delay", "0", "--progress", "none")

	walk, err := exec.CommandContext(t.Context(), "python3", "testdata/walk.py", documents[0], "/whatsnew/").Output()
	if err != nil {
		t.Fatalf("walk: %v", err)
	}
	want := strings.Fields(string(walk))
	got := fetchedPaths(t, filepath.Join(crawl, "pages.jsonl"), base)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got %d pages, want %d; only in the crawl: %q; only in the walk: %q",
			len(got), len(want), missing(got, want), missing(want, got))
	}
	t.Logf("%d pages", len(got))
	log, err := os.ReadFile(filepath.Join(folder, "access.log"))
	if err != nil {
		t.Fatal(err)
	}
	if first, _, _ := strings.Cut(string(log), "\n"); !strings.Contains(first, "GET /robots.txt ") {
		t.Errorf("got %q first in the server's log, want robots.txt", first)
	}
	if strings.Contains(string(log), "GET /whatsnew/") {
		t.Error("got a blocked page in the server's log")
	}
}

// startNginx serves the documents with a robots.txt and a sitemap, and returns
// the address.
func startNginx(t *testing.T, server, folder, documents string) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	base := fmt.Sprintf("http://127.0.0.1:%d", port)
	files := map[string]string{
		"nginx.conf":  fmt.Sprintf(nginxSite, folder, port, documents),
		"robots.txt":  "User-agent: *\nDisallow: /whatsnew/\nSitemap: " + base + "/sitemap.xml\n",
		"sitemap.xml": `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>` + base + `/index.html</loc></url></urlset>`,
	}
	if err := os.Chmod(folder, 0o755); err != nil { // the server's workers are another user
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Dir(folder), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	process := exec.Command(server, "-p", folder, "-c", filepath.Join(folder, "nginx.conf"))
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = process.Process.Signal(os.Interrupt)
		_ = process.Wait()
	})
	for range 100 {
		connection, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err == nil {
			_ = connection.Close()
			return base
		}
		<-time.After(50 * time.Millisecond)
	}
	t.Fatal("nginx does not answer")
	return ""
}

// fetchedPaths returns the sorted paths that were answered with 200.
func fetchedPaths(t *testing.T, name, base string) []string {
	t.Helper()
	var paths []string
	err := eachRow(name, func(page record.Page) error {
		if page.Status == 200 {
			paths = append(paths, strings.TrimPrefix(page.URL, base))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(paths)
	return paths
}

func missing(from, in []string) []string {
	var list []string
	for _, path := range from {
		if !slices.Contains(in, path) && len(list) < 5 {
			list = append(list, path)
		}
	}
	return list
}
