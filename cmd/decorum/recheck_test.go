package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/decorum-crawler/decorum/corpus"
	"github.com/decorum-crawler/decorum/internal/testsite"
)

const (
	trainingYes = "User-agent: __usage_ai-training\nAllow: /\n"
	trainingNo  = "User-agent: __usage_ai-training\nDisallow: /\n"
)

// buildWay builds a corpus from /a on the site last, to which the site first
// redirects, and of /own on last itself. Both sites are in favor.
func buildWay(t *testing.T) (first, last *testsite.Site, folder string) {
	t.Helper()
	web := testsite.New()
	t.Cleanup(web.Close)
	first, last = web.Site("first"), web.Site("last")
	for _, site := range []*testsite.Site{first, last} {
		site.Robots(trainingYes)
	}
	first.Redirect("/a", last.URL()+"/a", http.StatusFound)
	last.Page("/a", "<body>"+about("It was led to."))
	last.Page("/own", "<body>"+about("Nothing led here."))
	folder = filepath.Join(t.TempDir(), "corpus")
	code, _, errs := invoke("corpus", "build", "-o", folder, "--delay", "0", "--progress", "none", "--scope", "any", "--allow-net", "loopback",
		"--max-retries", "0", first.URL()+"/a", last.URL()+"/own")
	if code != exitOK || len(documentsOf(t, folder)) != 2 {
		t.Fatalf("got %d, %q, want two documents", code, errs)
	}
	return first, last, folder
}

// removedBy returns the URLs that the removals of a corpus list, with their bases.
func removedBy(t *testing.T, folder string) map[string]string {
	t.Helper()
	root := openTestRoot(t, folder)
	names, err := corpus.RemovalFiles(root)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, name := range names {
		removals, err := corpus.ReadRemovals(root, name)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range removals {
			all[r.URL] = r.Basis
		}
	}
	return all
}

// TestCorpusRecheckAsksTheWholeWay changes what the origins of a redirect chain
// state after the crawl. Only an opt-out of one of them removes the document.
func TestCorpusRecheckAsksTheWholeWay(t *testing.T) {
	tests := []struct {
		name   string
		change func(first, last *testsite.Site)
		basis  string // why /a is removed; empty when it stays
	}{
		{"nothing", func(_, _ *testsite.Site) {}, ""},
		{"robots.txt of the first origin", func(first, _ *testsite.Site) { first.Robots(trainingNo) }, "token: disallow:/"},
		{"header of the redirect", func(first, last *testsite.Site) {
			first.Status("/a", http.StatusFound, "Location: "+last.URL()+"/a", "Content-Signal: ai-train=no")
		}, "content_signal"},
		{"a file of the first origin", func(first, _ *testsite.Site) {
			first.Page("/.well-known/tdmrep.json", `[{"location": "/", "tdm-reservation": 1}]`)
		}, "tdmrep"},
		{"a license that the redirect names", func(first, last *testsite.Site) {
			first.Status("/a", http.StatusFound, "Location: "+last.URL()+"/a", `Link: </terms.xml>; rel="license"; type="application/rsl+xml"`)
			first.Page("/terms.xml", `<rsl><content url="/"><license><prohibits type="usage">ai-train</prohibits></license></content></rsl>`)
		}, "rsl: prohibits ai-train"},
		{"header of the page", func(_, last *testsite.Site) {
			last.Page("/a", "", "X-Robots-Tag: noai")
		}, "robots_meta"},
		{"robots.txt of the first origin, where the redirect is gone", func(first, _ *testsite.Site) {
			first.Robots(trainingNo)
			first.Status("/a", http.StatusNotFound)
		}, "token: disallow:/"},
		{"a page in the place of the redirect", func(first, _ *testsite.Site) { first.Page("/a", "new", "X-Robots-Tag: noai") }, ""},
		{"the redirect is gone", func(first, _ *testsite.Site) { first.Status("/a", http.StatusGone) }, ""},
		{"the last origin, where the first cannot be asked", func(first, last *testsite.Site) {
			first.Flaky("/robots.txt", -1, http.StatusServiceUnavailable, "")
			last.Page("/a", "", "X-Robots-Tag: noai")
		}, "robots_meta"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			first, last, folder := buildWay(t)
			test.change(first, last)
			code, out, errs := invoke("corpus", "recheck", folder, "--delay", "0")
			removed := removedBy(t, folder)
			if test.basis == "" {
				if code != exitOK || len(removed) != 0 || strings.Contains(out, "on hold") {
					t.Errorf("got %d, %q, %q, %v, want nothing removed", code, out, errs, removed)
				}
				return
			}
			if basis := removed[last.URL()+"/a"]; code != exitFindings || len(removed) != 1 || !strings.HasPrefix(basis, test.basis) {
				t.Fatalf("got %d, %q, %q, %v, want /a removed by %q", code, out, errs, removed, test.basis)
			}
			if code, out, errs := invoke("corpus", "purge", folder); code != exitOK || !strings.Contains(out, "1 document removed") {
				t.Errorf("purge: got %d, %q, %q", code, out, errs)
			}
			if left := documentsOf(t, folder); len(left) != 1 || left[0].URL != last.URL()+"/own" {
				t.Errorf("got %+v left, want only the page that nothing led to", left)
			}
			if code, out, _ := invoke("corpus", "verify", folder); code != exitOK {
				t.Errorf("verify: got %d, %q", code, out)
			}
		})
	}
}

