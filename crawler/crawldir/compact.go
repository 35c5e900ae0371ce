package crawldir

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/decorum-crawler/decorum/storage"
)

// Compact replaces the state of the crawl in path by a smaller copy, and returns
// the sizes of both in bytes. A process that is killed leaves the old state or the
// new one. It returns the errors of [Hold] and those of [storage.Compact], which
// see for what a damaged state can do to the process.
func Compact(path string) (before, after int64, err error) {
	held, err := lock(path, true)
	if err != nil {
		return 0, 0, err
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return 0, 0, errors.Join(err, held.Close())
	}
	if err = checkRegular(root, StateName); err == nil {
		before, after, err = storage.Compact(filepath.Join(path, StateName))
	}
	return before, after, errors.Join(err, root.Close(), held.Close())
}
