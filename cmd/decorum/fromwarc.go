package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/decorum-crawler/decorum/configs"
	"github.com/decorum-crawler/decorum/corpus"
	"github.com/decorum-crawler/decorum/corpus/archive"
	"github.com/decorum-crawler/decorum/crawler"
	"github.com/decorum-crawler/decorum/crawler/crawldir"
	"github.com/decorum-crawler/decorum/crawler/fetch"
	"github.com/decorum-crawler/decorum/frontier"
	"github.com/decorum-crawler/decorum/internal/escape"
	"github.com/decorum-crawler/decorum/storage/jsonl"
)

const (
	// buildName is the state of a corpus that is built from archives. It only
	// holds the committed lengths of the outputs.
	buildName = "build.db"
	// inputsName lists the archives.
	inputsName = "inputs.json"
)

// inputs is a decorum.inputs/1 object.
type inputs struct {
	Schema string         `json:"schema"`
	Inputs []corpus.Input `json:"inputs"`
}

// fromWARC builds a corpus from archives instead of a crawl.
func (f *crawlFlags) fromWARC(env environment, names []string) error {
	if err := f.signing.load(env); err != nil {
		return err
	}
	kept, err := f.keptSettings()
	if err != nil {
		return err
	}
	c, err := f.settings.merge(env, kept)
	if err != nil {
		return err
	}
	if c.Store = []string{"pages"}; f.output == "" {
		f.output = "." + string(filepath.Separator) + "corpus-" + time.Now().UTC().Format("20060102T150405Z")
	}
	stop := newStopper(env.signals, nil)
	defer stop.end()
	done := f.watchArchives(env, c, stop, names)
	defer done.wait()
	source, err := archive.Open(stop.soft, names, archive.Options{MaxBytes: int64(c.MaxPageBytes), Read: &done.bytes})
	if code, stopped := stop.exitCode(); stopped {
		return &commandError{code: code} // nothing was started
	}
	if err != nil {
		return err
	}
	folder, err := f.openBuild(env, c, source)
	if err != nil {
		return onFullDisk(err, f.output)
	}
	r := &archiveBuild{env: env, flags: f, folder: folder, config: c, source: source, stop: stop, started: time.Now(), done: done}
	return errors.Join(r.run(), folder.Close())
}

// onFullDisk adds a hint on how to resume if err means that the disk is full.
func onFullDisk(err error, directory string) error {
	if !errors.Is(err, syscall.ENOSPC) {
		return err
	}
	return &commandError{code: exitIO, err: err, hint: "free some space, then run the same command with -o " + directory + " to resume"}
}

// keptSettings returns the settings that a directory was started with, or the
// defaults if it is new.
func (f *crawlFlags) keptSettings() (configs.Config, error) {
	if f.output == "" {
		return configs.Default(), nil
	}
	_, err := os.Stat(filepath.Join(f.output, inputsName))
	if errors.Is(err, fs.ErrNotExist) {
		return configs.Default(), nil
	}
	if err != nil {
		return configs.Config{}, err
	}
	return crawldir.Settings(f.output)
}

// openBuild creates the directory, or resumes one that was started with the same
// archives and settings.
func (f *crawlFlags) openBuild(env environment, c configs.Config, source *archive.Source) (*folder, error) {
	begun, err := os.ReadFile(filepath.Join(f.output, inputsName))
	if errors.Is(err, fs.ErrNotExist) {
		return f.createBuild(c, source)
	}
	if err != nil {
		return nil, err
	}
	var known inputs
	if err := json.Unmarshal(begun, &known); err != nil {
		return nil, fmt.Errorf("read %s: %w", inputsName, err)
	}
	if !slices.Equal(known.Inputs, source.Inputs()) {
		return nil, usageError(fmt.Errorf("the corpus in %s was started with other archives", f.output), "name another directory with -o")
	}
	folder, err := openFolder(env, f.output, buildName)
	if errors.Is(err, fs.ErrNotExist) { // the last run ended before it created the state
		return createFolder(f.output, buildName, c, nil)
	}
	if err != nil {
		return nil, err
	}
	if err := f.corpus.checkUnchanged(folder); err != nil {
		return nil, errors.Join(err, folder.Close())
	}
	return folder, nil
}

