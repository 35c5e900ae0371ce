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

// A Fault is why a page has no body that could be judged. The strings are stable.
type Fault string

// The faults.
const (
	FaultNone       Fault = ""
	FaultIncomplete Fault = "incomplete" // the connection broke, or the archiver withheld it
	FaultNoPayload  Fault = "no-payload" // a revisit of what is not in the archives before it
	FaultDamaged    Fault = "damaged"    // its digest is not that of its record
	FaultNoWay      Fault = "no-way"     // found by a redirect that is not in the archives before it
)

// A Page is an answer of the archives to a request for a page.
type Page struct {
	// Exchange is what a crawl would have passed to its sinks. Its robots.txt is
	// never nil.
	Exchange crawler.Visit
	Verdict  robots.Verdict // of that robots.txt, for the agent of the reader
	Fault    Fault
	Unjudged bool // nothing is known of the origin's robots.txt

	again bool // a redirect of a URL that was one before
}

// Pages yields the answers to requests for pages in the order of the archives.
// agent is the product token that verdicts are made for. An error comes last and
// alone.
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
	source *Source
	agent  string
	input  string
	yield  func(Page, error) bool
	held   *held // until its metadata is read, which may follow
	ended  bool  // the caller wants no more

	originals *originals
}

// held is an answer of which it is not known yet how it was found.
type held struct {
	id    string
	page  Page
	facts map[string]string // of the metadata record; nil without one
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
		if p.held != nil && record.Field("WARC-Concurrent-To") == p.held.id {
			return p.held.describe(record)
		}
	case "resource", "conversion":
		p.source.others[record.Type()]++
	}
	return nil
}

// hold reads an answer, unless it is a file in which the site states something.
func (p *pages) hold(record *warc.Record) error {
	address, ok := canonical(record.URL())
	if !ok {
		p.source.others["no http URL"]++
		return nil
	}
	if isFile(address) {
		return nil
	}
	at, err := timeOf(record)
	if err != nil {
		p.source.others["no date"]++
		return nil //nolint:nilerr // it is counted
	}
	digests := newDigests(record)
	a, err := readAnswer(record, p.source.options.MaxBytes)
	if errors.Is(err, warc.ErrSyntax) {
		p.source.others["no HTTP answer"]++
		return nil
	}
	if err != nil {
		return err
	}
	if p.source.sites.leads[address] && !strings.Contains(content.Media(content.TypeOf(a.header)), "html") {
		return nil // it is a robots.txt under another name
	}
	page := Page{Exchange: crawler.Visit{
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
		page.Exchange.Refused = page.Fault != FaultNone && len(a.body) == 0
		if digest := payloadDigest(record); digest != "" {
			if _, asked := p.source.payloads[digest]; asked && page.Fault == FaultNone {
				p.source.payloads[digest] = &place{p.input, record.Offset}
			}
		}
	}
	p.held = &held{id: record.Field("WARC-Record-ID"), page: page}
	return err
}

// faultOf reads WARC-Truncated: only a body that is too long is useful.
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
		return nil // the record is torn over several parts: its beginning is not known
	}
	if err != nil {
		return fmt.Errorf("read the payload of %s at %d of %s: %w", record.URL(), at.offset, at.input, err)
	}
	if original.Type() != typeResponse || payloadDigest(original) != digest {
		return nil // several records in one gzip member: where each begins is not known
	}
	a, err := readAnswer(original, p.source.options.MaxBytes)
	if err != nil {
		return err
	}
	e := &page.Exchange
	if e.Body, e.Truncated, page.Fault = a.body, a.truncated, FaultNone; len(e.Header) == 0 {
		e.Status, e.Header = a.status, a.header
	}
	return nil
}

