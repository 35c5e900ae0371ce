package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/decorum-crawler/decorum/configs"
	"github.com/decorum-crawler/decorum/corpus/evidence"
	"github.com/decorum-crawler/decorum/crawler"
	"github.com/decorum-crawler/decorum/crawler/record"
	"github.com/decorum-crawler/decorum/frontier"
	"github.com/decorum-crawler/decorum/storage"
	"github.com/decorum-crawler/decorum/storage/jsonl"
	"github.com/decorum-crawler/decorum/storage/whole"
)

// errForeign means that a directory holds something else than a crawl.
var errForeign = errors.New("directory is not empty and holds no crawl of decorum")

// The files of a crawl directory.
const (
	stateName  = "crawl.db"
	configName = "config.yaml"
	logName    = "crawl.log"
)

// outputNames are the outputs and their files.
var outputNames = map[string]string{
	record.OutputPages:   "pages.jsonl",
	record.OutputSkipped: "skipped.jsonl",
}

// configHead marks a directory as ours before its state is there.
const configHead = "# The settings of this crawl. Written by decorum; read by decorum resume.\n"

// folder is an open crawl directory.
type folder struct {
	path     string
	root     *os.Root
	state    *storage.State
	outputs  map[string]output
	log      *os.File
	corpus   *corpusSettings // nil: a crawl without a corpus
	archive  *wireArchive    // nil: nothing of the wire is kept
	evidence *evidence.Store
}

// output is a file, or a series of files, that moves together with the state.
type output interface {
	frontier.Output
	Close() error
}

// holdsCrawl says whether path holds a crawl. What is neither a crawl nor a
// new or empty directory is refused.
func holdsCrawl(path string) (bool, error) {
	entries, err := os.ReadDir(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("open crawl directory: %w", err)
	}
	if len(entries) == 1 && isDraft(path, entries[0].Name()) {
		return false, nil // it was being made when its process was killed
	}
	head, err := readHead(filepath.Join(path, configName), len(configHead))
	ours := err == nil && bytes.Equal(head, []byte(configHead))
	switch {
	case ours && slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == stateName }):
		return true, nil
	case ours || len(entries) == 0:
		return false, nil
	}
	return false, fmt.Errorf("open crawl directory %s: %w", path, errForeign)
}

// isDraft reports whether a file is one of our settings that was not whole yet.
func isDraft(path, name string) bool {
	if name != configName+".new" {
		return false
	}
	head, err := readHead(filepath.Join(path, name), len(configHead))
	return (err == nil || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)) && strings.HasPrefix(configHead, string(head))
}

// readHead gives the first n bytes of a file, and what there is with an error
// when it is shorter.
func readHead(name string, n int) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	head := make([]byte, n)
	n, err = io.ReadFull(file, head)
	return head[:n], err
}

// createFolder makes a crawl directory with its settings and an empty state of
// that name; prepare, if given, puts more into it before.
func createFolder(path, stateName string, c configs.Config, prepare func(root *os.Root) error) (*folder, error) {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, fmt.Errorf("make crawl directory: %w", err)
	}
	if err := furnish(path, c, prepare); err != nil {
		return nil, err
	}
	state, err := storage.Create(filepath.Join(path, stateName))
	if err != nil {
		return nil, err
	}
	return openOutputs(path, state, c)
}

// furnish puts into a new crawl directory what stands there before its state.
func furnish(path string, c configs.Config, prepare func(root *os.Root) error) error {
	settings, err := configs.Encode(c)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return fmt.Errorf("make crawl directory: %w", err)
	}
	err = whole.WriteData(root, configName, append([]byte(configHead), settings...))
	if err == nil && prepare != nil {
		err = prepare(root)
	}
	return errors.Join(err, root.Close())
}

// readSettings reads those that a crawl began with.
func readSettings(path string) (configs.Config, error) {
	c := configs.Default()
	data, err := os.ReadFile(filepath.Join(path, configName))
	if err != nil {
		return c, fmt.Errorf("open crawl directory: %w", err)
	}
	return c, configs.Load(filepath.Join(path, configName), data, &c)
}

// openFolder opens a crawl directory to go on with it; its outputs are cut
// back to what the state knows.
func openFolder(path, stateName string) (*folder, configs.Config, error) {
	c, err := readSettings(path)
	if err != nil {
		return nil, c, err
	}
	state, err := storage.Open(filepath.Join(path, stateName), false)
	if err != nil {
		return nil, c, err
	}
	f, err := openOutputs(path, state, c)
	return f, c, err
}

func openOutputs(path string, state *storage.State, c configs.Config) (*folder, error) {
	f := &folder{path: path, state: state, outputs: map[string]output{}}
	info, err := state.Info()
	if err == nil {
		f.root, err = os.OpenRoot(path)
	}
	if err == nil {
		f.evidence = evidence.New(f.root)
	}
	names := outputNames
	if err == nil {
		if f.corpus, err = readCorpusSettings(f.root); err == nil && f.corpus != nil {
			names, err = corpusOutputs(f.root)
		}
	}
	for name, file := range names {
		if err != nil {
			break
		}
		err = f.openLines(name, file, info.Offsets)
	}
	if err == nil && slices.Contains(c.Store, storeWARC) {
		err = f.openArchive(c, info)
	}
	if err == nil {
		f.log, err = f.root.OpenFile(logName, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	}
	if err == nil {
		if err = f.root.Mkdir(evidence.RobotsDir, 0o700); errors.Is(err, fs.ErrExist) {
			err = nil
		}
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open crawl directory %s: %w", path, err), f.close())
	}
	return f, nil
}

// openLines opens an output of JSON Lines.
func (f *folder) openLines(name, file string, offsets map[string]int64) error {
	lines, err := jsonl.Open(f.root, file, offsets[name])
	if err == nil {
		f.outputs[name] = lines
	}
	return err
}

// frontier opens the frontier on the state and the outputs.
func (f *folder) frontier(pause time.Duration) (*frontier.Local, error) {
	outputs := map[string]frontier.Output{}
	for name, w := range f.outputs {
		outputs[name] = w
	}
	return frontier.NewLocal(f.state, frontier.Options{
		Outputs: outputs, Skipped: record.SkipLine, SkipOutput: record.OutputSkipped, Pause: pause,
	})
}

// versions keeps those of sitemap files in the state.
func (f *folder) versions() crawler.Versions {
	return crawler.Versions{
		Load: func(address string) (crawler.Version, bool, error) {
			v, ok, err := f.state.Version(address)
			return crawler.Version(v), ok, err
		},
		Save: func(address string, v crawler.Version) error { return f.state.SaveVersion(address, storage.Version(v)) },
	}
}

// close closes everything; the frontier must be closed before.
func (f *folder) close() error {
	var faults []error
	for _, w := range f.outputs {
		faults = append(faults, w.Close())
	}
	if f.log != nil {
		faults = append(faults, f.log.Close())
	}
	if f.root != nil {
		faults = append(faults, f.root.Close())
	}
	faults = append(faults, f.state.Close())
	return errors.Join(faults...)
}

// watchDisk calls stop when less than floor bytes are left where the folder is.
func (f *folder) watchDisk(ctx context.Context, floor int64, stop func()) {
	ticker := time.NewTicker(2 * time.Second)
	defer ticker.Stop()
	for {
		if free, err := freeBytes(f.path); err == nil && free < floor {
			stop()
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}
