package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/decorum-crawler/decorum/configs"
	"github.com/decorum-crawler/decorum/internal/sarif"
	"github.com/decorum-crawler/decorum/robots"
)

const lintExamples = `  decorum robots lint robots.txt
  decorum robots lint https://example.com --contact you@example.com
  decorum robots lint robots.txt --format sarif > robots.sarif`

// The findings about how a robots.txt is served.
const (
	codeStatus      robots.Code = "status"
	codeRedirected  robots.Code = "redirected"
	codeContentType robots.Code = "content-type"
)

type lintOptions struct {
	settings *settings
	format   string
	json     bool
}

func newRobotsLint(env environment) *cobra.Command {
	var options lintOptions
	command := &cobra.Command{
		Use:     "lint FILE|URL",
		Short:   "Find what is wrong with a robots.txt, and say what to write instead",
		Example: lintExamples,
		Long: "Find what is wrong with a robots.txt, and say what to write instead. Of a URL the robots.txt of its site is fetched,\n" +
			"and how it is served is judged, too.\n\n" +
			"EXIT STATUS: 0 nothing worse than a note, 1 an error or a warning, 2 usage error, 3 no robots.txt could be had,\n" +
			"4 the file cannot be read.",
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return options.run(env, args[0]) },
	}
	flags := command.Flags()
	flags.StringVar(&options.format, "format", "text", "text, jsonl or sarif")
	flags.BoolVar(&options.json, "json", false, "the same as --format jsonl: one decorum.finding/1 object a line")
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
	write, ok := map[string]func(io.Writer, string, []robots.Finding) error{
		"text": lintText, "jsonl": lintJSON, "sarif": lintSARIF,
	}[o.format]
	if !ok {
		return usageError(fmt.Errorf("format %q is unknown", o.format), "choose text, jsonl or sarif")
	}
	var findings []robots.Finding
	if strings.Contains(name, "://") {
		name, findings, err = lintSite(env, c, name)
	} else {
		findings, err = lintFile(name)
	}
	if err != nil {
		return err
	}
	out := bufio.NewWriter(env.stdout)
	if err := errors.Join(write(out, name, findings), out.Flush()); err != nil {
		return &commandError{code: exitIO, err: fmt.Errorf("write findings: %w", err)}
	}
	for _, f := range findings {
		if f.Severity != robots.SeverityInfo {
			return errFindings
		}
	}
	return nil
}

func lintFile(name string) ([]robots.Finding, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, &commandError{code: exitIO, err: fmt.Errorf("read robots.txt: %w", err), hint: "name a readable file, or a URL such as https://example.com"}
	}
	return robots.Lint(data), nil
}

// lintSite fetches the robots.txt of a URL's site and gives its address and
// the findings, those about the answer first.
func lintSite(env environment, c configs.Config, address string) (string, []robots.Finding, error) {
	canonical, err := targetURL(address)
	if err != nil {
		return "", nil, usageError(err, "give a file, or a URL such as https://example.com")
	}
	client := newClient(env, c, canonical)
	defer client.Close()
	document, err := client.Robots(context.Background(), canonical)
	if err == nil && document.Class() == robots.ClassUnreachable {
		err = fmt.Errorf("%s cannot be had, so crawlers fetch nothing: %s", document.FinalURL, reasonOf(document))
	}
	if err != nil {
		return "", nil, &commandError{code: exitNothing, err: err, hint: "let the server answer with 200 and the rules, or with 404 when there are none"}
	}
	return document.FinalURL, append(lintAnswer(document), robots.Lint(document.Body)...), nil
}

// lintAnswer judges how a robots.txt is served.
func lintAnswer(d *robots.Document) []robots.Finding {
	var findings []robots.Finding
	say := func(code robots.Code, severity robots.Severity, fix, format string, args ...any) {
		findings = append(findings, robots.Finding{Code: code, Severity: severity, Message: fmt.Sprintf(format, args...), Fix: fix})
	}
	if d.FinalURL != d.Origin+"/robots.txt" {
		say(codeRedirected, robots.SeverityInfo, "", "%s/robots.txt redirects here; crawlers follow at most five redirects", d.Origin)
	}
	if d.Class() == robots.ClassUnavailable {
		say(codeStatus, robots.SeverityInfo, "", "the server answers %d %s, so everything is allowed", d.Status, http.StatusText(d.Status))
		return findings
	}
	if media, _, err := mime.ParseMediaType(d.Header.Get("Content-Type")); err != nil || media != "text/plain" {
		say(codeContentType, robots.SeverityWarning, "Content-Type: text/plain; charset=utf-8", "the type is %q, not text/plain", d.Header.Get("Content-Type"))
	}
	if d.Truncated {
		say(robots.CodeTooLong, robots.SeverityError, "shorten the file; patterns with * replace many rules",
			"the file is longer than %d KiB; what lies beyond does not count", robots.MaxBytes>>10)
	}
	return findings
}

// lintText writes findings as compilers do, with what to write below.
func lintText(out io.Writer, name string, findings []robots.Finding) error {
	counts := map[robots.Severity]int{}
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
		plural(counts[robots.SeverityError], "error"), plural(counts[robots.SeverityWarning], "warning"), plural(counts[robots.SeverityInfo], "note"))
	return err
}

// level gives the word that compilers and SARIF use for a severity.
func level(s robots.Severity) string {
	if s == robots.SeverityInfo {
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
	Schema      string          `json:"schema"`
	Code        robots.Code     `json:"code"`
	Severity    robots.Severity `json:"severity"`
	URL         string          `json:"url"`
	Agent       string          `json:"agent"`
	Rule        string          `json:"rule"`
	Line        int             `json:"line"`
	RobotsURL   string          `json:"robots_url"`
	Sitemap     string          `json:"sitemap"`
	SitemapLine int             `json:"sitemap_line"`
	Message     string          `json:"message"`
	Fix         string          `json:"fix"`
}

func lintJSON(out io.Writer, name string, findings []robots.Finding) error {
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

func lintSARIF(out io.Writer, name string, findings []robots.Finding) error {
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
