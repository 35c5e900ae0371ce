package crawler

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/decorum-crawler/decorum/crawler/fetch"
	"github.com/decorum-crawler/decorum/crawler/record"
	"github.com/decorum-crawler/decorum/frontier"
	"github.com/decorum-crawler/decorum/robots"
	"github.com/decorum-crawler/decorum/sitemap"
)

// Version identifies the version of a sitemap file that was last read.
type Version struct {
	ETag         string
	LastModified string // as the server sent it
	Index        bool
	ReadAt       time.Time
}

// conditions returns the header of a request that wants the file only if it has
// changed (RFC 9110 §13.1). An index is always read: a file that it names may
// have changed although the index has not.
func (v Version) conditions() http.Header {
	header := http.Header{}
	if v.Index {
		return header
	}
	if v.ETag != "" {
		header.Set("If-None-Match", v.ETag)
	}
	if v.LastModified != "" {
		header.Set("If-Modified-Since", v.LastModified)
	}
	return header
}

func versionOf(header http.Header, kind sitemap.Kind, at time.Time) Version {
	return Version{ETag: header.Get("ETag"), LastModified: header.Get("Last-Modified"), Index: kind == sitemap.KindIndex, ReadAt: at}
}

// Versions stores the versions of sitemap files; functions may be nil.
type Versions struct {
	Load func(address string) (v Version, ok bool, err error)
	Save func(address string, v Version) error
}

func (v Versions) save(address string, one Version) error {
	if v.Save == nil {
		return nil
	}
	return v.Save(address, one)
}

// Refreshed counts the files and URLs of a refresh.
type Refreshed struct {
	Read      int // files
	Unchanged int // files that have not changed according to the server
	Skipped   int // files that have not changed according to their index
	Failed    int // files
	New       int // URLs
}

// Refresh requests the sitemaps of sites again and adds the new URLs in them.
// Only files that have changed are read. With newer it requests only those files
// of an index whose lastmod is later than our last read.
func (c *Crawl) Refresh(ctx context.Context, sites []string, newer bool) (Refreshed, error) {
	r := &refresh{crawl: c, ctx: ctx, newer: newer, answers: map[string]*fetch.Stream{}}
	seen := map[string]bool{}
	for _, site := range sites {
		if name := frontier.OriginOf(site); !seen[name] {
			seen[name] = true
			if err := r.site(ctx, site); err != nil {
				return r.done, fmt.Errorf("refresh sitemaps of %s: %w", name, err)
			}
		}
	}
	return r.done, nil
}

type refresh struct {
	crawl  *Crawl
	ctx    context.Context //nolint:containedctx // lives for one refresh
	via    string          // the robots.txt of the site whose sitemaps are being read
	newer  bool
	done   Refreshed
	failed error // our own state failed

	loader  *sitemapLoader           // of the file whose entries are being read
	answers map[string]*fetch.Stream // files that are being read
}

func (r *refresh) site(ctx context.Context, site string) error {
	r.via = frontier.OriginOf(site) + "/robots.txt"
	roots, err := r.crawl.client.Sitemaps(ctx, site)
	if err != nil {
		return err
	}
	walker := sitemap.Walker{
		Open: r.open, Skip: r.skip, Options: sitemap.Options{MaxBytes: fetch.MaxStreamBytes},
		OnFile: r.file, Named: func(string) bool { return true }, // the crawl takes all URLs of a host; see servedAs
	}
	for item, err := range walker.Walk(ctx, roots) {
		if err != nil {
			return err
		}
		if r.loader == nil || r.loader.item.URL != item.Source {
			if err := r.flush(); err != nil {
				return err
			}
			r.loader = &sitemapLoader{crawl: r.crawl, ctx: ctx, item: frontier.Item{URL: item.Source}, base: frontier.NewBase(item.Source)}
		}
		r.loader.add(sitemap.KindURLSet, item.Entry)
		if len(r.loader.batch) >= sitemapBatch {
			if err := r.flush(); err != nil {
				return err
			}
		}
	}
	return errors.Join(r.flush(), r.failed)
}

