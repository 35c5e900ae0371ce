package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
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
			"EXIT STATUS: 0 nothing changes, 1 something does, 2 usage error, 3 a robots.txt could not be fetched, 4 a file cannot be read.",
		Args: cobra.ExactArgs(2),
		RunE: func(_ *cobra.Command, args []string) error { return options.run(env, args[0], args[1]) },
	}
	flags := command.Flags()
	flags.StringVar(&options.urls, "urls", "", "judge the URLs in this file, one per line; - is standard input")
	flags.StringArrayVar(&options.agents, "agent", nil, "agent to judge for; may be repeated (default * and all agents that either file names)")
	flags.BoolVar(&options.json, "json", false, "print one decorum.change/1 object per line")
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
	before, err := findRobots(env, c, old)
	if err != nil {
		return err
	}
	after, err := findRobots(env, c, draft)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(env.stdout)
	d := &diff{files: robots.NewDiff(before.File(), after.File(), o.agents...)}
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

// diff counts and prints the changes of one URL after the other.
type diff struct {
	files *robots.Diff

	urls, changed, opened, closed, training int
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

// changes returns what changes for a URL.
func (d *diff) changes(address string) []change {
	var changes []change
	add := func(agent string, before, after judgement) {
		changes = append(changes, change{"decorum.change/1", address, agent, before, after})
	}
	target := pathOf(address)
	for _, c := range d.files.Verdicts(target) {
		add(c.Agent, judgementOf(c.Before), judgementOf(c.After))
		if c.After.Allowed {
			d.opened++
		} else {
			d.closed++
		}
	}
	if before, after, changed := d.files.Training(target); changed {
		add(robots.TrainingToken, trainingJudgement(before), trainingJudgement(after))
		d.training++
	}
	d.urls++
	if len(changes) > 0 {
		d.changed++
	}
	return changes
}

func trainingJudgement(t robots.Training) judgement {
	return judgement{string(t.Preference), ruleText(t.Rule), t.Rule.Line}
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

// text writes the changes of a URL. Agents with the same change share a line.
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
		fmt.Fprintf(out, "nothing changes for %d URLs and %d agents\n", d.urls, len(d.files.Agents()))
		return
	}
	fmt.Fprintf(out, "\n%d of %d URLs change: %d verdicts become blocked, %d become allowed, %d training preferences change\n",
		d.changed, d.urls, d.closed, d.opened, d.training)
}
