package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/decorum-crawler/decorum/robots"
)

// defaultAgent is the name matched in robots.txt and sent in User-Agent.
const defaultAgent = "decorum"

const checkExamples = `  decorum robots check --file robots.txt https://example.com/private/a
  decorum robots check --file robots.txt --agent GPTBot --urls urls.txt --json`

func newRobots(env environment) *cobra.Command {
	parent := &cobra.Command{Use: "robots", Short: "Ask a robots.txt"}
	parent.AddCommand(newRobotsCheck(env))
	return parent
}

type checkOptions struct {
	file   string
	urls   string
	agents []string
	json   bool
}

func newRobotsCheck(env environment) *cobra.Command {
	var options checkOptions
	command := &cobra.Command{
		Use:     "check URL... --file FILE",
		Short:   "Say for each URL whether it may be fetched, and by which line",
		Example: checkExamples,
		Long: "Say for each URL whether it may be fetched, and by which line.\n\n" +
			"EXIT STATUS: 0 all allowed, 1 one is blocked, 2 usage error, 4 a file cannot be read.",
		RunE: func(_ *cobra.Command, args []string) error { return options.run(env, args) },
	}
	flags := command.Flags()
	flags.StringVar(&options.file, "file", "", "judge against this local robots.txt (raw bytes)")
	flags.StringVar(&options.urls, "urls", "", "read URLs from this file, one a line; - is standard input")
	flags.StringArrayVar(&options.agents, "agent", []string{defaultAgent}, "agent to judge for; may be repeated")
	flags.BoolVar(&options.json, "json", false, "print one decorum.verdict/1 object a line")
	return command
}

func (o *checkOptions) run(env environment, args []string) error {
	if o.file == "" {
		return usageError(errors.New("no robots.txt to judge against"), "name one with --file FILE")
	}
	urls, err := o.targets(env.stdin, args)
	if err != nil {
		return err
	}
	data, err := os.ReadFile(o.file)
	if err != nil {
		return &commandError{code: exitIO, err: fmt.Errorf("read robots.txt: %w", err), hint: "name a readable file with --file"}
	}
	file := robots.Parse(data)
	out := bufio.NewWriter(env.stdout)
	blocked := false
	for _, rawURL := range urls {
		for _, agent := range o.agents {
			verdict, err := o.judge(file, agent, rawURL)
			if err != nil {
				return usageError(err, "give absolute URLs such as https://example.com/page")
			}
			blocked = blocked || !verdict.Allowed
			if err := o.print(out, verdict); err != nil {
				return &commandError{code: exitIO, err: fmt.Errorf("write verdict of %s: %w", rawURL, err)}
			}
		}
	}
	if err := out.Flush(); err != nil {
		return &commandError{code: exitIO, err: fmt.Errorf("write verdicts: %w", err)}
	}
	if blocked {
		return errFindings
	}
	return nil
}

// targets gives the URLs of the arguments, then those of --urls.
func (o *checkOptions) targets(stdin io.Reader, args []string) ([]string, error) {
	urls := append([]string(nil), args...)
	if o.urls != "" {
		lines, err := readLines(stdin, o.urls)
		if err != nil {
			return nil, err
		}
		urls = append(urls, lines...)
	}
	if len(urls) == 0 {
		return nil, usageError(errors.New("no URL to check"), "name one or more URLs, or a list with --urls FILE")
	}
	return urls, nil
}

// verdictLine is a decorum.verdict/1 object.
type verdictLine struct {
	Schema       string        `json:"schema"`
	URL          string        `json:"url"`
	Agent        string        `json:"agent"`
	Allowed      bool          `json:"allowed"`
	Reason       robots.Reason `json:"reason"`
	Rule         string        `json:"rule"`
	Line         int           `json:"line"`
	CrawlDelayMS int64         `json:"crawl_delay_ms"`
	Training     trainingLine  `json:"training"`
	Sitemaps     []string      `json:"sitemaps"`
	Source       string        `json:"source"`
}

type trainingLine struct {
	Preference robots.Preference `json:"preference"`
	Rule       string            `json:"rule"`
	Line       int               `json:"line"`
}

func (o *checkOptions) judge(file *robots.File, agent, rawURL string) (verdictLine, error) {
	target, err := robots.Target(rawURL)
	if err != nil {
		return verdictLine{}, err
	}
	group := file.Group(agent)
	verdict := group.Check(target)
	delay, _ := group.CrawlDelay()
	training := file.Training(target)
	return verdictLine{
		Schema: "decorum.verdict/1", URL: rawURL, Agent: agent,
		Allowed: verdict.Allowed, Reason: verdict.Reason,
		Rule: ruleText(verdict.Rule), Line: verdict.Rule.Line,
		CrawlDelayMS: delay.Milliseconds(),
		Training:     trainingLine{training.Preference, ruleText(training.Rule), training.Rule.Line},
		Sitemaps:     append([]string{}, file.Sitemaps()...),
		Source:       o.file,
	}, nil
}

func ruleText(rule robots.Rule) string {
	if rule.Line == 0 {
		return ""
	}
	return rule.String()
}

func (o *checkOptions) print(out io.Writer, v verdictLine) error {
	if o.json {
		encoder := json.NewEncoder(out)
		encoder.SetEscapeHTML(false)
		return encoder.Encode(v)
	}
	answer := "allowed"
	if !v.Allowed {
		answer = "blocked"
	}
	why := string(v.Reason)
	if v.Line > 0 {
		why = fmt.Sprintf("line %d, %s", v.Line, v.Rule)
	}
	_, err := fmt.Fprintf(out, "%s  %s  for %s (%s)\n", answer, safe(v.URL), safe(v.Agent), safe(why))
	return err
}
