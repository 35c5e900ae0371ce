package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/decorum-crawler/decorum/configs"
	"github.com/decorum-crawler/decorum/robots"
)

const diffExamples = `  decorum robots diff live.txt draft.txt --urls urls.txt
  decorum sitemap list https://example.com | decorum robots diff https://example.com/robots.txt draft.txt --urls -`

type diffOptions struct {
	settings *settings
	urls     string
	agents   []string
	json     bool
}

func newRobotsDiff(env environment) *cobra.Command {
	var options diffOptions
	command := &cobra.Command{
		Use:     "diff OLD NEW --urls FILE",
		Short:   "Show the URLs whose verdict changes between two robots.txt",
		Example: diffExamples,
		Long: "Show the URLs whose verdict or training preference changes between two robots.txt, for review before one goes\n" +
			"live. OLD and NEW are files, or URLs of robots.txt files to fetch.\n\n" +
			"EXIT STATUS: 0 nothing changes, 1 something does, 2 usage error, 3 a robots.txt could not be had, 4 a file cannot be read.",
		Args: cobra.ExactArgs(2),
		RunE: func(_ *cobra.Command, args []string) error { return options.run(env, args[0], args[1]) },
	}
	flags := command.Flags()
	flags.StringVar(&options.urls, "urls", "", "judge the URLs in this file, one a line; - is standard input")
	flags.StringArrayVar(&options.agents, "agent", nil, "agent to judge for; may be repeated (default * and all that either file names)")
	flags.BoolVar(&options.json, "json", false, "print one decorum.change/1 object a line")
	options.settings = addSettings(command, requestKeys...)
	return command
}

func (o *diffOptions) run(env environment, old, draft string) error {
	c, err := o.settings.merge(env, configs.Default())
	if err != nil {
		return err
	}
	if o.urls == "" {
		return usageError(errors.New("no URLs to judge"), "name a list with --urls FILE; decorum sitemap list makes one")
	}
	before, err := robotsFile(env, c, old)
	if err != nil {
		return err
	}
	after, err := robotsFile(env, c, draft)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(env.stdout)
	d := newDiff(before, after, o.agents)
	write := d.text
	if o.json {
		write = d.json
	}
	err = eachListed(env.stdin, o.urls, func(address string) error {
		canonical, err := targetURL(address)
		if err != nil {
			return usageError(err, "give absolute URLs such as https://example.com/page")
		}
		return write(out, canonical, d.changes(canonical))
	})
	if err == nil && !o.json {
		d.summary(out)
	}
	if flushed := out.Flush(); err == nil && flushed != nil {
		err = &commandError{code: exitIO, err: fmt.Errorf("write changes: %w", flushed)}
	}
	if err == nil && d.changed > 0 {
		err = errFindings
	}
	return err
}

// robotsFile reads a robots.txt from a file, or fetches it when name is a URL.
func robotsFile(env environment, c configs.Config, name string) (*robots.File, error) {
	if !strings.Contains(name, "://") {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, &commandError{code: exitIO, err: fmt.Errorf("read robots.txt: %w", err), hint: "name a readable file, or a URL"}
		}
		return robots.Parse(data), nil
	}
	address, err := targetURL(name)
	if err != nil {
		return nil, usageError(err, "give a file, or a URL such as https://example.com/robots.txt")
	}
	client := newClient(env, c, address)
	defer client.Close()
	document, err := client.Robots(context.Background(), address)
	if err == nil && document.Class() == robots.ClassUnreachable {
		err = fmt.Errorf("%s cannot be had: %s", document.FinalURL, reasonOf(document))
	}
	if err != nil {
		return nil, &commandError{code: exitNothing, err: err, hint: "try again later, or name a local copy"}
	}
	return document.File(), nil
}

func reasonOf(document *robots.Document) string {
	if document.Err != nil {
		return document.Err.Error()
	}
	return fmt.Sprintf("status %d %s", document.Status, http.StatusText(document.Status))
}

// trainingAgent is the name under which a change of the training preference
// is shown; no verdict is made for it.
const trainingAgent = robots.TrainingToken

