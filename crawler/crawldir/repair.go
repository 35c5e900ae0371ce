package crawldir

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/decorum-crawler/decorum/corpus/evidence"
	"github.com/decorum-crawler/decorum/crawler/record"
	"github.com/decorum-crawler/decorum/frontier"
	"github.com/decorum-crawler/decorum/storage"
)

// RepairOptions are the options of [Repair].
type RepairOptions struct {
	Options

	// Needs returns of which additional outputs a page must have a record: of one
	// of each group. The "id" of such a record is what ID returns, and any other
	// record has the "url" of a page or of a skipped URL. nil: pages need none.
	Needs func(p record.Page) [][]string
	ID    func(p record.Page) string
	// Found offers what the pages of an unfinished crawl name. It is called once,
	// when the new state has all that the outputs tell, and before the new state
	// replaces the old one; nil: nothing is offered.
	Found func(r *Repaired) error
}

// Repaired is a state that [Repair] builds from the outputs of a crawl.
type Repaired struct {
	Info     storage.Info // of the new state
	Finished bool         // by the log of the crawl, nothing was pending
	Kept     string       // name of the old state; empty: there was none
	// Linking is the number of pages with links that may lead to pages that are not
	// known any more.
	Linking int64

	path  string
	root  *os.Root
	state *storage.State
}

// Repair builds a new state of the crawl in path from its outputs, the evidence of
// its robots.txt files and its log, and replaces the old state, which may be damaged
// or missing; see [storage.Rebuild]. URLs with a line in an output are done or
// skipped; unless the crawl was finished, its sitemaps and what Found offers are
// pending. Outputs keep all whole lines and records, except for those at their ends
// that were written without what belongs to them in another output. Only a run
// changes them, when it opens the directory. An output that is damaged anywhere else
// is a [jsonl.ErrRow] or an [ErrApart], and then nothing is changed. Other errors are
// those of [Hold].
func Repair(path string, o RepairOptions) (*Repaired, error) {
	held, err := lock(path, true)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, errors.Join(err, held.Close())
	}
	r := &Repaired{path: path, root: root}
	if err = r.repair(o); err != nil {
		err = fmt.Errorf("repair state of %s: %w", path, err)
	}
	return r, errors.Join(err, root.Close(), held.Close())
}

func (r *Repaired) repair(o RepairOptions) error {
	if err := checkRegular(r.root, o.state()); err != nil {
		return err
	}
	if err := checkOutputs(r.root, o.Options); err != nil {
		return err
	}
	settings, err := Settings(r.path)
	if err != nil {
		return err
	}
	last, err := lastRun(r.root)
	if err != nil {
		return err
	}
	k := &kept{root: r.root, options: o, offsets: map[string]int64{}, gap: time.Duration(settings.Delay)}
	if err := k.scan(); err != nil {
		return err
	}
	r.Finished = last.finished(int64(len(k.pages)), int64(len(k.skips)))
	r.Kept, err = storage.Rebuild(filepath.Join(r.path, o.state()), last.Run, func(s *storage.State) error {
		r.state = s
		return r.fill(k, o.Found)
	})
	return err
}

// fill restores what the outputs tell, and then offers what pages name.
func (r *Repaired) fill(k *kept, found func(*Repaired) error) error {
	if err := k.restore(r.state, r.Finished); err != nil {
		return err
	}
	for d, err := range evidence.New(r.root).Robots() {
		if err != nil {
			return err
		}
		if err := r.state.Save(context.Background(), d); err != nil {
			return err
		}
	}
	if !r.Finished && found != nil {
		r.Linking = k.linking
		if err := found(r); err != nil {
			return err
		}
	}
	var err error
	r.Info, err = r.state.Info()
	return err
}

// Page returns the page with that URL as an item, if it is done.
func (r *Repaired) Page(url string) (item frontier.Item, ok bool, err error) {
	known, at, err := r.state.Lookup(frontier.Item{URL: url})
	return known.Item, at == frontier.StateDone, err
}

// Offer offers candidates, of which those that are not skipped become pending.
func (r *Repaired) Offer(candidates []frontier.Candidate) error { return r.state.Offer(candidates) }

// Robots returns the robots.txt files of the crawl.
func (r *Repaired) Robots() *storage.State { return r.state }

// Root returns the directory. It is closed with the end of Repair.
func (r *Repaired) Root() *os.Root { return r.root }

// restoreBatch is the number of URLs that are restored in one transaction.
const restoreBatch = 10_000

// restore writes the URLs of the outputs, their hosts and the committed lengths.
func (k *kept) restore(s *storage.State, finished bool) error {
	all := slices.Concat(k.pages, k.skips)
	for _, url := range slices.Sorted(maps.Keys(k.sitemaps)) {
		all = append(all, k.sitemaps[url].known(finished))
	}
	hosts := slices.Collect(maps.Values(k.hosts))
	for part := range slices.Chunk(all, restoreBatch) {
		if err := s.Restore(part, nil, nil); err != nil {
			return err
		}
	}
	return s.Restore(nil, hosts, k.offsets)
}

// sitemapLine is what the last line of a sitemap tells.
type sitemapLine record.Sitemap

// known returns the state of a sitemap. In a crawl that is not finished it is read
// again, since its entries may be pending.
func (l sitemapLine) known(finished bool) frontier.Known {
	k := frontier.Known{State: frontier.StateDone}
	k.Item = frontier.Item{
		URL: l.URL, Kind: frontier.KindSitemap, Source: frontier.SourceSitemap, Via: l.Via, Depth: l.Depth, Attempts: l.Attempts,
	}
	switch {
	case l.Reason != "":
		k.State, k.Skip = frontier.StateSkipped, l.Reason
	case !finished:
		k.State, k.Attempts = frontier.StatePending, 0
	}
	return k
}
