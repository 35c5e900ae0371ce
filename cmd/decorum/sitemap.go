package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/decorum-crawler/decorum/configs"
	"github.com/decorum-crawler/decorum/crawler"
	"github.com/decorum-crawler/decorum/crawler/fetch"
	"github.com/decorum-crawler/decorum/frontier"
	"github.com/decorum-crawler/decorum/sitemap"
)

type listOptions struct {
	settings *settings
	base     string
	json     bool
	noFollow bool
}

func newSitemap(env environment) *cobra.Command {
	parent := &cobra.Command{Use: "sitemap", Short: "Read, check and write sitemaps"}
	var options listOptions
	list := &cobra.Command{
		Use: "list FILE|URL|SITE", Short: "Stream the entries of a sitemap",
		Example: "  decorum sitemap list https://example.com --contact you@example.com\n" +
			"  decorum sitemap list sitemap.xml.gz --base https://example.com/sitemap.xml.gz --json",
		Long: "Stream the entries of a sitemap file, of a sitemap at a URL with all files that its index names,\n" +
			"or of a site (a URL without a path). Problems go to standard error.\n\n" +
			"EXIT STATUS: 0 read, 1 a file is not a sitemap, 2 usage, 3 nothing could be fetched, 4 a file cannot be read.",
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return options.run(env, args[0]) },
	}
	list.Flags().StringVar(&options.base, "base", "", "URL at which a local file is served")
	list.Flags().BoolVar(&options.json, "json", false, "print one decorum.entry/1 object per line")
	list.Flags().BoolVar(&options.noFollow, "no-follow", false, "list the files of an index instead of reading them")
	options.settings = addSettings(list, requestKeys...)
	parent.AddCommand(list, newSitemapValidate(env), newSitemapGenerate(env))
	return parent
}

func (o *listOptions) run(env environment, name string) error {
	c, err := o.settings.merge(env, configs.Default())
	if err != nil {
		return err
	}
	out := bufio.NewWriter(env.stdout)
	if strings.Contains(name, "://") {
		err = interruptible(env, func(ctx context.Context) error { return o.listURL(ctx, env, out, c, name) })
	} else {
		err = o.listFile(env, out, name)
	}
	if flushed := out.Flush(); err == nil && flushed != nil {
		return &commandError{code: exitIO, err: fmt.Errorf("write entries: %w", flushed)}
	}
	return err
}

func (o *listOptions) listFile(env environment, out io.Writer, name string) error {
	source := name
	var served *url.URL
	if o.base != "" {
		var err error
		if served, err = parseBase(o.base); err != nil {
			return err
		}
		source = o.base
	}
	file, err := openInput(name)
	if err != nil {
		return &commandError{code: exitIO, err: fmt.Errorf("read sitemap: %w", err), hint: "name a readable file"}
	}
	defer file.Close()
	return o.listReader(env, out, sitemap.NewReader(file, served, sitemap.Options{}), served, source)
}

// listReader prints the entries of one file, which is served at base. Of an index
// it prints each file once, and not the index itself.
func (o *listOptions) listReader(env environment, out io.Writer, reader *sitemap.Reader, base *url.URL, source string) error {
	var failed error
	children := map[string]bool{}
	if base != nil {
		children[base.String()] = true
	}
	for entry, err := range reader.Entries() {
		if err != nil {
			failed = err
			break
		}
		if reader.Kind() == sitemap.KindIndex {
			if children[entry.Loc] {
				o.problem(env, source, repeatedFile(entry, base))
				continue
			}
			children[entry.Loc] = true
		}
		if err := printEntry(out, entryOf(reader.Kind(), entry, source), o.json); err != nil {
			return &commandError{code: exitIO, err: fmt.Errorf("write entries: %w", err)}
		}
	}
	for _, p := range reader.Problems() {
		o.problem(env, source, p)
	}
	if failed != nil && !errors.Is(failed, sitemap.ErrSyntax) {
		return &commandError{code: exitIO, err: failed}
	}
	if failed != nil {
		o.problem(env, source, sitemap.Problem{Code: sitemap.Code(failed), Line: 1, Message: failed.Error()})
		return errFindings
	}
	return nil
}

// repeatedFile is the problem that an index names a file again, or itself.
func repeatedFile(entry sitemap.Entry, base *url.URL) sitemap.Problem {
	p := sitemap.Problem{Code: "repeated-file", Line: entry.Line, Message: "the file is named more than once: " + entry.Loc}
	if base != nil && entry.Loc == base.String() {
		p.Message = "the index names itself: " + entry.Loc
	}
	return p
}

