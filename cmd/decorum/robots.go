package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/decorum-crawler/decorum/configs"
	"github.com/decorum-crawler/decorum/crawler/fetch"
	"github.com/decorum-crawler/decorum/frontier"
	"github.com/decorum-crawler/decorum/robots"
)

// defaultAgent is the name matched in robots.txt and sent in User-Agent.
const defaultAgent = "decorum"

const checkExamples = `  decorum robots check https://example.com/private/a --contact you@example.com
  decorum robots check --file robots.txt --agent GPTBot --urls urls.txt --json`

func newRobots(env environment) *cobra.Command {
	parent := &cobra.Command{Use: "robots", Short: "Query a robots.txt"}
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
		Short:   "Tell for each URL whether it may be fetched, and by which line",
		Example: checkExamples,
		Long: "Tell for each URL whether it may be fetched, and by which line.\n\n" +
			"EXIT STATUS: 0 all allowed, 1 one is blocked, 2 usage error, 3 no robots.txt could be fetched, 4 a file cannot be read.",
		RunE: func(_ *cobra.Command, args []string) error { return options.run(env, args) },
	}
	flags := command.Flags()
	flags.StringVar(&options.file, "file", "", "judge against this local robots.txt (raw bytes) instead of fetching")
	flags.StringVar(&options.urls, "urls", "", "read URLs from this file, one per line; - is standard input")
	flags.StringArrayVar(&options.agents, "agent", nil, "agent to judge for; may be repeated (default the agent token)")
	flags.BoolVar(&options.json, "json", false, "print one decorum.verdict/1 object per line")
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

// targetURL returns the form in which an address is judged: as it is sent, so
// the canonical one if it has one.
func targetURL(address string) (string, error) {
	if canonical, err := frontier.Canonical("", address, 1<<20); err == nil {
		return canonical, nil
	}
	_, err := robots.Target(address)
	return address, err
}

// documents returns a function that finds the robots.txt of a URL: one file for
// all, or the answer of each origin.
func (o *checkOptions) documents(env environment, c configs.Config, urls []string) (find func(string) (*robots.Document, error), closing func(), err error) {
	if o.file != "" {
		document, err := readRobots(o.file)
		if err != nil {
			return nil, nil, err
		}
		return func(string) (*robots.Document, error) { return document, nil }, func() {}, nil
	}
	client := newClient(env, c, urls...)
	return func(address string) (*robots.Document, error) { return client.Robots(context.Background(), address) }, client.Close, nil
}

func (o *checkOptions) judgeAll(out io.Writer, find func(string) (*robots.Document, error), urls []string) error {
	blocked, unreachable := false, true
	var judged []*robots.Document
	judges := map[*robots.Document]judge{}
	for _, address := range urls {
		document, err := find(address)
		if err != nil {
			return &commandError{code: exitNothing, err: err}
		}
		j, ok := judges[document]
		if !ok {
			j = newJudge(document)
			judges[document] = j
			judged = append(judged, document)
		}
		for _, agent := range o.agents {
			verdict := j.verdict(agent, address)
			blocked = blocked || !verdict.Allowed
			unreachable = unreachable && verdict.Reason == robots.ReasonUnreachable
			if err := o.print(out, verdict); err != nil {
				return err
			}
		}
	}
	switch {
	case unreachable:
		return errNoRobots(judged...)
	case blocked:
		return errFindings
	}
	return nil
}

// errNoRobots is the end of a command that found every robots.txt unreachable.
func errNoRobots(documents ...*robots.Document) error {
	var causes []string
	hint := "try again later; robots check, explain and lint can judge a local copy"
	for _, d := range documents {
		causes = append(causes, d.Failure())
		if fetch.Classify(d.Status, d.Err) == fetch.FailTLS {
			hint = "the owner of the server must correct its TLS; robots check, explain and lint can judge a local copy"
		}
	}
	return &commandError{
		code: exitNothing, err: fmt.Errorf("no robots.txt could be fetched, so nothing may be crawled: %s", strings.Join(causes, "\n")),
		hint: hint,
	}
}

// targets returns the URLs of the arguments, then those of --urls.
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

// judge makes the verdicts of one document. Its sitemaps are the same for every
// URL.
type judge struct {
	document *robots.Document
	sitemaps []string
}

func newJudge(document *robots.Document) judge {
	return judge{document: document, sitemaps: append([]string{}, document.Sitemaps()...)}
}

func (j judge) verdict(agent, address string) verdictLine {
	target := pathOf(address)
	verdict := j.document.Check(agent, target)
	delay, _ := j.document.File().Group(agent).CrawlDelay()
	return verdictLine{
		Schema: "decorum.verdict/1", URL: address, Agent: agent,
		Allowed: verdict.Allowed, Reason: verdict.Reason, Rule: ruleText(verdict.Rule), Line: verdict.Rule.Line,
		CrawlDelayMS: delay.Milliseconds(), Training: trainingOf(j.document.File().Training(target)),
		Sitemaps: j.sitemaps, Source: j.document.FinalURL,
	}
}

// pathOf returns the path and query of an address that targetURL has checked.
func pathOf(address string) string {
	target, err := robots.Target(address)
	if err != nil {
		return "/"
	}
	return target
}

func trainingOf(t robots.Training) trainingLine {
	return trainingLine{t.Preference, ruleText(t.Rule), t.Rule.Line}
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
