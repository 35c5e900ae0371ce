// Command decorum is a polite batch web crawler with sitemap discovery.
package main

import (
	"io"
	"log"
	"os"
	"os/signal"
	"syscall"
)

// version is the released version; the linker may set it.
var version = "0.1.0"

// environment holds the arguments of a command and everything outside that it
// may use.
type environment struct {
	args   []string
	stdin  io.Reader
	stdout io.Writer
	stderr io.Writer
	getenv func(string) string
	// signals starts to catch SIGINT, SIGTERM and SIGUSR1; release stops it. A
	// command that does not call it is ended by these signals. It is nil in tests.
	signals func() (caught <-chan os.Signal, release func())
	// libraryLog says where what libraries log is to be written. It is nil in tests.
	libraryLog func(io.Writer)
	isTTY      bool   // standard error is a terminal
	self       string // path of this program, to start child processes; empty: use this process
}

func main() {
	log.SetFlags(0)
	log.SetOutput(io.Discard) // until there is a logger; net/http writes there what it thinks of a server
	info, err := os.Stderr.Stat()
	os.Exit(run(environment{
		args:       os.Args[1:],
		stdin:      os.Stdin,
		stdout:     os.Stdout,
		stderr:     os.Stderr,
		getenv:     os.Getenv,
		signals:    catchSignals,
		libraryLog: log.SetOutput,
		isTTY:      err == nil && info.Mode()&os.ModeCharDevice != 0,
		self:       "/proc/self/exe",
	}))
}

func catchSignals() (caught <-chan os.Signal, release func()) {
	signals := make(chan os.Signal, 4) // so that none is lost while another is handled
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGUSR1)
	return signals, func() { signal.Stop(signals) }
}

// exitNow ends the process at the last stage of a stop.
func exitNow(code int) { os.Exit(code) }
