package main

import (
	"fmt"
	"io"
	"syscall"
)

// Open files of a crawl.
const (
	ownFiles    = 32 // state, outputs, log, pipes of child processes
	workerFiles = 4  // of a request: connection, look-up, temporary files
	mostIdle    = 256
)

// fileLimit returns how many files this process may have open; 0 when it is
// unknown. The Go runtime has raised the soft limit to the hard one.
func fileLimit() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 0
	}
	return int(min(limit.Cur, 1<<20))
}

// fitFiles returns how many workers and idle connections a process with a limit
// of open files may have.
func fitFiles(limit, workers int) (fitting, idle int) {
	if limit == 0 {
		return workers, mostIdle
	}
	left := limit - ownFiles
	fitting = max(min(workers, left/(workerFiles+1)), 1)
	return fitting, max(min(left-fitting*workerFiles, mostIdle), 1)
}

// fitWorkers is [fitFiles] for the limit of this process. It says when there are
// fewer workers than asked for.
func fitWorkers(out io.Writer, workers int) int {
	limit := fileLimit()
	fitting, _ := fitFiles(limit, workers)
	if fitting < workers {
		fmt.Fprintf(out, "decorum: at most %d files may be open (ulimit -n), so at most %s in parallel instead of %d\n", limit, plural(fitting, "request"), workers)
	}
	return fitting
}
