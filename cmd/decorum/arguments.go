package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// checkArguments has a command and its subcommands refuse arguments that they do not
// take, with a hint. A group without an argument prints its help.
func checkArguments(command *cobra.Command) {
	for _, sub := range command.Commands() {
		checkArguments(sub)
	}
	switch accept := command.Args; {
	case command.Name() == "help":
		command.Args = helpTopic
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

// helpTopic refuses help on a command that does not exist.
func helpTopic(help *cobra.Command, args []string) error {
	command, rest, err := help.Root().Find(args)
	if err == nil && command.HasSubCommands() {
		err = refuseUnknown(command, rest)
	}
	return err
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
