package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/decorum-crawler/decorum/audit"
	"github.com/decorum-crawler/decorum/audit/format"
	"github.com/decorum-crawler/decorum/configs"
	"github.com/decorum-crawler/decorum/frontier"
	"github.com/decorum-crawler/decorum/internal/atomicfile"
)

const auditExamples = `  decorum audit https://example.com --contact you@example.com
  decorum audit https://example.com --robots draft.txt --agent Googlebot
  decorum audit https://example.com --format html -o audit.html`

const auditLong = `Judge every URL that the sitemaps of a site list, for each agent, by the rules of the site's robots.txt.
No page is fetched without --check-pages.

EXIT STATUS: 0 nothing is blocked, 1 a URL is blocked for an audited agent or another error was found,
2 usage error, 3 nothing could be read, 4 a file cannot be read or written, 130 or 143 stopped by a signal.`

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
	flags.StringVar(&options.robots, "robots", "", "judge by this local robots.txt, such as a draft, instead of the site's")
	flags.StringArrayVar(&options.sitemaps, "sitemap", nil, "read this file or URL instead of the sitemaps that robots.txt names; may be repeated")
	flags.StringVar(&options.baseline, "baseline", "", "report only findings that this earlier output (json or jsonl) does not have")
	flags.StringVar(&options.format, "format", "table", "output format: "+strings.Join(format.Names(), ", "))
	flags.StringVarP(&options.output, "output", "o", "", "write to this file; - is standard output")
	flags.BoolVar(&options.checkPages, "check-pages", false, "also fetch each allowed page and judge its status, redirect, canonical and directives")
	flags.StringVar(&options.crawl, "crawl", "", "compare with the crawl in this directory: its pages, orphans and missing pages; with --check-pages, store pages there")
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
	seen := map[string]bool{}
	sites = slices.DeleteFunc(sites, func(site string) bool {
		again := seen[site]
		seen[site] = true
		return again
	})
	if err := o.check(env, c, sites); err != nil {
		return err
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
	writer, err := format.New(o.format, out, version)
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

// check refuses sites that are pages, and requests without a contact or delay.
func (o *auditOptions) check(env environment, c configs.Config, sites []string) error {
	for _, site := range sites {
		if origin := frontier.OriginOf(site); site != origin+"/" {
			return usageError(fmt.Errorf("%s is not a site, but a page or a file of one", site),
				"name the site, "+origin+"; name a sitemap with --sitemap "+site)
		}
	}
	if len(sites) > 1 && len(o.sitemaps) > 0 {
		return usageError(errors.New("--sitemap applies to one site"), "audit one site at a time, or leave --sitemap out")
	}
	if o.offline() {
		return nil
	}
	return checkManners(env, c, sites)
}

// offline reports whether local files replace everything that would be fetched.
func (o *auditOptions) offline() bool {
	return !o.checkPages && o.robots != "" && len(o.sitemaps) > 0 && !slices.ContainsFunc(o.sitemaps, func(name string) bool { return strings.Contains(name, "://") })
}

// audit runs the audit with signals and progress.
func (o *auditOptions) audit(env environment, c configs.Config, sites []string, writer format.Writer, known *audit.Baseline) (*audit.Report, error) {
	stop := newStopper(env.signals, nil)
	defer stop.end()
	pages, err := o.newPageCheck(env, c, sites, stop)
	if err != nil {
		return nil, err
	}
	sources, err := newAuditSources(env, c, sites, o, pages)
	if err != nil {
		return nil, errors.Join(err, pages.close())
	}
	defer sources.close()
	pages.share(sources.client)
	var count auditCount
	hide := o.show(env, c, stop, &count)
	defer hide()
	options := audit.Options{
		Agents: o.agents, Robots: sources.robots, Open: sources.open, Sitemaps: sources.sitemaps, Canonical: sources.canonical, Own: c.Own,
		Known: func(f audit.Finding) bool { return known.Has(sources.finding(f)) },
		OnFinding: func(f audit.Finding) error {
			if err := writer.Finding(sources.finding(f)); err != nil {
				return &commandError{code: exitIO, err: fmt.Errorf("write audit: %w", err)}
			}
			return nil
		},
		OnProgress: func(files, urls, blocked int) {
			count.files.Store(int64(files))
			count.urls.Store(int64(urls))
			count.blocked.Store(int64(blocked))
		},
	}
	if pages != nil {
		options.OnURL = pages.list
		options.Then = func(ctx context.Context, say func(audit.Finding) error) error {
			hide() // the crawl of the pages shows its own progress
			return pages.judge(ctx, say)
		}
	}
	report, err := audit.Run(stop.soft, sites, options)
	err = errors.Join(err, pages.close())
	if code, ok := stop.exitCode(); ok {
		return nil, &commandError{code: code, err: errors.New("stopped before the end; no report was written"), hint: "run the audit again; fetched pages are kept"}
	}
	if err == nil {
		report.RenameSitemaps(sources.named)
	}
	return report, err
}

// auditCount counts the progress of an audit.
type auditCount struct{ files, urls, blocked atomic.Int64 }

// show shows progress until the function that it returns is called. Calling that
// again does nothing.
func (o *auditOptions) show(env environment, c configs.Config, stop *stopper, count *auditCount) (hide func()) {
	if streams := slices.Contains([]string{"csv", "json", "jsonl"}, o.format); streams && c.Progress == "auto" && (o.output == "" || o.output == "-") {
		c.Progress = "lines" // a bar would come between findings on a terminal
	}
	watching, done := context.WithCancel(stop.hard)
	var shown sync.WaitGroup
	shown.Go(func() {
		newProgress(env, c, o.settings.quiet, func() progressState {
			files, urls, blocked := count.files.Load(), count.urls.Load(), count.blocked.Load()
			return progressState{
				line: fmt.Sprintf("sitemaps=%d urls=%d blocked=%d", files, urls, blocked),
				text: fmt.Sprintf("%s, %s, %d blocked", plural(int(files), "sitemap"), plural(int(urls), "URL"), blocked),
			}
		}).run(watching, stop.shown)
	})
	return sync.OnceFunc(func() {
		done()
		shown.Wait()
	})
}

func auditVerdict(env environment, o *auditOptions, report *audit.Report) error {
	if o.output != "" && o.output != "-" && !o.settings.quiet {
		fmt.Fprintf(env.stderr, "decorum: %s\ndecorum: wrote %s\n", safe(format.Verdict(report)), safe(o.output))
	}
	switch {
	case !report.Readable() && report.Findings[audit.CodeRobotsUnreachable] > 0:
		return &commandError{
			code: exitNothing, err: errors.New("no sitemap could be read, since robots.txt could not be fetched"),
			hint: "let the server answer with 200 and the rules, or with 404; name local copies with --robots and --sitemap",
		}
	case !report.Readable():
		return &commandError{code: exitNothing, err: errors.New("no sitemap could be read"), hint: "name one with --sitemap; decorum sitemap list shows what a site has"}
	case report.NewErrors > 0:
		return errFindings
	}
	return nil
}

// reportFile is the destination of a report: standard output, or a file that
// appears only once it is complete.
type reportFile struct {
	*bufio.Writer

	root *os.Root         // nil: standard output
	file *atomicfile.File // nil: standard output
}

func newReportFile(stdout io.Writer, name string) (*reportFile, error) {
	if name == "" || name == "-" {
		return &reportFile{Writer: bufio.NewWriterSize(stdout, 64<<10)}, nil
	}
	if err := checkOutput(name); err != nil {
		return nil, reportError(err)
	}
	root, err := os.OpenRoot(filepath.Dir(name))
	if err != nil {
		return nil, reportError(err)
	}
	file, err := atomicfile.Create(root, filepath.Base(name), 0o644)
	if err != nil {
		return nil, reportError(errors.Join(err, root.Close()))
	}
	return &reportFile{Writer: bufio.NewWriterSize(file, 64<<10), root: root, file: file}, nil
}

func reportError(err error) error {
	return &commandError{code: exitIO, err: fmt.Errorf("write report: %w", err), hint: "choose a place that you may write to with -o"}
}

// keep writes the buffered text and moves the file to its name.
func (f *reportFile) keep() error {
	if err := f.Flush(); err != nil || f.file == nil {
		return err
	}
	return f.file.Commit()
}

// discard removes a file that was not kept.
func (f *reportFile) discard() {
	if f.file == nil {
		return
	}
	f.file.Abort()
	_ = f.root.Close() // it was only used for names
}
