package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/decorum-crawler/decorum/configs"
	"github.com/decorum-crawler/decorum/frontier"
	"github.com/decorum-crawler/decorum/robots"
)

const explainExamples = `  decorum robots explain https://example.com/private/a --contact you@example.com
  decorum robots explain --file robots.txt --agent GPTBot https://example.com/private/a
  decorum robots explain --crawl example https://example.com/private/a`

type explainOptions struct {
	checkOptions

	crawl string
}

func newRobotsExplain(env environment) *cobra.Command {
	var options explainOptions
	command := &cobra.Command{
		Use:     "explain URL",
		Short:   "Show how a URL is judged: group, matching rules, winner, training",
		Example: explainExamples,
		Long: "Show how a URL is judged: the group that counts and why, each rule that matches with its length, the one that\n" +
			"decides, the state of the robots.txt itself, and, separately, the site's preference on AI training.\n\n" +
			"EXIT STATUS: 0 allowed, 1 blocked, 2 usage error, 3 no robots.txt could be fetched, 4 a file cannot be read, 5 no crawl there.",
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return options.run(env, args[0]) },
	}
	flags := command.Flags()
	flags.StringVar(&options.file, "file", "", "judge against this local robots.txt (raw bytes) instead of fetching")
	flags.StringVar(&options.crawl, "crawl", "", "judge by the robots.txt that the crawl in this directory has fetched")
	flags.StringArrayVar(&options.agents, "agent", nil, "agent to judge for; may be repeated (default the agent token)")
	flags.BoolVar(&options.json, "json", false, "print one decorum.explanation/1 object for each agent")
	command.MarkFlagsMutuallyExclusive("file", "crawl")
	options.settings = addSettings(command, requestKeys...)
	return command
}

func (o *explainOptions) run(env environment, address string) error {
	c, err := o.settings.merge(env, configs.Default())
	if err != nil {
		return err
	}
	if len(o.agents) == 0 {
		o.agents = []string{c.AgentToken}
	}
	if address, err = targetURL(address); err != nil {
		return usageError(err, "give an absolute URL such as https://example.com/page")
	}
	document, err := o.document(env, c, address)
	if err != nil {
		return err
	}
	allowed := true
	for i, agent := range o.agents {
		e := explain(document, agent, address)
		allowed = allowed && e.Allowed
		if i > 0 && !o.json {
			fmt.Fprintln(env.stdout)
		}
		if err := o.print(env.stdout, e); err != nil {
			return &commandError{code: exitIO, err: fmt.Errorf("write explanation: %w", err)}
		}
	}
	switch {
	case document.Class() == robots.ClassUnreachable:
		return errNoRobots(document)
	case !allowed:
		return errFindings
	}
	return nil
}

// document returns the robots.txt that counts for a URL.
func (o *explainOptions) document(env environment, c configs.Config, address string) (*robots.Document, error) {
	if o.crawl != "" {
		return heldDocument(env, o.crawl, address)
	}
	find, closing, err := o.documents(env, c, []string{address})
	if err != nil {
		return nil, err
	}
	defer closing()
	document, err := find(address)
	if err != nil {
		return nil, &commandError{code: exitNothing, err: err}
	}
	return document, nil
}

// heldDocument returns the robots.txt of a URL's origin from a crawl's state.
func heldDocument(env environment, directory, address string) (*robots.Document, error) {
	view, err := look(env, directory)
	if err != nil {
		return nil, err
	}
	defer view.Close() //nolint:errcheck // it is only read
	origin := frontier.OriginOf(address)
	document, err := view.State().Load(context.Background(), origin)
	if err == nil && document == nil {
		err = &commandError{code: exitNothing, err: fmt.Errorf("the crawl in %s has no robots.txt of %s", directory, origin), hint: "leave --crawl out to fetch it"}
	}
	return document, err
}

func (o *explainOptions) print(out io.Writer, e explanation) error {
	if o.json {
		return newEncoder(out).Encode(e)
	}
	_, err := io.WriteString(out, safe(e.text()))
	return err
}
