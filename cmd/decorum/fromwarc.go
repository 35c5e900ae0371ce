package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/decorum-crawler/decorum/configs"
	"github.com/decorum-crawler/decorum/corpus"
	"github.com/decorum-crawler/decorum/corpus/archive"
	"github.com/decorum-crawler/decorum/crawler"
	"github.com/decorum-crawler/decorum/frontier"
	"github.com/decorum-crawler/decorum/robots"
)

const (
	// buildName is the state of a corpus that is made from archives. It only
	// says how far the outputs are.
	buildName = "build.db"
	// inputsName says from which archives.
	inputsName = "inputs.json"
)

// inputs is a decorum.inputs/1 object.
type inputs struct {
	Schema string         `json:"schema"`
	Inputs []corpus.Input `json:"inputs"`
}

// fromWARC makes a corpus of archives instead of a crawl.
func (f *crawlFlags) fromWARC(env environment, names []string) error {
	c, err := f.settings.merge(env, configs.Default())
	if err != nil {
		return err
	}
	if c.Store = []string{"pages"}; f.output == "" {
		f.output = "." + string(filepath.Separator) + "corpus-" + time.Now().UTC().Format("20060102T150405Z")
	}
	stop := newStopper(env.signals)
	defer stop.end()
	source, err := archive.Open(stop.soft, names, int64(c.MaxPageBytes))
	if code, stopped := stop.exitCode(); stopped {
		return &commandError{code: code} // nothing was begun
	}
	if err != nil {
		return err
	}
	folder, err := f.openBuild(c, source)
	if err != nil {
		return err
	}
	r := &rebuild{env: env, flags: f, folder: folder, config: c, source: source, stop: stop}
	err = r.do()
	return errors.Join(err, folder.close())
}

// openBuild makes the directory, or goes on with one that was begun with the
// same archives and settings.
func (f *crawlFlags) openBuild(c configs.Config, source *archive.Source) (*folder, error) {
	begun, err := os.ReadFile(filepath.Join(f.output, inputsName))
	if errors.Is(err, fs.ErrNotExist) {
		if ours, err := holdsCrawl(f.output); err != nil {
			return nil, err
		} else if ours {
			return nil, usageError(fmt.Errorf("%s holds a crawl", f.output), "name another directory with -o")
		}
		return createFolder(f.output, buildName, c, func(path string) error {
			return errors.Join(f.corpus.freeze(path), writeInputs(path, source.Inputs()))
		})
	}
	if err != nil {
		return nil, err
	}
	var known inputs
	if err := json.Unmarshal(begun, &known); err != nil {
		return nil, fmt.Errorf("read %s: %w", inputsName, err)
	}
	if !slices.Equal(known.Inputs, source.Inputs()) {
		return nil, usageError(fmt.Errorf("the corpus in %s was begun with other archives", f.output), "name another directory with -o")
	}
	folder, _, err := openFolder(f.output, buildName)
	if errors.Is(err, fs.ErrNotExist) { // it ended before there was a state
		return createFolder(f.output, buildName, c, nil)
	}
	if err != nil {
		return nil, err
	}
	if err := f.corpus.agrees(folder); err != nil {
		return nil, errors.Join(err, folder.close())
	}
	return folder, nil
}

func writeInputs(path string, all []corpus.Input) error {
	data, err := json.MarshalIndent(inputs{"decorum.inputs/1", all}, "", "  ")
	if err != nil {
		return err
	}
	return writeWhole(filepath.Join(path, inputsName), append(data, '\n'))
}

// rebuild is a corpus being made of archives.
type rebuild struct {
	env    environment
	flags  *crawlFlags
	folder *folder
	config configs.Config
	source *archive.Source
	stop   *stopper

	started  time.Time
	before   int64 // answers that earlier runs dealt with
	scope    *frontier.Scope
	build    *build
	sink     crawler.Sink
	queue    *frontier.Local  // takes the records
	noted    int              // robots.txt documents that are kept as evidence
	unjudged map[string]int64 // pages by origins without robots.txt

	// Of this run: pages, those left out by reason, and statuses.
	pages    int64
	skips    map[string]int64
	statuses map[string]int64
}

// made is what became of a page.
type made struct {
	records []frontier.Record
	err     error
}

