package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/decorum-crawler/decorum/configs"
)

func newConfig(env environment) *cobra.Command {
	parent := &cobra.Command{Use: "config", Short: "Show the settings"}
	var reference bool
	show := &cobra.Command{
		Use: "show", Short: "Print the settings in effect", Example: "  decorum config show\n  decorum config show --reference",
		Args: cobra.NoArgs,
	}
	settings := addSettings(show)
	show.Flags().BoolVar(&reference, "reference", false, "print every key with its default and meaning instead")
	show.RunE = func(*cobra.Command, []string) error {
		if reference {
			_, err := env.stdout.Write(configs.Reference)
			return err
		}
		c, err := settings.merge(env, configs.Default())
		if err != nil {
			return err
		}
		data, err := configs.Encode(c)
		if err != nil {
			return err
		}
		_, err = fmt.Fprint(env.stdout, string(data))
		return err
	}
	parent.AddCommand(show)
	return parent
}
