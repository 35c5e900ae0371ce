package crawldir

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/decorum-crawler/decorum/crawler/record"
	"github.com/decorum-crawler/decorum/frontier"
	"github.com/decorum-crawler/decorum/storage/jsonl"
)

// ErrApart means that the outputs of a crawl do not belong together: one of them
// lacks records not only at its end.
var ErrApart = errors.New("outputs do not belong together")

// maxTail is the number of lines at the end of an output that a process which was
// killed may have written without what belongs to them. It is more than a commit
// has.
const maxTail int64 = 2048

// kept is what the outputs of a crawl tell of its state.
type kept struct {
	root    *os.Root
	options RepairOptions
	gap     time.Duration

	offsets  map[string]int64 // of the whole lines and records
	pages    []frontier.Known
	skips    []frontier.Known
	sitemaps map[string]sitemapLine // the last line of each, by URL
	hosts    map[string]frontier.HostState
	linking  int64

	seed    maphash.Seed
	archive map[uint64]bool            // captures by URL and second; nil without an archive
	extra   map[string]map[uint64]bool // records in additional outputs, by ID
	ids     map[uint64]bool            // of the records of pages
	hops    map[string]int             // redirects that led to a URL
}

// scan reads the outputs.
func (k *kept) scan() error {
	k.seed, k.hosts, k.hops, k.ids = maphash.MakeSeed(), map[string]frontier.HostState{}, map[string]int{}, map[uint64]bool{}
	for _, step := range []func() error{k.scanArchive, k.scanExtra, k.scanPages, k.scanSkips, k.scanSitemaps, k.cutExtra} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// extras returns the additional outputs.
func (k *kept) extras() []string { return slices.Sorted(maps.Keys(k.options.Outputs)) }

// extraLine is a line of an additional output.
type extraLine struct{ ID, URL string }

// scanExtra collects the records of the additional outputs.
func (k *kept) scanExtra() error {
	k.extra = map[string]map[uint64]bool{}
	for _, output := range k.extras() {
		ids := map[uint64]bool{}
		err := eachLine(k.root, k.options.Outputs[output], func(row extraLine, _, _ int64) error {
			ids[maphash.String(k.seed, row.ID)] = true
			return nil
		})
		if err != nil {
			return err
		}
		k.extra[output] = ids
	}
	return nil
}

// scanPages collects the pages up to the first one at the end that lacks a record in
// another output.
func (k *kept) scanPages() error {
	apart := ""         // the first page that lacks a record
	lacking := int64(0) // pages from there on
	k.offsets[record.OutputPages] = 0
	err := eachLine(k.root, PagesName, func(p record.Page, n, end int64) error {
		if apart == "" {
			if lack := k.lacks(p); lack != "" {
				apart = fmt.Sprintf("%s line %d: %s has no record of %s", PagesName, n, lack, p.URL)
			}
		}
		if apart != "" {
			if lacking++; lacking > maxTail {
				return fmt.Errorf("%w: %s", ErrApart, apart)
			}
			return nil
		}
		k.page(p)
		k.offsets[record.OutputPages] = end
		return nil
	})
	return err
}

// lacks returns the output that lacks a record of a page, or "".
func (k *kept) lacks(p record.Page) string {
	if k.archive != nil && p.Status != 0 && !k.archive[k.captureKey(p.URL, p.FetchedAt)] {
		return ArchiveDir
	}
	if k.options.Needs == nil {
		return ""
	}
	key := maphash.String(k.seed, k.options.ID(p))
	for _, group := range k.options.Needs(p) {
		if !slices.ContainsFunc(group, func(output string) bool { return k.extra[output][key] }) {
			return k.options.Outputs[group[0]]
		}
	}
	return ""
}

func (k *kept) page(p record.Page) {
	known := frontier.Known{State: frontier.StateDone}
	known.Item = frontier.Item{
		URL: p.URL, Source: p.Source, Via: p.Via, Depth: p.Depth, Attempts: p.Attempts, Redirects: k.hops[p.URL],
	}
	if p.RedirectTo != "" {
		k.hops[p.RedirectTo] = known.Redirects + 1
	}
	if p.Links > 0 && p.Status/100 == 2 {
		k.linking++
	}
	k.pages = append(k.pages, known)
	if k.options.ID != nil {
		k.ids[maphash.String(k.seed, k.options.ID(p))] = true
	}
	k.asked(p.URL, p.FetchedAt)
}

// asked notes when a host was requested.
func (k *kept) asked(url string, at time.Time) {
	host := frontier.HostOf(url)
	if next := at.Add(k.gap); next.After(k.hosts[host].NextAt) && !at.IsZero() {
		k.hosts[host] = frontier.HostState{Host: host, NextAt: next, Gap: k.gap}
	}
}

func (k *kept) scanSkips() error {
	k.offsets[record.OutputSkipped] = 0
	return eachLine(k.root, SkippedName, func(s record.Skip, _, end int64) error {
		known := frontier.Known{State: frontier.StateSkipped}
		known.Skip = s.Reason
		known.Item = frontier.Item{URL: s.URL, Source: s.Source, Via: s.Via, Depth: s.Depth}
		k.skips = append(k.skips, known)
		k.offsets[record.OutputSkipped] = end
		return nil
	})
}

func (k *kept) scanSitemaps() error {
	k.sitemaps, k.offsets[record.OutputSitemaps] = map[string]sitemapLine{}, 0
	return eachLine(k.root, SitemapsName, func(s record.Sitemap, _, end int64) error {
		k.sitemaps[s.URL] = sitemapLine(s)
		k.offsets[record.OutputSitemaps] = end
		k.asked(s.URL, s.FetchedAt)
		return nil
	})
}

// cutExtra leaves out the lines at the end of additional outputs whose pages were
// not written.
func (k *kept) cutExtra() error {
	if len(k.extra) == 0 {
		return nil
	}
	known := map[uint64]bool{}
	for _, all := range [][]frontier.Known{k.pages, k.skips} {
		for i := range all {
			known[maphash.String(k.seed, all[i].URL)] = true
		}
	}
	for _, output := range k.extras() {
		name, apart := k.options.Outputs[output], int64(0)
		k.offsets[output] = 0
		err := eachLine(k.root, name, func(row extraLine, n, end int64) error {
			if apart == 0 && (known[maphash.String(k.seed, row.URL)] || k.ids[maphash.String(k.seed, row.ID)]) {
				k.offsets[output] = end
				return nil
			}
			if apart++; apart > maxTail {
				return fmt.Errorf("%w: %s line %d: %s is in no other output", ErrApart, name, n-maxTail, row.URL)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// eachLine decodes the whole lines of a file and calls take with each, its number
// and the offset of its end. A missing file has no lines. Bytes after the last line
// end are skipped; a line that cannot be decoded is a [jsonl.ErrRow].
func eachLine[T any](root *os.Root, name string, take func(row T, n, end int64) error) error {
	file, err := root.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	in := bufio.NewReaderSize(file, 256<<10)
	for n, end := int64(1), int64(0); ; n++ {
		line, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read %s: %w", name, err)
		}
		var row T
		if err := json.Unmarshal(line, &row); err != nil {
			return fmt.Errorf("read %s: line %d: %w: %w", name, n, jsonl.ErrRow, err)
		}
		end += int64(len(line))
		if err := take(row, n, end); err != nil {
			return err
		}
	}
}
