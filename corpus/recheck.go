package corpus

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/decorum-crawler/decorum/corpus/signal"
	"github.com/decorum-crawler/decorum/crawler/fetch"
	"github.com/decorum-crawler/decorum/robots"
	"github.com/decorum-crawler/decorum/storage/jsonl"
)

// A Rechecker requests the evidence for decisions again: robots.txt, the other
// files of a site, and the headers of each page and of the redirects to it.
// The pages themselves are not downloaded; what their HTML heads stated still
// counts. All fields but Options.Store and Options.Extract must be set. It is not
// safe for concurrent use.
type Rechecker struct {
	Options Options
	Load    func(digest string) ([]byte, error) // returns a stored file of a site
	Robots  func(ctx context.Context, address string) (*robots.Document, error)
	File    func(ctx context.Context, address string) fetch.SiteFile
	// Header requests a page and returns its status and header, or an error when
	// there is no response, or robots.txt forbids the page now.
	Header func(ctx context.Context, address string) (status int, header http.Header, err error)

	once   sync.Once
	sites  sites
	silent map[string][]Unreached // files of sites, by origin
}

// Rechecked tells what sites state about a document now.
type Rechecked struct {
	Evidence Evidence
	// Decision is the current decision: the strictest of the page and the redirects
	// that led to it. Anything that could not be fetched keeps its recorded state.
	Decision signal.Decision
	// Holds are the reasons when the decision is to hold; the document keeps its
	// former decision.
	Holds     []Hold
	Unreached []Unreached
	// Changed lists URLs that are no longer the page or the redirect that was
	// recorded, or that robots.txt forbids now.
	Changed []string
}

// Unreached is an origin whose robots.txt, or a URL whose response, could not be
// fetched, or a server that refused to answer for now (429 or 5xx).
type Unreached struct{ URL, Cause string }

// Removal returns the removal of the document, for a Decision that excludes it;
// at is when that was found.
func (r Rechecked) Removal(at time.Time) Removal {
	return Removal{
		Schema: removalSchema, ID: r.Evidence.ID, URL: r.Evidence.URL, At: at.UTC().Format(time.RFC3339),
		Basis: r.Decision.Basis, Policy: r.Decision.Policy,
	}
}

// Hold is an origin whose terms cannot be read now.
type Hold struct{ Origin, Basis string }

// Each checks every document of a corpus, at every origin of its redirect chain,
// and calls take with the result. It returns the first error: of take, of
// one of the functions above but Header, of ctx, or [jsonl.ErrRow]. It keeps
// redirects in memory.
func (r *Rechecker) Each(ctx context.Context, root *os.Root, take func(Rechecked) error) error {
	shown := map[string]bool{} // IDs of the documents that are not purged
	for d, err := range jsonl.Rows[Document](root, JournalName) {
		if err != nil {
			return err
		}
		shown[d.ID] = d.Text != ""
	}
	hops := map[string]Evidence{} // redirects by ID
	for e, err := range jsonl.Rows[Evidence](root, EvidenceName) {
		switch {
		case err != nil:
			return err
		case e.RedirectTo != "":
			hops[e.ID] = e
			continue
		case !shown[e.ID]:
			continue
		}
		chain, err := chainOf(e, hops)
		if err != nil {
			return err
		}
		checked, err := r.check(ctx, chain)
		if err != nil {
			return fmt.Errorf("recheck %s: %w", e.URL, err)
		}
		if err := take(checked); err != nil {
			return err
		}
	}
	return nil
}

// chainOf returns the redirects that led to a page, the first one first, and the
// page itself.
func chainOf(e Evidence, hops map[string]Evidence) ([]Evidence, error) {
	chain := make([]Evidence, 0, len(e.Redirects)+1)
	for _, id := range e.Redirects {
		hop, ok := hops[id]
		if !ok {
			return nil, fmt.Errorf("read evidence of %s: evidence of its redirect %s: %w", e.URL, id, os.ErrNotExist)
		}
		chain = append(chain, hop)
	}
	return append(chain, e), nil
}

// check checks one document; chain is never empty.
func (r *Rechecker) check(ctx context.Context, chain []Evidence) (Rechecked, error) {
	r.once.Do(func() { r.sites, r.silent = newSites(r.Options), map[string][]Unreached{} })
	checked := Rechecked{Evidence: chain[len(chain)-1]}
	var signals [][]signal.Signal
	var holds []Hold
	for _, step := range chain {
		now, err := r.step(ctx, step)
		if err != nil {
			return Rechecked{}, err
		}
		signals = append(signals, now.signals)
		checked.Unreached = append(checked.Unreached, now.unreached...)
		checked.Changed = append(checked.Changed, now.changed...)
		own := r.Options.Policy.Decide(now.signals)
		if hold := (Hold{now.origin, own.Basis}); own.Train == signal.TrainHold && !slices.Contains(holds, hold) {
			holds = append(holds, hold)
		}
	}
	checked.Decision = r.Options.Overrides.Apply(r.Options.Policy.Decide(signals...), checked.Evidence.URL, time.Now())
	switch {
	case checked.Decision.Train == signal.TrainHold:
		checked.Holds = holds
	case checked.Decision.Train == signal.TrainNone && r.Options.Consent:
		checked.Decision.Train, checked.Decision.Basis = signal.TrainExcluded, basisUnknown
	}
	return checked, nil
}

