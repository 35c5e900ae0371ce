package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

func newStateVerify(env environment) *cobra.Command {
	var here bool
	command := &cobra.Command{
		Use: "verify DIR", Short: "Check that the state and the outputs of a crawl agree", Example: "  decorum state verify example",
		Long: "Check that every URL of the state has exactly one line in the outputs, and every line its URL. An archive is checked\n" +
			"against its index.\n\n" +
			"EXIT STATUS: 0 they agree, 1 they differ, 5 no crawl in DIR, or it is damaged or in use.",
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if here || env.self == "" {
				return verify(env, args[0])
			}
			return inChild(env, "verify", args[0])
		},
	}
	addInProcess(command, &here)
	return command
}

// shownFaults is the number of faults that are printed; the others are only
// counted.
const shownFaults = 20

func verify(env environment, directory string) error {
	view, err := lookUnchecked(directory)
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
