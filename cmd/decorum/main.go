// Command decorum is a polite batch web crawler with sitemap discovery.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// version is the released version; the linker may set it.
var version = "0.1.0-dev"

// environment is all that a command may touch beside its arguments.
type environment struct {
	args   []string
	stdin  io.Reader
	stdout io.Writer
	stderr io.Writer
	getenv func(string) string
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, environment{
		args:   os.Args[1:],
		stdin:  os.Stdin,
		stdout: os.Stdout,
		stderr: os.Stderr,
		getenv: os.Getenv,
	})
	stop()
	os.Exit(code)
}
