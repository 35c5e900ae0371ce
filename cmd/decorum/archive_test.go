package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/decorum-crawler/decorum/corpus"
	"github.com/decorum-crawler/decorum/crawler/crawldir"
	"github.com/decorum-crawler/decorum/internal/invariant"
	"github.com/decorum-crawler/decorum/internal/testsite"
	"github.com/decorum-crawler/decorum/storage/jsonl"
	"github.com/decorum-crawler/decorum/storage/warc"
)

// archived is a record read from an archive.
type archived struct {
	warc.Record

	file string
	body []byte // of an answer
	head []warc.Field
	text string // of another block
}

// archiveOf reads every record of a crawl.
func archiveOf(t *testing.T, folder string) []archived {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(folder, crawldir.ArchiveDir, "*.warc.gz"))
	if err != nil || len(names) == 0 {
		t.Fatalf("got files %v, %v", names, err)
	}
	var all []archived
	for _, name := range names {
		file, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		reader := warc.NewReader(file)
		for {
			record, err := reader.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			one := archived{Record: *record, file: filepath.Base(name)}
			if record.Type() == "response" || record.Type() == "revisit" {
				answer, err := record.Answer()
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				one.head = answer.Fields
				if one.body, err = io.ReadAll(answer.Body); err != nil {
					t.Fatal(err)
				}
			} else {
				text, err := io.ReadAll(record.Block)
				if err != nil {
					t.Fatal(err)
				}
				one.text = string(text)
			}
			all = append(all, one)
		}
	}
	return all
}

// find returns the records of a type for a URL.
func find(all []archived, kind, address string) []archived {
	return slices.DeleteFunc(slices.Clone(all), func(r archived) bool { return r.Type() != kind || r.URL() != address })
}

// newArchive crawls a small shop, in two runs, into an archive of several
// files.
func newArchive(t *testing.T) (folder string, site *testsite.Site) {
	t.Helper()
	web := testsite.New()
	t.Cleanup(web.Close)
	site = web.Site("shop")
	testsite.Shop(site, 40)
	same := "<title>Same</title>" + article
	site.Page("/same/1", same)
	site.Page("/same/2", same)
	site.Handle("/odd", func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["X-Twice"] = []string{"one", "two"}
		w.Header().Set("Content-Type", "text/html")
		for range 3 {
			_, _ = io.WriteString(w, "<p>part "+strings.Repeat("x", 3000))
			_ = http.NewResponseController(w).Flush()
		}
	})
	folder = filepath.Join(t.TempDir(), "shop")
	common := []string{"--delay", "0", "--progress", "none", "--min-free-disk", "0"}
	args := append([]string{"crawl", "-o", folder, "--store", "warc", "--warc-bytes", "64KiB", "--max-pages", "15"}, common...)
	for _, path := range []string{"/same/1", "/same/2", "/odd", "/"} {
		args = append(args, site.URL()+path)
	}
	if code, _, errs := invoke(args...); code != exitOK {
		t.Fatalf("got %d, %s", code, errs)
	}
	if code, _, errs := invoke(append([]string{"resume", folder, "--max-pages", "0"}, common...)...); code != exitOK {
		t.Fatalf("got %d, %s", code, errs)
	}
	return folder, site
}

