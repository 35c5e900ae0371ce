package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/decorum-crawler/decorum/corpus"
	"github.com/decorum-crawler/decorum/crawler/crawldir"
	"github.com/decorum-crawler/decorum/internal/testsite"
)

// fromWARC builds a corpus from the archives of a crawl and verifies it.
func fromWARC(t *testing.T, crawl string, more ...string) (folder, said string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(crawl, "*.warc.gz"))
	if err != nil || len(files) == 0 {
		t.Fatalf("got archives %v, %v", files, err)
	}
	folder = filepath.Join(t.TempDir(), "made")
	args := append([]string{"corpus", "build", "-o", folder, "--progress", "none", "--from-warc", files[0]}, files[1:]...)
	code, _, errs := invoke(append(args, more...)...)
	if code != exitOK {
		t.Fatalf("got %d, %s", code, errs)
	}
	if code, out, errs := invoke("corpus", "verify", folder); code != exitOK {
		t.Errorf("verify: got %d, %s%s", code, out, errs)
	}
	return folder, errs
}

// byURL returns documents by their URLs, without the name of their crawl.
func byURL(t *testing.T, folder string) map[string]corpus.Document {
	t.Helper()
	all := map[string]corpus.Document{}
	for _, d := range documentsOf(t, folder) {
		d.Metadata.CrawlID = ""
		all[d.URL] = d
	}
	return all
}

func TestFromWARCMakesTheSameDocuments(t *testing.T) {
	for _, policy := range []string{"declared", "cautious"} {
		t.Run(policy, func(t *testing.T) {
			_, _, crawl := buildFarm(t, "--store", "warc", "--policy", policy, "--warc-bytes", "64KiB")
			made, _ := fromWARC(t, filepath.Join(crawl, crawldir.ArchiveDir), "--policy", policy)
			if diff := cmp.Diff(byURL(t, crawl), byURL(t, made)); diff != "" {
				t.Errorf("documents of the crawl and of its archive: %s", diff)
			}
		})
	}
}

// TestFromWARCJudgesTheWholeWay has redirects in the archive.
func TestFromWARCJudgesTheWholeWay(t *testing.T) {
	web := testsite.New()
	defer web.Close()
	first, last := web.Site("first"), web.Site("last")
	first.Robots("User-agent: *\nAllow: /\n")
	first.Status("/a", http.StatusFound, "Location: "+last.URL()+"/a", "Content-Signal: ai-train=no")
	first.Redirect("/b", last.URL()+"/b", http.StatusFound)
	last.Robots("User-agent: __usage_ai-training\nAllow: /\n")
	last.Page("/a", "<body>"+about("It was led to."))
	last.Page("/b", "<body>"+about("It was led to, too."))
	crawl := filepath.Join(t.TempDir(), "crawl")
	code, _, errs := invoke("crawl", "-o", crawl, "--store", "warc", "--delay", "0", "--progress", "none", "--scope", "any", "--allow-net", "loopback",
		first.URL()+"/a", first.URL()+"/b")
	if code != exitOK {
		t.Fatalf("got %d, %q", code, errs)
	}
	made, _ := fromWARC(t, filepath.Join(crawl, crawldir.ArchiveDir))
	got := byURL(t, made)
	if d, ok := got[last.URL()+"/b"]; len(got) != 1 || !ok || d.Train != "none" {
		t.Errorf("got %v, want one document, about which its way says nothing", got)
	}
	if got := outcomeOf(t, made); got.train != "excluded" {
		t.Errorf("got %v, want the other excluded by its first host", got)
	}
}

