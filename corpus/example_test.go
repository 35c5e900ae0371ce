package corpus_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/decorum-crawler/decorum/configs"
	"github.com/decorum-crawler/decorum/corpus"
	"github.com/decorum-crawler/decorum/corpus/evidence"
	"github.com/decorum-crawler/decorum/corpus/signal"
	"github.com/decorum-crawler/decorum/corpus/text"
	"github.com/decorum-crawler/decorum/crawler"
	"github.com/decorum-crawler/decorum/crawler/crawldir"
	"github.com/decorum-crawler/decorum/crawler/fetch"
	"github.com/decorum-crawler/decorum/frontier"
	"github.com/decorum-crawler/decorum/internal/testsite"
)

// Example builds a corpus of the pages of a site that allow training, and checks
// it.
func Example() {
	web := testsite.New()
	defer web.Close()
	site := web.Site("farm")
	site.Robots("User-agent: *\nAllow: /\n\nUser-agent: __usage_ai-training\nDisallow: /private\n")
	site.Page("/", `<p>A page on apples, for everyone.<p><a href="/private">more</a>`)
	path, err := os.MkdirTemp("", "corpus-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(path)
	if err := errors.Join(build(path, site.URL()+"/"), check(path)); err != nil {
		log.Fatal(err)
	}
	// Output:
	// 1 documents in favor, 1 pages refused
	// verified
}

// build crawls into a new directory with a corpus as a sink, and publishes it.
func build(path, seed string) error {
	dir, err := crawldir.Create(path, configs.Default(), crawldir.Options{Outputs: corpus.Outputs()})
	if err != nil {
		return err
	}
	builder := corpus.NewBuilder(corpus.Options{Agent: "decorum", Policy: declared(), Extract: plain, Store: keep(dir.Evidence())})
	err = run(dir, crawler.Options{Links: true, Sinks: []crawler.Sink{builder.Sink()}}, seed)
	m, failed := corpus.Publish(dir.Root(), corpus.Publication{Pages: crawldir.PagesName, Skipped: crawldir.SkippedName, Policy: declared().String()})
	if err := errors.Join(err, failed, dir.Close()); err != nil {
		return err
	}
	fmt.Printf("%d documents in favor, %d pages refused\n", m.Counts.InFavor, m.Counts.Refused)
	return nil
}

func run(dir *crawldir.Dir, options crawler.Options, seed string) error {
	queue, err := dir.Frontier(frontier.Options{})
	if err != nil {
		return err
	}
	dir.Connect(&options, queue)
	options.Fetch.Delay, options.Fetch.Allow.Loopback = -1, true // the site is on this machine
	crawl, ctx := crawler.New(queue, options), context.Background()
	_, err = crawl.Seed(ctx, []string{seed})
	_, failed := crawl.Run(ctx, nil)
	return errors.Join(err, failed, queue.Close())
}

// check derives every decision of a corpus again from its evidence.
func check(path string) error {
	root, err := os.OpenRoot(path)
	if err != nil {
		return err
	}
	judge := corpus.Judge{Agent: "decorum", Load: evidence.New(root).Load}
	err = judge.Verify(root, crawldir.Belongs, func(fault string) { fmt.Println(fault) })
	fmt.Println("verified")
	return errors.Join(err, root.Close())
}

func declared() signal.Policy {
	policy, err := signal.PolicyOf("declared")
	if err != nil {
		log.Fatal(err)
	}
	return policy
}

// plain replaces the extractor of package text, which runs in separate processes.
func plain(_ context.Context, page text.Page) (text.Result, error) {
	result := text.Result{Text: string(page.Body), Language: "en", Date: time.Now().Format(time.DateOnly)}
	result.SHA256, result.Simhash = text.Fingerprints(result.Text)
	return result, nil
}

// keep stores the files of sites as evidence.
func keep(store *evidence.Store) func(fetch.SiteFile) error {
	return func(f fetch.SiteFile) error {
		return store.KeepFile(evidence.File{URL: f.URL, Status: f.Status, Header: f.Header, Body: f.Body, FetchedAt: f.At, Error: f.Cause()})
	}
}
