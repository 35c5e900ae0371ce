package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/decorum-crawler/decorum/audit"
	"github.com/decorum-crawler/decorum/audit/format"
	"github.com/decorum-crawler/decorum/configs"
	"github.com/decorum-crawler/decorum/crawler"
	"github.com/decorum-crawler/decorum/frontier"
	"github.com/decorum-crawler/decorum/robots"
)

const auditExamples = `  decorum audit https://example.com --contact you@example.com
  decorum audit https://example.com --robots draft.txt --agent Googlebot
  decorum audit https://example.com --format html -o audit.html`

const auditLong = `Judge every URL that the sitemaps of a site list, for each agent, by the rules of the site's robots.txt.
No page is fetched.

EXIT STATUS: 0 nothing is blocked, 1 something is blocked for the agents asked, 2 usage error,
3 nothing could be read, 4 a file cannot be read or written, 130 or 143 stopped by a signal.`

type auditOptions struct {
	settings *settings
	agents   []string
	robots   string
	sitemaps []string
	baseline string
	format   string
	output   string

	checkPages bool
	crawl      string
}

func newAudit(env environment) *cobra.Command {
	var options auditOptions
	command := &cobra.Command{
		Use:     "audit SITE...",
		Short:   "Show which sitemap URLs robots.txt blocks, for whom and by which line",
		Long:    auditLong,
		Example: auditExamples,
		Args:    cobra.MinimumNArgs(1),
		RunE:    func(_ *cobra.Command, args []string) error { return options.run(env, args) },
	}
	flags := command.Flags()
	flags.StringArrayVar(&options.agents, "agent", nil, "agent to judge for; may be repeated (default the agent token, "+strings.Join(audit.DefaultAgents(), ", ")+")")
	flags.StringVar(&options.robots, "robots", "", "judge by this local robots.txt, a draft, instead of the site's")
	flags.StringArrayVar(&options.sitemaps, "sitemap", nil, "read this file or URL instead of the sitemaps that robots.txt names; may be repeated")
	flags.StringVar(&options.baseline, "baseline", "", "report only what this earlier output (json or jsonl) does not have")
	flags.StringVar(&options.format, "format", "table", strings.Join(format.Names(), ", "))
	flags.StringVarP(&options.output, "output", "o", "", "write to this file; - is standard output")
	flags.BoolVar(&options.checkPages, "check-pages", false, "ask for each page that is allowed, too, and judge its status, redirect, canonical and directives")
	flags.StringVar(&options.crawl, "crawl", "", "hold against the crawl in this directory: its pages, orphans and missing ones; with --check-pages where pages are kept")
	options.settings = addSettings(command, append(requestKeys, "progress", "progress-interval", "workers", "max-retries")...)
	return command
}

func (o *auditOptions) run(env environment, args []string) error {
	c, err := o.settings.merge(env, configs.Default())
	if err != nil {
		return err
	}
	sites, err := readSeeds(env.stdin, "", args)
	if err != nil {
		return err
	}
	if !o.offline() {
		if err := checkManners(c, sites); err != nil {
			return err
		}
	}
	if len(o.agents) == 0 {
		o.agents = append([]string{c.AgentToken}, audit.DefaultAgents()...)
	}
	known, err := readBaseline(o.baseline)
	if err != nil {
		return err
	}
	out, err := newReportFile(env.stdout, o.output)
	if err != nil {
		return err
	}
	defer out.discard()
	var to io.Writer = out
	if o.format == "table" {
		to = safeWriter{out}
	}
	writer, err := format.New(o.format, to, version)
	if err != nil {
		return usageError(err, "choose one of "+strings.Join(format.Names(), ", "))
	}
	report, err := o.audit(env, c, sites, writer, known)
	if err != nil {
		return err
	}
	if err := errors.Join(writer.End(report), out.keep()); err != nil {
		return &commandError{code: exitIO, err: fmt.Errorf("write audit: %w", err)}
	}
	return auditVerdict(env, o, report)
}

// offline reports whether local files stand for all that would be fetched.
func (o *auditOptions) offline() bool {
	return o.robots != "" && len(o.sitemaps) > 0 && !slices.ContainsFunc(o.sitemaps, func(name string) bool { return strings.Contains(name, "://") })
}