// TestCorpusRecheckHoldsWhatCannotBeAsked expects documents on hold to be reported
// by their origin and left unchanged.
func TestCorpusRecheckHoldsWhatCannotBeAsked(t *testing.T) {
	first, last, folder := buildWay(t)
	held := func(site *testsite.Site, n int) string {
		return fmt.Sprintf("%s: %s on hold because of token: robots_unreachable; decision unchanged\n", site.URL(), plural(n, "document"))
	}
	recheck := func(want int, lines ...string) {
		t.Helper()
		code, out, errs := invoke("corpus", "recheck", folder, "--delay", "0")
		if code != want || out != strings.Join(lines, "") {
			t.Errorf("got %d, %q, %q, want %d, %q", code, out, errs, want, lines)
		}
		if got := removedBy(t, folder); len(got) != 0 || len(documentsOf(t, folder)) != 2 {
			t.Errorf("got %v removed, want every document as it was", got)
		}
		if code, out, _ := invoke("corpus", "verify", folder); code != exitOK {
			t.Errorf("verify: got %d, %q", code, out)
		}
	}
	silent := func(site *testsite.Site) string {
		return fmt.Sprintf("%s: could not be asked: robots.txt of %s answered 503 Service Unavailable\n", site.URL(), site.URL())
	}
	first.Flaky("/robots.txt", -1, http.StatusServiceUnavailable, "")
	recheck(exitPartial, held(first, 1), silent(first), "2 documents checked, 0 to remove, 1 not fully checked\n")
	first.Flaky("/robots.txt", 0, 0, "")
	last.Flaky("/robots.txt", -1, http.StatusServiceUnavailable, "")
	recheck(exitNothing, held(last, 2), silent(last), "2 documents checked, 0 to remove, 2 not fully checked\n")
	last.Flaky("/robots.txt", 0, 0, "")
	recheck(exitOK, "2 documents checked, 0 to remove, 0 not fully checked\n")
	last.Robots("License: " + last.URL() + "/terms.xml\n" + trainingYes)
	license := last.URL() + ": 2 documents on hold because of rsl: license_unreadable; decision unchanged\n"
	recheck(exitNothing, license, "2 documents checked, 0 to remove, 2 not fully checked\n")
}

