package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/decorum-crawler/decorum/crawler/crawldir"
	"github.com/decorum-crawler/decorum/crawler/record"
	"github.com/decorum-crawler/decorum/internal/atomicfile"
	"github.com/decorum-crawler/decorum/sitemap"
	"github.com/decorum-crawler/decorum/sitemap/generate"
	"github.com/decorum-crawler/decorum/storage/jsonl"
)

const generateExamples = `  decorum sitemap generate shop -o public
  decorum sitemap generate shop -o public --base https://shop.example/maps/ --gzip`

type generateOptions struct {
	base    string
	output  string
	gzip    bool
	json    bool
	verbose bool
}

func newSitemapGenerate(env environment) *cobra.Command {
	var options generateOptions
	command := &cobra.Command{
		Use:     "generate DIR",
		Short:   "Write the sitemaps of a site from a crawl of it",
		Example: generateExamples,
		Long: "Write the sitemaps of a site from a crawl of it: sitemap-1.xml and so on, and the index sitemap.xml. They list the\n" +
			"pages with status 200 that robots.txt allows, that have no noindex and that name no other page as canonical. lastmod is\n" +
			"the server's Last-Modified. Existing files are replaced once all new ones are complete.\n\n" +
			"EXIT STATUS: 0 written, 2 usage error, 3 no page may be listed, 4 a file cannot be written, 5 no crawl there, or in use.",
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return options.run(env, args[0]) },
	}
	flags := command.Flags()
	flags.StringVarP(&options.output, "output", "o", "", "`DIR` to write to; created if it does not exist")
	flags.StringVar(&options.base, "base", "", "`URL` of the folder in which the files will be served; only pages in it or below are listed (default the root of the first page's site)")
	flags.BoolVar(&options.gzip, "gzip", false, "compress the files, but not the index")
	flags.BoolVar(&options.json, "json", false, "print one decorum.generation/1 object")
	flags.BoolVarP(&options.verbose, "verbose", "v", false, "name each page that is left out, and why")
	return command
}

func (o *generateOptions) run(env environment, directory string) error {
	g := &generation{options: *o, env: env, started: time.Now().UTC().Truncate(time.Second), left: map[string]int{}}
	if o.output == "" {
		return usageError(errors.New("no output directory"), "name one with -o: the folder from which the web server serves the sitemaps")
	}
	if o.base != "" {
		base, err := url.Parse(o.base)
		if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
			return usageError(fmt.Errorf("base %q is not an absolute http or https URL", o.base), "give the URL of a folder, such as https://example.com/")
		}
		g.base = base
	}
	ours, err := crawldir.Holds(directory)
	switch {
	case err != nil && !errors.Is(err, crawldir.ErrForeign):
		return err
	case !ours:
		return &commandError{code: exitDirectory, err: fmt.Errorf("%s holds no crawl", directory), hint: "make one with decorum crawl"}
	}
	if err := g.open(o.output); err != nil {
		return &commandError{code: exitIO, err: err, hint: "choose a place that you may write to"}
	}
	err = interruptible(env, func(ctx context.Context) error { return g.write(ctx, directory) })
	if closed := g.close(); err == nil && closed != nil {
		err = &commandError{code: exitIO, err: fmt.Errorf("close output directory: %w", closed)}
	}
	if err != nil {
		return err
	}
	return g.say()
}

// generation is one run of the command.
type generation struct {
	options generateOptions
	env     environment
	started time.Time
	base    *url.URL // nil until the first page sets it
	root    *os.Root // of the output directory
	files   *atomicfile.Set
	writer  *generate.Writer // nil before the first page
	listed  int
	left    map[string]int // pages left out, by reason
}

// open opens the output directory, and makes it if it does not exist.
func (g *generation) open(folder string) error {
	if err := atomicfile.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("make output directory: %w", err)
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return fmt.Errorf("open output directory: %w", err)
	}
	g.root, g.files = root, atomicfile.NewSet(root, 0o644)
	return nil
}

// close removes files that did not get their names.
func (g *generation) close() error {
	g.files.Abort()
	return g.root.Close()
}

// write writes the files and moves them to their names.
func (g *generation) write(ctx context.Context, directory string) error {
	err := g.eachPage(ctx, directory, g.take)
	if g.writer != nil {
		if closed := g.writer.Close(); err == nil && closed != nil {
			err = &commandError{code: exitIO, err: fmt.Errorf("write sitemaps: %w", closed)}
		}
	}
	switch {
	case err != nil:
		return err
	case g.listed == 0:
		return &commandError{code: exitNothing, err: fmt.Errorf("no page of %s may be listed%s", directory, g.leftText(": ")), hint: "see why with -v"}
	}
	if err := g.files.Commit(); err != nil {
		return &commandError{code: exitIO, err: fmt.Errorf("name output: %w", err)}
	}
	g.warnOfOld()
	return nil
}

