package storage

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"testing"
)

func TestWithErrno(t *testing.T) {
	for _, test := range []struct {
		err  error
		want syscall.Errno
	}{
		{nil, 0},
		{errors.New("file resize error: truncate crawl.db: no space left on device"), syscall.ENOSPC},
		{errors.New("file sync error: sync crawl.db: input/output error"), syscall.EIO},
		{fmt.Errorf("write: %w", syscall.EFBIG), syscall.EFBIG},
		{&fs.PathError{Op: "open", Path: "no space left on device", Err: syscall.EACCES}, syscall.EACCES},
		{errors.New("invalid database"), 0},
	} {
		err := withErrno(test.err)
		if got, _ := errors.AsType[syscall.Errno](err); got != test.want || (test.err != nil && err.Error() != test.err.Error()) {
			t.Errorf("%v: got %d in %v, want %d", test.err, got, err, test.want)
		}
	}
}