func (r *rebuild) do() error {
	r.started, r.unjudged, r.skips, r.statuses = time.Now(), map[string]int64{}, map[string]int64{}, map[string]int64{}
	var err error
	if r.scope, err = frontier.NewScope(frontier.ReachAny, nil, r.config.Include, r.config.Exclude); err != nil {
		return usageError(err, "correct the expression")
	}
	if r.before, err = r.dealtWith(); err != nil {
		return err
	}
	options := crawlOptions(r.config, nil)
	if r.build, err = r.folder.build(options); err != nil {
		return err
	}
	r.sink = r.build.builder.Sink()
	if r.queue, err = r.folder.frontier(0); err != nil {
		return errors.Join(err, r.build.pool.Close())
	}
	err = r.run()
	if failed := r.queue.Close(); !errors.Is(err, failed) { // what ended the run is said once
		err = errors.Join(err, failed)
	}
	code, stopped := r.stop.exitCode()
	r.build.inputs, r.build.unjudged = r.source.Inputs(), r.notJudged(stopped)
	if err := r.build.end(err, r.config, options, crawler.Result{Drained: !stopped}, frontier.Stats{}); err != nil {
		return err
	}
	if err := r.print(stopped); err != nil {
		return err
	}
	if stopped {
		return &commandError{code: code}
	}
	return nil
}

// dealtWith counts the answers that earlier runs made records of; each has one
// line in one of two outputs.
func (r *rebuild) dealtWith() (int64, error) {
	n := int64(0)
	for _, name := range []string{outputNames[crawler.OutputPages], outputNames[crawler.OutputSkipped]} {
		err := eachLine(filepath.Join(r.folder.path, name), func([]byte) error {
			n++
			return nil
		})
		if err != nil {
			return 0, err
		}
	}
	return n, nil
}

// run reads the pages, makes documents of several at a time, and commits what
// becomes of them in the order of the archives: so a run that was cut short
// goes on where it ended.
func (r *rebuild) run() error {
	workers := runtime.GOMAXPROCS(0)
	group, ctx := errgroup.WithContext(r.stop.hard)
	results := make(chan chan made, 2*workers) // bounds the bodies in memory
	group.Go(func() error { return r.commit(ctx, results) })
	group.Go(func() error {
		defer close(results)
		return r.read(ctx, group, results)
	})
	return group.Wait()
}

func (r *rebuild) read(ctx context.Context, group *errgroup.Group, results chan<- chan made) error {
	seen := int64(0)
	for page, err := range r.source.Pages(ctx, r.config.AgentToken) {
		if err != nil {
			return err
		}
		if r.stop.soft.Err() != nil {
			return nil
		}
		if err := r.prepare(page); err != nil {
			return err
		}
		if seen++; seen <= r.before {
			continue
		}
		r.count(page)
		result := make(chan made, 1) // nobody waits for the reader of it
		select {
		case results <- result:
		case <-ctx.Done():
			return ctx.Err()
		}
		if page.Exchange.Status/100 != 2 || page.Fault != archive.FaultNone {
			result <- r.make(ctx, page) // quick, and redirects must be known before what they lead to
			continue
		}
		group.Go(func() error {
			result <- r.make(ctx, page)
			return nil
		})
	}
	return nil
}

// prepare gives the builder what the archives have of the page's site.
func (r *rebuild) prepare(page archive.Page) error {
	for _, d := range r.source.Robots()[r.noted:] {
		if err := r.folder.evidence(d); err != nil {
			return err
		}
		r.noted++
	}
	d := page.Exchange.Robots
	for address := r.sink.Wants(d.Origin, d); address != ""; address = r.sink.Wants(d.Origin, d) {
		if err := r.sink.Answer(d.Origin, r.source.File(context.Background(), address)); err != nil {
			return err
		}
	}
	if page.Unjudged && page.Exchange.Status/100 == 2 {
		r.unjudged[d.Origin]++
	}
	return nil
}

// count counts a page of this run.
func (r *rebuild) count(page archive.Page) {
	if reason, _ := r.skip(page); reason != "" {
		r.skips[string(reason)]++
		return
	}
	r.pages++
	r.statuses[strconv.Itoa(page.Exchange.Status)]++
}

