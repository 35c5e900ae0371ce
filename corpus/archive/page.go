package archive

import (
	"bufio"
	"context"
	"crypto/sha1" //nolint:gosec // the digests of older archives
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/decorum-crawler/decorum/crawler"
	"github.com/decorum-crawler/decorum/crawler/content"
	"github.com/decorum-crawler/decorum/crawler/fetch"
	"github.com/decorum-crawler/decorum/crawler/record"
	"github.com/decorum-crawler/decorum/frontier"
	"github.com/decorum-crawler/decorum/robots"
	"github.com/decorum-crawler/decorum/storage/warc"
)

// A Fault is the reason why a page has no usable body. The strings are stable.
type Fault string

// The faults.
const (
	FaultNone       Fault = ""
	FaultIncomplete Fault = "incomplete" // the connection broke, or the archiver withheld the body
	FaultNoPayload  Fault = "no-payload" // a revisit whose original is not before it in the archives
	FaultDamaged    Fault = "damaged"    // the body does not have the digest in its record
	FaultNoRedirect Fault = "no-way"     // found by a redirect that is not in the archives before it
)

// A Page is a response of the archives to a request for a page.
type Page struct {
	// Visit is what a crawl would have passed to its sinks. Its robots.txt is
	// never nil.
	Visit    crawler.Visit
	Verdict  robots.Verdict // of that robots.txt for our token
	Fault    Fault
	Unjudged bool // the origin's robots.txt is not in the archives

	again bool // a redirect whose URL was a redirect before
}

// Pages yields the pages in the order of the archives. agent is our product token,
// which the verdicts are for. An error comes last and alone.
func (s *Source) Pages(ctx context.Context, agent string) iter.Seq2[Page, error] {
	return func(yield func(Page, error) bool) {
		originals := &originals{}
		defer originals.close() //nolint:errcheck // it was only read
		for _, input := range s.inputs {
			p := pages{source: s, agent: agent, input: input.Name, yield: yield, originals: originals}
			err := p.read(ctx)
			if p.ended {
				return
			}
			if err != nil {
				yield(Page{}, fmt.Errorf("read archive %s: %w", input.Name, err))
				return
			}
		}
	}
}

// pages reads one file.
type pages struct {
	source  *Source
	agent   string
	input   string
	yield   func(Page, error) bool
	pending *pendingPage // waits for its metadata record, which may follow
	ended   bool         // the caller stopped the iteration

	originals *originals
}

// pendingPage is a page whose metadata record may follow.
type pendingPage struct {
	id    string
	page  Page
	facts map[string]string // fields of the metadata record; nil without one
}

