package validate

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/decorum-crawler/decorum/sitemap"
)

// A Walk validates the files of a site. Open must be set. It opens one file at a
// time and closes it before the next, so the pace is that of Open.
type Walk struct {
	// Validator checks the files.
	Validator Validator
	// Open opens the file at a URL; the Walk closes it.
	Open func(ctx context.Context, address string) (sitemap.Body, error)
	// Named, if set, reports whether the robots.txt of its own host names a root. Such
	// a root, and the files on its host that it lists, may list any path. It is called
	// when the root is open.
	Named func(root string) bool
	// OnFile is called for each file when it is done.
	OnFile func(File)
}

// A File is the result for one file of a [Walk].
type File struct {
	URL    string
	Parent string // the index that lists it; empty for a root
	Line   int    // of its entry in the index; 0 for a root

	named bool // robots.txt names it, or its index

	// Validation has an Err that is not [sitemap.ErrSyntax] if the file could
	// not be opened or not be read to its end.
	Validation
}

// Unreadable reports whether the file could not be opened or read, whatever it
// is: a fault of the server rather than of the file.
func (f File) Unreadable() bool { return f.Err != nil && !errors.Is(f.Err, sitemap.ErrSyntax) }

// child is a file that an index lists.
type child struct {
	url  string
	line int
}

// Run checks the files at roots and, if they are indexes, the files that they
// list. An index within an index is a problem, and its files are not opened. A
// file is checked once, however often it is listed, and at most
// [sitemap.MaxURLs] files of an index are. The only error is that of ctx.
func (w *Walk) Run(ctx context.Context, roots []string) error {
	done := map[string]bool{}
	for _, root := range roots {
		if done[root] {
			continue
		}
		done[root] = true
		top := File{URL: root}
		children, err := w.file(ctx, &top)
		if err != nil {
			return err
		}
		for _, c := range children {
			if done[c.url] {
				continue
			}
			done[c.url] = true
			below := File{URL: c.url, Parent: root, Line: c.line, named: top.named && sameHost(root, c.url)}
			if _, err := w.file(ctx, &below); err != nil {
				return err
			}
		}
	}
	return nil
}

// file checks one file and returns the files that it lists if it is an index.
func (w *Walk) file(ctx context.Context, f *File) ([]child, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("validate sitemaps: %w", err)
	}
	var children []child
	v := &w.Validator
	listed := v.OnEntry
	v.OnEntry = func(kind sitemap.Kind, entry sitemap.Entry) {
		if kind == sitemap.KindIndex && len(children) < sitemap.MaxURLs {
			children = append(children, child{entry.Loc, entry.Line})
		}
		if listed != nil {
			listed(kind, entry)
		}
	}
	f.Validation = w.check(ctx, f)
	v.OnEntry = listed
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("validate sitemaps: %w", err)
	}
	if f.Parent != "" && f.Kind == sitemap.KindIndex {
		f.Problems = append([]sitemap.Problem{{Code: CodeNestedIndex, Line: 1, Message: "an index must not list an index"}}, f.Problems...)
		f.Count++
	}
	if w.OnFile != nil {
		w.OnFile(*f)
	}
	return children, nil
}

// sameHost reports whether two URLs have the same host and port.
func sameHost(a, b string) bool {
	x, errX := url.Parse(a)
	y, errY := url.Parse(b)
	return errX == nil && errY == nil && strings.EqualFold(x.Host, y.Host)
}

// check opens a file and validates it.
func (w *Walk) check(ctx context.Context, f *File) Validation {
	base, err := url.Parse(f.URL)
	if err != nil {
		return Validation{Kind: sitemap.KindNone, Err: err}
	}
	body, err := w.Open(ctx, f.URL)
	if err != nil {
		return Validation{Kind: sitemap.KindNone, Err: err}
	}
	if f.Parent == "" && w.Named != nil {
		f.named = w.Named(f.URL)
	}
	body.Named = f.named
	result := w.Validator.File(body, base, body.Served)
	if err := body.Close(); err != nil && result.Err == nil {
		result.Err = err
	}
	return result
}
