package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/decorum-crawler/decorum/configs"
	"github.com/decorum-crawler/decorum/internal/sarif"
	"github.com/decorum-crawler/decorum/robots/lint"
)

const lintExamples = `  decorum robots lint robots.txt
  decorum robots lint https://example.com --contact you@example.com
  decorum robots lint robots.txt --format sarif > robots.sarif`

type lintOptions struct {
	settings *settings
	format   string
	json     bool
}

func newRobotsLint(env environment) *cobra.Command {
	var options lintOptions
	command := &cobra.Command{
		Use:     "lint FILE|URL",
		Short:   "Find mistakes in a robots.txt and tell what to write instead",
		Example: lintExamples,
		Long: "Find mistakes in a robots.txt and tell what to write instead. For a URL, fetch the robots.txt of its site and also\n" +
			"judge how the site serves it.\n\n" +
			"EXIT STATUS: 0 nothing worse than a note, 1 an error or a warning, 2 usage error, 3 no robots.txt could be fetched,\n" +
			"4 the file cannot be read.",
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return options.run(env, args[0]) },
	}
	flags := command.Flags()
	flags.StringVar(&options.format, "format", "text", "output format: text, jsonl or sarif")
	flags.BoolVar(&options.json, "json", false, "same as --format jsonl: print one decorum.finding/1 object per line")
	options.settings = addSettings(command, requestKeys...)
	return command
}

func (o *lintOptions) run(env environment, name string) error {
	c, err := o.settings.merge(env, configs.Default())
	if err != nil {
		return err
	}
	if o.json {
		o.format = "jsonl"
	}
	write, ok := map[string]func(io.Writer, string, []lint.Finding) error{
		"text": lintText, "jsonl": lintJSON, "sarif": lintSARIF,
	}[o.format]
	if !ok {
		return usageError(fmt.Errorf("format %q is unknown", o.format), "choose text, jsonl or sarif")
	}
	document, err := findRobots(env, c, name)
	if err != nil {
		return err
	}
	findings := lint.Document(document)
	out := bufio.NewWriter(env.stdout)
	if err := errors.Join(write(out, document.FinalURL, findings), out.Flush()); err != nil {
		return &commandError{code: exitIO, err: fmt.Errorf("write findings: %w", err)}
	}
	for _, f := range findings {
		if f.Severity != lint.SeverityInfo {
			return errFindings
		}
	}
	return nil
}

// lintText writes findings as compilers do, each with its fix on the next line.
func lintText(out io.Writer, name string, findings []lint.Finding) error {
	counts := map[lint.Severity]int{}
	for _, f := range findings {
		counts[f.Severity]++
		place := name
		if f.Line > 0 {
			place = fmt.Sprintf("%s:%d", name, f.Line)
		}
		fmt.Fprintf(out, "%s: %s: %s [%s]\n", safe(place), level(f.Severity), safe(f.Message), f.Code)
		if f.Fix != "" {
			fmt.Fprintf(out, "    fix: %s\n", safe(f.Fix))
		}
	}
	if len(findings) == 0 {
		_, err := fmt.Fprintf(out, "%s: nothing found\n", safe(name))
		return err
	}
	_, err := fmt.Fprintf(out, "\n%s, %s, %s; decorum robots explain shows how one URL is judged\n",
		plural(counts[lint.SeverityError], "error"), plural(counts[lint.SeverityWarning], "warning"), plural(counts[lint.SeverityInfo], "note"))
	return err
}

// level returns the word that compilers and SARIF use for a severity.
func level(s lint.Severity) string {
	if s == lint.SeverityInfo {
		return "note"
	}
	return string(s)
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// findingLine is a decorum.finding/1 object. A finding about a robots.txt
// itself names no URL, agent or sitemap.
type findingLine struct {
	Schema      string        `json:"schema"`
	Code        lint.Code     `json:"code"`
	Severity    lint.Severity `json:"severity"`
	URL         string        `json:"url"`
	Agent       string        `json:"agent"`
	Rule        string        `json:"rule"`
	Line        int           `json:"line"`
	RobotsURL   string        `json:"robots_url"`
	Sitemap     string        `json:"sitemap"`
	SitemapLine int           `json:"sitemap_line"`
	Message     string        `json:"message"`
	Fix         string        `json:"fix"`
}

func lintJSON(out io.Writer, name string, findings []lint.Finding) error {
	encoder := newEncoder(out)
	for _, f := range findings {
		err := encoder.Encode(findingLine{
			Schema: "decorum.finding/1", Code: f.Code, Severity: f.Severity, Line: f.Line,
			RobotsURL: name, Message: f.Message, Fix: f.Fix,
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func lintSARIF(out io.Writer, name string, findings []lint.Finding) error {
	results := make([]sarif.Result, 0, len(findings))
	for _, f := range findings {
		message := f.Message
		if f.Fix != "" {
			message += ". Fix: " + f.Fix
		}
		results = append(results, sarif.Result{Rule: string(f.Code), Level: level(f.Severity), Message: message, URI: name, Line: f.Line})
	}
	return sarif.Write(out, version, results)
}
