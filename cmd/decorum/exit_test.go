package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"github.com/decorum-crawler/decorum/crawler/crawldir"
	"github.com/decorum-crawler/decorum/frontier"
	"github.com/decorum-crawler/decorum/storage"
	"github.com/decorum-crawler/decorum/storage/jsonl"
)

// TestExitCodes has an error of each kind as commands return it. Only what the
// user typed is a usage error.
func TestExitCodes(t *testing.T) {
	of := func(err error) error {
		return fmt.Errorf("write pages.jsonl: %w", &fs.PathError{Op: "write", Path: "x", Err: err})
	}
	for _, test := range []struct {
		err  error
		code int
		hint bool
	}{
		{nil, exitOK, false},
		{errFindings, exitFindings, false},
		{usageError(errors.New("no seed"), "name one"), exitUsage, true},
		{of(syscall.EIO), exitIO, true},
		{of(syscall.EFBIG), exitIO, true},
		{of(syscall.EMFILE), exitIO, true},
		{of(syscall.EROFS), exitIO, true},
		{of(syscall.ENOTDIR), exitIO, true},
		{of(syscall.ENAMETOOLONG), exitIO, true},
		{of(syscall.ELOOP), exitIO, true},
		{of(syscall.ENOSPC), exitIO, true},
		{of(syscall.EACCES), exitIO, true},
		{of(syscall.EINTR), exitIO, false},
		{errors.New("file resize error: input/output error"), exitIO, false}, // as bbolt says it, without a value
		{fmt.Errorf("open state: %w", storage.ErrDamaged), exitDirectory, true},
		{fmt.Errorf("finish: %w", frontier.ErrDamaged), exitDirectory, true},
		{fmt.Errorf("open: %w", storage.ErrLocked), exitDirectory, true},
		{fmt.Errorf("open: %w", crawldir.ErrStateLost), exitDirectory, true},
		{fmt.Errorf("read: %w", jsonl.ErrRow), exitDirectory, true},
	} {
		var stderr bytes.Buffer
		if code := report(&stderr, test.err); code != test.code || strings.Contains(stderr.String(), "hint:") != test.hint {
			t.Errorf("%v: got %d, %q, want %d, a hint %v", test.err, code, stderr.String(), test.code, test.hint)
		}
	}
}
