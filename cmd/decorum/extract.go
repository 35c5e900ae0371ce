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

// extractName is the hidden command of the processes that extract the text of
// pages for a corpus.
const extractName = "extract"

// extractor returns a function that starts such a process, or nil if the path of
// this program is unknown. The process is in its own process group, so that a
// signal from the terminal reaches only the crawl, which then ends it.
func (e environment) extractor() func() *exec.Cmd {
	if e.self == "" {
		return nil
	}
	return func() *exec.Cmd {
		command := exec.CommandContext(context.Background(), e.self, extractName) // ends when its input does, or is killed
		command.Args[0] = "decorum"
		command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		return command
	}
}

func newExtract(env environment) *cobra.Command {
	return &cobra.Command{
		Use: extractName, Short: "Extract the text of pages for another process", Hidden: true, Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			debug.SetGCPercent(200) // little memory is in use between two pages
			debug.SetMemoryLimit(256 << 20)
			go endWithParent() // runs as long as the process
			return text.Serve(env.stdin, env.stdout)
		},
	}
}

// endWithParent ends the process if its parent is killed: a process that is stuck
// in a page does not notice the end of its input.
func endWithParent() {
	parent := os.Getppid()
	for range time.Tick(time.Second) {
		if os.Getppid() != parent {
			exitNow(exitOK)
		}
	}
}
