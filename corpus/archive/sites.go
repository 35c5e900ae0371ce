package archive

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/decorum-crawler/decorum/crawler/fetch"
	"github.com/decorum-crawler/decorum/frontier"
	"github.com/decorum-crawler/decorum/robots"
	"github.com/decorum-crawler/decorum/storage/warc"
)

// ErrNoRobots means that the archives have no robots.txt of an origin.
var ErrNoRobots = errors.New("robots.txt is not in the archives")

// Errors of files of sites.
var (
	errNotArchived = errors.New("file is not in the archives")
	errNotWhole    = errors.New("body is incomplete or cannot be decoded")
	errDamaged     = errors.New("digest mismatch: the body was changed after it was archived")
	errNoPayload   = errors.New("record refers to a payload that is not in the archives")
)

// maxFile bounds a file of a site, in bytes.
const maxFile = 1 << 20

// maxRetained is how long a robots.txt is used when later ones are unreachable:
// the time that RFC 9309 §2.3.1.4 names.
const maxRetained = 30 * 24 * time.Hour

// sites holds the files of sites in the archives.
type sites struct {
	robots        map[string][]siteCapture    // by requested URL; redirects lead from one to another
	robotsTargets map[string]bool             // targets of redirects of a robots.txt
	payloads      map[string]response         // by payload digest, for revisits
	texts         map[[32]byte][]byte         // bodies, each once
	size          int64                       // of all the above, estimated
	files         map[string]siteCapture      // the last capture by URL
	usable        map[string]map[int]int      // by origin: see lastUsable
	documents     map[string]*robots.Document // by origin and time
	used          []*robots.Document

	mu      sync.Mutex
	missing map[string]int64
	asked   map[string]bool // missing files by URL
}

// siteCapture is a response for a file of a site, with its time.
type siteCapture struct {
	response

	at    time.Time
	fault error // why its contents are unknown
}

// isUnknown reports whether the body is damaged or not in the archives.
func (one siteCapture) isUnknown() bool {
	return errors.Is(one.fault, errNoPayload) || errors.Is(one.fault, errDamaged)
}

// isUsable reports whether a capture tells the contents of a file, or that it does
// not exist.
func (one siteCapture) isUsable() bool {
	return one.fault == nil && (one.status/100 == 2 || one.status/100 == 4 && one.status != http.StatusTooManyRequests)
}

func newSites() *sites {
	return &sites{
		robots: map[string][]siteCapture{}, robotsTargets: map[string]bool{}, payloads: map[string]response{}, texts: map[[32]byte][]byte{},
		files: map[string]siteCapture{}, usable: map[string]map[int]int{},
		documents: map[string]*robots.Document{}, missing: map[string]int64{}, asked: map[string]bool{},
	}
}

func isRobots(address string) bool { return address == frontier.OriginOf(address)+"/robots.txt" }

// isFile reports whether a URL is that of robots.txt, tdmrep.json or ai.txt, and
// not of a page.
func isFile(address string) bool {
	origin := frontier.OriginOf(address)
	return isRobots(address) || address == origin+"/.well-known/tdmrep.json" || address == origin+"/ai.txt"
}

// wants reports whether a record may be a file of a site.
func (s *sites) wants(address string, record *warc.Record) bool {
	if isFile(address) || s.robotsTargets[address] {
		return true
	}
	return record.Type() == typeResponse && record.Length <= maxFile+maxHead &&
		(strings.Contains(record.Field("WARC-Identified-Payload-Type"), "xml") || mayBeLicense(address))
}

// maxHead bounds the HTTP header before a file, in bytes.
const maxHead = 64 << 10

// mayBeLicense reports whether a URL has the extension of an RSL license.
func mayBeLicense(address string) bool {
	address, _, _ = strings.Cut(address, "?")
	return slices.Contains([]string{".xml", ".rsl"}, path.Ext(address))
}

