package main

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/xeipuuv/gojsonschema"

	"github.com/decorum-crawler/decorum/corpus"
	"github.com/decorum-crawler/decorum/crawler/content"
	"github.com/decorum-crawler/decorum/internal/invariant"
	"github.com/decorum-crawler/decorum/internal/testsite"
	"github.com/decorum-crawler/decorum/storage/jsonl"
)

// article is long enough to be recognized as the main text.
const article = `<main><article><h1>The harbour</h1><p>The ships come in the morning, and they leave in the evening, and nobody
knows where they go. The people of the town have watched them for a hundred years.</p><p>Another paragraph about the market and its
people, long enough to count for something in the eyes of a program that looks for text.</p></article></main>`

// signalVector is a line of signals.jsonl.
type signalVector struct {
	ID           string              `json:"id"`
	Why          string              `json:"why"`
	URL          string              `json:"url"`
	RobotsStatus int                 `json:"robots_status"`
	Robots       string              `json:"robots"`
	Headers      map[string][]string `json:"headers"`
	HTML         string              `json:"html"`
	TDMRep       json.RawMessage     `json:"tdmrep_json"`
	AITxt        *string             `json:"ai_txt"`
	RSL          *string             `json:"rsl_xml"`
	Expect       map[string]string   `json:"expect"`
	Decision     string              `json:"decision_declared"`
}

// serve makes a site from a vector and returns the URL of its page.
func (v signalVector) serve(site *testsite.Site) string {
	u, _ := url.Parse(v.URL)
	robots := strings.ReplaceAll(v.Robots, "https://farm.example", site.URL())
	site.Handle("/robots.txt", func(w http.ResponseWriter, _ *http.Request) {
		if v.RobotsStatus == 0 {
			if c, _, err := http.NewResponseController(w).Hijack(); err == nil {
				c.Close()
			}
			return
		}
		w.WriteHeader(v.RobotsStatus)
		_, _ = w.Write([]byte(robots))
	})
	for path, body := range map[string]*string{"/ai.txt": v.AITxt, "/license.xml": v.RSL} {
		if body != nil {
			site.Page(path, *body)
		}
	}
	if v.TDMRep != nil {
		site.Page("/.well-known/tdmrep.json", string(v.TDMRep))
	}
	html := v.HTML
	if before, after, ok := strings.Cut(html, "</body>"); ok {
		html = before + article + "</body>" + after
	} else {
		html += "<body>" + article
	}
	site.Handle(u.RequestURI(), func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		for name, lines := range v.Headers {
			w.Header()[http.CanonicalHeaderKey(name)] = lines
		}
		fmt.Fprint(w, html)
	})
	return site.URL() + u.RequestURI()
}

// outcome is what a corpus records about its only page.
type outcome struct {
	train   string // "" when it is not there at all
	whole   bool   // the page itself was read
	signals corpus.Signals
}

func outcomeOf(t *testing.T, folder string) outcome {
	t.Helper()
	o := outcome{}
	for _, d := range documentsOf(t, folder) {
		o = outcome{d.Train, true, d.Metadata.Signals}
	}
	root := openTestRoot(t, folder)
	for e, err := range jsonl.Rows[corpus.Excluded](root, corpus.ExcludedName) {
		if err != nil {
			t.Fatal(err)
		}
		o = outcome{e.Reason, false, e.Signals}
	}
	return o
}

func openTestRoot(t *testing.T, folder string) *os.Root {
	t.Helper()
	root, err := os.OpenRoot(folder)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	return root
}

// manifestOf reads the manifest of a corpus.
func manifestOf(t *testing.T, folder string) *corpus.Manifest {
	t.Helper()
	m, err := corpus.ReadManifest(openTestRoot(t, folder))
	if err != nil || m == nil {
		t.Fatalf("got %v, %v", m, err)
	}
	return m
}

// documentsOf reads the shards that the manifest names.
func documentsOf(t *testing.T, folder string) []corpus.Document {
	t.Helper()
	root, m := openTestRoot(t, folder), manifestOf(t, folder)
	var all []corpus.Document
	for _, output := range m.Outputs {
		if !strings.HasPrefix(output.Name, "documents/") {
			continue
		}
		for d, err := range corpus.Documents(root, output.Name) {
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, d)
		}
	}
	return all
}

