package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"

	"github.com/decorum-crawler/decorum/internal/atomicfile"
)

// maxInput bounds small files that are read as a whole, such as settings, in bytes.
const maxInput = 16 << 20

var errNotAFile = errors.New("not a file")

// openInput opens a file that the user names. It may be a pipe, as from a shell's
// <(command), but not a device other than /dev/null. A pipe that nobody writes to is
// empty.
func openInput(name string) (*os.File, error) {
	file, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe without a writer must not block
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	switch {
	case err != nil:
	case info.IsDir():
		err = fmt.Errorf("%s: %w", name, syscall.EISDIR)
	case !isPipe(info) && !info.Mode().IsRegular() && name != os.DevNull:
		err = fmt.Errorf("%s: %w", name, errNotAFile)
	}
	if err != nil {
		_ = file.Close() // nothing was read
		return nil, err
	}
	return file, nil
}

func isPipe(info fs.FileInfo) bool { return info.Mode()&fs.ModeNamedPipe != 0 }

// checkOutput refuses a link as the name of an output, since what the user named
// would not be written.
func checkOutput(name string) error {
	if info, err := os.Lstat(name); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return fmt.Errorf("%s: %w", name, atomicfile.ErrNotRegular)
	}
	return nil
}

// readInput returns the content of a small file that the user names.
func readInput(name string) ([]byte, error) {
	file, err := openInput(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxInput+1))
	if err == nil && len(data) > maxInput {
		err = fmt.Errorf("%s is longer than %d bytes", name, maxInput)
	}
	if info, failed := file.Stat(); err == nil && failed == nil && isPipe(info) && len(data) == 0 {
		err = fmt.Errorf("%s: nothing was written to the pipe", name)
	}
	return data, err
}
