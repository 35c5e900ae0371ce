package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/decorum-crawler/decorum/sitemap"
)

func newSitemap(env environment) *cobra.Command {
	parent := &cobra.Command{Use: "sitemap", Short: "Read sitemaps"}
	var base string
	var asJSON bool
	list := &cobra.Command{
		Use: "list FILE", Short: "Stream the entries of a sitemap",
		Example: "  decorum sitemap list sitemap.xml.gz --base https://example.com/sitemap.xml.gz --json",
		Long:    "Stream the entries of a sitemap file. Problems go to standard error.\n\nEXIT STATUS: 0 read, 1 no sitemap, 2 usage, 4 the file cannot be read.",
		Args:    cobra.ExactArgs(1),
		RunE:    func(_ *cobra.Command, args []string) error { return listSitemap(env, args[0], base, asJSON) },
	}
	list.Flags().StringVar(&base, "base", "", "URL at which the file was served")
	list.Flags().BoolVar(&asJSON, "json", false, "print one decorum.entry/1 object a line")
	parent.AddCommand(list)
	return parent
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

func listSitemap(env environment, name, base string, asJSON bool) error {
	source := name
	var served *url.URL
	if base != "" {
		var err error
		if served, err = url.Parse(base); err != nil || served.Host == "" {
			return usageError(fmt.Errorf("base %q is no absolute URL", base), "give the URL of the file with --base")
		}
		source = base
	}
	file, err := os.Open(name)
	if err != nil {
		return &commandError{code: exitIO, err: fmt.Errorf("read sitemap: %w", err), hint: "name a readable file"}
	}
	defer file.Close()
	reader := sitemap.NewReader(file, served, sitemap.Options{})
	out := bufio.NewWriter(env.stdout)
	var failed error
	for entry, err := range reader.Entries() {
		if err != nil {
			failed = err
			break
		}
		if err := printEntry(out, entryOf(reader.Kind(), entry, source), asJSON); err != nil {
			return &commandError{code: exitIO, err: fmt.Errorf("write entries: %w", err)}
		}
	}
	if err := out.Flush(); err != nil {
		return &commandError{code: exitIO, err: fmt.Errorf("write entries: %w", err)}
	}
	for _, p := range reader.Problems() {
		printProblem(env.stderr, problemLine{"decorum.problem/1", p.Code, source, p.Line, p.Message}, asJSON)
	}
	if failed != nil && !errors.Is(failed, sitemap.ErrSyntax) {
		return &commandError{code: exitIO, err: failed}
	}
	if failed != nil {
		printProblem(env.stderr, problemLine{"decorum.problem/1", sitemap.Code(failed), source, 1, failed.Error()}, asJSON)
		return errFindings
	}
	return nil
}

func entryOf(kind sitemap.Kind, entry sitemap.Entry, source string) entryLine {
	line := entryLine{
		Schema: "decorum.entry/1", Loc: entry.Loc, ChangeFreq: entry.ChangeFreq, Source: source, Line: entry.Line,
		Alternates: []alternateLine{}, Images: append([]string{}, entry.Images...),
	}
	if kind == sitemap.KindIndex {
		line.Schema = "decorum.child/1"
	}
	if !entry.LastMod.IsZero() {
		line.LastMod = entry.LastMod.Format(time.RFC3339)
	}
	if entry.HasPriority {
		line.Priority = &entry.Priority
	}
	for _, a := range entry.Alternates {
		line.Alternates = append(line.Alternates, alternateLine{a.HrefLang, a.Href})
	}
	return line
}

func printEntry(out io.Writer, line entryLine, asJSON bool) error {
	if asJSON {
		encoder := json.NewEncoder(out)
		encoder.SetEscapeHTML(false)
		return encoder.Encode(line)
	}
	_, err := fmt.Fprintln(out, safe(line.Loc))
	return err
}

func printProblem(out io.Writer, line problemLine, asJSON bool) {
	if asJSON {
		_ = json.NewEncoder(out).Encode(line) // standard error: nobody to tell
		return
	}
	fmt.Fprintf(out, "%s:%d: %s (%s)\n", safe(line.Source), line.Line, safe(line.Message), line.Code)
}