// TestCorpusVectors runs every signal vector through a real server.
func TestCorpusVectors(t *testing.T) {
	file, err := os.Open("../../corpus/signal/testdata/signals.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	web := testsite.New()
	defer web.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var v signalVector
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		t.Run(v.ID, func(t *testing.T) {
			folder := filepath.Join(t.TempDir(), "corpus")
			address := v.serve(web.Site(v.ID))
			args := []string{"corpus", "build", "-o", folder, "--delay", "0", "--progress", "none", "--discover", "links", "--max-retries", "0", address}
			if v.AITxt != nil {
				args = append(args, "--ai-txt")
			}
			_, _, errs := invoke(args...)
			got := outcomeOf(t, folder)
			want := map[string][]string{
				"include": {"in_favor", "none"}, "exclude": {"excluded"}, "hold": {"hold"}, "not_crawled": {""},
			}[v.Decision]
			if v.RobotsStatus == 503 {
				want = []string{""} // nothing is on hold yet, so nothing is fetched
			}
			if !slices.Contains(want, got.train) {
				t.Errorf("%s: got %+v, want one of %q; %s", v.Why, got, want, errs)
			}
			for _, s := range got.signals {
				if expected, ok := v.Expect[s.Signal]; ok && got.whole && s.Value != expected {
					t.Errorf("%s: got %+v, want %s", v.Why, s, expected)
				}
			}
			if code, out, _ := invoke("corpus", "verify", folder); code != exitOK {
				t.Errorf("verify: got %d, %s", code, out)
			}
		})
	}
}

// about returns the article with one more paragraph.
func about(text string) string {
	return strings.Replace(article, "</article>", "<p>"+text+" That is what this one is about, and nothing else.</p></article>", 1)
}

// farm makes a site with a page for each outcome.
func farm(site *testsite.Site) {
	site.Robots("User-agent: *\nDisallow: /private\n\nUser-agent: __usage_ai-training\nDisallow: /reviews\nAllow: /\n")
	links := ""
	for i := range 6 {
		path := fmt.Sprintf("/page/%d", i)
		links += fmt.Sprintf(`<a href="%s">x</a>`, path)
		site.Page(path, fmt.Sprintf("<title>Page %d</title><body>%s", i, about(fmt.Sprintf("It is the page number %d of this farm.", i))))
	}
	for _, path := range []string{"/reviews/1", "/noai", "/private/1", "/empty", "/moved", "/twin/a", "/twin/b", "/gone"} {
		links += fmt.Sprintf(`<a href="%s">x</a>`, path)
	}
	site.Page("/", "<title>Farm</title><body>"+about("The front page has a text as well.")+links)
	site.Page("/reviews/1", "<body>"+article)
	site.Page("/noai", "<body>"+article, "X-Robots-Tag: noai")
	site.Page("/empty", "<title>nothing</title>")
	site.Redirect("/moved", "/target", http.StatusMovedPermanently)
	site.Page("/target", "<body>"+about("The target of a redirect has a text of its own."))
	site.Page("/twin/a", "<body>"+about("These two are the same."))
	site.Page("/twin/b", "<body>"+about("These two are the same."))
}

func buildFarm(t *testing.T, more ...string) (web *testsite.Web, site *testsite.Site, folder string) {
	t.Helper()
	web = testsite.New()
	t.Cleanup(web.Close)
	site = web.Site("farm")
	farm(site)
	folder = filepath.Join(t.TempDir(), "corpus")
	args := append([]string{"corpus", "build", "-o", folder, "--delay", "0", "--progress", "none", "--discover", "links"}, more...)
	if code, out, errs := invoke(append(args, site.URL()+"/")...); code != exitOK {
		t.Fatalf("got %d, %q, %q", code, out, errs)
	}
	return web, site, folder
}

