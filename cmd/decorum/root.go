package main

import (
	"context"
	"fmt"
	"runtime"

	"github.com/spf13/cobra"
)

// run executes one command line and gives its exit code.
func run(ctx context.Context, env environment) int {
	root := newRoot(env)
	root.SetArgs(env.args)
	return report(env.stderr, root.ExecuteContext(ctx))
}

func newRoot(env environment) *cobra.Command {
	root := &cobra.Command{
		Use:           "decorum",
		Short:         "A polite batch web crawler with sitemap discovery",
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetIn(env.stdin)
	root.SetOut(env.stdout)
	root.SetErr(env.stderr)
	root.AddCommand(newRobots(env), newVersion(env))
	return root
}

func newVersion(env environment) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version and the name matched in robots.txt",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintf(env.stdout, "decorum %s (%s, agent token %s)\n", version, runtime.Version(), defaultAgent)
			return err
		},
	}
}