func (f *crawlFlags) createBuild(c configs.Config, source *archive.Source) (*folder, error) {
	ours, err := crawldir.Holds(f.output)
	if err != nil {
		return nil, err
	}
	if ours {
		return nil, usageError(fmt.Errorf("%s contains a crawl", f.output), "name another directory with -o")
	}
	files, err := f.corpus.files()
	if err != nil {
		return nil, err
	}
	data, err := json.MarshalIndent(inputs{"decorum.inputs/1", source.Inputs()}, "", "  ")
	if err != nil {
		return nil, err
	}
	files = append(files, crawldir.File{Name: inputsName, Data: append(escape.JSON(data), '\n')}) // written last: it implies that the others exist
	return createFolder(f.output, buildName, c, files)
}

// archiveBuild is a corpus being built from archives.
type archiveBuild struct {
	env    environment
	flags  *crawlFlags
	folder *folder
	config configs.Config
	source *archive.Source
	stop   *stopper

	started time.Time
	done    *archiveProgress
	build   *build
	tally   archive.Tally

	superseded int    // documents
	removals   string // name of the file that lists them
}

// archiveProgress is how much of the archives has been read. Each is read twice.
type archiveProgress struct {
	bytes, records atomic.Int64
	all            int64  // bytes
	wait           func() // stops showing it
}

// watchArchives shows how much of the archives has been read, until wait is
// called.
func (f *crawlFlags) watchArchives(env environment, c configs.Config, stop *stopper, names []string) *archiveProgress {
	a := &archiveProgress{}
	for _, name := range names {
		if info, err := os.Stat(name); err == nil { // archive.Open reports the error
			a.all += 2 * info.Size()
		}
	}
	watching, end := context.WithCancel(stop.hard)
	shown := newProgress(env, c, f.settings.quiet || f.json, a.state)
	var ended sync.WaitGroup
	ended.Go(func() { shown.run(watching, stop.shown) })
	a.wait = sync.OnceFunc(func() {
		end()
		ended.Wait()
	})
	return a
}

func (a *archiveProgress) state() progressState {
	bytes, records := a.bytes.Load(), a.records.Load()
	percent := 100 * bytes / max(a.all, 1)
	return progressState{
		line: fmt.Sprintf("records=%d read=%d%%", records, percent),
		text: fmt.Sprintf("%s, %d%% read", plural(int(records), "record"), percent),
		done: bytes, known: a.all + 1,
	}
}

// record returns a function that passes records on to another and counts them.
func (a *archiveProgress) record(to func(context.Context, []frontier.Record) error) func(context.Context, []frontier.Record) error {
	return func(ctx context.Context, records []frontier.Record) error {
		a.records.Add(int64(len(records)))
		return to(ctx, records)
	}
}

func (r *archiveBuild) run() error {
	scope, err := frontier.NewScope(frontier.ReachAny, nil, r.config.Include, r.config.Exclude)
	if err != nil {
		return usageError(err, "correct the --include or --exclude expression")
	}
	done, err := r.countDone()
	if err != nil {
		return err
	}
	options := fetchOptions(r.env, r.config, nil)
	if r.build, err = r.folder.build(r.env, options, r.flags.signing); err != nil {
		return err
	}
	queue, err := r.folder.Frontier(frontier.Options{}) // a queue without URLs, which only commits records
	if err != nil {
		return errors.Join(err, r.build.pool.Close())
	}
	work := archive.Build{
		Source: r.source, Agent: r.config.AgentToken, Sink: r.build.builder.Sink(), Judge: scope.Judge,
		Evidence: r.folder.Evidence().KeepRobots, Record: r.done.record(queue.Record), Done: done,
	}
	r.tally, err = work.Run(r.stop.hard, r.stop.soft)
	r.done.wait()
	if failed := queue.Close(); !errors.Is(err, failed) { // report each cause once
		err = errors.Join(err, failed)
	}
	return r.end(err, options)
}

