package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"github.com/decorum-crawler/decorum/configs"
	"github.com/decorum-crawler/decorum/crawler"
	"github.com/decorum-crawler/decorum/crawler/fetch"
	"github.com/decorum-crawler/decorum/frontier"
	"github.com/decorum-crawler/decorum/sitemap"
	"github.com/decorum-crawler/decorum/sitemap/validate"
)

const validateExamples = `  decorum sitemap validate https://example.com/sitemap.xml --contact you@example.com
  decorum sitemap validate public/sitemap.xml --base https://example.com/sitemap.xml`

type validateOptions struct {
	settings *settings
	base     string
	json     bool
}

func newSitemapValidate(env environment) *cobra.Command {
	var options validateOptions
	command := &cobra.Command{
		Use:     "validate FILE|URL|SITE",
		Short:   "Check a sitemap against the protocol of sitemaps.org",
		Example: validateExamples,
		Long: "Check a sitemap against the limits and forms of the protocol of sitemaps.org. For an index at a URL, also fetch and\n" +
			"check its files; for a site (a URL without a path), all sitemaps that its robots.txt names.\n\n" +
			"EXIT STATUS: 0 valid, 1 not valid, 2 usage error, 3 nothing could be fetched, 4 a file cannot be read.",
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return options.run(env, args[0]) },
	}
	command.Flags().StringVar(&options.base, "base", "", "URL at which a local file is served")
	command.Flags().BoolVar(&options.json, "json", false, "print decorum.problem/1 objects, one per line, and a decorum.validation/1 object for each file")
	options.settings = addSettings(command, requestKeys...)
	return command
}

func (o *validateOptions) run(env environment, name string) error {
	c, err := o.settings.merge(env, configs.Default())
	if err != nil {
		return err
	}
	out := bufio.NewWriter(env.stdout)
	v := &validation{out: out, json: o.json}
	if strings.Contains(name, "://") {
		err = interruptible(env, func(ctx context.Context) error { return v.site(ctx, env, c, name) })
	} else {
		err = v.local(name, o.base)
	}
	if flushed := out.Flush(); err == nil && flushed != nil {
		err = &commandError{code: exitIO, err: fmt.Errorf("write problems: %w", flushed)}
	}
	if err == nil && v.invalid {
		err = errFindings
	}
	return err
}

// validation prints what is wrong with one or more files.
type validation struct {
	out     *bufio.Writer
	json    bool
	invalid bool
}

func (v *validation) local(name, served string) error {
	var base *url.URL
	if served != "" {
		var err error
		if base, err = parseBase(served); err != nil {
			return err
		}
	}
	file, err := openInput(name)
	if err != nil {
		return &commandError{code: exitIO, err: fmt.Errorf("read sitemap: %w", err), hint: "name a readable file"}
	}
	defer file.Close()
	result := validate.File{URL: name, Validation: new(validate.Validator).File(file, base, sitemap.Served{})}
	if result.Unreadable() {
		return &commandError{code: exitIO, err: fmt.Errorf("read %s: %w", name, result.Err)}
	}
	v.file(result)
	return nil
}

// parseBase parses the URL at which a local file is served.
func parseBase(served string) (*url.URL, error) {
	base, err := url.Parse(served)
	if err != nil || base.Host == "" {
		return nil, usageError(fmt.Errorf("base %q is not an absolute URL", served), "give the URL of the file with --base")
	}
	return base, nil
}

// site checks the sitemap at a URL, or those of a site, and the files of an
// index.
func (v *validation) site(ctx context.Context, env environment, c configs.Config, address string) error {
	canonical, err := targetURL(address)
	if err != nil {
		return usageError(err, "give an http or https URL")
	}
	client := newClient(env, c, canonical)
	defer client.Close()
	roots, named, err := rootsOf(ctx, client, canonical)
	if err != nil {
		return err
	}
	var failed []error
	walk := validate.Walk{Open: opener(client), Named: namer(ctx, client), OnFile: func(f validate.File) {
		switch {
		case f.Unreadable() && f.Parent != "":
			v.problem(f.Parent, sitemap.Problem{Code: "unreadable", Line: f.Line, Message: f.Err.Error()})
		case f.Unreadable():
			failed = append(failed, f.Err)
			if named && len(roots) > 1 {
				v.problem(f.URL, sitemap.Problem{Code: "unreadable", Line: 1, Message: f.Err.Error()})
			}
		default:
			v.file(f)
		}
	}}
	if err := walk.Run(ctx, roots); err != nil {
		return err
	}
	if len(failed) == len(roots) {
		return &commandError{code: exitNothing, err: fmt.Errorf("no sitemap could be read: %w", errors.Join(failed...)), hint: "name the sitemap's own URL if you know it"}
	}
	return nil
}

