package storage

import (
	"errors"
	"strings"
	"syscall"
)

// diskErrors are the errors of the system that a file can have while it is open.
var diskErrors = []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT, syscall.EIO, syscall.EFBIG, syscall.EROFS, syscall.ENOMEM}

// systemError is an error whose text ends in that of an error of the system.
type systemError struct {
	error
	errno syscall.Errno
}

func (e systemError) Unwrap() []error { return []error{e.error, e.errno} }

// withErrno returns err with the error of the system that bbolt has kept as text
// only, as in "file resize error: no space left on device".
func withErrno(err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[syscall.Errno](err); ok {
		return err
	}
	for _, errno := range diskErrors {
		if strings.HasSuffix(err.Error(), ": "+errno.Error()) {
			return systemError{err, errno}
		}
	}
	return err
}
