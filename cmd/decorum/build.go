package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"time"

	"github.com/decorum-crawler/decorum/configs"
	"github.com/decorum-crawler/decorum/corpus"
	"github.com/decorum-crawler/decorum/corpus/shard"
	"github.com/decorum-crawler/decorum/corpus/signal"
	"github.com/decorum-crawler/decorum/corpus/text"
	"github.com/decorum-crawler/decorum/crawler"
	"github.com/decorum-crawler/decorum/crawler/record"
	"github.com/decorum-crawler/decorum/frontier"
	"github.com/decorum-crawler/decorum/storage/jsonl"
)

// build is a corpus under way; nil when the crawl makes none.
type build struct {
	folder   *folder
	options  corpus.Options
	pool     *text.Pool
	builder  *corpus.Builder
	manifest *corpus.Manifest // once it is published
	inputs   []corpus.Input   // archives instead of a crawl
	unjudged []string         // what they lack
}

// build gets the corpus of a folder ready for a run: what earlier runs found
// is read again.
func (f *folder) build(env environment, options crawler.Options) (*build, error) {
	if f.corpus == nil {
		return nil, nil //nolint:nilnil // a nil build does nothing
	}
	info, err := f.state.Info()
	if err != nil {
		return nil, err
	}
	policy, err := signal.PolicyOf(f.corpus.Policy)
	if err != nil {
		return nil, &commandError{code: exitDirectory, err: err, hint: "use the version of decorum that began the corpus"}
	}
	overrides, err := corpus.ReadOverridesOf(f.root)
	if err != nil {
		return nil, err
	}
	b := &build{folder: f, pool: text.NewPool(text.Options{Start: env.extractor()})}
	b.options = corpus.Options{
		Agent: options.AgentToken, CrawlID: info.Run, Policy: policy, Overrides: overrides, AITxt: f.corpus.AITxt,
		Consent: f.corpus.Unknown == corpus.UnknownExclude, Extract: b.pool.Extract, Store: f.siteFile,
	}
	b.builder = corpus.NewBuilder(b.options)
	if err := b.recall(); err != nil {
		return nil, errors.Join(err, b.pool.Close())
	}
	return b, nil
}

// recall tells the builder what earlier runs kept.
func (b *build) recall() error {
	for e, err := range jsonl.Rows[corpus.Evidence](b.folder.root, corpus.EvidenceName) {
		if err != nil {
			return err
		}
		if err := b.builder.RecallEvidence(e, keptFile(b.folder.root)); err != nil {
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

// siteFile keeps a file of a site as it came: its bytes once, and a note of
// each answer.
func (f *folder) siteFile(a crawler.Answer) error {
	sum := sha256.Sum256(a.Body)
	digest := hex.EncodeToString(sum[:])
	if a.Status/100 == 2 && len(a.Body) > 0 {
		if err := f.keep(corpus.EvidenceDir+"/"+digest+".body", a.Body); err != nil {
			return err
		}
	}
	note := struct {
		Schema    string              `json:"schema"`
		URL       string              `json:"url"`
		Status    int                 `json:"status"`
		FetchedAt time.Time           `json:"fetched_at"`
		Digest    string              `json:"digest"`
		Bytes     int                 `json:"bytes"`
		Headers   map[string][]string `json:"headers"`
		Error     string              `json:"error"`
	}{"decorum.sitefile/1", a.URL, a.Status, a.At.UTC(), digest, len(a.Body), a.Header, a.Error}
	data, err := json.MarshalIndent(note, "", "  ")
	if err != nil {
		return err
	}
	place := sha256.Sum256([]byte(a.URL))
	return f.keep(fmt.Sprintf("%s/%s-%d.json", corpus.EvidenceDir, hex.EncodeToString(place[:8]), a.At.UnixMilli()), append(data, '\n'))
}

// keptFile gives a file of a site by its digest, and checks it.
func keptFile(root *os.Root) func(string) ([]byte, error) {
	return func(digest string) ([]byte, error) {
		for _, name := range []string{robotsName + "/" + digest + ".txt", corpus.EvidenceDir + "/" + digest + ".body"} {
			data, err := root.ReadFile(name)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return nil, err
			}
			if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != digest {
				return nil, fmt.Errorf("%s: its digest is not its name", name)
			}
			return data, nil
		}
		return nil, fmt.Errorf("evidence %s: %w", digest, fs.ErrNotExist)
	}
}

// end publishes the corpus as far as the crawl came. Behind a crawl that failed
// nothing is published: its outputs may hold more than its state knows, and a
// part of a line at their end.
func (b *build) end(failed error, c configs.Config, options crawler.Options, result crawler.Result, stats frontier.Stats) error {
	if b == nil {
		return failed
	}
	if err := errors.Join(failed, b.pool.Close()); err != nil {
		return err
	}
	settings, err := b.folder.root.ReadFile(configName)
	if err != nil {
		return err
	}
	b.manifest, err = publishCorpus(b.folder.root, *b.folder.corpus, corpus.Publication{
		Operator: corpus.Operator{UserAgent: options.UserAgent(), Token: options.AgentToken, Contact: options.Contact},
		CrawlID:  b.options.CrawlID, ConfigSHA256: hexDigest(settings), Policy: b.options.Policy.String(), Scope: c.Seed,
		Finished: result.Drained, Pending: stats.Pending, Inputs: b.inputs, Unjudged: b.unjudged,
	})
	return err
}

func publishCorpus(root *os.Root, s corpusSettings, p corpus.Publication) (*corpus.Manifest, error) {
	p.Tool, p.Unknown = "decorum "+version, s.Unknown
	p.Pages, p.Skipped, p.RobotsDir = outputNames[record.OutputPages], outputNames[record.OutputSkipped], robotsName
	p.Shards = shard.Options{Format: s.Format, MaxRows: s.Rows, MaxBytes: s.Bytes}
	files, err := archiveFiles(root)
	if err != nil {
		return nil, err
	}
	if len(files) > 0 {
		order := newCaptureOrder(root, math.MaxInt64)
		defer order.stop()
		p.Files, p.Place = append(files, indexName), order.placeOf
	}
	return corpus.Publish(root, p)
}

func hexDigest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// print adds what the corpus came to.
func (b *build) print(out io.Writer, silent bool) error {
	if b == nil || b.manifest == nil || silent {
		return nil
	}
	return printCounts(out, b.manifest)
}

func printCounts(out io.Writer, m *corpus.Manifest) error {
	c := m.Counts
	_, err := fmt.Fprintf(out, "corpus: %d documents by policy %s: %d in favor, %d not stated; %d excluded, %d on hold, %d without text; %s not downloaded\n",
		c.Documents, m.Policy, c.InFavor, c.None, c.Excluded+c.Refused, c.Hold, c.Failed, byteCount(c.BytesSaved))
	return err
}
