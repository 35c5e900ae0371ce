package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/decorum-crawler/decorum/configs"
	"github.com/decorum-crawler/decorum/corpus"
	"github.com/decorum-crawler/decorum/corpus/archive"
	"github.com/decorum-crawler/decorum/crawler"
	"github.com/decorum-crawler/decorum/crawler/crawldir"
	"github.com/decorum-crawler/decorum/crawler/fetch"
	"github.com/decorum-crawler/decorum/crawler/record"
	"github.com/decorum-crawler/decorum/frontier"
	"github.com/decorum-crawler/decorum/storage"
	"github.com/decorum-crawler/decorum/storage/jsonl"
)

const repairLong = `Build a new crawl.db from pages.jsonl, skipped.jsonl, sitemaps.jsonl, robots/ and crawl.log, when it was lost or is
damaged. No page that was fetched is fetched again, and the other files stay as they are. A damaged crawl.db is kept as
crawl.db.damaged.

Pages that were found but not fetched are found again in the archive (crawl --store warc), in the sitemaps, which
decorum resume reads again, and in redirects. Without an archive, pages that only links lead to may be lost; the
command says so.

EXIT STATUS: 0 done, or nothing to repair, 2 usage error, 4 the new state cannot be written, 5 no crawl in DIR, or it is in use,
or an output is damaged too; then nothing was changed.`

func newStateRepair(env environment) *cobra.Command {
	return &cobra.Command{
		Use: "repair DIR", Short: "Build a lost or damaged state again from the outputs", Example: "  decorum state repair example",
		Long: repairLong, Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			whole, err := needsNoRepair(env, args[0])
			if err != nil {
				return err
			}
			if whole {
				_, err := fmt.Fprintf(env.stdout, "the state of %s is whole; nothing was changed\n", safe(args[0]))
				return err
			}
			return repair(env, args[0])
		},
	}
}

// needsNoRepair reports whether a directory has a state that agrees with its
// outputs. It returns an error for a directory that cannot be repaired.
func needsNoRepair(env environment, directory string) (bool, error) {
	if _, err := os.Lstat(filepath.Join(directory, crawldir.StateName)); errors.Is(err, fs.ErrNotExist) {
		ours, err := crawldir.Holds(directory)
		if errors.Is(err, crawldir.ErrStateLost) {
			return false, nil
		}
		if err == nil && !ours {
			err = noCrawl(directory)
		}
		return false, err
	}
	if err := checkResumable(directory); err != nil {
		return false, err
	}
	var out, errs bytes.Buffer
	quiet := env
	quiet.stdout, quiet.stderr = &out, &errs
	var err error
	if env.self == "" {
		err = verify(quiet, directory)
	} else {
		err = inChild(quiet, "verify", directory)
	}
	for _, refusal := range []error{storage.ErrLocked, storage.ErrNewer} {
		if errors.Is(err, refusal) || bytes.Contains(errs.Bytes(), []byte(refusal.Error())) {
			return false, fmt.Errorf("repair state of %s: %w", directory, refusal)
		}
	}
	return err == nil, nil
}

func repair(env environment, directory string) error {
	settings, err := corpusSettingsIn(directory, nil)
	if err != nil {
		return err
	}
	options := crawldir.RepairOptions{Options: crawldir.Options{Outputs: settings.outputs(), Version: version}}
	if settings != nil {
		options.Needs = corpus.Needs
		options.ID = func(p record.Page) string { return corpus.DocumentID(p.URL, p.FetchedAt) }
	}
	finder := &finder{env: env, directory: directory}
	options.Found = finder.find
	repaired, err := crawldir.Repair(directory, options)
	if err != nil {
		return err
	}
	n := repaired.Info.Counters
	fmt.Fprintf(env.stdout, "state repaired: %d pages, %d skipped, %d pending\n", n.Done, n.Skipped+n.Tentative, n.Pending)
	if repaired.Kept != "" {
		fmt.Fprintf(env.stdout, "the old state is kept as %s\n", safe(repaired.Kept))
	}
	switch lost := repaired.Linking - finder.read; {
	case repaired.Finished:
		fmt.Fprintln(env.stdout, "the crawl was complete, so nothing is missing")
	case lost > 0:
		fmt.Fprintf(env.stderr, "decorum: warning: where the links of %s lead is not recorded: pages that only they lead to are not found again, if they were pending\n", plural(int(lost), "page"))
	}
	return nil
}

// finder finds again what the pages of an unfinished crawl name.
type finder struct {
	env       environment
	directory string
	read      int64 // pages whose links were read from the archive
	crawl     *crawler.Crawl
}

func (f *finder) find(r *crawldir.Repaired) error {
	c, err := crawldir.Settings(f.directory)
	if err != nil {
		return err
	}
	scope, err := frontier.NewScope(frontier.Reach(c.Scope), c.Seed, c.Include, c.Exclude)
	if err != nil {
		return err
	}
	options := crawlOptions(f.env, c, c.Seed)
	options.Scope, options.Fetch.Robots = scope, r.Robots()
	options.Client = fetch.New(options.Fetch) // which sends nothing
	defer options.Client.Close()
	f.crawl = crawler.New(nil, options)
	for page, err := range jsonl.Rows[record.Page](r.Root(), crawldir.PagesName) {
		if err != nil {
			break // a line that is cut at the end
		}
		if err := f.offer(r, page.URL, func(item frontier.Item) []frontier.Candidate { return f.crawl.RecallTargets(item, page) }); err != nil {
			return err
		}
	}
	return f.findInArchive(r, c)
}

// offer offers what a page names, if it is done.
func (f *finder) offer(r *crawldir.Repaired, url string, named func(frontier.Item) []frontier.Candidate) error {
	item, ok, err := r.Page(url)
	if err != nil || !ok {
		return err
	}
	return r.Offer(named(item))
}

// findInArchive reads the pages in the archive, if there is one.
func (f *finder) findInArchive(r *crawldir.Repaired, c configs.Config) error {
	names, err := crawldir.ArchiveIn(r.Root()).Files()
	if err != nil || len(names) == 0 {
		return err
	}
	for i := range names {
		names[i] = filepath.Join(f.directory, filepath.FromSlash(names[i]))
	}
	ctx := context.Background()
	source, err := archive.Open(ctx, names, archive.Options{MaxBytes: int64(c.MaxPageBytes)})
	if err != nil {
		return err
	}
	for page, err := range source.Pages(ctx, c.AgentToken) {
		if err != nil {
			return err
		}
		v := page.Visit
		err := f.offer(r, v.Item.URL, func(item frontier.Item) []frontier.Candidate {
			found := f.crawl.Recall(item, v.Status, v.Header, v.Body)
			if len(found) > 0 && v.Status/100 == 2 {
				f.read++
			}
			return found
		})
		if err != nil {
			return err
		}
	}
	return nil
}
