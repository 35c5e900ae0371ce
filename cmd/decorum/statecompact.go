package main

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/decorum-crawler/decorum/crawler/crawldir"
)

func newStateCompact(env environment) *cobra.Command {
	var here bool
	command := &cobra.Command{
		Use: "compact DIR", Short: "Make the state of a crawl smaller", Example: "  decorum state compact example",
		Long: "Replace crawl.db by a copy without the free pages in it. The state is checked first. If the command is interrupted,\n" +
			"the old state stays.\n\n" +
			"EXIT STATUS: 0 done, 2 usage error, 4 the copy cannot be written, 5 no crawl in DIR, or it is damaged or in use.",
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if here || env.self == "" {
				return compact(env, args[0])
			}
			return inChild(env, "compact", args[0])
		},
	}
	addInProcess(command, &here)
	return command
}

func compact(env environment, directory string) error {
	before, after, err := crawldir.Compact(directory)
	if errors.Is(err, fs.ErrNotExist) {
		return noCrawl(directory)
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(env.stdout, "crawl.db: %s before, %s after\n", byteCount(before), byteCount(after))
	return err
}