// rootsOf returns the sitemap at a URL, or those of a site, and whether they were
// named, by the user or by robots.txt.
func rootsOf(ctx context.Context, client *fetch.Client, canonical string) (roots []string, named bool, err error) {
	if isSite(canonical) {
		return sitemapsOf(ctx, client, canonical)
	}
	return []string{canonical}, true, nil
}

// opener returns a function that opens sitemaps with a client.
func opener(client *fetch.Client) func(context.Context, string) (sitemap.Body, error) {
	return func(ctx context.Context, address string) (sitemap.Body, error) {
		return crawler.OpenSitemap(ctx, client, address)
	}
}

// namer returns a function that reports whether the robots.txt of its own origin
// names a sitemap that a client has opened.
func namer(ctx context.Context, client *fetch.Client) func(string) bool {
	return func(address string) bool { return client.Names(ctx, frontier.OriginOf(address), address) }
}

// sitemapsOf returns the sitemaps that a site's robots.txt names, or the usual
// places if it names none.
func sitemapsOf(ctx context.Context, client *fetch.Client, canonical string) (roots []string, named bool, err error) {
	site, err := client.Site(ctx, canonical)
	if err != nil {
		return nil, false, &commandError{code: exitNothing, err: err}
	}
	if site.Unreachable() {
		return nil, false, errNoRobots(site.Document)
	}
	roots = site.Sitemaps()
	return roots, len(roots) > 0 && site.Names(roots[0]), nil
}

// isSite reports whether a canonical URL has no path.
func isSite(canonical string) bool { return canonical == frontier.OriginOf(canonical)+"/" }

// file prints the problems of one file and whether it is valid.
func (v *validation) file(f validate.File) {
	if f.Err != nil {
		f.Count++
		f.Problems = append(f.Problems, sitemap.Problem{Code: sitemap.Code(f.Err), Line: 1, Message: f.Err.Error()})
	}
	for _, p := range f.Problems {
		v.problem(f.URL, p)
	}
	v.verdict(f)
}

// problem prints a problem. The writer keeps its first error for Flush, here and
// in verdict.
func (v *validation) problem(source string, p sitemap.Problem) {
	v.invalid = true
	if v.json {
		_ = newEncoder(v.out).Encode(problemLine{"decorum.problem/1", p.Code, source, p.Line, p.Message})
		return
	}
	fmt.Fprintf(v.out, "%s:%d: %s [%s]\n", safe(source), p.Line, safe(p.Message), p.Code)
}

// validationLine is a decorum.validation/1 object.
type validationLine struct {
	Schema   string       `json:"schema"`
	Source   string       `json:"source"`
	Kind     sitemap.Kind `json:"kind"`
	Valid    bool         `json:"valid"`
	Entries  int          `json:"entries"`
	Problems int          `json:"problems"`
}

func (v *validation) verdict(r validate.File) {
	source := r.URL
	v.invalid = v.invalid || !r.Valid()
	if v.json {
		_ = newEncoder(v.out).Encode(validationLine{"decorum.validation/1", source, r.Kind, r.Valid(), r.Entries, r.Count})
		return
	}
	entries := fmt.Sprintf("%s, %d entries", r.Kind, r.Entries)
	if r.Valid() {
		fmt.Fprintf(v.out, "%s: valid (%s)\n", safe(source), entries)
		return
	}
	shown := ""
	if len(r.Problems) < r.Count {
		shown = fmt.Sprintf(", of which %d are shown", len(r.Problems))
	}
	fmt.Fprintf(v.out, "%s: not valid, %s%s (%s)\n", safe(source), plural(r.Count, "problem"), shown, entries)
}