// skip gives why a page is left out: a crawl would not have asked for it.
func (r *rebuild) skip(page archive.Page) (frontier.Reason, robots.Rule) {
	item := page.Exchange.Item
	switch reason := r.scope.Judge(item.URL); {
	case reason != "":
		return reason, robots.Rule{}
	case page.Unjudged || page.Verdict.Allowed:
		return "", robots.Rule{}
	case page.Verdict.Reason == robots.ReasonUnreachable:
		return frontier.SkipRobotsUnreachable, robots.Rule{}
	}
	return frontier.SkipRobotsDisallow, page.Verdict.Rule
}

// make gives the records of a page.
func (r *rebuild) make(ctx context.Context, page archive.Page) made {
	e := &page.Exchange
	if reason, rule := r.skip(page); reason != "" {
		skip := crawler.Skip{
			Schema: "decorum.skip/1", URL: e.Item.URL, Reason: reason, Line: rule.Line, Origin: e.Item.Source, Via: e.Item.Via, Depth: e.Item.Depth,
		}
		if rule.Line > 0 {
			skip.Rule = rule.String()
		}
		return recordOf(crawler.OutputSkipped, skip)
	}
	m := recordOf(crawler.OutputPages, e.Page)
	if m.err != nil {
		return m
	}
	records, err := r.sink.Keep(ctx, e)
	return made{append(m.records, records...), errors.Join(err, ctx.Err())}
}

func recordOf(output string, v any) made {
	var line bytes.Buffer
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(v)
	return made{[]frontier.Record{{Output: output, Data: line.Bytes()}}, err}
}

// maxCommit bounds what is committed at once: a crash costs as much work.
const maxCommit = 8 << 20

// commit makes records durable, in batches.
func (r *rebuild) commit(ctx context.Context, results <-chan chan made) error {
	var batch []frontier.Record
	size, last := 0, time.Now()
	flush := func() error {
		if len(batch) == 0 {
			return nil
		}
		err := r.queue.Record(ctx, batch)
		batch, size, last = nil, 0, time.Now()
		return err
	}
	for result := range results {
		m := <-result
		if m.err != nil {
			return m.err
		}
		batch = append(batch, m.records...)
		for _, record := range m.records {
			size += len(record.Data)
		}
		if size > maxCommit || time.Since(last) > time.Second {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return flush()
}

// notJudged says in plain words what the archives lack.
func (r *rebuild) notJudged(stopped bool) []string {
	said := []string{}
	if stopped {
		said = append(said, "the archives were not read to their end")
	}
	if len(r.unjudged) > 0 {
		pages := int64(0)
		for _, n := range r.unjudged {
			pages += n
		}
		origins := slices.Sorted(maps.Keys(r.unjudged))
		more := ""
		if len(origins) > 10 {
			origins, more = origins[:10], fmt.Sprintf(" and %d more", len(r.unjudged)-10)
		}
		said = append(said, fmt.Sprintf("%d pages wait: the archives have no robots.txt of %s%s", pages, strings.Join(origins, ", "), more))
	}
	for _, name := range slices.Sorted(maps.Keys(r.source.Missing())) {
		said = append(said, fmt.Sprintf("%s: %d are not in the archives, and what they would state is not known", name, r.source.Missing()[name]))
	}
	for _, kind := range slices.Sorted(maps.Keys(r.source.Others())) {
		said = append(said, fmt.Sprintf("records that hold no page, %s: %d", kind, r.source.Others()[kind]))
	}
	return said
}

func (r *rebuild) print(stopped bool) error {
	s := summary{
		Schema: "decorum.summary/1", Directory: r.folder.path, Ended: "complete", ElapsedMS: time.Since(r.started).Milliseconds(),
		Statuses: r.statuses, Blocked: r.skips, Run: runCounts{Pages: r.pages},
	}
	if stopped {
		s.Ended = "stopped"
	}
	m := r.build.manifest
	s.Pages, s.Skipped = m.Counts.Requested, m.Counts.Skipped
	quiet := r.flags.settings.quiet
	err := s.print(r.env.stdout, r.flags.json, quiet)
	err = errors.Join(err, r.build.print(r.env.stdout, r.flags.json || quiet))
	for _, what := range m.Unjudged {
		fmt.Fprintf(r.env.stderr, "decorum: not judged: %s\n", safe(what))
	}
	return err
}
