package crawldir

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"strings"
	"time"

	"github.com/decorum-crawler/decorum/crawler/content"
	"github.com/decorum-crawler/decorum/crawler/record"
	"github.com/decorum-crawler/decorum/storage/warc"
)

// Errors of [View.Package].
var (
	// ErrNoArchive means that a crawl has no archive, or that no run of it has
	// finished.
	ErrNoArchive = errors.New("crawl has no archive, or no run of it has finished")
	// ErrCutShort means that a crawl was killed and not resumed since: its archive
	// does not end at the committed length.
	ErrCutShort = errors.New("crawl was interrupted and not resumed")
)

// PackageOptions describe a package. The zero value of a field means its default.
type PackageOptions struct {
	Title    string                 // shown by viewers; default: the seeds
	Software string                 // name and version; default: "decorum"
	Hidden   func(record.Page) bool // reports pages that viewers do not list; default: none
}

// A Package is an archive that is ready to be packed into one file.
type Package struct {
	view  *View
	about warc.Package
	pages iter.Seq2[warc.PackagePage, error]
}

// Package checks the archive and prepares to pack it. It returns an
// [ErrNoArchive] or an [ErrCutShort] when it cannot be packed.
func (v *View) Package(o PackageOptions) (*Package, error) {
	_, err := v.root.Lstat(IndexName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("pack archive in %s: %w", v.path, ErrNoArchive)
	}
	if err != nil {
		return nil, err
	}
	if err := v.isWhole(); err != nil {
		return nil, err
	}
	p := &Package{view: v, about: warc.Package{Title: o.Title, Software: o.Software, Created: time.Now()}, pages: v.shown(o.Hidden)}
	return p, p.describe()
}

// isWhole returns an [ErrCutShort] unless the files of the archive have exactly
// the committed length.
func (v *View) isWhole() error {
	info, err := v.state.Info()
	if err != nil {
		return err
	}
	names, err := v.Archive().Files()
	if err != nil {
		return err
	}
	size := int64(0)
	for _, name := range names {
		file, err := v.root.Lstat(name)
		if err != nil {
			return err
		}
		size += file.Size()
	}
	if known := info.Offsets[OutputArchive]; size != known {
		return fmt.Errorf("pack archive in %s: %w: it has %d bytes, but %d are committed", v.path, ErrCutShort, size, known)
	}
	return nil
}

// describe fills in defaults. A viewer starts at the first seed, if that is a
// page.
func (p *Package) describe() error {
	c, err := Settings(p.view.path)
	if err != nil {
		return err
	}
	if p.about.Title == "" {
		p.about.Title = strings.Join(c.Seed, ", ")
	}
	if p.about.Software == "" {
		p.about.Software = "decorum"
	}
	if len(c.Seed) == 0 {
		return nil
	}
	for page, err := range p.pages {
		if err != nil {
			return err
		}
		if page.URL == c.Seed[0] {
			p.about.MainURL, p.about.MainAt = page.URL, page.At
			return nil
		}
	}
	return nil
}

// Write writes the files of the archive, its index and the list of its pages as
// one WACZ file (Web Archive Collection Zipped 1.1.1).
func (p *Package) Write(out io.Writer) error {
	return warc.Pack(out, p.view.root, ArchiveDir, IndexName, p.about, p.pages)
}

// shown yields the pages that a viewer lists: HTML with status 200 that is not
// hidden.
func (v *View) shown(hidden func(record.Page) bool) iter.Seq2[warc.PackagePage, error] {
	return func(yield func(warc.PackagePage, error) bool) {
		for p, err := range v.Pages() {
			if err != nil {
				yield(warc.PackagePage{}, err)
				return
			}
			if p.Status != 200 || !content.IsHTML(p.ContentType, nil) || hidden != nil && hidden(p) {
				continue
			}
			if !yield(warc.PackagePage{URL: p.URL, At: p.FetchedAt, Title: p.Title}, nil) {
				return
			}
		}
	}
}
