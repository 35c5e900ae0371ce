package corpus

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/decorum-crawler/decorum/corpus/measure"
	"github.com/decorum-crawler/decorum/corpus/signal"
	"github.com/decorum-crawler/decorum/corpus/text"
	"github.com/decorum-crawler/decorum/crawler"
	"github.com/decorum-crawler/decorum/crawler/content"
	"github.com/decorum-crawler/decorum/crawler/fetch"
	"github.com/decorum-crawler/decorum/crawler/record"
	"github.com/decorum-crawler/decorum/frontier"
	"github.com/decorum-crawler/decorum/robots"
	"github.com/decorum-crawler/decorum/storage/jsonl"
)

// The names of the outputs of a corpus in the records of a crawl.
const (
	OutputDocuments = "documents" // [Document], all of them, before they are sharded
	OutputExcluded  = "excluded"  // [Excluded]
	OutputFailed    = "failed"    // [Failed]
	OutputEvidence  = "evidence"  // [Evidence]
)

// Outputs returns the files of these outputs under the directory of a corpus, by
// output. It fits crawldir.Options.
func Outputs() map[string]string {
	return map[string]string{
		OutputDocuments: JournalName, OutputExcluded: ExcludedName, OutputFailed: FailedName, OutputEvidence: EvidenceName,
	}
}

// Needs returns of which outputs a page of a crawl has a record: of one of each
// group. It fits crawldir.RepairOptions.
func Needs(p record.Page) [][]string {
	switch {
	case p.RedirectTo != "":
		return [][]string{{OutputEvidence}}
	case p.Status/100 == 2:
		return [][]string{{OutputEvidence}, {OutputDocuments, OutputExcluded, OutputFailed}}
	}
	return nil
}

// Options of a [Builder].
type Options struct {
	Agent     string // our product token
	CrawlID   string
	Policy    signal.Policy
	Overrides signal.Overrides
	AITxt     bool // request ai.txt
	Consent   bool // a page about which nothing is stated is excluded
	// Extract returns the text of a page. A *[text.Error] means that the page has none
	// and becomes a [Failed]; any other error ends the crawl.
	Extract func(ctx context.Context, page text.Page) (text.Result, error)
	// Store keeps a file of a site by its digest, with how it was fetched; nil
	// keeps none. An error ends the crawl.
	Store func(a fetch.SiteFile) error
}

// A Builder makes documents of pages while they are crawled. It is safe for
// concurrent use; make one with [NewBuilder].
type Builder struct {
	options Options
	sites   sites

	mu   sync.Mutex
	hops map[string]hop    // redirects by URL
	ids  map[string]string // of redirects to their URLs
}

// hop is a redirect.
type hop struct {
	id        string
	redirects []string
	signals   [][]signal.Signal // of it and of those before
}

// NewBuilder makes a builder for one crawl.
func NewBuilder(options Options) *Builder {
	return &Builder{
		options: options, sites: newSites(options), hops: map[string]hop{}, ids: map[string]string{},
	}
}

// Sink returns the functions that a crawl calls; all of them are set.
func (b *Builder) Sink() crawler.Sink {
	return crawler.Sink{Wants: b.sites.wants, Receive: b.sites.receive, Refuse: b.refuse, Admit: b.admit, Keep: b.keep}
}

// RecallEvidence tells the builder what an earlier run of the crawl recorded, in
// the order of the file: redirects are needed for the pages that they lead to.
// load returns a stored file of a site by its digest.
func (b *Builder) RecallEvidence(e Evidence, load func(digest string) ([]byte, error)) error {
	if e.RedirectTo == "" {
		return nil
	}
	site, err := e.Site.site(load)
	if err != nil {
		return err
	}
	b.remember(e, signal.Judge(b.options.Agent, e.Page, site))
	return nil
}

// remember records a redirect with its signals and those of the redirects before
// it.
func (b *Builder) remember(e Evidence, signals []signal.Signal) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var before [][]signal.Signal
	if len(e.Redirects) > 0 {
		before = b.hops[b.ids[e.Redirects[len(e.Redirects)-1]]].signals
	}
	b.hops[e.URL] = hop{id: e.ID, redirects: e.Redirects, signals: append(slices.Clip(before), signals)}
	b.ids[e.ID] = e.URL
}

// maxRedirects bounds the redirects that are recorded for a page: a crawl follows
// fewer, but an archive can contain a loop of them, and each would record all
// before it. After that many the list starts again from empty.
const maxRedirects = 100