// entrySize is roughly the size of a map entry without its contents.
const entrySize = 256

// add keeps the response in a record for which wants is true. fault is why it
// could not be read, or nil.
func (s *sites) add(address string, record *warc.Record, a response, fault error) {
	at, err := timeOf(record)
	if err != nil {
		return // it is unknown when it was in force
	}
	one := siteCapture{a, at, fault}
	if isRobots(address) || s.robotsTargets[address] {
		s.complete(&one, record, robots.MaxBytes)
		s.robots[address] = append(s.robots[address], one)
		if to := redirectOf(address, a); to != "" {
			s.robotsTargets[to] = true
		}
	} else {
		s.complete(&one, record, maxFile)
		last, ok := s.files[address]
		if !isFile(address) && !bytes.Contains(one.body, []byte("<rsl")) || ok && !one.replaces(last) {
			return
		}
		s.files[address] = one
	}
	s.size += entrySize + int64(len(address))
	for name, values := range a.header {
		s.size += int64(len(name) + len(strings.Join(values, "")))
	}
}

// replaces reports whether a capture replaces the last one: a usable one replaces
// an unusable one, and otherwise a later one an earlier one.
func (one siteCapture) replaces(last siteCapture) bool {
	if one.isUsable() != last.isUsable() {
		return one.isUsable()
	}
	return !last.at.After(one.at)
}

// complete sets the payload of a revisit to the one that it refers to. For other
// captures it checks that the payload is complete and keeps it for revisits.
func (s *sites) complete(one *siteCapture, record *warc.Record, limit int) {
	digest := payloadDigest(record)
	switch {
	case one.fault != nil:
	case record.Type() == typeRevisit:
		original, ok := s.payloads[digest]
		switch {
		case !ok && (one.status == 0 || one.status/100 == 2):
			one.fault = errNoPayload
		case one.status == 0:
			one.response = original
		default:
			one.body = original.body
		}
	case one.status/100 != 2:
		one.body = nil
	case one.damaged, faultOf(record.Field("WARC-Truncated")) != FaultNone, one.truncated && len(one.body) < limit:
		one.fault = errNotWhole
	default:
		one.body = s.intern(one.body[:min(len(one.body), limit+1)])
		if digest != "" {
			s.payloads[digest] = one.response
		}
	}
}

// intern returns the only copy of a body that is kept.
func (s *sites) intern(body []byte) []byte {
	key := sha256.Sum256(body)
	kept, ok := s.texts[key]
	if !ok {
		kept = bytes.Clone(body)
		s.texts[key] = kept
		s.size += int64(len(kept)) + entrySize
	}
	return kept
}

// sortByTime sorts the captures by time, after all are read.
func (s *sites) sortByTime() {
	for _, all := range s.robots {
		slices.SortStableFunc(all, func(a, b siteCapture) int { return a.at.Compare(b.at) })
	}
}

// redirectOf returns the target of a response that is a redirect, or "".
func redirectOf(address string, a response) string {
	location := fetch.Redirect(a.status, a.header)
	if location == "" {
		return ""
	}
	to, err := frontier.Canonical(address, location, 0)
	if err != nil {
		return ""
	}
	return to
}

