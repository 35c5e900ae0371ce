package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/decorum-crawler/decorum/configs"
	"github.com/decorum-crawler/decorum/corpus"
	"github.com/decorum-crawler/decorum/corpus/evidence"
	"github.com/decorum-crawler/decorum/corpus/shard"
	"github.com/decorum-crawler/decorum/corpus/signal"
	"github.com/decorum-crawler/decorum/corpus/text"
	"github.com/decorum-crawler/decorum/crawler"
	"github.com/decorum-crawler/decorum/crawler/content"
	"github.com/decorum-crawler/decorum/crawler/crawldir"
	"github.com/decorum-crawler/decorum/crawler/fetch"
	"github.com/decorum-crawler/decorum/frontier"
	"github.com/decorum-crawler/decorum/storage/jsonl"
)

// build is a corpus being built; nil when the crawl builds none.
type build struct {
	folder   *folder
	options  corpus.Options
	pool     *text.Pool
	builder  *corpus.Builder
	manifest *corpus.Manifest // nil until it is published
	inputs   []corpus.Input   // archives instead of a crawl
	unjudged []string         // evidence that the archives lack
	signing  signing
}

// build prepares the corpus of a folder for a run and restores what earlier
// runs found.
func (f *folder) build(env environment, options fetch.Options, signing signing) (*build, error) {
	if f.corpus == nil {
		return nil, nil //nolint:nilnil // a nil build does nothing
	}
	info, err := f.State().Info()
	if err != nil {
		return nil, err
	}
	policy, err := signal.PolicyOf(f.corpus.Policy)
	if err != nil {
		return nil, &commandError{code: exitDirectory, err: err, hint: "use the version of decorum that started the corpus"}
	}
	overrides, err := corpus.ReadOverridesOf(f.Root())
	if err != nil {
		return nil, err
	}
	extraction := text.Options{Start: env.extractor(), Format: f.corpus.Text}
	if f.corpus.PDF {
		if extraction.PDF, err = text.FindPDF(context.Background()); err != nil {
			return nil, &commandError{code: exitUsage, err: err, hint: "--pdf needs pdftotext; on Debian: apt install poppler-utils"}
		}
	}
	b := &build{folder: f, signing: signing, pool: text.NewPool(extraction)}
	b.options = corpus.Options{
		Agent: options.AgentToken, CrawlID: info.Run, Policy: policy, Overrides: overrides, AITxt: f.corpus.AITxt,
		Consent: f.corpus.Unknown == corpus.UnknownExclude, Extract: b.pool.Extract, Store: keepFile(f.Evidence()),
	}
	b.builder = corpus.NewBuilder(b.options)
	if err := b.recall(); err != nil {
		return nil, errors.Join(err, b.pool.Close())
	}
	return b, nil
}

// recall restores in the builder what earlier runs kept.
func (b *build) recall() error {
	for e, err := range jsonl.Rows[corpus.Evidence](b.folder.Root(), corpus.EvidenceName) {
		if err != nil {
			return err
		}
		if err := b.builder.RecallEvidence(e, b.folder.Evidence().Load); err != nil {
			return err
		}
	}
	return nil
}

func (b *build) sinks() []crawler.Sink {
	if b == nil {
		return nil
	}
	return []crawler.Sink{b.builder.Sink()}
}

// keepFile returns a function that stores the files that a corpus requests from
// sites.
func keepFile(kept *evidence.Store) func(fetch.SiteFile) error {
	return func(a fetch.SiteFile) error {
		return kept.KeepFile(evidence.File{URL: a.URL, Status: a.Status, Header: a.Header, Body: a.Body, FetchedAt: a.At, Error: a.Cause()})
	}
}

// end publishes the corpus as far as the crawl came. It publishes nothing after
// a crawl that failed: the outputs may hold more than the state knows, and end
// in the middle of a line.
func (b *build) end(failed error, c configs.Config, options fetch.Options, result crawler.Result, stats frontier.Stats) error {
	if b == nil {
		return failed
	}
	if err := errors.Join(failed, b.pool.Close()); err != nil {
		return err
	}
	settings, err := b.folder.Root().ReadFile(crawldir.SettingsName)
	if err != nil {
		return err
	}
	b.manifest, err = publishCorpus(b.folder.Root(), *b.folder.corpus, corpus.Publication{
		Operator: corpus.Operator{UserAgent: options.UserAgent(), Token: options.AgentToken, Contact: options.Contact},
		CrawlID:  b.options.CrawlID, ConfigSHA256: content.SHA256(settings), Policy: b.options.Policy.String(), Scope: c.Seed,
		Finished: result.Drained, Pending: stats.Pending, Inputs: b.inputs, Unjudged: b.unjudged,
	})
	if err != nil {
		return err
	}
	return b.signing.sign(b.folder.Root(), b.manifest)
}

func publishCorpus(root *os.Root, s corpusSettings, p corpus.Publication) (*corpus.Manifest, error) {
	p.Tool, p.Unknown, p.TextFormat = "decorum "+version, s.Unknown, string(s.Text)
	p.Near = s.Near
	p.Pages, p.Skipped, p.Journals = crawldir.PagesName, crawldir.SkippedName, []string{crawldir.SitemapsName}
	p.Shards = shard.Options{Format: s.Format, MaxRows: s.Rows, MaxBytes: s.Bytes}
	archive := crawldir.ArchiveIn(root)
	files, err := archive.Files()
	if err != nil {
		return nil, err
	}
	if len(files) > 0 {
		captures := archive.Captures()
		defer captures.Close()
		p.Files = append(files, crawldir.IndexName)
		p.Place = func(d corpus.Document) (string, int64, error) { return findRecord(captures, d) }
	}
	return corpus.Publish(root, p)
}

// findRecord returns the place of the response that a document was made from.
// It must be called in the order of the journal, which is that of the captures.
func findRecord(captures *crawldir.Captures, d corpus.Document) (file string, offset int64, err error) {
	c, ok, err := captures.Find(d.URL, d.Added.Time())
	if err == nil && !ok {
		err = fmt.Errorf("find the record of %s in %s: %w", d.URL, crawldir.CapturesName, fs.ErrNotExist)
	}
	return c.Filename, c.Offset, err
}

// print prints the counts of a published corpus.
func (b *build) print(out io.Writer, silent bool) error {
	if b == nil || b.manifest == nil || silent {
		return nil
	}
	return printCounts(out, b.manifest)
}

func printCounts(out io.Writer, m *corpus.Manifest) error {
	c := m.Counts
	_, err := fmt.Fprintf(out, "corpus: %s under policy %s (%d in favor, %d without a statement); pages: %d excluded, %d on hold, %d without text; %s not downloaded\n",
		plural(int(c.Documents), "document"), m.Policy, c.InFavor, c.None, c.Excluded+c.Refused, c.Hold, c.Failed, byteCount(c.BytesSaved))
	return err
}
