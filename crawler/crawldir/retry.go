package crawldir

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/decorum-crawler/decorum/crawler/fetch"
	"github.com/decorum-crawler/decorum/crawler/record"
	"github.com/decorum-crawler/decorum/frontier"
	"github.com/decorum-crawler/decorum/internal/atomicfile"
	"github.com/decorum-crawler/decorum/storage/jsonl"
)

// retryName is the name of an output without the lines of URLs that are fetched
// again, until it replaces the output.
func retryName(output string) string { return output + ".retry" }

// Retry makes URLs pending again whose requests failed in a way that may have
// passed, see [fetch.Failure.MayPass], or that were skipped because a robots.txt
// was unreachable. Their lines are removed from the outputs, so that each URL still
// has one line; those of sitemaps stay, for a sitemap has a line for each request.
// It calls report with the URL and the reason of each, and returns how many there
// are. After an error, or if the process is killed, all of it has happened or
// nothing.
func Retry(path string, o Options, report func(url, reason string)) (int, error) {
	v, err := openView(path, o.state(), false)
	if err != nil {
		return 0, err
	}
	n, err := v.retry(o, report)
	if err != nil {
		err = fmt.Errorf("retry failed requests of %s: %w", path, err)
	}
	return n, errors.Join(err, v.Close())
}

func (v *View) retry(o Options, report func(url, reason string)) (int, error) {
	if err := checkOutputs(v.root, o); err != nil {
		return 0, err
	}
	info, err := v.state.Info()
	if err != nil {
		return 0, err
	}
	r := &retry{root: v.root, committed: info.Offsets, report: report, offsets: map[string]int64{}}
	for _, step := range []func() error{r.pages, r.skips, r.sitemaps} {
		if err := step(); err != nil {
			return 0, err
		}
	}
	if len(r.items) == 0 {
		return 0, nil
	}
	err = v.state.Apply(context.Background(), &frontier.Batch{
		Reopen: r.items,
		Commit: func([]bool) (map[string]int64, error) { return r.offsets, nil },
	})
	if err != nil {
		return 0, err
	}
	return len(r.items), settle(v.root, r.offsets)
}

// retry collects what is fetched again, and prepares the outputs without it.
type retry struct {
	root      *os.Root
	committed map[string]int64
	report    func(url, reason string)
	items     []frontier.Item
	offsets   map[string]int64 // of the new outputs
}

func (r *retry) pages() error {
	return r.withdraw(record.OutputPages, PagesName, func(line []byte) (url, reason string, err error) {
		var p record.Page
		if err := json.Unmarshal(line, &p); err != nil || !fetch.Failure(p.Error).MayPass(p.Status) {
			return "", "", err
		}
		return p.URL, p.Error, nil
	})
}

func (r *retry) skips() error {
	return r.withdraw(record.OutputSkipped, SkippedName, func(line []byte) (url, reason string, err error) {
		var s record.Skip
		if err := json.Unmarshal(line, &s); err != nil || s.Reason != frontier.SkipRobotsUnreachable {
			return "", "", err
		}
		return s.URL, string(s.Reason), nil
	})
}

// sitemaps collects the sitemaps whose last request failed.
func (r *retry) sitemaps() error {
	failed := map[string]string{}
	file, err := r.root.Open(SitemapsName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	for s, err := range jsonl.Decode[record.Sitemap](io.LimitReader(file, r.committed[record.OutputSitemaps])) {
		switch {
		case err != nil:
			return fmt.Errorf("read %s: %w", SitemapsName, err)
		case s.Reason == frontier.SkipRobotsUnreachable:
			failed[s.URL] = string(s.Reason)
		case s.Reason == "" && fetch.Failure(s.Error).MayPass(s.Status):
			failed[s.URL] = s.Error
		default:
			delete(failed, s.URL)
		}
	}
	for url, reason := range failed {
		r.add(frontier.Item{URL: url, Kind: frontier.KindSitemap}, reason)
	}
	return nil
}

func (r *retry) add(item frontier.Item, reason string) {
	r.items = append(r.items, item)
	if r.report != nil {
		r.report(item.URL, reason)
	}
}

// withdraw writes an output without the lines for which failed returns a URL. The
// new file does not replace the output yet.
func (r *retry) withdraw(output, name string, failed func(line []byte) (url, reason string, err error)) error {
	found := len(r.items)
	if err := r.copy(io.Discard, output, name, func(line []byte) (bool, error) {
		url, reason, err := failed(line)
		if url != "" {
			r.add(frontier.Item{URL: url}, reason)
		}
		return url != "", err
	}); err != nil || len(r.items) == found {
		return err
	}
	file, err := atomicfile.Create(r.root, retryName(name), 0o600)
	if err != nil {
		return err
	}
	defer file.Abort()
	counted := &counter{w: file}
	buffered := bufio.NewWriterSize(counted, 256<<10)
	if err := r.copy(buffered, output, name, func(line []byte) (bool, error) {
		url, _, err := failed(line)
		return url != "", err
	}); err != nil {
		return err
	}
	if err := buffered.Flush(); err != nil {
		return err
	}
	r.offsets[output] = counted.n
	return file.Commit()
}

// copy copies the committed lines of an output, without those for which leave
// returns true.
func (r *retry) copy(to io.Writer, output, name string, leave func(line []byte) (bool, error)) error {
	file, err := r.root.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	n := 0
	committed := &io.LimitedReader{R: file, N: r.committed[output]}
	for line, err := range jsonl.Lines(committed) {
		n++
		out := false
		if err == nil {
			if out, err = leave(line); err != nil {
				err = fmt.Errorf("%w: %w", jsonl.ErrRow, err)
			}
		}
		if err == nil && !out {
			_, err = fmt.Fprintf(to, "%s\n", line)
		}
		if err != nil {
			return fmt.Errorf("read %s: line %d: %w", name, n, err)
		}
	}
	if committed.N > 0 {
		return fmt.Errorf("read %s: %w", name, jsonl.ErrShort)
	}
	return nil
}

// counter counts what is written.
type counter struct {
	w io.Writer
	n int64
}

// Write implements io.Writer.
func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

// retried maps the outputs that Retry removes lines from to their files.
var retried = map[string]string{record.OutputPages: PagesName, record.OutputSkipped: SkippedName}

// settle replaces the outputs that [Retry] has rewritten, and removes what an
// interrupted one left. A rewritten output is shorter than the output, and the
// state is committed with its length before it replaces the output. So a file of
// exactly the committed length is the output; any other one was never committed.
func settle(root *os.Root, committed map[string]int64) error {
	for output, name := range retried {
		current, err := isCurrent(root, name, committed[output])
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if !current {
			err = root.Remove(retryName(name))
		} else if err = root.Rename(retryName(name), name); err == nil {
			err = atomicfile.SyncFolder(root, ".")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// isCurrent reports whether the rewritten form of an output has been committed.
func isCurrent(root *os.Root, name string, committed int64) (bool, error) {
	info, err := root.Lstat(retryName(name))
	if err != nil {
		return false, err
	}
	return info.Mode().IsRegular() && info.Size() == committed, nil
}

// openOutput opens an output for reading, in its rewritten form if that is
// committed and has not replaced it yet.
func (v *View) openOutput(name string, committed int64) (*os.File, error) {
	if current, err := isCurrent(v.root, name, committed); err == nil && current {
		return v.root.Open(retryName(name))
	}
	return v.root.Open(name)
}