// flush makes the entries that were read durable.
func (r *refresh) flush() error {
	if r.loader == nil || len(r.loader.batch) == 0 {
		return nil
	}
	n, err := r.crawl.frontier.Add(r.loader.ctx, r.loader.batch)
	r.done.New += n
	r.loader.batch = r.loader.batch[:0]
	return err
}

// skip reports whether a file of an index is not to be requested: the crawl would
// skip it, or it has not changed according to the index.
func (r *refresh) skip(child sitemap.Entry) bool {
	if canonical, err := frontier.Canonical("", child.Loc, r.crawl.limits.MaxURLLength); err == nil {
		found := r.crawl.sitemapCandidate(r.ctx, canonical, r.via, 1)
		if found.Skip != "" {
			r.failed = errors.Join(r.failed, r.record(record.NewSkippedSitemap(found.Item, found.Skip, robots.Rule{})))
			return true
		}
	}
	if !r.newer || child.LastMod.IsZero() {
		return false
	}
	last, ok := r.last(child.Loc)
	if !ok || child.LastMod.After(last.ReadAt) {
		return false
	}
	r.done.Skipped++
	return true
}

func (r *refresh) last(address string) (Version, bool) {
	if r.crawl.options.Versions.Load == nil {
		return Version{}, false
	}
	v, ok, err := r.crawl.options.Versions.Load(address)
	r.failed = errors.Join(r.failed, err)
	return v, ok && err == nil
}

// open requests a file on condition that it has changed.
func (r *refresh) open(ctx context.Context, address string) (sitemap.Body, error) {
	last, _ := r.last(address)
	body, err := r.crawl.client.OpenIf(ctx, address, last.conditions())
	if status, ok := errors.AsType[*fetch.StatusError](err); ok && status.Status == http.StatusNotModified {
		return sitemap.Body{}, sitemap.ErrUnchanged
	}
	if err != nil {
		return sitemap.Body{}, err
	}
	r.answers[address] = body
	return sitemap.Body{ReadCloser: body, Served: servedAs(body.Header)}, nil
}

// record makes the line of a sitemap durable.
func (r *refresh) record(line record.Sitemap) error {
	if r.crawl.options.Record == nil {
		return nil
	}
	return r.crawl.options.Record(r.ctx, []frontier.Record{line.Record()})
}

// line returns the record of a finished file.
func (r *refresh) line(f sitemap.File) record.Sitemap {
	line := record.Sitemap{
		Schema: record.SitemapSchema, URL: f.URL, Entries: f.Entries, Problems: f.Problems, Depth: f.Depth, Via: cmp.Or(f.Parent, r.via), Attempts: 1,
	}
	if f.Kind != sitemap.KindNone {
		line.Kind = string(f.Kind)
	}
	answer := r.answers[f.URL]
	status, refused := errors.AsType[*fetch.StatusError](f.Err)
	switch {
	case f.Unchanged:
		line.Status = http.StatusNotModified
	case answer != nil:
		line.Status, line.FetchedAt = http.StatusOK, answer.StartedAt.UTC()
	case refused:
		line.Status = status.Status
	}
	if f.Err != nil {
		line.Error = f.Err.Error()
	}
	return line
}

// file counts a finished file and saves its version if it was read to the end.
// Its entries are made durable first: a file that is known to be unchanged is not
// read again.
func (r *refresh) file(f sitemap.File) {
	r.failed = errors.Join(r.failed, r.record(r.line(f)))
	switch {
	case f.Unchanged:
		r.done.Unchanged++
	case f.Err != nil:
		r.done.Failed++
	default:
		r.done.Read++
		if err := r.flush(); err != nil {
			r.failed = errors.Join(r.failed, err)
			break
		}
		a := r.answers[f.URL]
		r.failed = errors.Join(r.failed, r.crawl.options.Versions.save(f.URL, versionOf(a.Header, f.Kind, a.StartedAt)))
	}
	delete(r.answers, f.URL)
}
