package sitemap

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/url"
	"strings"
)

// A Walker reads sitemaps and all files that their indexes name. Open must be
// set; zero of the other fields means the default. The pace is that of Open: a
// Walker opens one file at a time and closes it before the next. A Walker may be
// used for several walks at once if its functions allow it.
type Walker struct {
	// Open returns the content of a file; the Walker closes it.
	Open func(ctx context.Context, u string) (Body, error)
	// Options limit the reading of each file. Served is set for each by the Walker.
	Options Options
	// Named, if set, reports whether the robots.txt of its own host names a root. Such
	// a root, and the files on its host that it leads to, may list any path. It is
	// called when the root is open.
	Named func(root string) bool
	// MaxDepth is the largest number of indexes above a file; 3, negative for none.
	MaxDepth int
	// MaxFiles is the largest number of files to open; 10,000.
	MaxFiles int
	// Skip, if set, reports whether a file of an index need not be opened.
	Skip func(child Entry) bool
	// OnProblem, if set, is called for every problem of files and of the walk.
	OnProblem func(source string, p Problem)
	// OnFile, if set, is called for every file that was opened or could not be
	// opened, when it is done.
	OnFile func(f File)
}

// An Item is an entry with the file that lists it. Files of an index are not
// items; OnFile reports them.
type Item struct {
	Entry
	Source string // URL of the file
	Root   string // URL of the root that led to it
}

// A File is the result for one file of a walk.
type File struct {
	URL      string
	Parent   string // the index that names it; empty for a root
	Root     string // the root that led to it
	Depth    int    // indexes above it
	Kind     Kind
	Entries  int
	Problems int   // number of problems, including those not reported
	Err      error // why the file could not be read, or not to its end

	Unchanged bool // Open returned ErrUnchanged

	named bool // robots.txt names it, or an index that leads to it
}

// ErrUnchanged is returned by Open for a file that need not be read again. The
// walk does not report it as a problem.
var ErrUnchanged = errors.New("sitemap: unchanged")

// Codes of a walk, in addition to those of a file.
const (
	codeRepeated = "repeated-file"  // named before, as in a loop
	codeNested   = "nested-index"   // an index below MaxDepth others
	codeTooMany  = "too-many-files" // over MaxFiles
	codeUnread   = "unreadable"     // could not be opened or read to its end
)

// walk is one walk of a Walker.
type walk struct {
	*Walker
	seen  map[string]bool
	queue []File
	full  bool // MaxFiles was reached and reported
}

// Walk yields the entries of the roots and of all files that they lead to: all
// entries of a file, in order, then those of the next, level by level. A file is
// read once, however often it is named. A broken file is reported and does not
// stop the others; the only error, yielded last, is that of ctx. Memory grows
// with the number of files, not with that of entries.
func (w *Walker) Walk(ctx context.Context, roots []string) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		run := &walk{Walker: w, seen: map[string]bool{}}
		for _, root := range roots {
			run.add(File{URL: root, Root: root})
		}
		for at := 0; at < len(run.queue) && ctx.Err() == nil; at++ {
			if !run.file(ctx, run.queue[at], yield) {
				return
			}
			run.queue[at] = File{}
		}
		if err := ctx.Err(); err != nil {
			yield(Item{}, fmt.Errorf("walk sitemaps: %w", err))
		}
	}
}

// add queues a file if it is new.
func (w *walk) add(f File) {
	key := fileKey(f.URL)
	limit := w.MaxFiles
	if limit == 0 {
		limit = 10_000
	}
	switch {
	case f.Parent != "" && key == fileKey(f.Parent):
		w.report(f.Parent, codeRepeated, "the index names itself; it was read once: "+f.URL)
	case w.seen[key]:
		w.report(reporter(f), codeRepeated, "the file is named more than once; it was read once: "+f.URL)
	case len(w.seen) >= limit:
		if !w.full {
			w.full = true
			w.report(reporter(f), codeTooMany, fmt.Sprintf("more than %d files; those from %s on are not read", limit, f.URL))
		}
	default:
		w.seen[key] = true
		w.queue = append(w.queue, f)
	}
}

// fileKey returns a key that is the same for equivalent spellings of a file's
// URL.
func fileKey(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	u.Fragment, u.RawFragment, u.User = "", "", nil
	u.Scheme, u.Host = strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	if u.Path == "" {
		u.Path = "/"
	}
	return u.String()
}

// reporter returns the file that is at fault for naming f.
func reporter(f File) string {
	if f.Parent == "" {
		return f.URL
	}
	return f.Parent
}

func (w *walk) report(source, code, message string) {
	if w.OnProblem != nil {
		w.OnProblem(source, Problem{Code: code, Line: 1, Message: message})
	}
}

// file reads one file and calls OnFile. It reports whether to continue.
func (w *walk) file(ctx context.Context, f File, yield func(Item, error) bool) bool {
	f.Kind = KindNone
	more, err := w.read(ctx, &f, yield)
	if errors.Is(err, ErrUnchanged) {
		f.Unchanged, err = true, nil
	}
	f.Err = err
	if err != nil && ctx.Err() == nil {
		code := Code(err)
		if code == "" {
			code = codeUnread
		}
		w.report(f.URL, code, err.Error())
	}
	if w.OnFile != nil {
		w.OnFile(f)
	}
	return more
}

func (w *walk) read(ctx context.Context, f *File, yield func(Item, error) bool) (more bool, err error) {
	base, err := url.Parse(f.URL)
	if err != nil {
		return true, fmt.Errorf("parse URL of sitemap: %w", err)
	}
	body, err := w.Open(ctx, f.URL)
	if err != nil {
		return true, fmt.Errorf("open sitemap %s: %w", f.URL, err)
	}
	if f.Parent == "" && w.Named != nil {
		f.named = w.Named(f.URL)
	}
	options := w.Options
	options.Served = body.Served
	options.Served.Named = f.named
	r := NewReader(body, base, options)
	more, err = w.entries(ctx, r, f, yield)
	f.Kind, f.Problems = r.Kind(), r.ProblemCount()
	if w.OnProblem != nil {
		for _, p := range r.Problems() {
			w.OnProblem(f.URL, p)
		}
	}
	if closed := body.Close(); closed != nil && err == nil {
		err = fmt.Errorf("close sitemap %s: %w", f.URL, closed)
	}
	return more, err
}

// entries yields the entries of a file, or queues them if it is an index.
func (w *walk) entries(ctx context.Context, r *Reader, f *File, yield func(Item, error) bool) (more bool, err error) {
	for entry, err := range r.Entries() {
		switch {
		case err != nil:
			return true, fmt.Errorf("read sitemap %s: %w", f.URL, err)
		case ctx.Err() != nil:
			return true, ctx.Err()
		}
		f.Entries++
		if r.Kind() != KindIndex {
			if !yield(Item{Entry: entry, Source: f.URL, Root: f.Root}, nil) {
				return false, nil
			}
			continue
		}
		if f.Depth >= w.depth() {
			w.report(f.URL, codeNested, fmt.Sprintf("an index below %d others; its files are not read", f.Depth))
			return true, nil
		}
		if w.Skip != nil && w.Skip(entry) {
			continue
		}
		w.add(File{URL: entry.Loc, Parent: f.URL, Root: f.Root, Depth: f.Depth + 1, named: f.named && r.isHome(entry.Loc)})
	}
	return true, nil
}

func (w *walk) depth() int {
	switch {
	case w.MaxDepth == 0:
		return 3
	case w.MaxDepth < 0:
		return 0
	}
	return w.MaxDepth
}