// listURL prints the entries of a sitemap at a URL, or of all sitemaps of a
// site.
func (o *listOptions) listURL(ctx context.Context, env environment, out io.Writer, c configs.Config, address string) error {
	canonical, err := frontier.Canonical("", address, 0)
	if err != nil {
		return usageError(err, "give an http or https URL")
	}
	client := newClient(env, c, canonical)
	defer client.Close()
	roots, _, err := rootsOf(ctx, client, canonical)
	if err != nil {
		return err
	}
	if o.noFollow {
		return o.listRoots(ctx, env, out, client, roots)
	}
	read, failed := 0, []error{}
	walker := sitemap.Walker{
		Open:      opener(client),
		Named:     namer(ctx, client),
		OnProblem: func(source string, p sitemap.Problem) { o.problem(env, source, p) },
		OnFile: func(f sitemap.File) {
			if f.Err != nil {
				failed = append(failed, f.Err)
			} else {
				read++
			}
		},
	}
	for item, err := range walker.Walk(ctx, roots) {
		if err != nil {
			return &commandError{code: exitNothing, err: err}
		}
		if err := printEntry(out, entryOf(sitemap.KindURLSet, item.Entry, item.Source), o.json); err != nil {
			return &commandError{code: exitIO, err: fmt.Errorf("write entries: %w", err)}
		}
	}
	if read == 0 {
		return &commandError{code: exitNothing, err: fmt.Errorf("no sitemap could be read: %w", errors.Join(failed...)), hint: "name the sitemap's own URL if you know it"}
	}
	return nil
}

// listRoots prints the entries of the files themselves, without those of an
// index's files.
func (o *listOptions) listRoots(ctx context.Context, env environment, out io.Writer, client *fetch.Client, roots []string) error {
	for _, root := range roots {
		body, err := crawler.OpenSitemap(ctx, client, root)
		if err != nil {
			return &commandError{code: exitNothing, err: err}
		}
		body.Named = namer(ctx, client)(root)
		base, err := url.Parse(root)
		if err == nil {
			err = o.listReader(env, out, sitemap.NewReader(body, base, sitemap.Options{Served: body.Served}), base, root)
		}
		if err := errors.Join(err, body.Close()); err != nil {
			return err
		}
	}
	return nil
}

func (o *listOptions) problem(env environment, source string, p sitemap.Problem) {
	printProblem(env.stderr, problemLine{"decorum.problem/1", p.Code, source, p.Line, p.Message}, o.json)
}

// entryLine is a decorum.entry/1 object, or decorum.child/1 for a child of an
// index.
type entryLine struct {
	Schema     string          `json:"schema"`
	Loc        string          `json:"loc"`
	LastMod    string          `json:"lastmod"`
	ChangeFreq string          `json:"changefreq"`
	Priority   *float64        `json:"priority"`
	Source     string          `json:"source"`
	Line       int             `json:"line"`
	Alternates []alternateLine `json:"alternates"`
	Images     []string        `json:"images"`

	ImageDetails []imageLine `json:"image_details,omitempty"` // of all images if one has more than its URL
	Videos       []videoLine `json:"videos,omitempty"`
	News         *newsLine   `json:"news,omitempty"`
}

type alternateLine struct {
	HrefLang string `json:"hreflang"`
	Href     string `json:"href"`
}

type problemLine struct {
	Schema  string `json:"schema"`
	Code    string `json:"code"`
	Source  string `json:"source"`
	Line    int    `json:"line"`
	Message string `json:"message"`
}

func entryOf(kind sitemap.Kind, entry sitemap.Entry, source string) entryLine {
	line := entryLine{
		Schema: "decorum.entry/1", Loc: entry.Loc, ChangeFreq: entry.ChangeFreq, Source: source, Line: entry.Line,
		Alternates: []alternateLine{}, Images: []string{},
	}
	if kind == sitemap.KindIndex {
		line.Schema = "decorum.child/1"
	}
	line.LastMod = timestamp(entry.LastMod)
	if entry.HasPriority {
		line.Priority = &entry.Priority
	}
	for _, a := range entry.Alternates {
		line.Alternates = append(line.Alternates, alternateLine{a.HrefLang, a.Href})
	}
	line.extend(entry)
	return line
}

// timestamp returns a time as RFC 3339, or "" for none.
func timestamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

func printEntry(out io.Writer, line entryLine, asJSON bool) error {
	if asJSON {
		return newEncoder(out).Encode(line)
	}
	_, err := fmt.Fprintln(out, safe(line.Loc))
	return err
}

func printProblem(out io.Writer, line problemLine, asJSON bool) {
	if asJSON {
		_ = newEncoder(out).Encode(line) // there is nowhere else to report a failure of standard error
		return
	}
	fmt.Fprintf(out, "%s:%d: %s (%s)\n", safe(line.Source), line.Line, safe(line.Message), line.Code)
}
