package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/decorum-crawler/decorum/configs"
	"github.com/decorum-crawler/decorum/crawler"
	"github.com/decorum-crawler/decorum/crawler/crawldir"
	"github.com/decorum-crawler/decorum/frontier"
	"github.com/decorum-crawler/decorum/internal/escape"
)

const crawlExamples = `  decorum crawl https://example.com --contact https://example.com/bot -o example
  decorum crawl --seeds list.txt --scope domain --max-pages 1000 --contact me@example.com`

const crawlExit = "EXIT STATUS: 0 done, 1 or 6 as --fail-on says, 2 usage error, 3 every seed is blocked or unreachable,\n" +
	"4 disk or output error, 5 directory is locked, damaged or not a crawl, 130 or 143 stopped by a signal (resumable)."

type crawlFlags struct {
	settings *settings
	output   string
	seeds    string
	json     bool
	corpus   *corpusFlags // nil: pages only
	refresh  bool
	newer    bool
	retry    bool // offer URLs again that failed
	signing  signing
}

// addRefresh adds the flags that refetch the sitemaps of a crawl.
func (f *crawlFlags) addRefresh(flags *pflag.FlagSet) {
	flags.BoolVar(&f.refresh, "refresh-sitemaps", false, "when resuming: refetch sitemaps that changed and add their new URLs")
	flags.BoolVar(&f.newer, "refresh-newer", false, "with --refresh-sitemaps: within an index, only files whose lastmod is newer than our last read")
}

func newCrawl(env environment) *cobra.Command {
	var flags crawlFlags
	command := &cobra.Command{
		Use:     "crawl [SEED...]",
		Short:   "Crawl a site respecting its rules",
		Long:    "Crawl a site respecting its rules. If the output directory already contains this crawl, resume it.\n\n" + crawlExit,
		Example: crawlExamples,
		RunE: func(_ *cobra.Command, args []string) error {
			return flags.run(env, args)
		},
	}
	command.Flags().StringVarP(&flags.output, "output", "o", "", "crawl directory (default ./HOST-UTCSTAMP)")
	command.Flags().StringVar(&flags.seeds, "seeds", "", "read seeds from this file, one per line; - is standard input")
	command.Flags().BoolVar(&flags.json, "json", false, "print one decorum.summary/1 object")
	flags.addRefresh(command.Flags())
	flags.settings = addSettings(command)
	return command
}

func newResume(env environment) *cobra.Command {
	var flags crawlFlags
	command := &cobra.Command{
		Use:     "resume DIR",
		Short:   "Resume a crawl",
		Long:    "Resume a crawl with the settings that it was started with. Flags override them for this run.\n\n" + crawlExit,
		Example: "  decorum resume example\n  decorum resume example --max-time 1h\n  decorum resume example --retry-failed",
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			flags.output = args[0]
			if err := checkResumable(args[0]); err != nil {
				return err
			}
			if err := flags.signing.load(env); err != nil {
				return err
			}
			return flags.resume(env, nil)
		},
	}
	command.Flags().BoolVar(&flags.json, "json", false, "print one decorum.summary/1 object")
	command.Flags().BoolVar(&flags.retry, "retry-failed", false, "request URLs again that ended with no response or a 5xx, or without a robots.txt")
	flags.addRefresh(command.Flags())
	flags.signing.add(command.Flags())
	flags.settings = addSettings(command)
	return command
}

// checkResumable refuses a directory that does not contain a crawl.
func checkResumable(directory string) error {
	ours, err := crawldir.Holds(directory)
	if ours {
		return nil
	}
	if _, missing := os.Lstat(filepath.Join(directory, inputsName)); missing == nil {
		return &commandError{
			code: exitDirectory, err: fmt.Errorf("%s contains a corpus built from archives, not a crawl", directory),
			hint: "run the same decorum corpus build --from-warc command again to resume it",
		}
	}
	if err != nil && !errors.Is(err, crawldir.ErrForeign) {
		return err
	}
	return noCrawl(directory)
}

func (f *crawlFlags) run(env environment, args []string) error {
	if err := f.signing.load(env); err != nil {
		return err
	}
	c, err := f.settings.merge(env, configs.Default())
	if err != nil {
		return err
	}
	seeds, err := readSeeds(env.stdin, f.seeds, append(args, c.Seed...))
	if err != nil {
		return err
	}
	if f.output != "" {
		ours, err := crawldir.Holds(f.output)
		if err != nil {
			return err
		}
		if ours {
			fmt.Fprintf(env.stderr, "decorum: resuming the crawl in %s\n", safe(f.output))
			return f.resume(env, seeds)
		}
	}
	if len(seeds) == 0 {
		return usageError(errors.New("no seed to start from"), "name a URL, or a file with --seeds FILE")
	}
	if err := checkManners(env, c, seeds); err != nil {
		return err
	}
	if f.output == "" {
		f.output = defaultOutput(seeds[0])
	}
	c.Seed = seeds
	files, err := f.corpus.files()
	if err != nil {
		return err
	}
	folder, err := createFolder(f.output, crawldir.StateName, c, files)
	if err != nil {
		return err
	}
	return f.crawl(env, folder, c, seeds)
}