func TestArchiveHoldsWhatWentOverTheWire(t *testing.T) {
	folder, site := newArchive(t)
	all := archiveOf(t, folder)
	robots := find(all, "response", site.URL()+"/robots.txt")
	if len(robots) == 0 || !bytes.Contains(robots[0].body, []byte("__usage_ai-training")) {
		t.Errorf("got robots.txt %v, want its record", robots)
	}
	if len(find(all, "response", site.URL()+"/sitemap.xml")) != 1 {
		t.Error("got no record of the sitemap")
	}
	pages := 0
	for address := range urlsOf(t, filepath.Join(folder, "pages.jsonl")) {
		pages++
		if n := len(find(all, "response", address)) + len(find(all, "revisit", address)); n != 1 {
			t.Errorf("%s: got %d records, want one", address, n)
		}
	}
	if pages < 50 {
		t.Errorf("got %d pages, want the shop", pages)
	}
	odd := find(all, "response", site.URL()+"/odd")[0]
	if !slices.Contains(odd.head, warc.Field{Name: "X-Twice", Value: "one"}) || !slices.Contains(odd.head, warc.Field{Name: "X-Twice", Value: "two"}) {
		t.Errorf("got header %v, want both lines", odd.head)
	}
	sum := sha256.Sum256(odd.body)
	if got, want := odd.Field("WARC-Payload-Digest"), "sha256:"+hex.EncodeToString(sum[:]); got != want {
		t.Errorf("got payload digest %s, want %s, that of the body without chunks", got, want)
	}
	request := find(all, "request", site.URL()+"/odd")[0]
	if !strings.HasPrefix(request.text, "GET /odd HTTP/1.1\r\n") || !strings.Contains(request.text, "User-Agent: decorum/") {
		t.Errorf("got request %q", request.text)
	}
	revisits := append(find(all, "revisit", site.URL()+"/same/1"), find(all, "revisit", site.URL()+"/same/2")...)
	if len(revisits) != 1 || revisits[0].Field("WARC-Refers-To") == "" || revisits[0].Field("WARC-Refers-To-Target-URI") == "" || revisits[0].Field("WARC-Refers-To-Date") == "" {
		t.Errorf("got %v, want a revisit with its origin", revisits)
	}
	about := find(all, "metadata", site.URL()+"/account/help")[0]
	if !strings.Contains(about.text, "decorum-robots: allowed-by-rule by line 4: Allow: /account/help") {
		t.Errorf("got metadata %q, want the rule", about.text)
	}
}

func TestArchiveIndex(t *testing.T) {
	folder, _ := newArchive(t)
	index, err := os.ReadFile(filepath.Join(folder, crawldir.IndexName))
	if err != nil {
		t.Fatal(err)
	}
	lines := slices.Collect(strings.Lines(string(index)))
	if !slices.IsSorted(lines) {
		t.Error("the index is not in order")
	}
	at := map[string]archived{}
	captures := 0
	for _, r := range archiveOf(t, folder) {
		if r.Type() == "response" || r.Type() == "revisit" {
			captures++
			at[r.Field("WARC-Record-ID")] = r
		}
	}
	for _, line := range lines {
		c, err := warc.ParseIndexLine([]byte(line))
		if r := at[c.ID]; err != nil || r.file != c.Filename || r.Offset != c.Offset || r.URL() != c.URL {
			t.Errorf("got %v of %q, want record %v", err, line, r.Fields)
		}
	}
	if len(lines) != captures {
		t.Errorf("got %d lines of %d captures", len(lines), captures)
	}
}

func TestArchiveIsFrozen(t *testing.T) {
	folder, site := newArchive(t)
	code, _, errs := invoke("crawl", "-o", folder, "--store", "pages", site.URL()+"/")
	if code != exitUsage || !strings.Contains(errs, "was started with --store warc") {
		t.Errorf("got %d, %q, want a refusal", code, errs)
	}
}

func TestStateVerifyReadsTheArchive(t *testing.T) {
	folder, _ := newArchive(t)
	if code, out, errs := invoke("state", "verify", "--in-process", folder); code != exitOK {
		t.Fatalf("got %d, %s%s", code, out, errs)
	}
	first := filepath.Join(folder, crawldir.ArchiveDir, warc.FileName(0))
	whole, err := os.ReadFile(first)
	if err != nil {
		t.Fatal(err)
	}
	captures, err := os.ReadFile(filepath.Join(folder, crawldir.CapturesName))
	if err != nil {
		t.Fatal(err)
	}
	for name, fault := range map[string]struct {
		file string
		data []byte
		want string
	}{
		"a changed byte":       {first, flipped(whole, len(whole)/2), "warc/00000.warc.gz"},
		"a file cut short":     {first, whole[:len(whole)/2], "warc/00000.warc.gz"},
		"a line that is wrong": {filepath.Join(folder, crawldir.CapturesName), bytes.Replace(captures, []byte(`"offset":"`), []byte(`"offset":"9`), 1)[:len(captures)], "the index has"},
	} {
		t.Run(name, func(t *testing.T) {
			before, err := os.ReadFile(fault.file)
			if err != nil {
				t.Fatal(err)
			}
			write(t, fault.file, fault.data)
			defer write(t, fault.file, before)
			if code, out, errs := invoke("state", "verify", "--in-process", folder); code != exitFindings || !strings.Contains(out, fault.want) {
				t.Errorf("got %d, %s%s, want %q", code, out, errs, fault.want)
			}
		})
	}
}

func flipped(data []byte, at int) []byte {
	data = bytes.Clone(data)
	data[at] ^= 0xff
	return data
}