// describe reads the metadata of an answer.
func (h *held) describe(record *warc.Record) error {
	h.facts = map[string]string{}
	lines := bufio.NewScanner(io.LimitReader(record.Block, maxHead))
	for lines.Scan() {
		if name, value, ok := strings.Cut(lines.Text(), ":"); ok {
			h.facts[strings.TrimSpace(name)] = strings.TrimSpace(value)
		}
	}
	if err := lines.Err(); !errors.Is(err, bufio.ErrTooLong) { // other archivers' lines may be long
		return err
	}
	return nil
}

// flush yields the answer that was held.
func (p *pages) flush() {
	h := p.held
	p.held = nil
	if h == nil || p.ended || h.facts[record.FieldKind] == record.KindFile {
		return
	}
	h.found(p.source.hops, p.source.led)
	e := &h.page.Exchange
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
		h.page.again = p.source.led[e.Item.URL]
		p.source.hops[e.Page.RedirectTo], p.source.led[e.Item.URL] = e.Item.URL, true
	}
	p.ended = !p.yield(h.page, nil)
}

// found sets how the URL was found, by the metadata; a redirect that is not known
// may have stated an opt-out. Without metadata a page
// that a redirect leads to counts as found by it, which is the stricter reading.
func (h *held) found(hops map[string]string, led map[string]bool) {
	e := &h.page.Exchange
	if at, err := time.Parse(time.RFC3339Nano, h.facts[record.FieldFetched]); err == nil {
		e.StartedAt = at.UTC()
	}
	if ms, err := strconv.ParseInt(h.facts["fetchTimeMs"], 10, 64); err == nil && ms >= 0 {
		e.Elapsed = time.Duration(ms) * time.Millisecond
	}
	item := &e.Item
	item.Via, item.Source = h.facts["via"], frontier.Source(h.facts[record.FieldSource])
	item.Depth, _ = strconv.Atoi(h.facts[record.FieldDepth]) // 0 when unknown
	if item.Source == frontier.SourceRedirect && !led[item.Via] && h.page.Fault == FaultNone {
		h.page.Fault = FaultNoWay
	}
	if item.Source != "" {
		return
	}
	if from, ok := hops[item.URL]; ok {
		item.Via, item.Source = from, frontier.SourceRedirect
	}
}

// pageOf returns the decorum.page/1 record of an answer.
func pageOf(e *crawler.Visit, training robots.Training, verdict robots.Verdict) record.Page {
	p := record.Page{
		Schema: "decorum.page/1", URL: e.Item.URL, Status: e.Status, FetchedAt: e.StartedAt, ElapsedMS: e.Elapsed.Milliseconds(),
		LastModified: record.LastModified(e.Header), Bytes: int64(len(e.Body)), ContentType: content.TypeOf(e.Header),
		Depth: e.Item.Depth, Source: e.Item.Source, Via: e.Item.Via, Truncated: e.Truncated, Attempts: 1,
		Robots: record.RobotsOf(verdict, e.Robots.Digest()), Training: record.TrainingOf(training),
		Signals:    record.Signals{Directives: []string{}},
		RedirectTo: redirectOf(e.Item.URL, answer{status: e.Status, header: e.Header}),
	}
	if e.Body != nil {
		p.Digest = record.Digest(e.Body)
	}
	return p
}

// digests computes those digests of a record's block that the record names.
type digests struct {
	block hash.Hash
	rest  io.Reader
}

// newDigests wraps the block of a record, so that reading it computes its digest.
func newDigests(record *warc.Record) digests {
	var d digests
	switch algorithm, _, _ := strings.Cut(record.Field("WARC-Block-Digest"), ":"); strings.ToLower(algorithm) {
	case "sha1":
		d.block = sha1.New() //nolint:gosec // it tells damage, not forgery
	case "sha256":
		d.block = sha256.New()
	default:
		return d
	}
	record.Block = io.TeeReader(record.Block, d.block)
	d.rest = record.Block
	return d
}

// agree reports whether the block has the digest of its record; true when the
// record has none of a known algorithm.
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
