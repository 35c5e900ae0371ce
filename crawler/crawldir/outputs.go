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
var ErrStateLost = errors.New("crawl state is missing")

// ErrOutput means that an output is not a regular file, or has other hard links:
// truncating it would change another file.
var ErrOutput = errors.New("not a regular file with one name")

// outputFiles returns the names of the files that a crawl with these options
// truncates and appends to, sorted.
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

// checkNew returns an error for a directory without a state whose outputs are not
// empty: they would be truncated to nothing.
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
			return fmt.Errorf("open crawl directory %s: %w: there is %s, but no %s", root.Name(), ErrStateLost, name, o.state())
		}
	}
	return nil
}

// checkOutputs returns an error for outputs that are not regular files or have
// several names. It is called before anything is truncated.
func checkOutputs(root *os.Root, o Options) error {
	names, err := outputFiles(root, o)
	if err != nil {
		return err
	}
	for _, name := range append(names, LogName) {
		if err := checkRegular(root, name); err != nil {
			return err
		}
		info, err := root.Lstat(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if stat, ok := info.Sys().(*syscall.Stat_t); ok && stat.Nlink > 1 {
			return fmt.Errorf("open output %s: %w: it has %d names", name, ErrOutput, stat.Nlink)
		}
	}
	return nil
}

// checkRegular returns an error for a file that exists and is not a regular file,
// such as a link.
func checkRegular(root *os.Root, name string) error {
	info, err := root.Lstat(name)
	if err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("open %s: %w", name, ErrOutput)
	}
	return nil
}
