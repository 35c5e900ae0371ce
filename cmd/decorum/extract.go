package main

import (
	"context"
	"os"
	"os/exec"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/decorum-crawler/decorum/corpus/text"
)

// extractName is the hidden command of the processes that take texts out of
// pages for a corpus.
const extractName = "extract"

// extractor gives what starts such a process; nil where this program does not
// know itself. It is in a group of its own, so that a signal from the terminal
// does not end it before the crawl lets it.
func (e environment) extractor() func() *exec.Cmd {
	if e.self == "" {
		return nil
	}
	return func() *exec.Cmd {
		command := exec.CommandContext(context.Background(), e.self, extractName) // ends with its input, or is killed
		command.Args[0] = "decorum"
		command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		return command
	}
}

func newExtract(env environment) *cobra.Command {
	return &cobra.Command{
		Use: extractName, Short: "Extract the text of pages for another process", Hidden: true, Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			debug.SetGCPercent(200) // little lives between two pages
			debug.SetMemoryLimit(256 << 20)
			go endWithParent() // ends with the process
			return text.Serve(env.stdin, env.stdout)
		},
	}
}

// endWithParent ends the process when its parent was killed: one that is stuck
// in a page does not see that its input ended.
func endWithParent() {
	parent := os.Getppid()
	for range time.Tick(time.Second) {
		if os.Getppid() != parent {
			exitNow(exitOK)
		}
	}
}
