package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/decorum-crawler/decorum/crawler/crawldir"
	"github.com/decorum-crawler/decorum/frontier"
	"github.com/decorum-crawler/decorum/storage"
)

func newState(env environment) *cobra.Command {
	parent := &cobra.Command{Use: "state", Short: "Inspect a crawl"}
	parent.AddCommand(newStateInspect(env), newStateWhy(env), newStateExport(env), newStateVerify(env))
	return parent
}

func newStateInspect(env environment) *cobra.Command {
	var asJSON bool
	command := &cobra.Command{
		Use: "inspect DIR", Short: "Show how far a crawl has come", Example: "  decorum state inspect example",
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			view, err := look(args[0])
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
	view, err := look(directory)
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
			printRule(out, skip.Rule, skip.Line)
			if skip.Error != "" {
				fmt.Fprintf(out, "cause    %s\n", safe(skip.Error))
			}
			printRecord(out, view, crawldir.SkippedName)
			return nil
		}
	}
	for page, err := range view.Pages() {
		if err != nil {
			return err
		}
		if page.URL != address {
			continue
		}
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
		printRecord(out, view, crawldir.PagesName)
		return nil
	}
	return nil
}

func printRule(out io.Writer, rule string, line int) {
	if line > 0 {
		fmt.Fprintf(out, "rule     line %d: %s\n", line, safe(rule))
	}
}

func printRecord(out io.Writer, view *crawldir.View, name string) {
	fmt.Fprintf(out, "record   %s\n", filepath.Join(view.Path(), name))
}

func newStateVerify(env environment) *cobra.Command {
	inProcess := false
	command := &cobra.Command{
		Use: "verify DIR", Short: "Check that the state and the outputs of a crawl agree", Example: "  decorum state verify example",
		Long: "Check that every URL of the state has exactly one line in the outputs, and every line its URL. An archive is checked\n" +
			"against its index.\n\n" +
			"EXIT STATUS: 0 they agree, 1 they differ, 5 no crawl in DIR, or it is damaged or in use.",
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if inProcess || env.self == "" {
				return verify(env, args[0])
			}
			return verifyInChild(env, args[0])
		},
	}
	command.Flags().BoolVar(&inProcess, "in-process", false, "check in this process, not in a child")
	_ = command.Flags().MarkHidden("in-process") // the flag exists
	return command
}

// verifyInChild checks in a child process: reading a damaged state can crash the
// process in a way that recover does not catch.
func verifyInChild(env environment, directory string) error {
	var errs bytes.Buffer
	child := exec.CommandContext(context.Background(), env.self, "state", "verify", "--in-process", directory)
	child.Args[0], child.Stdout, child.Stderr = "decorum", env.stdout, &errs
	err := child.Run()
	failed, ok := errors.AsType[*exec.ExitError](err)
	switch {
	case err == nil:
	case !ok:
		return &commandError{code: exitIO, err: fmt.Errorf("verify in a child process: %w", err)}
	case failed.ExitCode() < 0, bytes.Contains(errs.Bytes(), []byte("fatal error: ")), bytes.Contains(errs.Bytes(), []byte("panic: ")):
		return fmt.Errorf("verify state of %s: the process that read it crashed: %w", directory, storage.ErrDamaged)
	default:
		err = &commandError{code: failed.ExitCode()}
	}
	fmt.Fprint(env.stderr, errs.String())
	return err
}

// shownFaults is the number of faults that are printed; the others are only
// counted.
const shownFaults = 20

func verify(env environment, directory string) error {
	view, err := look(directory)
	if err != nil {
		return err
	}
	defer view.Close() //nolint:errcheck // it is only read
	faults := 0
	err = view.Verify(func(fault string) {
		if faults++; faults <= shownFaults {
			fmt.Fprintf(env.stdout, "%s\n", safe(fault))
		}
	})
	if err != nil {
		return err
	}
	if faults > 0 {
		fmt.Fprintln(env.stdout, plural(faults, "fault"))
		return errFindings
	}
	info, err := view.State().Info()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(env.stdout, "ok: %d pages, %d skipped, %d pending\n",
		info.Counters.Done, info.Counters.Skipped+info.Counters.Tentative, info.Counters.Pending)
	return err
}