func (f *crawlFlags) resume(env environment, seeds []string) error {
	failed, err := f.retryFailed(env)
	if err != nil {
		return err
	}
	folder, err := openFolder(env, f.output, crawldir.StateName)
	if err != nil {
		return err
	}
	if len(failed) > 0 {
		slog.New(slog.NewJSONHandler(folder.Log(), nil)).Info("failed requests will be retried", "reasons", failed)
	}
	kept := folder.Settings()
	seeds = append(seeds, kept.Seed...)
	c, err := f.resumeSettings(env, folder, kept, seeds)
	if err != nil {
		return errors.Join(err, folder.Close())
	}
	return f.crawl(env, folder, c, seeds)
}

// retryFailed makes the URLs pending again that failed, if that is asked for, and
// returns how many there are by reason.
func (f *crawlFlags) retryFailed(env environment) (map[string]int, error) {
	if !f.retry {
		return nil, nil //nolint:nilnil // nothing failed
	}
	if err := checkState(env, f.output, crawldir.StateName); err != nil {
		return nil, err
	}
	corpus, err := corpusSettingsIn(f.output, nil)
	if err != nil {
		return nil, err
	}
	failed := map[string]int{}
	n, err := crawldir.Retry(f.output, crawldir.Options{Outputs: corpus.outputs()}, func(_, reason string) { failed[reason]++ })
	if err == nil && !f.settings.quiet {
		fmt.Fprintf(env.stderr, "decorum: %s will be requested again\n", plural(n, "failed URL"))
	}
	return failed, err
}

// resumeSettings returns the settings of a run that resumes a crawl.
func (f *crawlFlags) resumeSettings(env environment, folder *folder, kept configs.Config, seeds []string) (configs.Config, error) {
	c, err := f.settings.merge(env, kept)
	if err != nil {
		return c, err
	}
	if err := f.corpus.checkUnchanged(folder); err != nil {
		return c, err
	}
	if f.signing.name != "" && folder.corpus == nil {
		return c, usageError(fmt.Errorf("the crawl in %s builds no corpus that could be signed", folder.Path()), "resume it without --sign")
	}
	if !slices.Equal(c.Store, kept.Store) {
		return c, usageError(fmt.Errorf("the crawl in %s was started with --store %s", folder.Path(), strings.Join(kept.Store, ",")), "resume it without this flag")
	}
	return c, checkManners(env, c, seeds)
}

// defaultOutput names a directory after the host and the time.
func defaultOutput(seed string) string {
	host := "crawl"
	if u, err := url.Parse(seed); err == nil {
		host = strings.Map(func(r rune) rune {
			if strings.ContainsRune("[]:/\\", r) {
				return '-'
			}
			return r
		}, u.Host)
	}
	return "." + string(filepath.Separator) + host + "-" + time.Now().UTC().Format("20060102T150405Z")
}

// readSeeds returns the seeds among the arguments and in a list, in canonical
// form.
func readSeeds(stdin io.Reader, list string, args []string) ([]string, error) {
	addresses := args
	if list != "" {
		lines, err := readLines(stdin, list)
		if err != nil {
			return nil, err
		}
		addresses = append(addresses, lines...)
	}
	var seeds []string
	for _, address := range addresses {
		if !strings.Contains(address, "://") {
			return nil, usageError(fmt.Errorf("seed %q is not a URL", address), "write it with its scheme: https://"+address)
		}
		canonical, err := frontier.Canonical("", address, 0)
		if err != nil {
			return nil, usageError(fmt.Errorf("read seed: %w", err), "use an absolute http or https URL")
		}
		seeds = append(seeds, canonical)
	}
	return seeds, nil
}

// crawl runs a crawl in an open folder, closes it and reports how it ended.
func (f *crawlFlags) crawl(env environment, folder *folder, c configs.Config, seeds []string) error {
	r := &crawlRun{env: env, flags: f, folder: folder, config: c, started: time.Now()}
	if err := errors.Join(r.run(seeds), folder.Close()); err != nil {
		return err
	}
	if err := r.report(); err != nil {
		return &commandError{code: exitIO, err: fmt.Errorf("write summary: %w", err)}
	}
	return resultError(c, r.result, r.stats, r.stop)
}

// crawlRun is one run of a crawl, and afterwards its result.
type crawlRun struct {
	env     environment
	flags   *crawlFlags
	folder  *folder
	queue   *frontier.Local
	config  configs.Config
	stop    *stopper
	crawl   *crawler.Crawl
	started time.Time

	building *build
	result   crawler.Result
	stats    frontier.Stats
}