func write(t *testing.T, name string, data []byte) {
	t.Helper()
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestKillLoopArchive kills a crawl that keeps an archive. In the end archive,
// index, pages and state must agree, and no page may occur twice.
func TestKillLoopArchive(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	t.Parallel() // with the other kill loops, which mostly wait
	program, folder := program(t), filepath.Join(t.TempDir(), "killed")
	web := testsite.New()
	defer web.Close()
	lives := max(*kills/2, 1)
	args := []string{"crawl", "-o", folder, "--store", "warc", "--warc-bytes", "256KiB", "--progress", "none", "--min-free-disk", "0", "--delay", killDelay.String()}
	for _, name := range []string{"one", "two"} {
		site := web.Site(name)
		testsite.Shop(site, 12*lives)
		args = append(args, site.URL()+"/")
	}
	processes := killed(t, program, lives, 50*time.Millisecond, 500*time.Millisecond, args...)
	processes = append(processes, ended(exec.CommandContext(t.Context(), program, args...), false))
	done := deaths(processes)
	holds(t, invariant.Crawl{Web: web, Delay: killDelay, Dir: folder, Finished: true, Processes: processes, MaxRSS: 256 << 20})
	pages := urlsOf(t, filepath.Join(folder, "pages.jsonl"))
	kept := map[string]int{}
	for _, r := range archiveOf(t, folder) {
		if _, page := pages[r.URL()]; page && (r.Type() == "response" || r.Type() == "revisit") {
			kept[r.URL()]++
		}
	}
	if !maps.Equal(pages, kept) || done < lives*9/10 {
		t.Errorf("got %d pages and %d records of them after %d kills of %d", len(pages), len(kept), done, lives)
	}
	t.Logf("killed %d times of %d; %d pages", done, lives, len(pages))
}

// TestDocumentsNameTheirRecords builds a corpus with an archive.
func TestDocumentsNameTheirRecords(t *testing.T) {
	web := testsite.New()
	defer web.Close()
	site := web.Site("farm")
	site.Robots("User-agent: *\nAllow: /\n\nUser-agent: __usage_ai-training\nDisallow: /held\nAllow: /\n")
	links := ""
	for _, path := range []string{"/a", "/b", "/noai", "/late", "/a-again"} {
		links += "<a href=" + path + ">x</a>"
	}
	site.Page("/", "<title>Farm</title><body>"+links)
	site.Page("/a", "<title>A</title>"+article)
	site.Page("/a-again", "<title>A</title>"+article)
	site.Page("/b", "<title>B</title>"+about("B"))
	site.Page("/noai", `<title>Secret</title><meta name="robots" content="noai"><body>secret`+article)
	site.Page("/late", "<title>Late</title>"+about("late"))
	folder := filepath.Join(t.TempDir(), "farm")
	if code, _, errs := invoke("corpus", "build", "-o", folder, "--store", "warc", "--delay", "0", "--progress", "none", "--min-free-disk", "0", site.URL()+"/"); code != exitOK {
		t.Fatalf("got %d, %s", code, errs)
	}
	for _, verify := range [][]string{{"state", "verify", "--in-process", folder}, {"corpus", "verify", folder}} {
		if code, out, errs := invoke(verify...); code != exitOK {
			t.Errorf("%v: got %d, %s%s", verify, code, out, errs)
		}
	}
	all := archiveOf(t, folder)
	documents := documentsOf(t, folder)
	if len(documents) < 4 {
		t.Errorf("got %d documents", len(documents))
	}
	for _, d := range documents {
		i := slices.IndexFunc(all, func(r archived) bool { return r.file == d.Metadata.WARCFile && r.Offset == d.Metadata.WARCOffset })
		if i < 0 || all[i].URL() != d.URL {
			t.Errorf("%s: got no record at %s %d", d.URL, d.Metadata.WARCFile, d.Metadata.WARCOffset)
		}
	}
	secret := find(all, "response", site.URL()+"/noai")
	if len(secret) != 1 || len(secret[0].body) > 0 || secret[0].Field("WARC-Truncated") != "unspecified" {
		t.Errorf("got %v, want the body of an excluded page withheld", secret)
	}
	var m struct{ Outputs []struct{ Name string } }
	data, err := os.ReadFile(filepath.Join(folder, "manifest.json"))
	if err != nil || json.Unmarshal(data, &m) != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"warc/00000.warc.gz", "warc/index.cdxj"} {
		if !slices.ContainsFunc(m.Outputs, func(o struct{ Name string }) bool { return o.Name == name }) {
			t.Errorf("the manifest does not list %s", name)
		}
	}
}