// audit runs the audit with signals and progress.
func (o *auditOptions) audit(env environment, c configs.Config, sites []string, writer format.Writer, known map[baselineKey]bool) (*audit.Report, error) {
	stop := newStopper(env.signals)
	defer stop.end()
	pages, err := o.newPageCheck(env, c, sites, stop)
	if err != nil {
		return nil, err
	}
	sources, err := newAuditSources(c, sites, o, pages)
	if err != nil {
		return nil, errors.Join(err, pages.close())
	}
	defer sources.client.Close()
	pages.share(sources.client)
	files, urls, blocked := atomic.Int64{}, atomic.Int64{}, atomic.Int64{}
	watching, done := context.WithCancel(stop.hard)
	finished := make(chan struct{})
	show := func() {
		fmt.Fprintf(env.stderr, "progress sitemaps=%d urls=%d blocked=%d\n", files.Load(), urls.Load(), blocked.Load())
	}
	go func() {
		every(watching, time.Duration(c.ProgressInterval), stop.shown, c.Progress == "none" || o.settings.quiet, show)
		close(finished)
	}()
	options := audit.Options{
		Agents: o.agents, Robots: sources.robots, Open: sources.open, Sitemaps: sources.sitemaps, Canonical: sources.canonical, Own: c.Own,
		Known: func(f audit.Finding) bool { return known[keyOf(sources.named(f))] },
		OnFinding: func(f audit.Finding) error {
			if err := writer.Finding(sources.named(f)); err != nil {
				return &commandError{code: exitIO, err: fmt.Errorf("write audit: %w", err)}
			}
			return nil
		},
		OnProgress: func(f, u, b int) {
			files.Store(int64(f))
			urls.Store(int64(u))
			blocked.Store(int64(b))
		},
	}
	if pages != nil {
		options.OnURL, options.Then = pages.list, pages.judge
	}
	report, err := audit.Run(stop.soft, sites, options)
	err = errors.Join(err, pages.close())
	done()
	<-finished
	if code, ok := stop.exitCode(); ok {
		return nil, &commandError{code: code, err: errors.New("stopped before the end; no report was written"), hint: "run the audit again; pages that were fetched are kept"}
	}
	if err == nil {
		sources.rename(report)
	}
	return report, err
}

// every calls show once an interval, unless silent, and whenever asked.
func every(ctx context.Context, interval time.Duration, asked <-chan struct{}, silent bool, show func()) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-asked:
			show()
		case <-ticker.C:
			if !silent {
				show()
			}
		}
	}
}

func auditVerdict(env environment, o *auditOptions, report *audit.Report) error {
	if o.output != "" && o.output != "-" && !o.settings.quiet {
		fmt.Fprintf(env.stderr, "decorum: %s\ndecorum: %s is written\n", safe(format.Verdict(report)), safe(o.output))
	}
	switch {
	case !report.Readable():
		return &commandError{code: exitNothing, err: errors.New("no sitemap could be read"), hint: "name one with --sitemap, or ask with decorum sitemap list"}
	case report.NewBlocks > 0:
		return errFindings
	}
	return nil
}

// auditSources gives robots.txt files and sitemaps: from the network, through
// the gate, or from files in their place.
type auditSources struct {
	client   *crawler.Client
	draft    *robots.Document // judges the sites asked for, if there is one
	origins  []string         // of the sites
	sitemaps []string         // in place of those that robots.txt names
	local    map[string]string
	base     frontier.Base
}

func newAuditSources(c configs.Config, sites []string, o *auditOptions, pages *pageCheck) (*auditSources, error) {
	options := crawlOptions(c, sites)
	options.OwnSitemaps = c.Own
	if pages != nil && pages.options != nil {
		pages.options(&options)
	}
	s := &auditSources{client: crawler.NewClient(options), local: map[string]string{}, base: frontier.NewBase(sites[0])}
	for _, site := range sites {
		s.origins = append(s.origins, originOf(site))
	}
	if o.robots != "" {
		data, err := os.ReadFile(o.robots)
		if err != nil {
			return nil, &commandError{code: exitIO, err: fmt.Errorf("read robots.txt: %w", err), hint: "name a readable file with --robots"}
		}
		s.draft = &robots.Document{FinalURL: o.robots, Status: http.StatusOK, Body: data, FetchedAt: time.Now()}
	}
	for _, name := range o.sitemaps {
		if strings.Contains(name, "://") {
			s.sitemaps = append(s.sitemaps, name)
			continue
		}
		if _, err := os.Stat(name); err != nil {
			return nil, &commandError{code: exitIO, err: fmt.Errorf("read sitemap: %w", err), hint: "name a readable file or a URL with --sitemap"}
		}
		served := s.origins[0] + "/" + filepath.Base(name) // as if it were live
		s.local[served] = name
		s.sitemaps = append(s.sitemaps, served)
	}
	return s, nil
}

