package main

import (
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/decorum-crawler/decorum/corpus"
)

// oldSite is where the site of the corpora in testdata/doc1 was when they were made.
const oldSite = "127.77.13.1:18913"

// serveOldSite serves that site; robots.txt is answered with robots, if that is set.
func serveOldSite(t *testing.T, robots *atomic.Value) {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", oldSite)
	if err != nil {
		t.Skipf("the address of the old site cannot be used: %v", err)
	}
	files := http.FileServerFS(os.DirFS("testdata/doc1/site"))
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if text, ok := robots.Load().(string); ok && r.URL.Path == "/robots.txt" {
			_, _ = w.Write([]byte(text))
			return
		}
		files.ServeHTTP(w, r)
	}))
	_ = server.Listener.Close()
	server.Listener = listener
	server.Start()
	t.Cleanup(server.Close)
}

// The corpora in testdata/doc1 were made by the last version that wrote
// decorum.doc/1. Every command works on them, and those that write shards write
// decorum.doc/2.
func TestCorpusOfDoc1(t *testing.T) {
	var robots atomic.Value
	serveOldSite(t, &robots)
	for _, made := range []string{"lines", "parquet"} {
		t.Run(made, func(t *testing.T) {
			robots.Store("User-agent: __usage_ai-training\nDisallow: /reviews\nAllow: /\n")
			folder := filepath.Join(t.TempDir(), made)
			if err := os.CopyFS(folder, os.DirFS(filepath.Join("testdata/doc1", made))); err != nil {
				t.Fatal(err)
			}
			want := func(code int, words string, args ...string) {
				t.Helper()
				if got, out, errs := invoke(args...); got != code || !strings.Contains(out, words) {
					t.Errorf("%q: got %d, %q, %q, want %d, %q", args, got, out, errs, code, words)
				}
			}
			want(exitOK, "ok: 5 documents", "corpus", "verify", folder)
			want(exitOK, "documents", "corpus", "stats", folder)
			checkOldDocuments(t, folder, 5) // as they are read
			want(exitOK, "0 documents changed", "corpus", "decide", folder, "--policy", "token")
			checkOldDocuments(t, folder, 5) // as they are written now
			want(exitOK, "ok: 5 documents", "corpus", "verify", folder)
			want(exitOK, "5 documents checked, 0 to remove", "corpus", "recheck", folder, "--delay", "0", "--allow-net", "loopback")
			robots.Store("User-agent: __usage_ai-training\nDisallow: /market\nAllow: /\n")
			want(exitFindings, "5 documents checked, 1 to remove", "corpus", "recheck", folder, "--delay", "0", "--allow-net", "loopback")
			want(exitOK, "1 document removed", "corpus", "purge", folder)
			want(exitOK, "ok: 4 documents", "corpus", "verify", folder)
			checkOldDocuments(t, folder, 4)
			want(exitOK, "", "corpus", "build", "-o", folder, "--policy", "token", "--progress", "none", "--delay", "0", "--allow-net", "loopback", "--discover", "links",
				"--format", map[string]string{"lines": "jsonl.gz", "parquet": "parquet"}[made], "--store", map[string]string{"lines": "pages,warc", "parquet": "pages"}[made],
				"http://"+oldSite+"/index.html")
			want(exitOK, "ok: 4 documents", "corpus", "verify", folder)
		})
	}
}

func checkOldDocuments(t *testing.T, folder string, n int) {
	t.Helper()
	all := documentsOf(t, folder)
	if len(all) != n {
		t.Errorf("got %d documents, want %d", len(all), n)
	}
	for _, d := range all {
		if d.Metadata.Schema != corpus.DocumentSchema || d.TextFormat != "plain" || d.Added.Time().Year() != 2026 ||
			d.Counts.Words == 0 || len(d.Languages) != 1 || d.Metadata.RobotsFetchedAt == 0 {
			t.Errorf("got %+v", d)
		}
		switch name := filepath.Base(d.URL); {
		case name == "hafen.html" && (d.Language != "" || d.LanguageDeclared != "en"): // in German
			t.Errorf("%s: got %q, declared %q", name, d.Language, d.LanguageDeclared)
		case name == "harbour.html" && (d.Language != "en" || d.LanguageScore == 0):
			t.Errorf("%s: got %q, %v", name, d.Language, d.LanguageScore)
		case name == "twin.html" && !slices.ContainsFunc(all, func(o corpus.Document) bool { return o.ID == d.DupOf || o.DupOf == d.ID }):
			t.Errorf("%s: got %q as its twin", name, d.DupOf)
		}
	}
}
