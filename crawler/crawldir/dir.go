package crawldir

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"github.com/decorum-crawler/decorum/configs"
	"github.com/decorum-crawler/decorum/corpus/evidence"
	"github.com/decorum-crawler/decorum/crawler"
	"github.com/decorum-crawler/decorum/crawler/record"
	"github.com/decorum-crawler/decorum/frontier"
	"github.com/decorum-crawler/decorum/internal/atomicfile"
	"github.com/decorum-crawler/decorum/storage"
	"github.com/decorum-crawler/decorum/storage/jsonl"
)

// A Dir is a crawl directory that is open for a run of its crawl. No other
// process can open it at the same time. It is safe for concurrent use.
type Dir struct {
	View

	settings configs.Config
	version  string
	opened   time.Time
	outputs  map[string]output
	archived bool
	log      *os.File
	evidence *evidence.Store

	closedTraps []string // when it was opened
}

// output is a file, or a series of files, that is committed with the state.
type output interface {
	frontier.Output
	Close() error
}

// Create makes a crawl directory in path, for which [Holds] must return false. It
// writes the settings c and the files of o, and then an empty state. It returns
// an [ErrStateLost] when outputs with data already exist, an [ErrOutput] when an
// output is not a file of its own, and a [storage.ErrLocked] when another process
// has begun a crawl there meanwhile; then nothing was changed. The caller closes
// the Dir.
func Create(path string, c configs.Config, o Options) (*Dir, error) {
	if err := atomicfile.MkdirAll(path, 0o700); err != nil {
		return nil, fmt.Errorf("make crawl directory: %w", err)
	}
	held, err := lock(path, true)
	if err != nil {
		return nil, err
	}
	state, err := begin(path, c, o)
	if err != nil {
		return nil, errors.Join(err, held.Close())
	}
	return open(View{path: path, held: held, state: state}, c, o)
}

// begin makes the files of a new directory, which is locked.
func begin(path string, c configs.Config, o Options) (*storage.State, error) {
	name := filepath.Join(path, o.state())
	if _, err := os.Lstat(name); err == nil {
		return nil, fmt.Errorf("make %s: another process was faster: %w: %w", name, storage.ErrLocked, fs.ErrExist)
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, fmt.Errorf("make crawl directory: %w", err)
	}
	if err := errors.Join(prepare(root, c, o), root.Close()); err != nil {
		return nil, err
	}
	return storage.Create(name)
}

// prepare checks a directory and writes the files that come before its state.
func prepare(root *os.Root, c configs.Config, o Options) error {
	if err := checkNew(root, o); err != nil {
		return err
	}
	if err := checkOutputs(root, o); err != nil {
		return fmt.Errorf("open crawl directory %s: %w", root.Name(), err)
	}
	return writeSettings(root, c, o.Files)
}

// Open opens the crawl in path to resume it. It truncates the outputs to the
// committed lengths. Files of o are not written. It returns the errors of
// [storage.Open], an [ErrOutput], and a [jsonl.ErrShort] or warc.ErrShort when an
// output is shorter than its committed length. The caller closes the Dir.
func Open(path string, o Options) (*Dir, error) {
	c, err := Settings(path)
	if err != nil {
		return nil, err
	}
	view, err := openView(path, o.state(), false)
	if err != nil {
		return nil, err
	}
	return open(*view, c, o)
}

