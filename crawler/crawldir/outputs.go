package crawldir

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"syscall"
)

// ErrStateLost means that a directory has outputs of a crawl, but not the state
// that tells how much of them is committed.
var ErrStateLost = errors.New("its state is gone")

// ErrOutput means that an output is not a regular file with one name: what is
// cut and written there would be another file, too.
var ErrOutput = errors.New("not a regular file with one name")

// outputFiles returns the names of the files that a crawl with these options
// cuts and appends to, in order.
func outputFiles(root *os.Root, o Options) ([]string, error) {
	names := slices.Collect(maps.Values(o.lines()))
	archive, err := fs.Glob(root.FS(), ArchiveDir+"/*.warc.gz")
	if err != nil {
		return nil, err
	}
	names = append(append(names, CapturesName), archive...)
	slices.Sort(names)
	return names, nil
}

// checkNew refuses a directory whose state does not exist, but whose outputs
// hold something: they would be cut to nothing.
func checkNew(root *os.Root, o Options) error {
	if _, err := root.Lstat(o.state()); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	names, err := outputFiles(root, o)
	if err != nil {
		return err
	}
	for _, name := range names {
		info, err := root.Lstat(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if info.Size() > 0 {
			return fmt.Errorf("open crawl directory %s: it has %s, but no %s: %w", root.Name(), name, o.state(), ErrStateLost)
		}
	}
	return nil
}

// checkOutputs refuses outputs that are links or have several names, before
// anything is cut.
func checkOutputs(root *os.Root, o Options) error {
	names, err := outputFiles(root, o)
	if err != nil {
		return err
	}
	for _, name := range append(names, LogName) {
		info, err := root.Lstat(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if !info.Mode().IsRegular() {
			return fmt.Errorf("open output %s: %w", name, ErrOutput)
		}
		if stat, ok := info.Sys().(*syscall.Stat_t); ok && stat.Nlink > 1 {
			return fmt.Errorf("open output %s: it has %d names: %w", name, stat.Nlink, ErrOutput)
		}
	}
	return nil
}