// diff compares two files for one URL after the other.
type diff struct {
	before, after *robots.File
	agents        []string
	groups        [][2]*robots.Group // of each agent, before and after

	urls, changed, opened, closed, training int
}

func newDiff(before, after *robots.File, agents []string) *diff {
	if len(agents) == 0 {
		agents = []string{"*"}
		for _, token := range append(before.Agents(), after.Agents()...) {
			if !slices.Contains(agents, token) && token != trainingAgent {
				agents = append(agents, token)
			}
		}
	}
	d := &diff{before: before, after: after, agents: agents}
	for _, agent := range agents {
		d.groups = append(d.groups, [2]*robots.Group{before.Group(agent), after.Group(agent)})
	}
	return d
}

// judgement is one side of a change.
type judgement struct {
	Value string `json:"value"` // allowed, blocked, or a training preference
	Rule  string `json:"rule"`
	Line  int    `json:"line"`
}

// change is a decorum.change/1 object.
type change struct {
	Schema string    `json:"schema"`
	URL    string    `json:"url"`
	Agent  string    `json:"agent"` // the training token: the preference changes
	Old    judgement `json:"old"`
	New    judgement `json:"new"`
}

// changes gives what changes for a URL. Another rule with the same verdict is
// no change.
func (d *diff) changes(address string) []change {
	target, err := robots.Target(address)
	if err != nil {
		return nil
	}
	d.urls++
	var changes []change
	add := func(agent string, before, after judgement) bool {
		if before.Value == after.Value {
			return false
		}
		changes = append(changes, change{"decorum.change/1", address, agent, before, after})
		return true
	}
	for i, agent := range d.agents {
		before, after := d.groups[i][0].Check(target), d.groups[i][1].Check(target)
		if add(agent, judgementOf(before), judgementOf(after)) {
			if after.Allowed {
				d.opened++
			} else {
				d.closed++
			}
		}
	}
	before, after := d.before.Training(target), d.after.Training(target)
	if add(trainingAgent, judgement{string(before.Preference), ruleText(before.Rule), before.Rule.Line},
		judgement{string(after.Preference), ruleText(after.Rule), after.Rule.Line}) {
		d.training++
	}
	if len(changes) > 0 {
		d.changed++
	}
	return changes
}

func judgementOf(v robots.Verdict) judgement {
	value := "blocked"
	if v.Allowed {
		value = "allowed"
	}
	return judgement{value, ruleText(v.Rule), v.Rule.Line}
}

func (d *diff) json(out io.Writer, _ string, changes []change) error {
	encoder := newEncoder(out)
	for _, c := range changes {
		if err := encoder.Encode(c); err != nil {
			return err
		}
	}
	return nil
}

// text writes the changes of a URL; agents for whom the same changes share a
// line.
func (d *diff) text(out io.Writer, address string, changes []change) error {
	if len(changes) == 0 {
		return nil
	}
	if _, err := fmt.Fprintf(out, "%s\n", safe(address)); err != nil {
		return err
	}
	for len(changes) > 0 {
		first := changes[0]
		var agents []string
		changes = slices.DeleteFunc(changes, func(c change) bool {
			same := c.Old == first.Old && c.New == first.New
			if same {
				agents = append(agents, c.Agent)
			}
			return same
		})
		_, err := fmt.Fprintf(out, "  for %s\n    old  %s\n    new  %s\n", safe(strings.Join(agents, ", ")), safe(first.Old.text()), safe(first.New.text()))
		if err != nil {
			return err
		}
	}
	return nil
}

func (j judgement) text() string {
	value := fmt.Sprintf("%-7s", strings.ReplaceAll(j.Value, "_", " "))
	if j.Line == 0 {
		return value + "  by no rule"
	}
	return fmt.Sprintf("%s  line %d: %s", value, j.Line, j.Rule)
}

func (d *diff) summary(out io.Writer) {
	if d.changed == 0 {
		fmt.Fprintf(out, "nothing changes for %d URLs and %d agents\n", d.urls, len(d.agents))
		return
	}
	fmt.Fprintf(out, "\n%d of %d URLs change: %d verdicts become blocked, %d become allowed, %d training preferences change\n",
		d.changed, d.urls, d.closed, d.opened, d.training)
}