// step holds the current signals of one URL of a chain.
type step struct {
	origin    string
	signals   []signal.Signal
	unreached []Unreached
	changed   []string
}

func (r *Rechecker) step(ctx context.Context, e Evidence) (step, error) {
	d, err := r.Robots(ctx, e.URL)
	if err != nil {
		return step{}, err
	}
	now := step{origin: d.Origin}
	if d.Class() == robots.ClassUnreachable {
		// Nothing else may be requested. The unreadable token puts the page on hold.
		now.unreached = []Unreached{{d.Origin, d.Failure()}}
		now.signals = signal.Judge(r.Options.Agent, e.Page, signal.Site{Robots: d})
		return now, nil
	}
	for address := r.sites.wants(d.Origin, d); address != ""; address = r.sites.wants(d.Origin, d) {
		if err := r.file(ctx, d.Origin, address); err != nil {
			return step{}, err
		}
	}
	page := r.page(ctx, e, &now)
	for _, address := range r.sites.missing(page, d) {
		if err := r.file(ctx, d.Origin, address); err != nil {
			return step{}, err
		}
	}
	if ctx.Err() != nil {
		return step{}, ctx.Err()
	}
	site, err := r.site(d, e.Site)
	if err != nil {
		return step{}, err
	}
	now.unreached = append(now.unreached, r.silent[d.Origin]...)
	now.signals = signal.Judge(r.Options.Agent, page, site)
	return now, nil
}

// page returns what a page states with its current header. It returns the
// recorded page when there is no response, when a page has become a redirect, or
// when a redirect is no longer one.
func (r *Rechecker) page(ctx context.Context, e Evidence, now *step) signal.Page {
	status, header, err := r.Header(ctx, e.URL)
	_, blocked := errors.AsType[*fetch.BlockedError](err)
	redirect := fetch.Redirect(status, header) != ""
	switch {
	case err != nil && !blocked:
		now.unreached = append(now.unreached, Unreached{e.URL, err.Error()})
		return e.Page
	case busy(status):
		now.unreached = append(now.unreached, Unreached{e.URL, answered(status)})
		return e.Page
	case blocked, redirect != (e.RedirectTo != ""), !redirect && status/100 != 2:
		now.changed = append(now.changed, e.URL)
		return e.Page
	}
	page := signal.ReadPage(e.URL, header, nil)
	page.Meta = e.Page.Meta
	linked := len(signal.ReadPage(e.URL, e.Page.Header, nil).Licenses) // of the recorded header; those of the HTML head follow
	page.Licenses = append(page.Licenses, e.Page.Licenses[min(linked, len(e.Page.Licenses)):]...)
	return page
}

// site returns what an origin states now. A file that cannot be fetched keeps its
// recorded state, except for a license, whose terms may have changed.
func (r *Rechecker) site(d *robots.Document, recorded SiteEvidence) (signal.Site, error) {
	site, now := r.sites.of(d)
	var err error
	if now.TDMRep.silent() {
		if site.TDMRep, err = recorded.TDMRep.file(r.Load); err != nil {
			return site, fmt.Errorf("load evidence of %s: %w", d.Origin, err)
		}
	}
	if now.AITxt.silent() {
		if site.AITxt, err = recorded.AITxt.file(r.Load); err != nil {
			return site, fmt.Errorf("load evidence of %s: %w", d.Origin, err)
		}
	}
	return site, nil
}

// file requests a file of a site.
func (r *Rechecker) file(ctx context.Context, origin, address string) error {
	f := r.File(ctx, address)
	if !f.Blocked && (f.Status == 0 || busy(f.Status)) {
		r.silent[origin] = append(r.silent[origin], Unreached{address, cmp.Or(f.Cause(), answered(f.Status))})
	}
	return r.sites.receive(origin, f)
}

func answered(status int) string {
	return strings.TrimSpace(fmt.Sprintf("answered %d %s", status, http.StatusText(status)))
}

// busy reports whether a server refuses to answer for now.
func busy(status int) bool { return status == http.StatusTooManyRequests || status/100 == 5 }

// silent reports whether a response tells neither the contents of the file nor
// that it does not exist.
func (f FileEvidence) silent() bool {
	return f.Status == 0 || busy(f.Status)
}
