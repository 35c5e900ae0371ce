package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/decorum-crawler/decorum/internal/testsite"
)

// Files of text and Markdown become documents, PDF files only with --pdf; what
// cannot be read is counted.
func TestCorpusOfFiles(t *testing.T) {
	pdf, err := os.ReadFile("../../corpus/text/testdata/harbour.pdf")
	if err != nil {
		t.Fatal(err)
	}
	_, missing := exec.LookPath("pdftotext")
	if missing != nil && os.Getenv("DECORUM_CI") != "" {
		t.Fatal(missing)
	}
	for _, with := range []bool{false, true} {
		if with && missing != nil {
			t.Skip(missing)
		}
		web := testsite.New()
		t.Cleanup(web.Close)
		site := web.Site("farm")
		site.Robots(trainsRobots)
		site.Page("/", `<title>Files</title><main><p>Files of the harbour, one a link, and some words more.</p></main>
			<a href="/a.txt">a</a><a href="/b.md">b</a><a href="/c.pdf">c</a><a href="/d.pdf">d</a><a href="/feed">e</a>`)
		const source = "# Harbour\n\n- one ship\n- *no* cargo, and the evening is quiet in the harbour"
		site.Page("/a.txt", "The ships come in the morning and leave in the evening.\n  And nobody knows.", "Content-Type: text/plain")
		site.Page("/b.md", source, "Content-Type: text/markdown")
		site.Page("/c.pdf", string(pdf), "Content-Type: application/pdf")
		site.Page("/d.pdf", "%PDF-1.4 damaged", "Content-Type: application/pdf")
		site.Page("/feed", "<?xml version='1.0'?><rss version='2.0'><channel><title>News</title></channel></rss>", "Content-Type: application/rss+xml")
		folder := filepath.Join(t.TempDir(), "corpus")
		args := []string{"corpus", "build", "-o", folder, "--delay", "0", "--progress", "none", "--discover", "links", site.URL() + "/"}
		want := map[string]string{"/": "markdown", "/a.txt": "plain", "/b.md": "markdown"}
		failed := map[string]int64{"not-text": 3}
		if with {
			args, want["/c.pdf"] = append(args, "--pdf"), "plain"
			failed = map[string]int64{"not-text": 1, "pdf": 1}
		}
		if code, out, errs := invoke(args...); code != exitOK {
			t.Fatalf("got %d, %q, %q", code, out, errs)
		}
		got := map[string]string{}
		for _, d := range documentsOf(t, folder) {
			name := strings.TrimPrefix(d.URL, site.URL())
			got[name] = d.TextFormat
			if name == "/b.md" && (d.Text != source || d.Title != "Harbour") {
				t.Errorf("got %q, %q", d.Title, d.Text)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("--pdf %v: -want +got:\n%s", with, diff)
		}
		if diff := cmp.Diff(failed, manifestOf(t, folder).Counts.FailedBy); diff != "" {
			t.Errorf("--pdf %v: failed: -want +got:\n%s", with, diff)
		}
		if code, out, _ := invoke("corpus", "verify", folder); code != exitOK {
			t.Errorf("got %d, %q", code, out)
		}
	}
}