// file returns a file of a site.
func (s *sites) file(address string) fetch.SiteFile {
	known, _ := canonical(address)
	one, ok := s.files[known]
	switch {
	case ok && one.fault != nil:
		return fetch.SiteFile{URL: address, Err: one.fault, At: one.at}
	case ok:
		return fetch.SiteFile{URL: address, Status: one.status, Header: one.header, Body: one.body, At: one.at}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.asked[address] {
		s.asked[address] = true
		s.missing[nameOf(address)]++
	}
	return fetch.SiteFile{URL: address, Err: errNotArchived}
}

// nameOf returns the name of a file for [Source.Missing].
func nameOf(address string) string {
	if isFile(address) {
		return path.Base(address)
	}
	return "license"
}

// document returns the robots.txt of an origin that was in force at a time.
func (s *sites) document(origin string, at time.Time) *robots.Document {
	all := s.robots[origin+"/robots.txt"]
	if len(all) == 0 {
		return s.make(origin, time.Time{}, at)
	}
	after, _ := slices.BinarySearchFunc(all, at, func(one siteCapture, at time.Time) int {
		if one.at.After(at) {
			return 1
		}
		return -1
	})
	if after == 0 {
		return s.make(origin, all[0].at, at)
	}
	if last := s.lastUsable(origin, all, after-1); last >= 0 && at.Sub(all[last].at) <= maxRetained {
		return s.make(origin, all[last].at, at)
	}
	return s.make(origin, all[after-1].at, at)
}

// lastAsked returns when a robots.txt or one of its redirect targets was requested
// last.
func (s *sites) lastAsked(address string) (last time.Time) {
	for range 1 + robots.MaxRedirects {
		all := s.robots[address]
		if len(all) == 0 {
			break
		}
		one := all[len(all)-1]
		if one.at.After(last) {
			last = one.at
		}
		address = redirectOf(address, one.response)
	}
	return last
}

// lastUsable returns the index of the last capture up to i with a usable
// robots.txt, or -1. An unknown one ends the search, because an older one was not
// in force. Results are cached, so that the steps for an origin are as many as its
// captures, not as many for each page.
func (s *sites) lastUsable(origin string, all []siteCapture, i int) int {
	known := s.usable[origin]
	if known == nil {
		known = map[int]int{}
		s.usable[origin] = known
	}
	last := i
	for ; last >= 0; last-- {
		if found, ok := known[last]; ok {
			last = found
			break
		}
		if d := s.make(origin, all[last].at, time.Time{}); d.Class() != robots.ClassUnreachable || isUnknown(d) {
			break
		}
	}
	for ; i > last; i-- {
		if _, ok := known[i]; ok {
			break
		}
		known[i] = last
	}
	return last
}

// isUnknown reports whether a robots.txt is not in the archives.
func isUnknown(d *robots.Document) bool { return errors.Is(d.Err, ErrNoRobots) }

// make returns the document of an origin as if it was requested at that time, with
// the rules for redirects and failures of a crawl. If asked is zero, it was never
// requested, and the document has the time of the page.
func (s *sites) make(origin string, asked, page time.Time) *robots.Document {
	key := origin + " " + asked.Format(time.RFC3339Nano)
	if d, ok := s.documents[key]; ok {
		return d
	}
	d := robots.Fetch(context.Background(), origin, func(request *http.Request) (*http.Response, error) {
		address, known := canonical(request.URL.String())
		one, ok := nearest(s.robots[address], asked)
		if !known || !ok || one.isUnknown() {
			return nil, ErrNoRobots
		}
		if one.fault != nil {
			return nil, one.fault
		}
		return &http.Response{
			StatusCode: one.status, Header: one.header, Request: request, Body: io.NopCloser(bytes.NewReader(one.body)),
		}, nil
	})
	if len(d.Body) > 0 {
		d.Body = s.intern(d.Body)
	}
	d.FetchedAt = asked
	if asked.IsZero() {
		d.FetchedAt = page
	}
	s.documents[key] = d
	s.used = append(s.used, d)
	return d
}

// nearest returns the capture nearest to a time. all is sorted by time.
func nearest(all []siteCapture, at time.Time) (siteCapture, bool) {
	if len(all) == 0 {
		return siteCapture{}, false
	}
	byTime := func(one siteCapture, at time.Time) int { return one.at.Compare(at) }
	i, _ := slices.BinarySearchFunc(all, at, byTime)
	if i == len(all) || i > 0 && at.Sub(all[i-1].at) <= all[i].at.Sub(at) {
		i, _ = slices.BinarySearchFunc(all, all[i-1].at, byTime) // the first of that time
	}
	return all[i], true
}
