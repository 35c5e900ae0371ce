package archive

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"os"
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/decorum-crawler/decorum/corpus"
	"github.com/decorum-crawler/decorum/corpus/text"
	"github.com/decorum-crawler/decorum/crawler/content"
	"github.com/decorum-crawler/decorum/storage/jsonl"
)

// A Comparison extracts the documents of a corpus again from the archives that
// have its pages, and compares.
type Comparison struct {
	Source  *Source
	Agent   string // our product token
	Extract func(ctx context.Context, page text.Page, format text.Format) (text.Result, error)
	Say     func(string) // called with each difference; never concurrently
	Partial bool         // the archives may lack the pages of some documents
}

// Compared are numbers of documents.
type Compared struct {
	Documents int64 // that were extracted again, whether they differ or not
	// Older were made by another version of the extractor, whose results may differ.
	Older int64
	// Late took longer this time than the extractor may take.
	Late   int64
	Absent int64 // their pages are not in the archives, if that may be
}

// Run compares the journal of a corpus with its archives: text, title, author, site
// and date of each document, and that its page is there. It keeps a few hashes of
// each document in memory. Its error is that of ctx, of an archive that cannot be
// read, of the pool, or [jsonl.ErrRow].
func (c Comparison) Run(ctx context.Context, root *os.Root) (Compared, error) {
	r := &comparing{Comparison: c, seed: maphash.MakeSeed(), journal: map[string]journaled{}}
	if err := r.read(root); err != nil {
		return Compared{}, fmt.Errorf("compare with archives: %w", err)
	}
	group, within := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0) + 1) // bounds the bodies in memory
	for page, err := range c.Source.Pages(within, c.Agent) {
		if err != nil {
			return Compared{}, errors.Join(fmt.Errorf("compare with archives: %w", err), group.Wait())
		}
		id := corpus.DocumentID(page.Visit.Item.URL, page.Visit.StartedAt)
		was, ok := r.take(id)
		if !ok {
			continue
		}
		group.Go(func() error { return r.compare(within, page, was) })
	}
	if err := group.Wait(); err != nil {
		return Compared{}, fmt.Errorf("compare with archives: %w", err)
	}
	for _, was := range r.journal {
		if r.Partial {
			r.done.Absent++
			continue
		}
		r.Say(was.url + ": no archive has the page that the document was made from")
	}
	return r.done, nil
}

type comparing struct {
	Comparison

	seed maphash.Seed

	mu      sync.Mutex           // guards what follows, and Say
	journal map[string]journaled // documents that were not met yet, by ID
	done    Compared
}

// journaled is what the journal says of a document.
type journaled struct {
	url, extractor string
	format         text.Format
	facts          facts
}

// facts are hashes of what an extraction yields.
type facts struct{ text, title, author, sitename, date uint64 }

func (r *comparing) factsOf(of, title, author, sitename, date string) facts {
	hash := func(s string) uint64 { return maphash.String(r.seed, s) }
	return facts{hash(of), hash(title), hash(author), hash(sitename), hash(date)}
}

// read reads the journal.
func (r *comparing) read(root *os.Root) error {
	gone, err := corpus.Purged(root)
	if err != nil {
		return err
	}
	for d, err := range jsonl.Rows[corpus.Document](root, corpus.JournalName) {
		if err != nil {
			return err
		}
		if !gone[d.ID] {
			r.journal[d.ID] = journaled{d.URL, d.Metadata.Extractor, text.Format(d.TextFormat), r.factsOf(d.Text, d.Title, d.Metadata.Author, d.Metadata.Sitename, d.Date)}
		}
	}
	return nil
}

// take removes a document from those that were not met yet.
func (r *comparing) take(id string) (journaled, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	was, ok := r.journal[id]
	delete(r.journal, id)
	return was, ok
}

// compare extracts one page again.
func (r *comparing) compare(ctx context.Context, page Page, was journaled) error {
	e := &page.Visit
	got, err := r.Extract(ctx, text.Page{URL: e.Item.URL, ContentType: content.TypeOf(e.Header), Body: e.Body}, was.format)
	failed, isPage := errors.AsType[*text.Error](err)
	if err != nil && !isPage {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case isPage && failed.Reason == text.ReasonDeadline:
		r.done.Late++
	case isPage:
		r.done.Documents++
		r.Say(fmt.Sprintf("%s: the page in the archive has no text: %s", was.url, failed.Reason))
	case got.Extractor != was.extractor:
		r.done.Older++
	default:
		r.done.Documents++
		for _, name := range was.facts.differences(r.factsOf(got.Text, got.Title, got.Author, got.Sitename, got.Date)) {
			r.Say(fmt.Sprintf("%s: %s is not what the page in the archive yields", was.url, name))
		}
	}
	return nil
}

func (f facts) differences(other facts) (names []string) {
	for _, part := range []struct {
		name string
		same bool
	}{
		{"the text", f.text == other.text},
		{"the title", f.title == other.title},
		{"the author", f.author == other.author},
		{"the name of the site", f.sitename == other.sitename},
		{"the date", f.date == other.date},
	} {
		if !part.same {
			names = append(names, part.name)
		}
	}
	return names
}