// TestFromWARCNamesWhatWasRefusedLater has pages before and after their site
// opted out.
func TestFromWARCNamesWhatWasRefusedLater(t *testing.T) {
	_, site, first := buildFarm(t, "--store", "warc")
	<-time.After(time.Until(time.Now().Truncate(time.Second).Add(time.Second))) // WARC-Date has seconds
	site.Robots("User-agent: *\nDisallow: /private\n\nUser-agent: __usage_ai-training\nDisallow: /page/3\nDisallow: /page/5\nAllow: /\n")
	site.Page("/page/4", "<body>"+article, "X-Robots-Tag: noai")
	second := filepath.Join(t.TempDir(), "second")
	code, _, errs := invoke("crawl", "-o", second, "--store", "warc", "--delay", "0", "--progress", "none", "--allow-net", "loopback",
		site.URL()+"/page/3", site.URL()+"/page/4")
	if code != exitOK {
		t.Fatalf("got %d, %q", code, errs)
	}
	both := t.TempDir()
	// Page 5 has no later capture, but a later robots.txt excludes it.
	for i, crawl := range []string{second, first} { // whichever is read first
		data, err := os.ReadFile(filepath.Join(crawl, crawldir.ArchiveDir, "00000.warc.gz"))
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(both, fmt.Sprintf("%d.warc.gz", i)), data)
	}
	made, said := fromWARC(t, both)
	if !strings.Contains(said, "3 documents excluded by later records in the archives; removals/") {
		t.Errorf("got %q, want the removals named", said)
	}
	gap := "3 documents are listed in removals and not purged yet"
	if gaps := manifestOf(t, made).Gaps; !slices.Contains(gaps, gap) {
		t.Errorf("got gaps %q", gaps)
	}
	files, err := filepath.Glob(filepath.Join(both, "*.warc.gz"))
	if err != nil {
		t.Fatal(err)
	}
	again := append([]string{"corpus", "build", "-o", made, "--progress", "none", "--from-warc"}, files...)
	if code, _, errs := invoke(again...); code != exitOK || strings.Contains(errs, "excluded by later") {
		t.Errorf("got %d, %q, want nothing new the second time", code, errs)
	}
	if code, out, errs := invoke("corpus", "purge", made); code != exitOK || !strings.Contains(out, "3 documents removed") {
		t.Errorf("purge: got %d, %q, %q", code, out, errs)
	}
	left := byURL(t, made)
	for _, path := range []string{"/page/3", "/page/4", "/page/5"} {
		if d, ok := left[site.URL()+path]; ok {
			t.Errorf("got %v, want it gone", d)
		}
	}
	if _, ok := left[site.URL()+"/page/2"]; !ok || slices.Contains(manifestOf(t, made).Gaps, gap) {
		t.Errorf("got %d documents, want the others to stay", len(left))
	}
	if code, out, _ := invoke("corpus", "verify", made); code != exitOK {
		t.Errorf("verify: got %d, %s", code, out)
	}
}

// TestFromWARCOfAnotherTool has the archive of a tool that asks for pages
// which robots.txt forbids, and which keeps no metadata.
func TestFromWARCOfAnotherTool(t *testing.T) {
	wget, err := exec.LookPath("wget")
	need(t, err, "wget")
	web := testsite.New()
	defer web.Close()
	site := web.Site("farm")
	farm(site)
	folder := t.TempDir()
	fetch := exec.CommandContext(t.Context(), wget, "--quiet", "--recursive", "--level", "3", "-e", "robots=off", "--tries", "1",
		"--warc-file", "farm", site.URL()+"/robots.txt", site.URL()+"/", site.URL()+"/private/x")
	fetch.Dir = folder
	_ = fetch.Run() // some pages are not there, which it reports
	made, said := fromWARC(t, folder)
	if !strings.Contains(said, "tdmrep.json: 1 not in the archives") {
		t.Errorf("got %q, want what could not be judged", said)
	}
	documents := byURL(t, made)
	if len(documents) < 8 {
		t.Errorf("got %d documents, want those of the farm", len(documents))
	}
	for address := range documents {
		if strings.Contains(address, "/reviews") || strings.Contains(address, "/private") {
			t.Errorf("got %s as a document", address)
		}
	}
	if skipped := urlsOf(t, filepath.Join(made, "skipped.jsonl")); skipped[site.URL()+"/private/x"] != 1 {
		t.Errorf("got %v skipped, want what robots.txt forbids", skipped)
	}
}

