package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"

	"github.com/decorum-crawler/decorum/configs"
	"github.com/decorum-crawler/decorum/corpus/archive"
	"github.com/decorum-crawler/decorum/crawler/crawldir"
	"github.com/decorum-crawler/decorum/frontier"
	"github.com/decorum-crawler/decorum/internal/atomicfile"
	"github.com/decorum-crawler/decorum/internal/escape"
	"github.com/decorum-crawler/decorum/internal/secret"
	"github.com/decorum-crawler/decorum/storage"
	"github.com/decorum-crawler/decorum/storage/jsonl"
	"github.com/decorum-crawler/decorum/storage/warc"
)

// Exit codes. Scripts rely on them.
const (
	exitOK        = 0
	exitFindings  = 1
	exitUsage     = 2
	exitNothing   = 3
	exitIO        = 4
	exitDirectory = 5
	exitPartial   = 6
	exitInternal  = 70
	exitInterrupt = 130
	exitTerminate = 143
)

// errFindings ends a command that did its work and found something.
var errFindings = errors.New("findings")

// commandError carries an exit code and a hint at what the user can do next.
// Without err, nothing is printed.
type commandError struct {
	code int
	err  error
	hint string
}

func (e *commandError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit %d", e.code)
	}
	return e.err.Error()
}

func (e *commandError) Unwrap() error { return e.err }

func usageError(err error, hint string) error {
	return &commandError{code: exitUsage, err: err, hint: hint}
}

// hintRepair is for a state that is lost or damaged.
const hintRepair = "run decorum state repair on the directory: it builds a new state from pages.jsonl and the other outputs"

// codes is the one table from errors to exit codes.
var codes = []struct {
	err  error
	code int
	hint string
}{
	{storage.ErrLocked, exitDirectory, "another decorum process is using it: wait until it ends, or name another directory"},
	{storage.ErrNewer, exitDirectory, "use the version of decorum that wrote it, or a later one"},
	{storage.ErrDamaged, exitDirectory, hintRepair},
	{frontier.ErrDamaged, exitDirectory, hintRepair},
	{frontier.ErrNotPending, exitDirectory, hintRepair},
	{storage.ErrNotOurs, exitDirectory, hintRepair},
	{crawldir.ErrForeign, exitDirectory, "name a new or empty directory with -o"},
	{crawldir.ErrStateLost, exitDirectory, hintRepair},
	{crawldir.ErrApart, exitDirectory, "an output was changed or lost lines: restore it from a backup"},
	{storage.ErrTwice, exitDirectory, "an output has two lines of one URL: delete one of them"},
	{crawldir.ErrOutput, exitDirectory, "replace it with a regular copy of the file, or name another directory with -o"},
	{crawldir.ErrNoArchive, exitDirectory, "start a crawl with --store warc, or complete this one with decorum resume"},
	{crawldir.ErrCutShort, exitDirectory, "complete it with decorum resume"},
	{jsonl.ErrShort, exitDirectory, "an output was truncated or replaced since the last run: restore it, or run decorum state repair on the directory, which keeps what is left"},
	{warc.ErrShort, exitDirectory, "an archive file was truncated or removed since the last run; start a new crawl in another directory"},
	{warc.ErrPlace, exitDirectory, "the archive does not match its index: complete the crawl with decorum resume, or see decorum state verify for details"},
	{jsonl.ErrRow, exitDirectory, "the file is damaged there: restore it from a backup, or delete the line if you can do without it"},
	{archive.ErrStated, exitIO, "split the archives over several runs, each with its own directory"},
	{warc.ErrSyntax, exitIO, "it is not an archive, or it is damaged there; leave it out, or truncate it before that place"},
	{atomicfile.ErrNotRegular, exitIO, "a link, pipe, device or directory is never replaced: name another file"},
	{syscall.EISDIR, exitIO, "it is a directory; name the files in it instead"},
	{syscall.ENOSPC, exitIO, "free some space, then run decorum resume on the directory of a crawl, or any other command again"},
	{syscall.EIO, exitIO, "the disk reports an error: check it, then run decorum resume on the directory of a crawl"},
	{syscall.EFBIG, exitIO, "a file may not grow larger there: raise the limit (ulimit -f), or choose another file system"},
	{syscall.EMFILE, exitIO, "raise the limit on open files (ulimit -n), or lower --workers"},
	{syscall.ENFILE, exitIO, "the machine has too many open files: close other programs"},
	{syscall.EROFS, exitIO, "the file system is read-only: choose another place"},
	{syscall.ENOTDIR, exitIO, "a part of the path is a file: choose another place"},
	{syscall.ENAMETOOLONG, exitIO, "choose a shorter name"},
	{syscall.ELOOP, exitIO, "a link in the path leads back to itself: choose another place"},
	{fs.ErrPermission, exitIO, "choose a place that you have permission to write to"},
	{os.ErrNotExist, exitIO, "check the name"},
}

// report prints an error with its hint and returns its exit code. Usage errors say
// that they are; errors without a code of their own come from the system.
func report(stderr io.Writer, err error) int {
	if err == nil {
		return exitOK
	}
	if errors.Is(err, errFindings) {
		return exitFindings
	}
	code, hint := exitIO, ""
	for _, row := range codes {
		if errors.Is(err, row.err) {
			code, hint = row.code, row.hint
			break
		}
	}
	if fault, ok := errors.AsType[*configs.FileError](err); ok {
		code, hint = exitUsage, fault.Hint
	}
	if failed, ok := errors.AsType[*commandError](err); ok {
		code, hint = failed.code, failed.hint
		if failed.err == nil {
			return code
		}
	}
	fmt.Fprintf(stderr, "decorum: error: %s\n", safe(secret.Text(err.Error())))
	if hint != "" {
		fmt.Fprintf(stderr, "decorum: hint: %s\n", safe(hint))
	}
	return code
}

// safe makes text from elsewhere harmless for a terminal.
func safe(text string) string { return escape.Text(text) }
