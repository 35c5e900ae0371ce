package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

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
	strict(root)
	root.SetFlagErrorFunc(func(command *cobra.Command, err error) error {
		return usageError(err, "run "+command.CommandPath()+" --help")
	})
	return root
}

// strict has a command and its subcommands refuse arguments that they do not
// take, with a hint. A group without an argument prints its help.
func strict(command *cobra.Command) {
	for _, sub := range command.Commands() {
		strict(sub)
	}
	switch accept := command.Args; {
	case command.HasSubCommands():
		command.Args = refuseUnknown
		if command.Run == nil && command.RunE == nil {
			command.RunE = func(command *cobra.Command, _ []string) error { return command.Help() }
		}
	case accept != nil:
		command.Args = func(command *cobra.Command, args []string) error {
			if err := accept(command, args); err != nil {
				return usageError(err, "usage: "+command.UseLine())
			}
			return nil
		}
	}
}

// refuseUnknown refuses the name of a subcommand that a group does not have.
func refuseUnknown(group *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := "run decorum help"
	if group.HasParent() {
		hint = "run " + group.CommandPath() + " --help"
	}
	group.SuggestionsMinimumDistance = 2
	if near := group.SuggestionsFor(args[0]); len(near) > 0 {
		hint = "did you mean " + group.CommandPath() + " " + strings.Join(near, " or ") + "?"
	}
	return usageError(fmt.Errorf("unknown command %q for %q", args[0], group.CommandPath()), hint)
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
