package validate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"

	"github.com/decorum-crawler/decorum/sitemap"
)

// A Walk validates the files of a site. Open must be set. It opens one file at a
// time and closes it before the next, so the pace is that of Open.
type Walk struct {
	// Validator checks the files.
	Validator Validator
	// Open opens the file at a URL; the Walk closes it.
	Open func(ctx context.Context, address string) (io.ReadCloser, error)
	// OnFile is called for each file when it is done.
	OnFile func(File)
}

// A File is the result for one file of a [Walk].
type File struct {
	URL    string
	Parent string // the index that lists it; empty for a root
	Line   int    // of its entry in the index; 0 for a root

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
		children, err := w.file(ctx, File{URL: root})
		if err != nil {
			return err
		}
		for _, c := range children {
			if done[c.url] {
				continue
			}
			done[c.url] = true
			if _, err := w.file(ctx, File{URL: c.url, Parent: root, Line: c.line}); err != nil {
				return err
			}
		}
	}
	return nil
}

// file checks one file and returns the files that it lists if it is an index.
func (w *Walk) file(ctx context.Context, f File) ([]child, error) {
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
	f.Validation = w.check(ctx, f.URL)
	v.OnEntry = listed
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("validate sitemaps: %w", err)
	}
	if f.Parent != "" && f.Kind == sitemap.KindIndex {
		f.Problems = append([]sitemap.Problem{{Code: CodeNestedIndex, Line: 1, Message: "an index must not list an index"}}, f.Problems...)
		f.Count++
	}
	if w.OnFile != nil {
		w.OnFile(f)
	}
	return children, nil
}

// check opens a file and validates it.
func (w *Walk) check(ctx context.Context, address string) Validation {
	base, err := url.Parse(address)
	if err != nil {
		return Validation{Kind: sitemap.KindNone, Err: err}
	}
	body, err := w.Open(ctx, address)
	if err != nil {
		return Validation{Kind: sitemap.KindNone, Err: err}
	}
	result := w.Validator.File(body, base)
	if err := body.Close(); err != nil && result.Err == nil {
		result.Err = err
	}
	return result
}