// run runs the crawl and then completes its outputs: the index of the archive
// and the corpus.
func (r *crawlRun) run(seeds []string) error {
	c := r.config
	logger := newLogger(r.env, r.folder.Log(), c.LogFormat, r.flags.settings.verbose, r.flags.settings.quiet)
	scope, err := frontier.NewScope(frontier.Reach(c.Scope), seeds, c.Include, c.Exclude)
	if err != nil {
		return usageError(err, "correct the --include or --exclude expression")
	}
	c.Workers = fitWorkers(r.env.stderr, c.Workers)
	options := crawlOptions(r.env, c, seeds)
	options.Scope, options.Logger = scope, logger
	if r.building, err = r.folder.build(r.env, options.Fetch, r.flags.signing); err != nil {
		return err
	}
	options.Sinks = r.building.sinks()
	info, err := r.folder.State().Info()
	if err != nil {
		return err
	}
	logger.Info("start", "run", info.Run, "directory", r.folder.Path(), "agent", options.Fetch.UserAgent(), "seeds", len(seeds), "delay", c.Delay.String())
	err = r.runQueue(options, seeds)
	if err == nil {
		err = r.folder.Archive().SortIndex()
	}
	err = r.building.end(err, c, options.Fetch, r.result, r.stats)
	logger.Info("end", "pages", r.stats.Done, "skipped", r.stats.Skipped, "pending", r.stats.Pending,
		"elapsed", time.Since(r.started).Round(time.Millisecond).String(), "err", err)
	return err
}

// runQueue runs the crawl on the queue of its folder and returns when all results
// are committed.
func (r *crawlRun) runQueue(options crawler.Options, seeds []string) (err error) {
	if r.queue, err = r.folder.Frontier(queueOptions(r.config)); err != nil {
		return err
	}
	defer func() {
		if failed := r.queue.Close(); !errors.Is(err, failed) { // report each cause once
			err = errors.Join(err, failed)
		}
		r.stats = r.queue.Stats()
	}()
	if options.HostPages, err = r.folder.hostPages(r.config); err != nil {
		return err
	}
	r.folder.Connect(&options, r.queue)
	r.crawl = crawler.New(r.queue, options)
	r.stop = newStopper(r.env.signals, r.sayStop)
	defer r.stop.end()
	r.result, err = r.seedAndRun(seeds)
	return err
}

// sayStop tells what a stop waits for, and what another signal does.
func (r *crawlRun) sayStop() {
	if r.flags.settings.quiet {
		return
	}
	fmt.Fprintf(r.env.stderr, "decorum: stopping: %s in flight, which may take up to %s; press Ctrl-C again to drop them, a third time to exit at once\n",
		plural(int(r.queue.Stats().Leased), "request"), time.Duration(r.config.Timeout))
}

func (r *crawlRun) report() error {
	silent := r.flags.json || r.flags.settings.quiet
	summary := summarise(r.folder.Path(), r.result, r.stats, time.Since(r.started), r.stop)
	if err := summary.print(r.env.stdout, r.flags.json, r.flags.settings.quiet); err != nil {
		return err
	}
	return r.building.print(r.env.stdout, silent)
}

func (r *crawlRun) seedAndRun(seeds []string) (crawler.Result, error) {
	if _, err := r.crawl.Seed(r.stop.hard, seeds); err != nil {
		return crawler.Result{}, err
	}
	if r.flags.refresh {
		done, err := r.crawl.Refresh(r.stop.soft, seeds, r.flags.newer)
		if err != nil && r.stop.soft.Err() == nil {
			return crawler.Result{}, err
		}
		fmt.Fprintf(r.env.stderr, "decorum: sitemaps: %d read, %d unchanged, %d skipped, %d failed; %d new URLs\n",
			done.Read, done.Unchanged, done.Skipped, done.Failed, done.New)
	}
	watching, done := context.WithCancel(r.stop.hard)
	finished := make(chan struct{}, 4) // one for each goroutine below
	go func() {
		limitMemory(watching, r.env.getenv)
		finished <- struct{}{}
	}()
	go func() {
		watchDisk(watching, r.folder.Path(), int64(r.config.MinFreeDisk), r.stop.diskFull)
		finished <- struct{}{}
	}()
	go func() {
		newProgress(r.env, r.config, r.flags.settings.quiet || r.flags.json, func() progressState { return crawlState(r.queue) }).run(watching, r.stop.shown)
		finished <- struct{}{}
	}()
	go func() {
		watchStall(watching, stallAfter, r.crawl.Activity, r.giveUp(slog.New(slog.NewJSONHandler(escape.JSONWriter(r.folder.Log()), nil))))
		finished <- struct{}{}
	}()
	result, err := r.crawl.Run(r.stop.hard, r.stop.soft.Done())
	done()
	for range cap(finished) {
		<-finished
	}
	warnParked(r.env.stderr, result, r.queue.Stats().Pending)
	if err == nil && result.Drained {
		err = r.queue.Settle(context.WithoutCancel(r.stop.hard))
	}
	return result, err
}