func TestFromWARCWithoutRobots(t *testing.T) {
	folder := t.TempDir()
	const block = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<title>A</title>" + article
	record := fmt.Sprintf("WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: https://farm.example/a\r\nWARC-Date: 2026-03-01T10:00:00Z\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n",
		len(block), block)
	write(t, filepath.Join(folder, "a.warc.gz"), []byte(record))
	made, said := fromWARC(t, folder)
	if got := outcomeOf(t, made); got.train != "hold" {
		t.Errorf("got %v, want the page to wait", got)
	}
	const want = "1 page on hold: the archives contain no robots.txt of https://farm.example"
	if !strings.Contains(said, want) {
		t.Errorf("got %q, want %q", said, want)
	}
	if _, out, _ := invoke("corpus", "stats", made); !strings.Contains(out, "not judged: "+want) {
		t.Errorf("stats: got %q, want %q", out, want)
	}
	data, err := os.ReadFile(filepath.Join(made, "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	var m corpus.Manifest
	if err := json.Unmarshal(data, &m); err != nil || len(m.Inputs) != 1 || m.Inputs[0].Bytes != int64(len(record)) || len(m.Unjudged) == 0 {
		t.Errorf("got %v, %v, want the archive and what it lacks in the manifest", m, err)
	}
}

func TestFromWARCRefuses(t *testing.T) {
	_, _, crawl := buildFarm(t, "--store", "warc")
	file := filepath.Join(crawl, crawldir.ArchiveDir, "00000.warc.gz")
	broken := filepath.Join(t.TempDir(), "broken.warc.gz")
	write(t, broken, []byte("no archive"))
	cut := filepath.Join(t.TempDir(), "cut.warc")
	write(t, cut, []byte("WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: https://farm.example/a\r\nWARC-Date: 2026-03-01T10:00:00Z\r\n"+
		"Content-Length: 4611686018427387904\r\n\r\nHTTP/1.1 200 OK\r\n\r\nx"))
	inHead := filepath.Join(t.TempDir(), "head.warc")
	write(t, inHead, []byte("WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: https://farm.example/robots.txt\r\nContent-Length: 99\r\n\r\nHTTP/1.1 200"))
	made, _ := fromWARC(t, filepath.Join(crawl, crawldir.ArchiveDir))
	for name, test := range map[string]struct {
		args []string
		code int
		want string
	}{
		"a file that is not there":      {[]string{"--from-warc", "none.warc.gz", "-o", "x"}, exitIO, "none.warc.gz"},
		"a file that is not an archive": {[]string{"--from-warc", broken, "-o", "x"}, exitIO, "it is not an archive"},
		"an archive that is cut":        {[]string{"--from-warc", cut, "-o", "x"}, exitIO, "it is damaged there"},
		"an archive cut in an answer":   {[]string{"--from-warc", inHead, "-o", "x"}, exitIO, "it is damaged there"},
		"a directory":                   {[]string{"--from-warc", filepath.Dir(file), "-o", "x"}, exitIO, "name the files in it"},
		"the directory of a crawl":      {[]string{"--from-warc", file, "-o", crawl}, exitUsage, "contains a crawl"},
		"a directory of other archives": {[]string{"--from-warc", file, file, "-o", made}, exitUsage, "other archives"},
		"other settings":                {[]string{"--from-warc", file, "-o", made, "--policy", "token"}, exitUsage, "started with other settings"},
	} {
		t.Run(name, func(t *testing.T) {
			if code, _, errs := invoke(append([]string{"corpus", "build"}, test.args...)...); code != test.code || !strings.Contains(errs, test.want) {
				t.Errorf("got %d, %q, want %d, %q", code, errs, test.code, test.want)
			}
		})
	}
	if code, _, errs := invoke("resume", made); code != exitDirectory || !strings.Contains(errs, "run the same decorum corpus build --from-warc") {
		t.Errorf("resume: got %d, %q", code, errs)
	}
	if code, _, errs := invoke("corpus", "build", "--from-warc", file, "-o", made); code != exitOK {
		t.Errorf("again: got %d, %q", code, errs)
	}
	if code, out, _ := invoke("corpus", "decide", made, "--policy", "token"); code != exitOK {
		t.Errorf("decide: got %d, %q", code, out)
	}
	if code, out, _ := invoke("corpus", "verify", made); code != exitOK {
		t.Errorf("verify after decide: got %d, %q", code, out)
	}
}

// TestFromWARCGivenTwice passes a file twice, as if archives had been merged.
func TestFromWARCGivenTwice(t *testing.T) {
	_, _, crawl := buildFarm(t, "--store", "warc")
	folder, file := filepath.Join(t.TempDir(), "made"), filepath.Join(crawl, crawldir.ArchiveDir, "00000.warc.gz")
	code, _, errs := invoke("corpus", "build", "-o", folder, "--progress", "none", "--from-warc", file, file)
	if code != exitOK || !strings.Contains(errs, "duplicate URL and time") {
		t.Fatalf("got %d, %s", code, errs)
	}
	if code, out, errs := invoke("corpus", "verify", folder); code != exitOK {
		t.Errorf("verify: got %d, %s%s", code, out, errs)
	}
	if diff := cmp.Diff(len(documentsOf(t, crawl)), len(documentsOf(t, folder))); diff != "" {
		t.Errorf("documents: %s", diff)
	}
}

// TestFromWARCKeepsItsSettings resumes without the flags that it started with.
func TestFromWARCKeepsItsSettings(t *testing.T) {
	_, _, crawl := buildFarm(t, "--store", "warc")
	file := filepath.Join(crawl, crawldir.ArchiveDir, "00000.warc.gz")
	made, _ := fromWARC(t, filepath.Join(crawl, crawldir.ArchiveDir), "--exclude", "/seeds", "--agent-token", "otherbot")
	before, err := os.ReadFile(filepath.Join(made, crawldir.SettingsName))
	if err != nil {
		t.Fatal(err)
	}
	digest := func() string {
		data, err := os.ReadFile(filepath.Join(made, "manifest.json"))
		var m corpus.Manifest
		if err != nil || json.Unmarshal(data, &m) != nil {
			t.Fatalf("got %v, %s", err, data)
		}
		return m.ConfigSHA256 + " " + m.Operator.Token
	}
	want := digest()
	if code, _, errs := invoke("corpus", "build", "-o", made, "--progress", "none", "--from-warc", file); code != exitOK {
		t.Fatalf("again: got %d, %s", code, errs)
	}
	if got := digest(); got != want {
		t.Errorf("got settings %s, want %s as it began with:\n%s", got, want, before)
	}
}

// longArchive crawls a site with this many pages and returns its archive.
func longArchive(t *testing.T, program string, pages int) string {
	t.Helper()
	web := testsite.New()
	defer web.Close()
	site := web.Site("farm")
	articles(site, pages)
	site.Robots("User-agent: __usage_ai-training\nAllow: /\n")
	crawl := filepath.Join(t.TempDir(), "crawl")
	finish(t, program, "crawl", "-o", crawl, "--store", "warc", "--delay", "0", "--progress", "none", "--min-free-disk", "0", site.URL()+"/")
	return filepath.Join(crawl, crawldir.ArchiveDir, "00000.warc.gz")
}

func TestFromWARCStopsAndGoesOn(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	program, folder := program(t), filepath.Join(t.TempDir(), "made")
	args := []string{"corpus", "build", "-o", folder, "--progress", "lines", "--progress-interval", "20ms", "--from-warc", longArchive(t, program, 1500)}
	life := start(t, program, args...)
	eventually(t, "a page", func() bool {
		info, err := os.Stat(filepath.Join(folder, "pages.jsonl"))
		return err == nil && info.Size() > 0
	})
	_ = life.Process.Signal(os.Interrupt)
	if code := life.code(); code != exitInterrupt {
		t.Fatalf("got %d, %s", code, life.err.String())
	}
	for _, want := range []string{"progress records=", "the archives were not read to the end", "run the same command with -o " + folder + " to resume"} {
		if !strings.Contains(life.err.String(), want) {
			t.Errorf("got %s, want %q", life.err.String(), want)
		}
	}
	finish(t, program, "corpus", "verify", folder)
	before := len(documentsOf(t, folder))
	finish(t, program, args...)
	finish(t, program, "corpus", "verify", folder)
	if n := len(documentsOf(t, folder)); n < 1500 || before == 0 || before >= n {
		t.Errorf("got %d documents after %d, want 1,500 after some", n, before)
	}
}

// TestKillLoopFromWARC kills the build of a corpus from an archive. In the end it
// must equal an uninterrupted one.
func TestKillLoopFromWARC(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	t.Parallel() // with the other kill loops, which mostly wait
	program, folder := program(t), t.TempDir()
	file := longArchive(t, program, 400)
	build := func(name string) []string {
		return []string{"corpus", "build", "-o", filepath.Join(folder, name), "--progress", "none", "--shard-rows", "40", "--from-warc", file}
	}
	began := time.Now()
	finish(t, program, build("whole")...)
	took := time.Since(began)
	lives := max(*kills/2, 1)
	done := deaths(killed(t, program, lives, 0, took, build("killed")...))
	finish(t, program, build("killed")...)
	finish(t, program, "corpus", "verify", filepath.Join(folder, "killed"))
	if diff := cmp.Diff(byURL(t, filepath.Join(folder, "whole")), byURL(t, filepath.Join(folder, "killed"))); diff != "" {
		t.Errorf("after %d kills: %s", done, diff)
	}
	if n := len(documentsOf(t, filepath.Join(folder, "killed"))); n < 400 {
		t.Errorf("got %d documents, want 400", n)
	}
	t.Logf("killed %d times of %d", done, lives)
}
