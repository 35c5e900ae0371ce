package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/decorum-crawler/decorum/configs"
	"github.com/decorum-crawler/decorum/crawler/fetch"
	"github.com/decorum-crawler/decorum/sitemap"
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
		Short:   "Hold a sitemap to the protocol of sitemaps.org",
		Example: validateExamples,
		Long: "Hold a sitemap to the limits and forms of the protocol of sitemaps.org. Of an index at a URL its files are fetched\n" +
			"and held to it, too; of a site (a URL without a path) all that its robots.txt names.\n\n" +
			"EXIT STATUS: 0 valid, 1 not valid, 2 usage error, 3 nothing could be fetched, 4 a file cannot be read.",
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return options.run(env, args[0]) },
	}
	command.Flags().StringVar(&options.base, "base", "", "URL at which a local file is served")
	command.Flags().BoolVar(&options.json, "json", false, "print decorum.problem/1 objects, one a line, and a decorum.validation/1 object for each file")
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

// validation is a going-over of one or more files.
type validation struct {
	out       *bufio.Writer
	json      bool
	validator sitemap.Validator
	children  []string // of the index at hand
	invalid   bool
}

func (v *validation) local(name, served string) error {
	var base *url.URL
	if served != "" {
		var err error
		if base, err = url.Parse(served); err != nil || base.Host == "" {
			return usageError(fmt.Errorf("base %q is no absolute URL", served), "give the URL of the file with --base")
		}
	}
	file, err := os.Open(name)
	if err != nil {
		return &commandError{code: exitIO, err: fmt.Errorf("read sitemap: %w", err), hint: "name a readable file"}
	}
	defer file.Close()
	return v.file(name, file, base)
}

// site goes over a sitemap at a URL, or those of a site, and the files of an
// index.
func (v *validation) site(ctx context.Context, env environment, c configs.Config, address string) error {
	canonical, err := targetURL(address)
	if err != nil {
		return usageError(err, "give an http or https URL")
	}
	client := newClient(env, c, canonical)
	defer client.Close()
	roots, named := []string{canonical}, true
	if isSite(canonical) {
		if roots, named, err = sitemapsOf(ctx, client, canonical); err != nil {
			return &commandError{code: exitNothing, err: err}
		}
	}
	v.validator.OnEntry = func(kind sitemap.Kind, entry sitemap.Entry) {
		if kind == sitemap.KindIndex {
			v.children = append(v.children, entry.Loc)
		}
	}
	var failed []error
	for _, root := range roots {
		if err := v.fetched(ctx, client, root); err != nil {
			failed = append(failed, err)
			if named && len(roots) > 1 {
				v.problem(root, sitemap.Problem{Code: "unreadable", Line: 1, Message: err.Error()})
			}
		}
	}
	if len(failed) == len(roots) {
		return &commandError{code: exitNothing, err: fmt.Errorf("no sitemap could be read: %w", errors.Join(failed...)), hint: "name the sitemap's own URL if you know it"}
	}
	return nil
}

// sitemapsOf gives the sitemaps that a site's robots.txt names, or the usual
// places when it names none.
func sitemapsOf(ctx context.Context, client *fetch.Client, canonical string) (roots []string, named bool, err error) {
	document, err := client.Robots(ctx, canonical)
	if err != nil {
		return nil, false, err
	}
	if roots = document.File().Sitemaps(); len(roots) > 0 {
		return roots, true, nil
	}
	roots, err = client.Sitemaps(ctx, canonical)
	return roots, false, err
}

// isSite reports whether a canonical URL has no path.
func isSite(canonical string) bool {
	return strings.Count(canonical, "/") == 3 && strings.HasSuffix(canonical, "/")
}

// fetched goes over a file at a URL and, of an index, over its files.
func (v *validation) fetched(ctx context.Context, client *fetch.Client, address string) error {
	v.children = nil
	if err := v.open(ctx, client, address); err != nil {
		return err
	}
	children := v.children
	for _, child := range children {
		v.children = nil
		if err := v.open(ctx, client, child); err != nil {
			v.problem(address, sitemap.Problem{Code: "unreadable", Line: 1, Message: err.Error()})
			continue
		}
		if len(v.children) > 0 {
			v.problem(child, sitemap.Problem{Code: "nested-index", Line: 1, Message: "an index must not list an index"})
		}
	}
	return nil
}

func (v *validation) open(ctx context.Context, client *fetch.Client, address string) error {
	base, err := url.Parse(address)
	if err != nil {
		return err
	}
	body, err := client.Open(ctx, address)
	if err != nil {
		return err
	}
	return errors.Join(v.file(address, body, base), body.Close())
}

// file goes over one file and prints what is wrong with it.
func (v *validation) file(source string, body io.Reader, base *url.URL) error {
	result := v.validator.File(body, base)
	if result.Err != nil && !errors.Is(result.Err, sitemap.ErrSyntax) {
		return &commandError{code: exitIO, err: fmt.Errorf("read %s: %w", source, result.Err)}
	}
	if result.Err != nil {
		result.Count++
		result.Problems = append(result.Problems, sitemap.Problem{Code: sitemap.Code(result.Err), Line: 1, Message: result.Err.Error()})
	}
	for _, p := range result.Problems {
		v.problem(source, p)
	}
	v.verdict(source, result)
	return nil
}

// problem prints a fault. The writer keeps its first error for Flush, as for
// the verdict.
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

func (v *validation) verdict(source string, r sitemap.Validation) {
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