// originOf gives scheme, host and port of a canonical URL.
func originOf(canonical string) string {
	scheme, rest, _ := strings.Cut(canonical, "://")
	host, _, _ := strings.Cut(rest, "/")
	return scheme + "://" + host
}

func (s *auditSources) robots(ctx context.Context, origin string) (*robots.Document, error) {
	if s.draft != nil && slices.Contains(s.origins, origin) {
		draft := *s.draft
		draft.Origin = origin
		return &draft, nil
	}
	return s.client.Robots(ctx, origin+"/")
}

func (s *auditSources) open(ctx context.Context, address string) (io.ReadCloser, error) {
	if name, ok := s.local[address]; ok {
		return os.Open(name)
	}
	body, err := s.client.Open(ctx, address)
	if blocked, ok := errors.AsType[*crawler.BlockedError](err); ok {
		return nil, &audit.BlockedError{Err: err, Verdict: blocked.Verdict}
	}
	return body, err
}

func (s *auditSources) canonical(address string) (string, error) {
	return s.base.Resolve(address, 0)
}

// named gives a finding the name of a local file that stood for a URL.
func (s *auditSources) named(f audit.Finding) audit.Finding {
	if name, ok := s.local[f.Sitemap]; ok {
		f.Sitemap = name
	}
	return f
}

func (s *auditSources) rename(r *audit.Report) {
	for i := range r.Sitemaps {
		if name, ok := s.local[r.Sitemaps[i].URL]; ok {
			r.Sitemaps[i].URL = name
		}
	}
	for _, rule := range r.Rules {
		for i := range rule.Examples {
			if name, ok := s.local[rule.Examples[i].Sitemap]; ok {
				rule.Examples[i].Sitemap = name
			}
		}
	}
	for _, kind := range r.Examples {
		for i := range kind.Findings {
			kind.Findings[i] = s.named(kind.Findings[i])
		}
	}
}

// safeWriter makes text from elsewhere harmless for a terminal. It takes whole
// texts.
type safeWriter struct{ out io.Writer }

func (s safeWriter) Write(p []byte) (int, error) {
	_, err := io.WriteString(s.out, safe(string(p)))
	return len(p), err
}

// reportFile is where a report goes: standard output, or a file that appears
// only when it is whole.
type reportFile struct {
	*bufio.Writer

	file *os.File // nil: standard output
	name string
}

func newReportFile(stdout io.Writer, name string) (*reportFile, error) {
	if name == "" || name == "-" {
		return &reportFile{Writer: bufio.NewWriterSize(stdout, 64<<10)}, nil
	}
	file, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*.new")
	if err != nil {
		return nil, &commandError{code: exitIO, err: fmt.Errorf("write report: %w", err), hint: "choose a place that you may write to with -o"}
	}
	return &reportFile{Writer: bufio.NewWriterSize(file, 64<<10), file: file, name: name}, nil
}

// keep writes out what is buffered and gives the file its name.
func (f *reportFile) keep() error {
	if err := f.Flush(); err != nil || f.file == nil {
		return err
	}
	temporary := f.file.Name()
	if err := errors.Join(f.file.Chmod(0o644), f.file.Sync(), f.file.Close()); err != nil {
		return err
	}
	f.file = nil
	return os.Rename(temporary, f.name)
}

// discard takes away a file that was not kept.
func (f *reportFile) discard() {
	if f.file != nil {
		f.file.Close()
		_ = os.Remove(f.file.Name()) // it has no name that anybody knows
	}
}