// redirectsTo returns the redirects that led to an item.
func (b *Builder) redirectsTo(item frontier.Item) (ids []string, signals [][]signal.Signal) {
	if item.Source != frontier.SourceRedirect {
		return nil, nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	h, ok := b.hops[item.Via]
	if !ok || len(h.redirects)+1 > maxRedirects {
		return nil, nil
	}
	return append(slices.Clip(h.redirects), h.id), h.signals
}

// judged is a page with its evidence and the decision of the policy.
type judged struct {
	page      signal.Page
	at        time.Time
	redirects []string // IDs of the redirects that led to it
	site      SiteEvidence
	signals   []signal.Signal
	decision  signal.Decision
}

// judge collects the signals of a page and its site and decides on it.
func (b *Builder) judge(item frontier.Item, d *robots.Document, page signal.Page, at time.Time) judged {
	site, files := b.sites.of(d)
	ids, before := b.redirectsTo(item)
	signals := signal.Judge(b.options.Agent, page, site)
	decision := b.options.Policy.Decide(append(slices.Clip(before), signals)...)
	return judged{page, at, ids, files, signals, b.options.Overrides.Apply(decision, item.URL, at)}
}

// evidence returns what the decision rests on. status is 0 when the page was not
// requested; head tells whether its own head was read.
func (j judged) evidence(status int, head bool) Evidence {
	return Evidence{
		Schema: evidenceSchema, ID: DocumentID(j.page.URL, j.at), URL: j.page.URL, FetchedAt: j.at.UTC().Format(time.RFC3339Nano),
		Status: status, Redirects: append([]string{}, j.redirects...), Head: head, Page: j.page, Site: j.site,
	}
}

// refuse reports whether robots.txt alone excludes a URL, so that nothing the
// page could state would change that.
func (b *Builder) refuse(item frontier.Item, d *robots.Document) (crawler.Refusal, bool) {
	j := b.judge(item, d, signal.ReadPage(item.URL, nil, nil), d.FetchedAt)
	final, ok := b.options.Policy.Final(j.signals, false)
	if !ok || j.decision.Train != signal.TrainExcluded {
		return crawler.Refusal{}, false
	}
	rule := robots.Rule{}
	if final.Signal == signal.NameToken {
		rule = d.File().Training(targetOf(item.URL)).Rule
	}
	e := j.evidence(0, false)
	return crawler.Refusal{Rule: rule, Records: []frontier.Record{
		lineOf(OutputEvidence, e), lineOf(OutputExcluded, excludedOf(e, j.decision, 0)),
	}}, true
}

func targetOf(address string) string {
	target, err := robots.Target(address)
	if err != nil {
		return "/"
	}
	return target
}

// admit reports whether a body is worth reading: the header alone does not
// exclude the page.
func (b *Builder) admit(e *crawler.Visit) bool {
	j := b.judge(e.Item, e.Robots, signal.ReadPage(e.Item.URL, e.Header, nil), time.Now())
	_, final := b.options.Policy.Final(j.signals, !content.MayBeHTML(content.TypeOf(e.Header)))
	return !final || j.decision.Train != signal.TrainExcluded
}

// keep returns the records of a page.
func (b *Builder) keep(ctx context.Context, e *crawler.Visit) ([]frontier.Record, error) {
	switch {
	case e.Page.RedirectTo != "":
		return b.keepRedirect(ctx, e)
	case e.Status/100 != 2:
		return nil, nil
	}
	page := b.page(e)
	if err := b.licenses(ctx, page, e); err != nil || ctx.Err() != nil {
		return nil, err
	}
	j := b.judge(e.Item, e.Robots, page, e.StartedAt)
	evidence := j.evidence(e.Status, !e.Refused)
	records := []frontier.Record{lineOf(OutputEvidence, evidence)}
	if b.options.Consent && j.decision.Train == signal.TrainNone {
		j.decision.Train, j.decision.Basis = signal.TrainExcluded, basisUnknown
	}
	switch j.decision.Train {
	case signal.TrainExcluded, signal.TrainHold:
		e.Withhold = true
		return append(records, lineOf(OutputExcluded, excludedOf(evidence, j.decision, e.Saved))), nil
	case signal.TrainInFavor, signal.TrainNone:
	}
	last, err := b.document(ctx, e, evidence.ID, j.decision)
	if err != nil || ctx.Err() != nil {
		return nil, err
	}
	return append(records, last), nil
}

// keepRedirect returns the evidence of a redirect and remembers it for the page
// that it leads to.
func (b *Builder) keepRedirect(ctx context.Context, e *crawler.Visit) ([]frontier.Record, error) {
	page := signal.ReadPage(e.Item.URL, e.Header, nil)
	if err := b.licenses(ctx, page, e); err != nil || ctx.Err() != nil {
		return nil, err
	}
	j := b.judge(e.Item, e.Robots, page, e.StartedAt)
	evidence := j.evidence(e.Status, false)
	evidence.RedirectTo = e.Page.RedirectTo
	b.remember(evidence, j.signals)
	return []frontier.Record{lineOf(OutputEvidence, evidence)}, nil
}

// page returns what matters of a response, for HTML with its head.
func (b *Builder) page(e *crawler.Visit) signal.Page {
	var head []byte
	if !e.Refused && content.MayBeHTML(content.TypeOf(e.Header)) {
		head, _ = content.Decode(e.Body[:min(len(e.Body), signal.MaxHead)], content.TypeOf(e.Header))
	}
	return signal.ReadPage(e.Item.URL, e.Header, head)
}

// licenses requests the license files that only the page names.
func (b *Builder) licenses(ctx context.Context, page signal.Page, e *crawler.Visit) error {
	if len(page.Licenses) == 0 {
		return nil
	}
	for _, address := range b.sites.missing(page, e.Robots) {
		if err := b.sites.receive(e.Robots.Origin, e.Fetch(ctx, address)); err != nil {
			return err
		}
	}
	return nil
}

// document returns the record of the document in a page, or that of a page
// without text.
func (b *Builder) document(ctx context.Context, e *crawler.Visit, id string, decision signal.Decision) (frontier.Record, error) {
	if e.Page.Error != "" { // only a part of it was read
		return lineOf(OutputFailed, Failed{failedSchema, id, e.Item.URL, e.Page.Error}), nil
	}
	result, err := b.options.Extract(ctx, text.Page{URL: e.Item.URL, ContentType: content.TypeOf(e.Header), Body: e.Body})
	if failed, ok := errors.AsType[*text.Error](err); ok {
		return lineOf(OutputFailed, Failed{failedSchema, id, e.Item.URL, string(failed.Reason)}), nil
	}
	if ctx.Err() != nil {
		return frontier.Record{}, nil //nolint:nilerr // cut short on purpose; the crawl drops the page
	}
	if err != nil {
		return frontier.Record{}, err
	}
	counts, marks := measure.Of(result.Text, measure.Facts{Language: result.Language, Links: measure.Round(result.Links)})
	d := Document{
		ID: id, Text: result.Text, TextFormat: string(result.Format), Source: frontier.HostOf(e.Item.URL), Added: TimestampOf(e.StartedAt),
		URL: e.Item.URL, Date: result.Date, Language: result.Language, LanguageScore: measure.Round(result.Score),
		LanguageDeclared: result.Declared, Languages: languagesOf(result.Languages),
		Title: result.Title, Counts: counts, Marks: marks, TextSHA256: result.SHA256, Simhash: FormatSimhash(result.Simhash),
		Train: string(decision.Train), TrainBasis: decision.Basis,
		Metadata: Metadata{
			Schema: DocumentSchema, CrawlID: b.options.CrawlID, FinalURL: e.Item.URL, HTTPStatus: int64(e.Status),
			ContentType: content.TypeOf(e.Header), Charset: result.Charset.Name, CharsetSource: result.Charset.Source,
			ETag: e.Header.Get("ETag"), LastModified: e.Page.LastModified, PayloadDigest: e.Page.Digest, WARCFile: e.File, WARCOffset: e.Offset,
			RobotsDigest: e.Page.Robots.Digest, RobotsFetchedAt: TimestampOf(e.Robots.FetchedAt.Truncate(time.Second)), // as in evidence
			RobotsRule: e.Page.Robots.Rule, RobotsLine: int64(e.Page.Robots.Line), Policy: decision.Policy, Signals: signalsOf(decision.Signals),
			Author: result.Author, Sitename: result.Sitename, Extractor: result.Extractor, Truncated: e.Truncated,
		},
	}
	return lineOf(OutputDocuments, d), nil
}

func excludedOf(e Evidence, d signal.Decision, saved int64) Excluded {
	return Excluded{
		Schema: excludedSchema, ID: e.ID, URL: e.URL, Reason: string(d.Train), Basis: d.Basis,
		Policy: d.Policy, Status: e.Status, BytesSaved: saved, Signals: signalsOf(d.Signals),
	}
}

func languagesOf(runs []text.Run) Languages {
	made := make(Languages, 0, len(runs))
	for _, r := range runs {
		made = append(made, Language{r.Language, measure.Round(r.Score), int64(r.Line), int64(r.Lines)})
	}
	return made
}

func signalsOf(signals []signal.Signal) Signals {
	made := make(Signals, 0, len(signals))
	for _, s := range signals {
		made = append(made, Signal{string(s.Signal), string(s.Value), s.Basis, s.Where, int64(s.Line), s.Raw})
	}
	return made
}

// lineOf returns one line of an output.
func lineOf(output string, v any) frontier.Record {
	return frontier.Record{Output: output, Data: jsonl.Line(v)}
}