// open opens the outputs of a directory. It closes v on error.
func open(v View, c configs.Config, o Options) (_ *Dir, err error) {
	d := &Dir{View: v, settings: c, version: o.Version, opened: time.Now(), outputs: map[string]output{}}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("open crawl directory %s: %w", v.path, err), d.Close())
		}
	}()
	info, err := v.state.Info()
	if err != nil {
		return nil, err
	}
	if d.root == nil {
		if d.root, err = os.OpenRoot(v.path); err != nil {
			return nil, err
		}
	}
	if err := checkOutputs(d.root, o); err != nil {
		return nil, err
	}
	if err := d.openLines(o.lines(), info.Offsets); err != nil {
		return nil, err
	}
	if slices.Contains(c.Store, storeArchive) {
		if err := d.openArchive(info); err != nil {
			return nil, err
		}
	}
	if d.log, err = d.root.OpenFile(LogName, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600); err != nil {
		return nil, err
	}
	if err := atomicfile.MakeFolder(d.root, evidence.RobotsDir); err != nil {
		return nil, err
	}
	if err := atomicfile.SyncFolder(d.root, "."); err != nil { // the names of new outputs
		return nil, err
	}
	if d.closedTraps, err = d.ClosedTraps(); err != nil {
		return nil, err
	}
	d.evidence = evidence.New(d.root)
	return d, nil
}

// openLines opens the JSON Lines outputs and makes their folders.
func (d *Dir) openLines(files map[string]string, offsets map[string]int64) error {
	for _, name := range slices.Sorted(maps.Keys(files)) {
		file := files[name]
		if err := atomicfile.MakeFolder(d.root, path.Dir(file)); err != nil {
			return err
		}
		lines, err := jsonl.Open(d.root, file, offsets[name])
		if err != nil {
			return err
		}
		d.outputs[name] = lines
		if folder := path.Dir(file); folder != "." {
			if err := atomicfile.SyncFolder(d.root, folder); err != nil {
				return err
			}
		}
	}
	return nil
}

// Settings returns the settings that the crawl was started with.
func (d *Dir) Settings() configs.Config { return d.settings }

// Log returns the log of the crawl, to which runs append.
func (d *Dir) Log() io.Writer { return d.log }

// Evidence returns the store of the files of sites.
func (d *Dir) Evidence() *evidence.Store { return d.evidence }

// Frontier opens the queue of the crawl on the state and the outputs, which
// replace those of options. The caller closes the queue before the Dir.
func (d *Dir) Frontier(options frontier.Options) (*frontier.Local, error) {
	options.Outputs = map[string]frontier.Output{}
	for name, w := range d.outputs {
		options.Outputs[name] = w
	}
	options.Skipped = record.Skipped
	return frontier.NewLocal(d.state, options)
}

// Connect sets options so that a crawl stores in the directory what it learns:
// robots.txt files, their evidence, the versions of sitemaps and, with an
// archive, the requests and responses. Patterns of traps stay closed. It also makes requests to known hosts wait
// for the saved time, whatever they are for. queue is that of [Dir.Frontier].
func (d *Dir) Connect(o *crawler.Options, queue *frontier.Local) {
	o.Fetch.Robots, o.Fetch.Evidence, o.Fetch.Saved = d.state, d.evidence.KeepRobots, d.saved
	o.Versions, o.ClosedTraps = d.versions(), d.closedTraps
	o.Capture, o.Record = d.capture(), queue.Record
}

// saved returns when the next request to a known host may start. The last
// requests of an interrupted run may not be recorded, so that is at least one gap
// after the directory was opened.
func (d *Dir) saved(host string) (next time.Time, gap time.Duration, ok bool) {
	known, ok, err := d.state.Host(host)
	if err != nil || !ok || known.NextAt.IsZero() {
		return time.Time{}, 0, false // no request was sent to it
	}
	return known.First(time.Duration(d.settings.Delay), d.opened), known.Gap, true
}

// versions stores the versions of sitemap files in the state.
func (d *Dir) versions() crawler.Versions {
	return crawler.Versions{
		Load: func(address string) (crawler.Version, bool, error) {
			v, ok, err := d.state.Version(address)
			return crawler.Version(v), ok, err
		},
		Save: func(address string, v crawler.Version) error { return d.state.SaveVersion(address, storage.Version(v)) },
	}
}

// Close closes the directory. Anything that the frontier did not commit is lost,
// as after a crash.
func (d *Dir) Close() error {
	var faults []error
	for _, w := range d.outputs {
		faults = append(faults, w.Close())
	}
	if d.log != nil {
		faults = append(faults, d.log.Close())
	}
	return errors.Join(append(faults, d.View.Close())...)
}