func (p *pages) read(ctx context.Context) error {
	file, err := os.Open(filepath.FromSlash(p.input))
	if err != nil {
		return err
	}
	defer file.Close()
	reader := warc.NewReader(&counter{r: file, all: p.source.options.Read, stopped: ctx.Err})
	for !p.ended {
		record, err := reader.Next()
		if errors.Is(err, io.EOF) {
			p.flush()
			return nil
		}
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = p.record(record)
		}
		if errors.Is(err, warc.ErrCut) && reader.Whole() > 0 {
			p.flush()
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (p *pages) record(record *warc.Record) error {
	switch record.Type() {
	case typeResponse, typeRevisit:
		p.flush()
		return p.hold(record)
	case typeMetadata:
		if p.pending != nil && record.Field("WARC-Concurrent-To") == p.pending.id {
			return p.pending.describe(record)
		}
	case "resource", "conversion":
		p.source.others[record.Type()]++
	}
	return nil
}

// hold reads a response and keeps it as pending, unless it is a file of the site.
func (p *pages) hold(record *warc.Record) error {
	address, ok := canonical(record.URL())
	if !ok {
		p.source.others["not an HTTP URL"]++
		return nil
	}
	if isFile(address) {
		return nil
	}
	at, err := timeOf(record)
	if err != nil {
		p.source.others["no valid date"]++
		return nil //nolint:nilerr // it is counted
	}
	digests := newDigests(record)
	a, err := readResponse(record, p.source.options.MaxBytes)
	if errors.Is(err, warc.ErrSyntax) && !errors.Is(err, warc.ErrCut) {
		p.source.others["not an HTTP response"]++
		return nil
	}
	if err != nil {
		return err
	}
	if p.source.sites.robotsTargets[address] && !strings.Contains(content.Media(content.TypeOf(a.header)), "html") {
		return nil // the target of a redirect of a robots.txt
	}
	page := Page{Visit: crawler.Visit{
		Item:   frontier.Item{URL: address},
		Status: a.status, Header: a.header, Body: a.body, Truncated: a.truncated, StartedAt: at,
		File: filepath.Base(p.input), Offset: record.Offset,
	}}
	switch {
	case record.Type() == typeRevisit:
		err = p.revisit(record, &page)
	case !digests.agree(record) || a.damaged:
		page.Fault = FaultDamaged
	default:
		page.Fault = faultOf(record.Field("WARC-Truncated"))
		page.Visit.Refused = page.Fault != FaultNone && len(a.body) == 0
		if digest := payloadDigest(record); digest != "" {
			if _, asked := p.source.payloads[digest]; asked && page.Fault == FaultNone {
				p.source.payloads[digest] = &place{p.input, record.Offset}
			}
		}
	}
	p.pending = &pendingPage{id: record.Field("WARC-Record-ID"), page: page}
	return err
}

// faultOf returns the fault for a value of WARC-Truncated: a body that is cut only
// because of its length is usable.
func faultOf(truncated string) Fault {
	switch truncated {
	case "", warc.TruncatedLength:
		return FaultNone
	}
	return FaultIncomplete
}

// revisit sets the payload of a page to that of the record that it refers to.
func (p *pages) revisit(record *warc.Record, page *Page) error {
	page.Fault = FaultNoPayload
	digest := payloadDigest(record)
	at := p.source.payloads[digest]
	if at == nil {
		return nil
	}
	original, err := p.originals.record(at)
	if errors.Is(err, warc.ErrSyntax) {
		return nil // the record is split into several parts, and its start is unknown
	}
	if err != nil {
		return fmt.Errorf("read payload of %s at %d of %s: %w", record.URL(), at.offset, at.input, err)
	}
	if original.Type() != typeResponse || payloadDigest(original) != digest {
		return nil // several records in one gzip member, and their offsets are unknown
	}
	a, err := readResponse(original, p.source.options.MaxBytes)
	if err != nil {
		return err
	}
	e := &page.Visit
	if e.Body, e.Truncated, page.Fault = a.body, a.truncated, FaultNone; len(e.Header) == 0 {
		e.Status, e.Header = a.status, a.header
	}
	return nil
}

// describe reads the metadata record of a page.
func (h *pendingPage) describe(record *warc.Record) error {
	h.facts = map[string]string{}
	lines := bufio.NewScanner(io.LimitReader(record.Block, maxHead))
	for lines.Scan() {
		if name, value, ok := strings.Cut(lines.Text(), ":"); ok {
			h.facts[strings.TrimSpace(name)] = strings.TrimSpace(value)
		}
	}
	if err := lines.Err(); !errors.Is(err, bufio.ErrTooLong) { // other archivers may write longer lines
		return err
	}
	return nil
}

// flush yields the pending page.
func (p *pages) flush() {
	h := p.pending
	p.pending = nil
	if h == nil || p.ended || h.facts[record.FieldKind] == record.KindFile {
		return
	}
	h.found(p.source.hops, p.source.redirected)
	e := &h.page.Visit
	if e.Status/100 == 2 && p.source.again(e.Item.URL, e.StartedAt) {
		return
	}
	e.Robots = p.source.sites.document(frontier.OriginOf(e.Item.URL), e.StartedAt)
	h.page.Unjudged = isUnknown(e.Robots)
	target, err := robots.Target(e.Item.URL)
	if err != nil {
		target = "/"
	}
	file := e.Robots.File()
	h.page.Verdict = e.Robots.Check(p.agent, target)
	e.Fetch = func(_ context.Context, address string) fetch.SiteFile { return p.source.sites.file(address) }
	e.Page = pageOf(e, file.Training(target), h.page.Verdict)
	e.Page.Error = string(h.page.Fault)
	if e.Page.RedirectTo != "" {
		h.page.again = p.source.redirected[e.Item.URL]
		p.source.hops[e.Page.RedirectTo], p.source.redirected[e.Item.URL] = e.Item.URL, true
	}
	p.ended = !p.yield(h.page, nil)
}

// found sets from the metadata how the URL was found. A page that was found by an
// unknown redirect gets a fault, because the redirect may have stated an opt-out.
// Without metadata, a page that is the target of a redirect counts as found by it,
// which is the stricter interpretation.
func (h *pendingPage) found(hops map[string]string, redirected map[string]bool) {
	e := &h.page.Visit
	if at, err := time.Parse(time.RFC3339Nano, h.facts[record.FieldFetched]); err == nil {
		e.StartedAt = at.UTC()
	}
	if ms, err := strconv.ParseInt(h.facts["fetchTimeMs"], 10, 64); err == nil && ms >= 0 {
		e.Elapsed = time.Duration(ms) * time.Millisecond
	}
	item := &e.Item
	item.Via, item.Source = h.facts["via"], frontier.Source(h.facts[record.FieldSource])
	item.Depth, _ = strconv.Atoi(h.facts[record.FieldDepth]) // 0 when unknown
	if item.Source == frontier.SourceRedirect && !redirected[item.Via] && h.page.Fault == FaultNone {
		h.page.Fault = FaultNoRedirect
	}
	if item.Source != "" {
		return
	}
	if from, ok := hops[item.URL]; ok {
		item.Via, item.Source = from, frontier.SourceRedirect
	}
}

// pageOf returns the decorum.page/1 record of a page.
func pageOf(e *crawler.Visit, training robots.Training, verdict robots.Verdict) record.Page {
	p := record.Page{
		Schema: "decorum.page/1", URL: e.Item.URL, Status: e.Status, FetchedAt: e.StartedAt, ElapsedMS: e.Elapsed.Milliseconds(),
		LastModified: record.LastModified(e.Header), Bytes: int64(len(e.Body)), ContentType: content.TypeOf(e.Header),
		Depth: e.Item.Depth, Source: e.Item.Source, Via: e.Item.Via, Truncated: e.Truncated, Attempts: 1,
		Robots: record.RobotsOf(verdict, e.Robots.Digest()), Training: record.TrainingOf(training),
		Signals:    record.Signals{Directives: []string{}},
		RedirectTo: redirectOf(e.Item.URL, response{status: e.Status, header: e.Header}),
	}
	if e.Body != nil {
		p.Digest = record.Digest(e.Body)
	}
	return p
}

// digests computes the block digest of a record.
type digests struct {
	block hash.Hash
	rest  io.Reader
}

// newDigests wraps the block of a record, so that reading it computes its digest.
func newDigests(record *warc.Record) digests {
	var d digests
	switch algorithm, _, _ := strings.Cut(record.Field("WARC-Block-Digest"), ":"); strings.ToLower(algorithm) {
	case "sha1":
		d.block = sha1.New() //nolint:gosec // detects damage, not forgery
	case "sha256":
		d.block = sha256.New()
	default:
		return d
	}
	record.Block = io.TeeReader(record.Block, d.block)
	d.rest = record.Block
	return d
}

// agree reports whether the block has the digest in its record. It returns true
// when the record has no digest of a known algorithm.
func (d digests) agree(record *warc.Record) bool {
	if d.block == nil {
		return true
	}
	if _, err := io.Copy(io.Discard, d.rest); err != nil {
		return false
	}
	_, want, _ := strings.Cut(record.Field("WARC-Block-Digest"), ":")
	sum := d.block.Sum(nil)
	return strings.EqualFold(want, hex.EncodeToString(sum)) || strings.EqualFold(want, base32.StdEncoding.EncodeToString(sum))
}
