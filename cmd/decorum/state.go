package main

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/decorum-crawler/decorum/crawler/crawldir"
	"github.com/decorum-crawler/decorum/crawler/record"
	"github.com/decorum-crawler/decorum/frontier"
)

func newState(env environment) *cobra.Command {
	parent := &cobra.Command{Use: "state", Short: "Inspect or repair a crawl"}
	parent.AddCommand(newStateInspect(env), newStateWhy(env), newStateExport(env), newStateVerify(env), newStateRepair(env), newStateCompact(env), newStateSound(env))
	return parent
}

func newStateInspect(env environment) *cobra.Command {
	var asJSON bool
	command := &cobra.Command{
		Use: "inspect DIR", Short: "Show how far a crawl has come", Example: "  decorum state inspect example",
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			view, err := look(env, args[0])
			if err != nil {
				return err
			}
			defer view.Close() //nolint:errcheck // it is only read
			info, err := view.State().Info()
			if err != nil {
				return err
			}
			hosts, err := view.State().Hosts()
			if err != nil {
				return err
			}
			if asJSON {
				return newEncoder(env.stdout).Encode(inspection{
					"decorum.state/1", info.Run, info.Commits, info.Counters.Done,
					info.Counters.Skipped + info.Counters.Tentative, info.Counters.Pending, len(hosts), info.Offsets,
				})
			}
			_, err = fmt.Fprintf(env.stdout, "run      %s\npages    %d\nskipped  %d\npending  %d on %d hosts\ncommits  %d\n",
				info.Run, info.Counters.Done, info.Counters.Skipped+info.Counters.Tentative, info.Counters.Pending, len(hosts), info.Commits)
			return err
		},
	}
	command.Flags().BoolVar(&asJSON, "json", false, "print one decorum.state/1 object")
	return command
}

type inspection struct {
	Schema  string           `json:"schema"`
	Run     string           `json:"run"`
	Commits uint64           `json:"commits"`
	Pages   int64            `json:"pages"`
	Skipped int64            `json:"skipped"`
	Pending int64            `json:"pending"`
	Hosts   int              `json:"hosts"`
	Offsets map[string]int64 `json:"offsets"`
}

func newStateWhy(env environment) *cobra.Command {
	return &cobra.Command{
		Use: "why DIR URL", Short: "Show what happened to a URL, and why", Example: "  decorum state why example https://example.com/private",
		Long: "Show how a URL was found, what became of it, and which line of robots.txt decided.\n\n" +
			"EXIT STATUS: 0 known, 1 never seen, 2 usage error, 5 no crawl in DIR.",
		Args: cobra.ExactArgs(2),
		RunE: func(_ *cobra.Command, args []string) error { return why(env, args[0], args[1]) },
	}
}

func why(env environment, directory, address string) error {
	view, err := look(env, directory)
	if err != nil {
		return err
	}
	defer view.Close() //nolint:errcheck // it is only read
	item := frontier.Item{URL: address}
	if canonical, err := frontier.Canonical("", address, 0); err == nil {
		item.URL = canonical
	}
	known, at, err := view.State().Lookup(item)
	if err != nil {
		return err
	}
	if at == frontier.StateUnknown {
		fmt.Fprintf(env.stdout, "%s was never seen\n", safe(item.URL))
		return errFindings
	}
	fmt.Fprintf(env.stdout, "url      %s\nstate    %s\n", safe(known.URL), at)
	if known.Skip != "" {
		fmt.Fprintf(env.stdout, "reason   %s\n", known.Skip)
	}
	fmt.Fprintf(env.stdout, "source   %s, depth %d", known.Source, known.Depth)
	if known.Via != "" {
		fmt.Fprintf(env.stdout, ", via %s", safe(known.Via))
	}
	fmt.Fprintf(env.stdout, "\nattempts %d\n", known.Attempts)
	return whyLine(env.stdout, view, known.URL)
}

// whyLine prints what the outputs record about a URL.
func whyLine(out io.Writer, view *crawldir.View, address string) error {
	for skip, err := range view.Skips() {
		if err != nil {
			return err
		}
		if skip.URL == address {
			printSkip(out, skip)
			printRecord(out, view, crawldir.SkippedName)
			return nil
		}
	}
	for page, err := range view.Pages() {
		if err != nil {
			return err
		}
		if page.URL == address {
			printPage(out, page)
			printRecord(out, view, crawldir.PagesName)
			return nil
		}
	}
	return nil
}

func printSkip(out io.Writer, skip record.Skip) {
	printRule(out, skip.Rule, skip.Line)
	if skip.Pattern != "" {
		fmt.Fprintf(out, "pattern  %s\n", safe(skip.Pattern))
	}
	if skip.Error != "" {
		fmt.Fprintf(out, "cause    %s\n", safe(skip.Error))
	}
}

func printPage(out io.Writer, page record.Page) {
	if page.Status > 0 || page.Error != "" {
		fmt.Fprintf(out, "status   %d %s\n", page.Status, safe(page.Error))
	}
	if page.Cause != "" {
		fmt.Fprintf(out, "cause    %s\n", safe(page.Cause))
	}
	if page.Robots.Reason != "" {
		fmt.Fprintf(out, "robots   %s\n", page.Robots.Reason)
		printRule(out, page.Robots.Rule, page.Robots.Line)
	}
}

func printRule(out io.Writer, rule string, line int) {
	if line > 0 {
		fmt.Fprintf(out, "rule     line %d: %s\n", line, safe(rule))
	}
}

func printRecord(out io.Writer, view *crawldir.View, name string) {
	fmt.Fprintf(out, "record   %s\n", filepath.Join(view.Path(), name))
}
