package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// run executes one command line and returns its exit code.
func run(env environment) (code int) {
	defer func() {
		if fault := recover(); fault != nil {
			fmt.Fprintf(env.stderr, "decorum: internal error: %s\n%s", safe(fmt.Sprint(fault)), debug.Stack())
			code = exitInternal
		}
	}()
	root := newRoot(env)
	root.SetArgs(env.args)
	return report(env.stderr, root.Execute())
}

func newRoot(env environment) *cobra.Command {
	root := &cobra.Command{
		Use:           "decorum",
		Short:         "A polite batch web crawler with sitemap discovery",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE:          func(command *cobra.Command, _ []string) error { return command.Help() },
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetIn(env.stdin)
	root.SetOut(env.stdout)
	root.SetErr(env.stderr)
	root.AddCommand(newCrawl(env), newResume(env), newAudit(env), newCorpus(env), newRobots(env), newSitemap(env), newState(env),
		newDemo(env), newConfig(env), newVersion(env), newExtract(env))
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	checkArguments(root)
	root.SetFlagErrorFunc(func(command *cobra.Command, err error) error {
		if command.HasSubCommands() && command.Flags().NArg() > 0 {
			return refuseUnknown(command, command.Flags().Args()) // the flag may be one of the command that was meant
		}
		return usageError(err, "run "+command.CommandPath()+" --help")
	})
	return root
}

func newVersion(env environment) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version and the product token",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintf(env.stdout, "decorum %s (%s, agent token %s)\n", version, runtime.Version(), defaultAgent)
			return err
		},
	}
}
