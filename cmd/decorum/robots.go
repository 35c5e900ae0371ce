package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"

	"github.com/spf13/cobra"

	"github.com/decorum-crawler/decorum/configs"
	"github.com/decorum-crawler/decorum/frontier"
	"github.com/decorum-crawler/decorum/robots"
)

// defaultAgent is the name matched in robots.txt and sent in User-Agent.
const defaultAgent = "decorum"

const checkExamples = `  decorum robots check https://example.com/private/a --contact you@example.com
  decorum robots check --file robots.txt --agent GPTBot --urls urls.txt --json`

func newRobots(env environment) *cobra.Command {
	parent := &cobra.Command{Use: "robots", Short: "Ask a robots.txt"}
	parent.AddCommand(newRobotsCheck(env), newRobotsExplain(env), newRobotsDiff(env), newRobotsLint(env))
	return parent
}

type checkOptions struct {
	settings *settings
	file     string
	urls     string
	agents   []string
	json     bool
}

func newRobotsCheck(env environment) *cobra.Command {
	var options checkOptions
	command := &cobra.Command{
		Use:     "check URL...",
		Short:   "Say for each URL whether it may be fetched, and by which line",
		Example: checkExamples,
		Long: "Say for each URL whether it may be fetched, and by which line.\n\n" +
			"EXIT STATUS: 0 all allowed, 1 one is blocked, 2 usage error, 3 no robots.txt could be had, 4 a file cannot be read.",
		RunE: func(_ *cobra.Command, args []string) error { return options.run(env, args) },
	}
	flags := command.Flags()
	flags.StringVar(&options.file, "file", "", "judge against this local robots.txt (raw bytes) instead of fetching")
	flags.StringVar(&options.urls, "urls", "", "read URLs from this file, one a line; - is standard input")
	flags.StringArrayVar(&options.agents, "agent", nil, "agent to judge for; may be repeated (default the agent token)")
	flags.BoolVar(&options.json, "json", false, "print one decorum.verdict/1 object a line")
	options.settings = addSettings(command, requestKeys...)
	return command
}

func (o *checkOptions) run(env environment, args []string) error {
	c, err := o.settings.merge(env, configs.Default())
	if err != nil {
		return err
	}
	if len(o.agents) == 0 {
		o.agents = []string{c.AgentToken}
	}
	urls, err := o.targets(env.stdin, args)
	if err != nil {
		return err
	}
	for i, address := range urls {
		if urls[i], err = targetURL(address); err != nil {
			return usageError(err, "give absolute URLs such as https://example.com/page")
		}
	}
	documents, closing, err := o.documents(env, c, urls)
	if err != nil {
		return err
	}
	defer closing()
	out := bufio.NewWriter(env.stdout)
	ended := errors.Join(o.judgeAll(out, documents, urls), out.Flush())
	if _, ok := errors.AsType[*commandError](ended); ended != nil && !ok && !errors.Is(ended, errFindings) {
		return &commandError{code: exitIO, err: fmt.Errorf("write verdicts: %w", ended)}
	}
	return ended
}

// targetURL checks an address to be judged. It is judged as it is sent, so the
// canonical form is right where there is one.
func targetURL(address string) (string, error) {
	if canonical, err := frontier.Canonical("", address, 1<<20); err == nil {
		return canonical, nil
	}
	_, err := robots.Target(address)
	return address, err
}

// documents gives what finds the robots.txt of a URL: one file for all, or
// what each origin answers.
func (o *checkOptions) documents(env environment, c configs.Config, urls []string) (find func(string) (*robots.Document, error), closing func(), err error) {
	if o.file != "" {
		data, err := os.ReadFile(o.file)
		if err != nil {
			return nil, nil, &commandError{code: exitIO, err: fmt.Errorf("read robots.txt: %w", err), hint: "name a readable file with --file"}
		}
		document := &robots.Document{FinalURL: o.file, Status: http.StatusOK, Body: data}
		return func(string) (*robots.Document, error) { return document, nil }, func() {}, nil
	}
	client := newClient(env, c, urls...)
	return func(address string) (*robots.Document, error) { return client.Robots(context.Background(), address) }, client.Close, nil
}

func (o *checkOptions) judgeAll(out io.Writer, find func(string) (*robots.Document, error), urls []string) error {
	blocked, unreachable := false, true
	parsed := map[*robots.Document]*robots.File{}
	for _, address := range urls {
		document, err := find(address)
		if err != nil {
			return &commandError{code: exitNothing, err: err}
		}
		if parsed[document] == nil {
			parsed[document] = document.File()
		}
		for _, agent := range o.agents {
			verdict := judge(document, parsed[document], agent, address)
			blocked = blocked || !verdict.Allowed
			unreachable = unreachable && verdict.Reason == robots.ReasonUnreachable
			if err := o.print(out, verdict); err != nil {
				return err
			}
		}
	}
	switch {
	case unreachable:
		return &commandError{code: exitNothing, err: errors.New("no robots.txt could be had, so nothing may be fetched"), hint: "try again later, or judge a local copy with --file"}
	case blocked:
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

func judge(document *robots.Document, file *robots.File, agent, address string) verdictLine {
	target, err := robots.Target(address)
	if err != nil {
		target = "/"
	}
	v := verdictLine{
		Schema: "decorum.verdict/1", URL: address, Agent: agent,
		Sitemaps: append([]string{}, file.Sitemaps()...), Source: document.FinalURL,
	}
	verdict := document.Check(agent, target)
	v.Allowed, v.Reason, v.Rule, v.Line = verdict.Allowed, verdict.Reason, ruleText(verdict.Rule), verdict.Rule.Line
	delay, _ := file.Group(agent).CrawlDelay()
	v.CrawlDelayMS = delay.Milliseconds()
	training := file.Training(target)
	v.Training = trainingLine{training.Preference, ruleText(training.Rule), training.Rule.Line}
	return v
}

func ruleText(rule robots.Rule) string {
	if rule.Line == 0 {
		return ""
	}
	return rule.String()
}

func (o *checkOptions) print(out io.Writer, v verdictLine) error {
	if o.json {
		return newEncoder(out).Encode(v)
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
