package crawldir

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"

	"github.com/decorum-crawler/decorum/crawler/record"
	"github.com/decorum-crawler/decorum/storage"
	"github.com/decorum-crawler/decorum/storage/jsonl"
)

// A View is a crawl directory that is open for reading. While it is open, no
// crawl can run there. It is safe for concurrent use.
type View struct {
	path  string
	held  *os.File // the directory, locked
	root  *os.Root
	state *storage.State
}

// Look opens the crawl in path for reading; several Views may be open at once.
// It returns an fs.ErrNotExist when there is no crawl, a [storage.ErrLocked]
// while one is running, and the other errors of [storage.Open]. The caller
// closes the View.
func Look(path string) (*View, error) { return openView(path, StateName, true) }

// Hold opens a directory to change its files, and keeps every other process from
// opening it. state is the name of its state file; empty: [StateName]. It returns
// the errors of [Look].
func Hold(path, state string) (*View, error) {
	return openView(path, Options{State: state}.state(), false)
}

func openView(path, name string, readOnly bool) (*View, error) {
	held, err := lock(path, !readOnly)
	if err != nil {
		return nil, err
	}
	v := &View{path: path, held: held}
	if v.root, err = os.OpenRoot(path); err != nil {
		return nil, errors.Join(fmt.Errorf("open crawl directory: %w", err), v.Close())
	}
	err = checkRegular(v.root, name)
	if err == nil {
		v.state, err = storage.Open(filepath.Join(path, name), readOnly)
	}
	if err == nil && !readOnly {
		err = v.settle()
	}
	if err != nil {
		return nil, errors.Join(err, v.Close())
	}
	return v, nil
}

// settle completes or undoes an interrupted [Retry].
func (v *View) settle() error {
	info, err := v.state.Info()
	if err != nil {
		return err
	}
	return settle(v.root, info.Offsets)
}

// Path returns the path that the directory was opened by.
func (v *View) Path() string { return v.path }

// Root returns the directory, for access to other files in it. It is closed with
// v.
func (v *View) Root() *os.Root { return v.root }

// State returns the state of the crawl, which is also a robots.Store. It is
// closed with v.
func (v *View) State() *storage.State { return v.state }

// Archive returns the archive of the crawl.
func (v *View) Archive() Archive { return Archive{v.root} }

// Pages yields the committed records of requested URLs, in the order of the
// commits. A line that cannot be decoded yields a [jsonl.ErrRow] that names it;
// the iteration can continue after it. Other errors come last: a [jsonl.ErrShort]
// when the file is shorter than its committed length.
func (v *View) Pages() iter.Seq2[record.Page, error] {
	return rows[record.Page](v, record.OutputPages, PagesName)
}

// Skips yields the committed records of URLs that were seen but not requested,
// like [View.Pages].
func (v *View) Skips() iter.Seq2[record.Skip, error] {
	return rows[record.Skip](v, record.OutputSkipped, SkippedName)
}

// rows yields the committed rows of an output.
func rows[T any](v *View, output, name string) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		place := filepath.Join(v.path, name)
		var none T
		info, err := v.state.Info()
		if err != nil {
			yield(none, err)
			return
		}
		file, err := v.openOutput(name, info.Offsets[output])
		if err != nil {
			yield(none, fmt.Errorf("read %s: %w", place, err))
			return
		}
		defer file.Close()
		committed := &io.LimitedReader{R: file, N: info.Offsets[output]}
		for row, err := range jsonl.Decode[T](committed) {
			if err != nil {
				err = fmt.Errorf("read %s: %w", place, err)
			}
			if !yield(row, err) {
				return
			}
		}
		if committed.N > 0 {
			yield(none, fmt.Errorf("read %s: %w", place, jsonl.ErrShort))
		}
	}
}

// Close closes the directory.
func (v *View) Close() error {
	var faults []error
	if v.root != nil {
		faults = append(faults, v.root.Close())
	}
	if v.state != nil {
		faults = append(faults, v.state.Close())
	}
	if v.held != nil {
		faults = append(faults, v.held.Close())
	}
	return errors.Join(faults...)
}