func TestCorpusBuild(t *testing.T) {
	web, _, folder := buildFarm(t)
	_, out, _ := invoke("corpus", "stats", folder)
	words := strings.Join(strings.Fields(out), " ")
	for _, want := range []string{
		"documents 10 in favor 10 not stated 0 duplicates among them 1", "no-consent 1", "robots-disallow 1", "redirects 1",
		"token 1", "robots_meta 1", "without text 1 empty 1", "pages 12",
	} {
		if !strings.Contains(words, want) {
			t.Errorf("got %s, want %s", words, want)
		}
	}
	for _, request := range web.Log() {
		if request.Path == "/reviews/1" || strings.HasPrefix(request.Path, "/private") {
			t.Errorf("got %s asked for", request.Path)
		}
	}
	if code, out, errs := invoke("corpus", "verify", folder); code != exitOK {
		t.Errorf("got %d, %q, %q", code, out, errs)
	}
	requests := len(web.Log())
	if code, _, errs := invoke("resume", folder, "--progress", "none"); code != exitOK || len(web.Log()) != requests {
		t.Errorf("resume: got %d, %q, %d requests", code, errs, len(web.Log())-requests)
	}
	if code, out, _ := invoke("corpus", "verify", folder); code != exitOK {
		t.Errorf("after resume: got %d, %q", code, out)
	}
}

// TestCorpusJudgesTheWholeWay has a redirect from a host that is against
// training, via one that states nothing, to one that is in favor.
func TestCorpusJudgesTheWholeWay(t *testing.T) {
	web := testsite.New()
	defer web.Close()
	first, middle, last := web.Site("first"), web.Site("middle"), web.Site("last")
	const yes = "User-agent: __usage_ai-training\nAllow: /\n"
	first.Robots(yes)
	first.Status("/a", http.StatusFound, "Location: "+middle.URL()+"/a", "Content-Signal: ai-train=no")
	first.Redirect("/b", middle.URL()+"/b", http.StatusFound)
	middle.Robots("User-agent: *\nAllow: /\n")
	middle.Redirect("/a", last.URL()+"/a", http.StatusFound)
	middle.Redirect("/b", last.URL()+"/b", http.StatusFound)
	last.Robots(yes)
	last.Page("/a", "<body>"+about("It was led to."))
	last.Page("/b", "<body>"+about("It was led to, too."))
	folder := filepath.Join(t.TempDir(), "corpus")
	code, _, errs := invoke("corpus", "build", "-o", folder, "--delay", "0", "--progress", "none", "--scope", "any", "--allow-net", "loopback",
		first.URL()+"/a", first.URL()+"/b")
	if code != exitOK {
		t.Fatalf("got %d, %q", code, errs)
	}
	if got := documentsOf(t, folder); len(got) != 1 || got[0].Train != "none" || !strings.HasSuffix(got[0].URL, "/b") {
		t.Errorf("got %+v, want one document about which its way says nothing", got)
	}
	if got := outcomeOf(t, folder); got.train != "excluded" {
		t.Errorf("got %+v, want the other excluded by its first host", got)
	}
	if code, out, _ := invoke("corpus", "verify", folder); code != exitOK {
		t.Errorf("verify: got %d, %q", code, out)
	}
}

func TestCorpusGoesOnOnlyWithItsOwn(t *testing.T) {
	_, site, folder := buildFarm(t)
	build := func(folder string, more ...string) (int, string) {
		code, _, errs := invoke(append([]string{"corpus", "build", "-o", folder, "--delay", "0", "--progress", "none", site.URL() + "/"}, more...)...)
		return code, errs
	}
	if code, errs := build(folder); code != exitOK {
		t.Errorf("got %d, %q", code, errs)
	}
	if code, errs := build(folder, "--policy", "declared"); code != exitOK {
		t.Errorf("got %d, %q", code, errs)
	}
	if code, errs := build(folder, "--policy", "token"); code != exitUsage || !strings.Contains(errs, "was started with other settings, such as policy declared/1") {
		t.Errorf("got %d, %q", code, errs)
	}
	crawl := t.TempDir() + "/crawl"
	if code, _, errs := invoke("crawl", "-o", crawl, "--delay", "0", "--progress", "none", site.URL()+"/"); code != exitOK {
		t.Fatalf("got %d, %q", code, errs)
	}
	if code, errs := build(crawl); code != exitDirectory || !strings.Contains(errs, "contains a crawl without a corpus") {
		t.Errorf("got %d, %q", code, errs)
	}
}