// end publishes the corpus and prints its summary.
func (r *archiveBuild) end(failed error, options fetch.Options) error {
	code, stopped := r.stop.exitCode()
	result := crawler.Result{Pages: r.tally.Pages, Bytes: r.tally.Bytes, Statuses: r.tally.Statuses, Skips: r.tally.Skips, Drained: !stopped}
	r.build.inputs, r.build.unjudged = r.source.Inputs(), r.missingEvidence(stopped)
	if failed == nil {
		failed = r.writeOptOuts()
	}
	if err := r.build.end(failed, r.config, options, result, frontier.Stats{}); err != nil {
		return onFullDisk(err, r.folder.Path())
	}
	if err := r.report(result); err != nil {
		return err
	}
	if stopped {
		fmt.Fprintf(r.env.stderr, "decorum: stopped; run the same command with -o %s to resume\n", safe(r.folder.Path()))
		return &commandError{code: code}
	}
	return nil
}

// report prints the summary of the corpus, and what could not be judged.
func (r *archiveBuild) report(result crawler.Result) error {
	counts := r.build.manifest.Counts
	s := summarise(r.folder.Path(), result, frontier.Stats{Done: counts.Requested, Skipped: counts.Skipped}, time.Since(r.started), r.stop)
	quiet := r.flags.settings.quiet
	if err := s.print(r.env.stdout, r.flags.json, quiet); err != nil {
		return err
	}
	if err := r.build.print(r.env.stdout, r.flags.json || quiet); err != nil {
		return err
	}
	if r.superseded > 0 {
		fmt.Fprintf(r.env.stderr, "decorum: %s excluded by later records in the archives; %s lists them, decorum corpus purge %s removes them\n",
			plural(r.superseded, "document"), r.removals, safe(r.folder.Path()))
	}
	for _, what := range r.build.unjudged {
		fmt.Fprintf(r.env.stderr, "decorum: not judged: %s\n", safe(what))
	}
	return nil
}

// countDone counts the responses that earlier runs handled; each has one line in
// one of two outputs.
func (r *archiveBuild) countDone() (int64, error) {
	n := int64(0)
	for _, name := range []string{crawldir.PagesName, crawldir.SkippedName} {
		lines, err := countLines(r.folder.Root(), name)
		if err != nil {
			return 0, err
		}
		n += lines
	}
	return n, nil
}

func countLines(root *os.Root, name string) (int64, error) {
	file, err := root.Open(name)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	n := int64(0)
	for _, err := range jsonl.Lines(file) {
		if err != nil {
			return 0, fmt.Errorf("read %s: %w", name, err)
		}
		n++
	}
	return n, nil
}

// missingEvidence describes in plain words what the archives lack.
func (r *archiveBuild) missingEvidence(stopped bool) []string {
	said := []string{}
	if stopped {
		said = append(said, "the archives were not read to the end")
	}
	for _, input := range r.source.Inputs() {
		if input.Cut != "" {
			said = append(said, fmt.Sprintf("%s is cut: %s; the records before are in the corpus", input.Name, input.Cut))
		}
	}
	if len(r.tally.Unjudged) > 0 {
		pages := int64(0)
		for _, n := range r.tally.Unjudged {
			pages += n
		}
		origins := slices.Sorted(maps.Keys(r.tally.Unjudged))
		more := ""
		if len(origins) > 10 {
			origins, more = origins[:10], fmt.Sprintf(" and %d more", len(r.tally.Unjudged)-10)
		}
		said = append(said, fmt.Sprintf("%s on hold: the archives contain no robots.txt of %s%s", plural(int(pages), "page"), strings.Join(origins, ", "), more))
	}
	for _, name := range slices.Sorted(maps.Keys(r.source.Missing())) {
		said = append(said, fmt.Sprintf("%s: %d not in the archives, so what they state is unknown", name, r.source.Missing()[name]))
	}
	for _, kind := range slices.Sorted(maps.Keys(r.source.Others())) {
		said = append(said, fmt.Sprintf("records without a page, %s: %d", kind, r.source.Others()[kind]))
	}
	return said
}
