package corpus_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/decorum-crawler/decorum/corpus"
	"github.com/decorum-crawler/decorum/corpus/shard"
	"github.com/decorum-crawler/decorum/corpus/signal"
	"github.com/decorum-crawler/decorum/corpus/text"
	"github.com/decorum-crawler/decorum/crawler"
	"github.com/decorum-crawler/decorum/crawler/fetch"
	"github.com/decorum-crawler/decorum/crawler/record"
	"github.com/decorum-crawler/decorum/frontier"
	"github.com/decorum-crawler/decorum/robots"
	"github.com/decorum-crawler/decorum/storage/jsonl"
)

// farm is the origin of most tests.
const farm = "https://farm.example"

// trains is a robots.txt that is in favor of training, except for /reviews/.
const trains = "User-agent: " + robots.TrainingToken + "\nDisallow: /reviews/\nAllow: /\n"

// A crawl does what crawler and storage do for a Builder: it answers for a site,
// calls the sink, and appends the records to the files of a corpus directory.
type crawl struct {
	t       *testing.T
	root    *os.Root
	options corpus.Options
	sink    crawler.Sink
	robots  *robots.Document
	files   map[string]string // of the site, by URL
	asked   []string          // files that were requested
	page    int               // the last one; each has a second of its own
	pages   []record.Page
	skipped []record.Skip
}