// TestCorpusRecheckSaysWhyNothingWasAsked has a corpus of an archive, whose sites the
// guard of addresses refuses without a flag.
func TestCorpusRecheckSaysWhyNothingWasAsked(t *testing.T) {
	_, _, crawled := buildFarm(t, "--store", "warc")
	files, err := filepath.Glob(crawled + "/warc/*.warc.gz")
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(t.TempDir(), "corpus")
	if code, out, errs := invoke(append([]string{"corpus", "build", "-o", folder, "--progress", "none", "--from-warc"}, files...)...); code != exitOK {
		t.Fatalf("got %d, %q, %q", code, out, errs)
	}
	code, out, errs := invoke("corpus", "recheck", folder, "--delay", "0")
	if code != exitNothing || !strings.Contains(out, "is a private or reserved address") || !strings.Contains(out, "10 documents checked, 0 to remove, 10 not fully checked") {
		t.Errorf("got %d, %q, %q, want the cause", code, out, errs)
	}
	if code, out, errs := invoke("corpus", "recheck", folder, "--delay", "0", "--allow-net", "loopback"); code != exitOK {
		t.Errorf("got %d, %q, %q", code, out, errs)
	}
}

// TestCorpusRecheckMissesConsent has a site that withdraws its consent, in a corpus
// that includes only pages with consent.
func TestCorpusRecheckMissesConsent(t *testing.T) {
	_, site, folder := buildFarm(t, "--unknown", "exclude")
	site.Robots("User-agent: *\nAllow: /\n")
	code, out, errs := invoke("corpus", "recheck", folder, "--delay", "0")
	if code != exitFindings || !strings.Contains(out, "10 documents checked, 10 to remove, 0 not fully checked") {
		t.Errorf("got %d, %q, %q, want all to be removed", code, out, errs)
	}
}

// TestCorpusRecheckKeepsWhatAFileSaid has consent in a file that is temporarily
// unreachable.
func TestCorpusRecheckKeepsWhatAFileSaid(t *testing.T) {
	web := testsite.New()
	defer web.Close()
	site := web.Site("farm")
	site.Robots("User-agent: *\nAllow: /\n")
	const file = "/.well-known/tdmrep.json"
	site.Page(file, `[{"location": "/", "tdm-reservation": 0}]`)
	site.Page("/", "<body>"+article)
	folder := filepath.Join(t.TempDir(), "corpus")
	if code, _, errs := invoke("corpus", "build", "-o", folder, "--delay", "0", "--progress", "none", "--policy", "cautious", site.URL()+"/"); code != exitOK {
		t.Fatalf("got %d, %q", code, errs)
	}
	site.Flaky(file, -1, http.StatusServiceUnavailable, "")
	if code, out, errs := invoke("corpus", "recheck", folder, "--delay", "0"); code != exitNothing || len(documentsOf(t, folder)) != 1 {
		t.Errorf("got %d, %q, %q, want its yes to be in force", code, out, errs)
	}
	site.Flaky(file, 0, 0, "")
	site.Status(file, http.StatusNotFound)
	if code, out, errs := invoke("corpus", "recheck", folder, "--delay", "0"); code != exitFindings {
		t.Errorf("got %d, %q, %q, want its yes to be gone", code, out, errs)
	}
}

// TestDamagedRemovals has a removals file that a crash damaged; only commands that
// use the removals fail.
func TestDamagedRemovals(t *testing.T) {
	_, _, folder := buildFarm(t)
	if err := os.Mkdir(filepath.Join(folder, corpus.RemovalsDir), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(folder, corpus.RemovalsDir, "x.jsonl"), make([]byte, 20))
	if code, out, errs := invoke("corpus", "decide", folder, "--policy", "token"); code != exitOK {
		t.Errorf("decide: got %d, %s%s", code, out, errs)
	}
	if gaps := strings.Join(manifestOf(t, folder).Gaps, "\n"); !strings.Contains(gaps, "pending removals could not be counted: read removals/x.jsonl: line 1") {
		t.Errorf("got gaps %s", gaps)
	}
	code, _, errs := invoke("corpus", "purge", folder)
	if code != exitDirectory || !strings.Contains(errs, "removals/x.jsonl: line 1") || !strings.Contains(errs, "hint: the file is damaged there") {
		t.Errorf("purge: got %d, %s", code, errs)
	}
}