func TestCorpusFormats(t *testing.T) {
	for _, format := range []string{"jsonl", "jsonl.gz", "jsonl.zst", "parquet"} {
		t.Run(format, func(t *testing.T) {
			_, _, folder := buildFarm(t, "--format", format, "--shard-rows", "4")
			if got := len(documentsOf(t, folder)); got != 10 {
				t.Errorf("got %d documents, want 10", got)
			}
			if files, err := filepath.Glob(folder + "/documents/train=in_favor/part-*." + format); err != nil || len(files) != 3 {
				t.Errorf("got %v, %v, want 3 shards", files, err)
			}
			if code, out, _ := invoke("corpus", "verify", folder); code != exitOK {
				t.Errorf("got %d, %q", code, out)
			}
		})
	}
}

// The form of the texts is fixed when a corpus is started.
func TestCorpusText(t *testing.T) {
	for _, test := range []struct {
		args       []string
		form, want string
	}{
		{nil, "markdown", "# A farm\n\nApples and pears:\n\n- **red** ones\n- green ones\n\n```\nif x:\n    eat(x)\n```"},
		{[]string{"--text", "plain"}, "plain", "A farm\n\nApples and pears:\n\n- red ones\n- green ones\n\nif x:\n    eat(x)"},
	} {
		web := testsite.New()
		defer web.Close()
		site := web.Site("farm")
		site.Robots(trainsRobots)
		site.Page("/", "<title>A farm</title><main><article><h1>A farm</h1><p>Apples and pears:</p><ul><li><b>red</b> ones<li>green ones</ul>"+
			"<pre><code>if x:\n    eat(x)\n</code></pre></article></main>")
		folder := filepath.Join(t.TempDir(), "corpus")
		args := []string{"corpus", "build", "-o", folder, "--delay", "0", "--progress", "none", site.URL() + "/"}
		if code, out, errs := invoke(append(args, test.args...)...); code != exitOK {
			t.Fatalf("got %d, %q, %q", code, out, errs)
		}
		got := documentsOf(t, folder)
		if len(got) != 1 || got[0].Text != test.want || got[0].TextFormat != test.form || manifestOf(t, folder).TextFormat != test.form {
			t.Errorf("got %+v, want %q", got, test.want)
		}
		if code, out, _ := invoke("corpus", "verify", folder); code != exitOK {
			t.Errorf("got %d, %q", code, out)
		}
		checkRows(t, folder)
		other := map[string]string{"markdown": "plain", "plain": "markdown"}[test.form]
		if code, _, errs := invoke(append(args, "--text", other)...); code != exitUsage || !strings.Contains(errs, "other settings") {
			t.Errorf("another form: got %d, %q", code, errs)
		}
		if code, _, errs := invoke(append(args, "--policy", "declared")...); code != exitOK {
			t.Errorf("another flag: got %d, %q", code, errs)
		}
	}
	if code, _, errs := invoke("corpus", "build", "--text", "html", "http://127.0.0.1:1/"); code != exitUsage || !strings.Contains(errs, "plain, markdown") {
		t.Errorf("got %d, %q", code, errs)
	}
}