// newCrawl returns a crawl into an empty directory; change may set options and
// files before anything is requested.
func newCrawl(t *testing.T, robotsTxt string, change func(*crawl)) *crawl {
	t.Helper()
	c := &crawl{t: t, root: openFolder(t), files: map[string]string{}, robots: &robots.Document{
		Origin: farm, FinalURL: farm + "/robots.txt", Status: http.StatusOK, Body: []byte(robotsTxt), FetchedAt: day(1),
	}}
	c.options = corpus.Options{
		Agent: "decorum", CrawlID: "run", Policy: policyOf(t, "declared"), Store: c.store,
		Extract: func(_ context.Context, page text.Page) (text.Result, error) {
			if len(page.Body) == 0 {
				return text.Result{}, &text.Error{URL: page.URL, Reason: text.ReasonEmpty}
			}
			result := text.Result{Text: string(page.Body)}
			result.SHA256, result.Simhash = text.Fingerprints(result.Text)
			return result, nil
		},
	}
	if change != nil {
		change(c)
	}
	c.keepFile(c.robots.Body)
	c.sink = corpus.NewBuilder(c.options).Sink()
	for address := c.sink.Wants(farm, c.robots); address != ""; address = c.sink.Wants(farm, c.robots) {
		if err := c.sink.Receive(farm, c.fetch(t.Context(), address)); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// fetch returns a file of the site.
func (c *crawl) fetch(_ context.Context, address string) fetch.SiteFile {
	c.asked = append(c.asked, strings.TrimPrefix(address, farm))
	body, ok := c.files[address]
	if !ok {
		return fetch.SiteFile{URL: address, Status: http.StatusNotFound, At: day(1)}
	}
	return fetch.SiteFile{URL: address, Status: http.StatusOK, Body: []byte(body), At: day(1)}
}

func (c *crawl) store(a fetch.SiteFile) error {
	c.keepFile(a.Body)
	return nil
}

func (c *crawl) keepFile(body []byte) {
	if err := c.root.MkdirAll("files", 0o700); err != nil {
		c.t.Fatal(err)
	}
	if err := c.root.WriteFile("files/"+sum(body), body, 0o600); err != nil {
		c.t.Fatal(err)
	}
}

func (c *crawl) load(digest string) ([]byte, error) { return c.root.ReadFile("files/" + digest) }

// get passes one page with status 200 through the sink and returns its records.
func (c *crawl) get(address, body string, header ...string) *crawler.Visit {
	c.t.Helper()
	return c.exchange(frontier.Item{URL: address}, "", body, header...)
}

// redirect passes a redirect through the sink.
func (c *crawl) redirect(from, to string, header ...string) {
	c.t.Helper()
	c.exchange(frontier.Item{URL: from}, to, "", header...)
}

// exchange passes one response through Refuse, Admit and Keep, as a crawl does. It
// returns nil when the URL is refused.
func (c *crawl) exchange(item frontier.Item, to, body string, header ...string) *crawler.Visit {
	c.t.Helper()
	c.page++
	if refusal, ok := c.sink.Refuse(item, c.robots); ok {
		c.skipped = append(c.skipped, record.Skip{URL: item.URL, Reason: frontier.SkipNoConsent})
		c.write(refusal.Records)
		return nil
	}
	at := day(1).Add(time.Duration(c.page) * time.Second)
	e := &crawler.Visit{
		Item: item, Robots: c.robots, Status: http.StatusOK, Header: http.Header{"Content-Type": {"text/html"}}, StartedAt: at, Fetch: c.fetch,
		Page: record.Page{Schema: "decorum.page/1", URL: item.URL, FetchedAt: at, Status: http.StatusOK, RedirectTo: to, Title: "a title"},
	}
	e.Page.Robots = record.RobotsOf(c.robots.Check("decorum", strings.TrimPrefix(item.URL, farm)), c.robots.Digest())
	if to != "" {
		e.Status, e.Page.Status = http.StatusFound, http.StatusFound
	}
	for _, line := range header {
		name, value, _ := strings.Cut(line, ": ")
		e.Header.Add(name, value)
	}
	if to == "" && !c.sink.Admit(e) {
		e.Refused, e.Saved = true, int64(len(body))
	} else {
		e.Body = []byte(body)
	}
	records, err := c.sink.Keep(c.t.Context(), e)
	if err != nil {
		c.t.Fatal(err)
	}
	c.pages = append(c.pages, e.Page)
	c.write(records)
	return e
}

// write appends records to the files of their outputs.
func (c *crawl) write(records []frontier.Record) {
	c.t.Helper()
	names := map[string]string{
		corpus.OutputDocuments: corpus.JournalName, corpus.OutputExcluded: corpus.ExcludedName,
		corpus.OutputFailed: corpus.FailedName, corpus.OutputEvidence: corpus.EvidenceName,
	}
	for _, r := range records {
		name := names[r.Output]
		if err := c.root.MkdirAll(path.Dir(name), 0o700); err != nil {
			c.t.Fatal(err)
		}
		file, err := c.root.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			c.t.Fatal(err)
		}
		if _, err := file.Write(r.Data); err != nil {
			c.t.Fatal(err)
		}
		if err := file.Close(); err != nil {
			c.t.Fatal(err)
		}
	}
}

// publish writes the crawl's own records and publishes the corpus as plain
// lines.
func (c *crawl) publish(change ...func(*corpus.Publication)) *corpus.Manifest {
	c.t.Helper()
	writeRows(c.t, c.root, "pages.jsonl", c.pages...)
	writeRows(c.t, c.root, "skipped.jsonl", c.skipped...)
	p := corpus.Publication{
		Policy: c.options.Policy.String(), Unknown: corpus.UnknownSeparate, Finished: true,
		Pages: "pages.jsonl", Skipped: "skipped.jsonl", Shards: shard.Options{Format: shard.JSONL},
	}
	for _, f := range change {
		f(&p)
	}
	m, err := corpus.Publish(c.root, p)
	if err != nil {
		c.t.Fatal(err)
	}
	return m
}

// ofTest reports whether a file is one that tests keep files of sites in.
func ofTest(name string) bool { return strings.HasPrefix(name, "files/") }

func (c *crawl) judge() *corpus.Judge { return &corpus.Judge{Agent: "decorum", Load: c.load} }

// verify returns the findings of Verify.
func (c *crawl) verify() []string {
	c.t.Helper()
	var found []string
	if err := c.judge().Verify(c.root, ofTest, func(s string) { found = append(found, s) }); err != nil {
		c.t.Fatal(err)
	}
	return found
}

// newFarm returns a crawl with a page for each decision.
func newFarm(t *testing.T) *crawl {
	t.Helper()
	c := newCrawl(t, trains, nil)
	c.get(farm+"/a", "A text.")
	c.get(farm+"/b", "Another text.")
	c.get(farm+"/twin", "A text.")
	c.get(farm+"/reviews/1", "never read")
	c.get(farm+"/noai", "never read", "X-Robots-Tag: noai")
	c.get(farm+"/empty", "")
	c.redirect(farm+"/go", farm+"/target")
	c.exchange(frontier.Item{URL: farm + "/target", Source: frontier.SourceRedirect, Via: farm + "/go"}, "", "The target.")
	return c
}

func policyOf(t *testing.T, name string) signal.Policy {
	t.Helper()
	policy, err := signal.PolicyOf(name)
	if err != nil {
		t.Fatal(err)
	}
	return policy
}

func sum(body []byte) string {
	digest := sha256.Sum256(body)
	return hex.EncodeToString(digest[:])
}

// day is a time at which something is fetched.
func day(n int) time.Time { return time.Date(2026, 1, n, 10, 0, 0, 0, time.UTC) }

// openFolder returns an empty corpus directory.
func openFolder(t *testing.T) *os.Root {
	t.Helper()
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	return root
}

// rows reads a file of JSON Lines.
func rows[T any](t *testing.T, root *os.Root, name string) []T {
	t.Helper()
	var all []T
	for row, err := range jsonl.Rows[T](root, name) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, row)
	}
	return all
}

// writeRows writes a file of JSON Lines.
func writeRows[T any](t *testing.T, root *os.Root, name string, rows ...T) {
	t.Helper()
	var data bytes.Buffer
	for _, row := range rows {
		if err := json.NewEncoder(&data).Encode(row); err != nil {
			t.Fatal(err)
		}
	}
	if err := root.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := root.WriteFile(name, data.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// documents returns the documents of the shards under a directory, as
// "train=none", by the ends of their URLs.
func documents(t *testing.T, root *os.Root, dir string) map[string]corpus.Document {
	t.Helper()
	all := map[string]corpus.Document{}
	entries, err := os.ReadDir(filepath.Join(root.Name(), "documents", dir))
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		for d, err := range shard.Read[corpus.Document](root, path.Join("documents", dir, entry.Name())) {
			if err != nil {
				t.Fatal(err)
			}
			all[strings.TrimPrefix(d.URL, farm)] = d
		}
	}
	return all
}

// has reports whether one of the lines contains text.
func has(lines []string, text string) bool {
	return slices.ContainsFunc(lines, func(line string) bool { return strings.Contains(line, text) })
}