// eachPage calls take for each page that the state of a crawl has committed.
func (g *generation) eachPage(ctx context.Context, directory string, take func(record.Page) error) error {
	view, err := look(g.env, directory)
	if err != nil {
		return err
	}
	defer view.Close() //nolint:errcheck // it is only read
	info, err := view.State().Info()
	if err != nil {
		return err
	}
	if n := info.Counters.Pending; n > 0 {
		fmt.Fprintf(g.env.stderr, "decorum: hint: the crawl is not finished, %d URLs are pending; run decorum resume %s to finish it\n", n, safe(directory))
	}
	for page, err := range view.Pages() {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, jsonl.ErrRow):
			return &commandError{code: exitDirectory, err: err, hint: "check the crawl with decorum state verify"}
		case err != nil:
			return err
		}
		if err := take(page); err != nil {
			return err
		}
	}
	return nil
}

// take lists a page or counts the reason why not.
func (g *generation) take(page record.Page) error {
	why := page.Indexable()
	if why == "" {
		err := g.list(page)
		refused, ok := errors.AsType[*sitemap.EntryError](err)
		if err != nil && !ok {
			return &commandError{code: exitIO, err: fmt.Errorf("write sitemaps: %w", err)}
		}
		if err == nil {
			g.listed++
			return nil
		}
		why = refused.Code
	}
	g.left[why]++
	if g.options.verbose {
		fmt.Fprintf(g.env.stderr, "left out: %s (%s)\n", safe(page.URL), why)
	}
	return nil
}

func (g *generation) list(page record.Page) error {
	if g.base == nil {
		base, err := url.Parse(page.URL)
		if err != nil {
			return fmt.Errorf("parse URL of page: %w", err)
		}
		g.base = &url.URL{Scheme: base.Scheme, Host: base.Host, Path: "/"}
	}
	if g.writer == nil {
		g.writer = generate.NewWriter(g.base, g.files.Create, generate.Options{Gzip: g.options.gzip, Modified: g.started})
	}
	return g.writer.Add(sitemap.Entry{Loc: page.URL, LastMod: page.LastChange()})
}

// generationLine is a decorum.generation/1 object.
type generationLine struct {
	Schema  string         `json:"schema"`
	Index   string         `json:"index"` // URL
	Listed  int            `json:"listed"`
	LeftOut map[string]int `json:"left_out"` // pages, by reason
	Files   []madeFile     `json:"files"`
}

type madeFile struct {
	Name    string `json:"name"`
	URL     string `json:"url"`
	Entries int    `json:"entries"`
	Bytes   int64  `json:"bytes"` // before compression
}

// say prints what was written.
func (g *generation) say() error {
	files := g.writer.Files()
	if g.options.json {
		line := generationLine{Schema: "decorum.generation/1", Index: g.writer.IndexURL(), Listed: g.listed, LeftOut: g.left}
		for _, f := range files {
			line.Files = append(line.Files, madeFile(f))
		}
		return newEncoder(g.env.stdout).Encode(line)
	}
	left := g.leftText("left out: ")
	if left != "" {
		left += "\n"
	}
	_, err := fmt.Fprintf(g.env.stdout, "%s: %s in %s\n%snext: add this line to robots.txt\n  Sitemap: %s\n",
		safe(filepath.Join(g.options.output, "sitemap.xml")), plural(g.listed, "URL"), plural(len(files), "file"), left, g.writer.IndexURL())
	return err
}

// leftText returns the number of pages left out by reason, the most frequent
// one first.
func (g *generation) leftText(lead string) string {
	reasons := slices.Sorted(maps.Keys(g.left))
	slices.SortStableFunc(reasons, func(a, b string) int { return g.left[b] - g.left[a] })
	for i, why := range reasons {
		reasons[i] = fmt.Sprintf("%d %s", g.left[why], why)
	}
	if len(reasons) == 0 {
		return ""
	}
	return lead + strings.Join(reasons, ", ")
}

// warnOfOld reports files of an earlier run that the index no longer names.
func (g *generation) warnOfOld() {
	names, err := fs.Glob(g.root.FS(), "sitemap-*.xml*")
	if err != nil {
		return
	}
	for _, name := range names {
		if !slices.ContainsFunc(g.writer.Files(), func(f generate.File) bool { return f.Name == name }) {
			fmt.Fprintf(g.env.stderr, "decorum: hint: %s is not listed in the index; remove it if an earlier run wrote it\n", safe(filepath.Join(g.options.output, name)))
		}
	}
}