// TestWarcioReadsTheArchive compares the index with the one that another tool
// makes from the files.
func TestWarcioReadsTheArchive(t *testing.T) {
	tool, err := filepath.Abs("../../.ci/node/node_modules/warcio/dist/cli.js")
	if err != nil {
		t.Fatal(err)
	}
	_, err = os.Stat(tool)
	need(t, err, "warcio: npm install --prefix .ci/node")
	folder, _ := newArchive(t)
	files, err := filepath.Glob(filepath.Join(folder, crawldir.ArchiveDir, "*.warc.gz"))
	if err != nil || len(files) < 2 {
		t.Fatalf("got %v, %v, want several files", files, err)
	}
	out, err := exec.CommandContext(t.Context(), "node", append([]string{tool, "cdx-index"}, files...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	ours, err := os.ReadFile(filepath.Join(folder, crawldir.IndexName))
	if err != nil {
		t.Fatal(err)
	}
	got, want := indexFields(t, ours), indexFields(t, out)
	if !slices.Equal(got, want) || len(want) < 50 {
		t.Errorf("got %d lines, warcio has %d", len(got), len(want))
		for i := range min(len(got), len(want)) {
			if got[i] != want[i] {
				t.Fatalf("got  %s\nwant %s", got[i], want[i])
			}
		}
	}
}

// indexFields returns the lines of an index with the fields that all tools have,
// in order.
func indexFields(t *testing.T, index []byte) []string {
	t.Helper()
	var all []string
	for line := range strings.Lines(string(index)) {
		head, object, _ := strings.Cut(line, " {")
		var fields struct{ URL, MIME, Status, Digest, Length, Offset, Filename string }
		if err := json.Unmarshal([]byte("{"+object), &fields); err != nil {
			t.Fatalf("%v: %q", err, line)
		}
		fields.Digest = strings.TrimPrefix(fields.Digest, "sha256:")
		text, err := json.Marshal(fields)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, head+" "+string(text))
	}
	slices.Sort(all)
	return all
}

func TestStateExport(t *testing.T) {
	folder, site := newArchive(t)
	name := filepath.Join(t.TempDir(), "shop.wacz")
	if code, out, errs := invoke("state", "export", folder, "-o", name); code != exitOK || out != name+"\n" {
		t.Fatalf("got %d, %q, %s", code, out, errs)
	}
	archive, err := zip.OpenReader(name)
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	read := func(name string) string {
		part, err := archive.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer part.Close()
		data, err := io.ReadAll(part)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	if about := read("datapackage.json"); !strings.Contains(about, `"mainPageUrl": "`+site.URL()+`/same/1"`) {
		t.Errorf("got %s, want the first seed as main page", about)
	}
	if pages := read("pages/pages.jsonl"); strings.Count(pages, "\n") < 50 || strings.Contains(pages, site.URL()+"/old") {
		t.Errorf("got pages %s, want HTML that was there and no redirect", pages)
	}
	for _, wrong := range []struct {
		args []string
		code int
	}{
		{[]string{folder}, exitUsage},
		{[]string{folder, "-o", "x", "--format", "zip"}, exitUsage},
		{[]string{folder, "-o", filepath.Join(folder, "no", "x.wacz")}, exitIO},
		{[]string{t.TempDir(), "-o", "x"}, exitDirectory},
	} {
		if code, _, errs := invoke(append([]string{"state", "export"}, wrong.args...)...); code != wrong.code || !strings.Contains(errs, "hint: ") {
			t.Errorf("%v: got %d, %s, want %d with a hint", wrong.args, code, errs, wrong.code)
		}
	}
	first := filepath.Join(folder, crawldir.ArchiveDir, warc.FileName(0))
	data, err := os.ReadFile(first)
	if err != nil {
		t.Fatal(err)
	}
	write(t, first, append(data, "torn"...))
	if code, _, errs := invoke("state", "export", folder, "-o", name); code != exitDirectory || !strings.Contains(errs, "decorum resume") {
		t.Errorf("got %d, %s, want a refusal of what a killed crawl left", code, errs)
	}
}

// TestPurgeTakesPagesOutOfTheArchive has a site that opts out after a corpus
// with an archive was built.
func TestPurgeTakesPagesOutOfTheArchive(t *testing.T) {
	_, site, folder := buildFarm(t, "--store", "warc")
	gone := site.URL() + "/page/3"
	site.Robots("User-agent: *\nDisallow: /private\n\nUser-agent: __usage_ai-training\nDisallow: /reviews\nDisallow: /page/3\nAllow: /\n")
	if code, out, errs := invoke("corpus", "recheck", folder, "--delay", "0"); code != exitFindings {
		t.Fatalf("recheck: got %d, %s%s", code, out, errs)
	}
	for range 2 { // doing it again does no harm
		if code, out, errs := invoke("corpus", "purge", folder); code != exitOK {
			t.Fatalf("purge: got %d, %s%s", code, out, errs)
		}
	}
	for _, verify := range [][]string{{"state", "verify", "--in-process", folder}, {"corpus", "verify", folder}} {
		if code, out, errs := invoke(verify...); code != exitOK {
			t.Errorf("%v: got %d, %s%s", verify, code, out, errs)
		}
	}
	records := find(archiveOf(t, folder), "response", gone)
	if len(records) != 1 || len(records[0].body) > 0 || records[0].Field("WARC-Truncated") != "unspecified" {
		t.Errorf("got %v, want the record without its answer", records)
	}
	index, err := os.ReadFile(filepath.Join(folder, crawldir.IndexName))
	if err != nil || bytes.Contains(index, []byte(gone+`"`)) {
		t.Errorf("got %v, %s: it is still in the index", err, index)
	}
	if shown := titlesShown(t, folder); shown[gone] != "" || shown[site.URL()+"/page/4"] == "" {
		t.Errorf("got %v, want a viewer to list all but the one that is gone", shown)
	}
	pages, err := os.ReadFile(filepath.Join(folder, "pages.jsonl"))
	if err != nil || bytes.Contains(pages, []byte("Page 3")) || !bytes.Contains(pages, []byte("Page 4")) {
		t.Errorf("got %v, %s, want no title of the one that is gone", err, pages)
	}
	if code, out, errs := invoke("resume", folder, "--progress", "none"); code != exitOK {
		t.Errorf("resume: got %d, %s%s", code, out, errs)
	}
	if code, out, errs := invoke("corpus", "verify", folder); code != exitOK {
		t.Errorf("verify after resume: got %d, %s%s", code, out, errs)
	}
	made, _ := fromWARC(t, filepath.Join(folder, crawldir.ArchiveDir))
	if _, ok := byURL(t, made)[gone]; ok {
		t.Error("a corpus of the archive has the page again")
	}
}

// titlesShown returns the titles of the pages that a viewer of the packed archive
// lists.
func titlesShown(t *testing.T, folder string) map[string]string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "shown.wacz")
	if code, _, errs := invoke("state", "export", folder, "-o", name); code != exitOK {
		t.Fatalf("export: got %d, %s", code, errs)
	}
	archive, err := zip.OpenReader(name)
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	pages, err := archive.Open("pages/pages.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer pages.Close()
	shown := map[string]string{}
	for page, err := range jsonl.Decode[struct{ URL, Title string }](pages) {
		if err != nil {
			t.Fatal(err)
		}
		shown[page.URL] = page.Title
	}
	return shown
}

// TestPurgeIsCompleted has a purge that was cut short after its tombstones.
func TestPurgeIsCompleted(t *testing.T) {
	_, site, folder := buildFarm(t, "--store", "warc")
	gone := byURL(t, folder)[site.URL()+"/page/3"]
	tombstone, err := json.Marshal(corpus.Removal{Schema: "decorum.removal/1", ID: gone.ID, URL: gone.URL})
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(folder, corpus.TombstonesName), append(tombstone, '\n'))
	if code, out, _ := invoke("corpus", "verify", folder); code != exitFindings {
		t.Errorf("verify: got %d, %s, want what is still there", code, out)
	}
	if code, out, errs := invoke("corpus", "purge", folder); code != exitOK {
		t.Fatalf("purge: got %d, %s%s", code, out, errs)
	}
	if code, out, _ := invoke("corpus", "verify", folder); code != exitOK {
		t.Errorf("verify: got %d, %s", code, out)
	}
	if records := find(archiveOf(t, folder), "response", gone.URL); len(records) != 1 || len(records[0].body) > 0 {
		t.Errorf("got %v, want the record without its answer", records)
	}
}