// checkRows holds the rows of the shards, as they are written, against their schema.
func checkRows(t *testing.T, folder string) {
	t.Helper()
	schema, err := os.ReadFile("../../docs/decorum.doc-2.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	shards, err := filepath.Glob(folder + "/documents/*/*.jsonl.gz")
	if err != nil || len(shards) == 0 {
		t.Fatalf("got %q, %v", shards, err)
	}
	for _, shard := range shards {
		file, err := os.Open(shard)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		in, err := gzip.NewReader(file)
		if err != nil {
			t.Fatal(err)
		}
		for row, err := range jsonl.Lines(in) {
			if err != nil {
				t.Fatal(err)
			}
			got, err := gojsonschema.Validate(gojsonschema.NewBytesLoader(schema), gojsonschema.NewBytesLoader(row))
			if err != nil || !got.Valid() {
				t.Errorf("%s: got %v, %v", row, err, got.Errors())
			}
		}
	}
}

// trainsRobots is in favor of training.
const trainsRobots = "User-agent: __usage_ai-training\nAllow: /\n"

// TestCorpusVerifyFindsWhatIsWrong changes one thing in each case.
func TestCorpusVerifyFindsWhatIsWrong(t *testing.T) {
	edit := func(name, old, with string) func(*testing.T, string) {
		return func(t *testing.T, folder string) {
			t.Helper()
			file := filepath.Join(folder, name)
			data, err := os.ReadFile(file)
			if err != nil || !strings.Contains(string(data), old) {
				t.Fatalf("%s has no %q: %v", name, old, err)
			}
			if err := os.WriteFile(file, []byte(strings.Replace(string(data), old, with, 1)), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	const documents = "documents/train=in_favor/part-00000.jsonl"
	tests := []struct {
		name   string
		change func(*testing.T, string)
		want   string
	}{
		{"a changed byte", edit(documents, "harbour", "Harbour"), "digest mismatch"},
		{"a missing shard", func(t *testing.T, folder string) {
			t.Helper()
			if err := os.Remove(filepath.Join(folder, documents)); err != nil {
				t.Fatal(err)
			}
		}, "part-00000.jsonl is missing"},
		{"a wrong sum", edit("manifest.json", `"in_favor": 10`, `"in_favor": 8`), "counts do not add up: documents is 10, but its parts add up to 8"},
		{"a changed count of rows", edit("manifest.json", `"rows": 10`, `"rows": 8`), "has 10 rows, but the manifest says 8"},
		{"a changed decision", func(t *testing.T, folder string) {
			t.Helper()
			edit("excluded/part-00000.jsonl", `"basis":"token: disallow:/reviews"`, `"basis":"token: disallow:/elsewhere"`)(t, folder)
			reseal(t, folder, "excluded/part-00000.jsonl")
		}, "but the evidence leads to excluded by token: disallow:/reviews"},
		{"a missing row", func(t *testing.T, folder string) {
			t.Helper()
			file := filepath.Join(folder, documents)
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			_, rest, _ := strings.Cut(string(data), "\n")
			if err := os.WriteFile(file, []byte(rest), 0o600); err != nil {
				t.Fatal(err)
			}
			reseal(t, folder, documents)
		}, "has 9 rows, but the manifest says 10"},
		{"other evidence", func(t *testing.T, folder string) {
			t.Helper()
			files, _ := filepath.Glob(folder + "/robots/*.txt")
			name, _ := filepath.Rel(folder, files[0])
			edit(name, "Disallow: /reviews", "Disallow: /nothing")(t, folder)
		}, "digest mismatch"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, _, folder := buildFarm(t, "--format", "jsonl")
			test.change(t, folder)
			if code, out, _ := invoke("corpus", "verify", folder); code != exitFindings || !strings.Contains(out, test.want) {
				t.Errorf("got %d, %q, want %q", code, out, test.want)
			}
		})
	}
}

// reseal puts the digest that a file has now into the manifest.
func reseal(t *testing.T, folder, name string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	root, m := openTestRoot(t, folder), manifestOf(t, folder)
	for _, output := range m.Outputs {
		if output.Name != name {
			continue
		}
		manifest, err := root.ReadFile(corpus.ManifestName)
		if err != nil {
			t.Fatal(err)
		}
		manifest = []byte(strings.Replace(string(manifest), output.SHA256, content.SHA256(data), 1))
		if err := root.WriteFile(corpus.ManifestName, manifest, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestCorpusDecideRecheckPurge(t *testing.T) {
	web, site, folder := buildFarm(t)
	requests := len(web.Log())
	if code, out, errs := invoke("corpus", "decide", folder, "--policy", "cautious", "--dry-run"); code != exitOK || !strings.Contains(out, "0 documents would change under policy cautious/1") {
		t.Errorf("got %d, %q, %q", code, out, errs)
	}
	if code, out, errs := invoke("corpus", "decide", folder, "--policy", "token"); code != exitOK || !strings.Contains(out, "1 excluded page would now be included") {
		t.Errorf("got %d, %q, %q", code, out, errs)
	}
	if code, out, errs := invoke("corpus", "decide", folder, "--policy", "declared"); code != exitOK || !strings.Contains(out, "0 documents changed under policy declared/1") {
		t.Errorf("got %d, %q, %q", code, out, errs)
	}
	if code, out, _ := invoke("corpus", "verify", folder); code != exitOK || len(web.Log()) != requests {
		t.Errorf("after decide: got %d, %q, %d requests", code, out, len(web.Log())-requests)
	}

	if code, out, errs := invoke("corpus", "recheck", folder, "--delay", "0"); code != exitOK || !strings.Contains(out, "10 documents checked, 0 to remove, 0 not fully checked") {
		t.Errorf("got %d, %q, %q", code, out, errs)
	}
	site.Robots("User-agent: __usage_ai-training\nDisallow: /page/3\nAllow: /\n")
	site.Page("/target", "<body>"+article, "Content-Signal: ai-train=no")
	code, out, errs := invoke("corpus", "recheck", folder, "--delay", "0")
	if code != exitFindings || !strings.Contains(out, "10 documents checked, 2 to remove,") || len(documentsOf(t, folder)) != 10 {
		t.Errorf("got %d, %q, %q, want two to be removed and nothing deleted", code, out, errs)
	}
	if code, out, errs := invoke("corpus", "purge", folder); code != exitOK || !strings.Contains(out, "2 documents removed") || !strings.Contains(out, "8 documents under policy") {
		t.Errorf("got %d, %q, %q", code, out, errs)
	}
	for _, d := range documentsOf(t, folder) {
		if strings.HasSuffix(d.URL, "/page/3") || strings.HasSuffix(d.URL, "/target") {
			t.Errorf("got %s after the purge", d.URL)
		}
	}
	journal, err := os.ReadFile(filepath.Join(folder, corpus.JournalName))
	if err != nil || strings.Contains(string(journal), "page number 3") || strings.Contains(string(journal), "The target of a redirect") {
		t.Errorf("got a text of a purged document in the journal, %v", err)
	}
	if code, out, _ := invoke("corpus", "verify", folder); code != exitOK {
		t.Errorf("after purge: got %d, %q", code, out)
	}
	if code, _, errs := invoke("resume", folder, "--progress", "none", "--delay", "0"); code != exitOK {
		t.Errorf("resume after purge: got %d, %q", code, errs)
	}
	if code, out, _ := invoke("corpus", "verify", folder); code != exitOK || len(documentsOf(t, folder)) != 8 {
		t.Errorf("after resume: got %d, %q, %d documents", code, out, len(documentsOf(t, folder)))
	}
}

func TestCorpusSavesWhatIsExcluded(t *testing.T) {
	web := testsite.New()
	defer web.Close()
	site := web.Site("farm")
	site.Robots("User-agent: *\nAllow: /\n")
	sent := make(chan int, 1)
	site.Handle("/large", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("X-Robots-Tag", "noai")
		w.Header().Set("Content-Length", fmt.Sprint(64<<20))
		n := 0
		for n < 64<<20 {
			m, err := w.Write(make([]byte, 64<<10))
			n += m
			if err != nil {
				break
			}
		}
		sent <- n
	})
	folder := filepath.Join(t.TempDir(), "corpus")
	if code, _, errs := invoke("corpus", "build", "-o", folder, "--delay", "0", "--progress", "none", site.URL()+"/large"); code != exitOK {
		t.Fatalf("got %d, %q", code, errs)
	}
	if n := <-sent; n >= 64<<20 {
		t.Errorf("got %d bytes sent, want the connection given up", n)
	}
	if code, out, _ := invoke("corpus", "stats", folder); code != exitOK || !strings.Contains(out, "64 MiB") {
		t.Errorf("got %d, %q, want the bytes that were saved", code, out)
	}
}

// articles adds pages to a site that differ in more than a number, and a first page that links to them.
func articles(site *testsite.Site, pages int) {
	links := ""
	for i := range pages {
		path := fmt.Sprintf("/page/%d", i)
		links += fmt.Sprintf(`<a href="%s">x</a>`, path)
		site.Page(path, fmt.Sprintf("<title>Page %d</title><body>%s", i, about(fmt.Sprintf("It is page number %d, of the name %c%c%c.", i, 'a'+i%26, 'a'+i/26%26, 'a'+i/676))))
	}
	site.Page("/", "<title>Farm</title><body>"+links)
}

// TestKillLoopCorpus kills a build with SIGKILL at random moments. Shards,
// manifest and state must agree in the end, and no document may occur twice.
func TestKillLoopCorpus(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	t.Parallel() // with the other kill loops, which mostly wait
	program, folder := program(t), t.TempDir()
	web := testsite.New()
	defer web.Close()
	site := web.Site("farm")
	lives := max(*kills/2, 1)
	pages := 16 * lives
	site.Robots("User-agent: *\nAllow: /\n\nUser-agent: __usage_ai-training\nDisallow: /page/7\nAllow: /\n")
	articles(site, pages)
	common := []string{"--progress", "none", "--min-free-disk", "0", "--discover", "links", site.URL() + "/"}
	whole, cut := filepath.Join(folder, "whole"), filepath.Join(folder, "cut")
	args := append([]string{"corpus", "build", "-o", cut, "--delay", killDelay.String(), "--shard-rows", "40"}, common...)
	processes := killed(t, program, lives, 200*time.Millisecond, 700*time.Millisecond, args...)
	processes = append(processes, ended(exec.CommandContext(t.Context(), program, args...), false))
	done := deaths(processes)
	holds(t, invariant.Crawl{Web: web, Delay: killDelay, Dir: cut, Finished: true, Processes: processes, MaxRSS: 320 << 20})
	finish(t, program, append([]string{"corpus", "build", "-o", whole, "--delay", "0", "--shard-rows", "40"}, common...)...)
	finish(t, program, "corpus", "verify", cut)
	urls := func(folder string) map[string]int {
		counts := map[string]int{}
		for _, d := range documentsOf(t, folder) {
			counts[d.URL]++
		}
		return counts
	}
	want, got := urls(whole), urls(cut)
	if !maps.Equal(want, got) || len(got) < pages*8/10 {
		t.Errorf("got %d documents after %d kills, want %d, each once", len(got), done, len(want))
	}
	t.Logf("killed %d times of %d; %d documents", done, lives, len(got))
}

// TestResumeFollowsTheLaterPolicy resumes a crawl after another policy was
// applied.
func TestResumeFollowsTheLaterPolicy(t *testing.T) {
	_, _, folder := buildFarm(t, "--max-pages", "6")
	if code, out, errs := invoke("corpus", "decide", folder, "--policy", "token"); code != exitOK {
		t.Fatalf("decide: got %d, %q, %q", code, out, errs)
	}
	if code, _, errs := invoke("resume", folder, "--progress", "none", "--delay", "0", "--max-pages", "0"); code != exitOK {
		t.Fatalf("resume: got %d, %q", code, errs)
	}
	if m := manifestOf(t, folder); m.Policy != "token/1" {
		t.Errorf("got policy %s, want token/1", m.Policy)
	}
	for _, d := range documentsOf(t, folder) {
		if d.Metadata.Policy != "token/1" {
			t.Errorf("%s: got a decision by %s", d.URL, d.Metadata.Policy)
		}
	}
	if code, out, _ := invoke("corpus", "verify", folder); code != exitOK {
		t.Errorf("verify: got %d, %q", code, out)
	}
}

// TestLicenseOfARedirect has a license that only a redirect names.
func TestLicenseOfARedirect(t *testing.T) {
	web := testsite.New()
	defer web.Close()
	site := web.Site("farm")
	site.Robots("User-agent: __usage_ai-training\nAllow: /\n")
	site.Status("/old", http.StatusFound, "Location: "+site.URL()+"/new", `Link: <`+site.URL()+`/license.xml>; rel="license"; type="application/rsl+xml"`)
	site.Page("/new", "<title>New</title><body>"+article)
	site.Page("/license.xml", `<rsl xmlns="https://rslstandard.org/rsl"><content url="/"><license><permits type="usage">all</permits></license></content></rsl>`)
	folder := filepath.Join(t.TempDir(), "farm")
	if code, _, errs := invoke("corpus", "build", "-o", folder, "--delay", "0", "--progress", "none", site.URL()+"/old"); code != exitOK {
		t.Fatalf("got %d, %q", code, errs)
	}
	if got := outcomeOf(t, folder); got.train != "in_favor" {
		t.Errorf("got %v, want a document: the license was there to be read", got)
	}
	if code, out, _ := invoke("corpus", "verify", folder); code != exitOK {
		t.Errorf("verify: got %d, %q", code, out)
	}
}
