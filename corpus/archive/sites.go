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
var ErrNoRobots = errors.New("no robots.txt of it is in the archives")

// Errors of files of sites.
var (
	errNotArchived = errors.New("it is not in the archives")
	errNotWhole    = errors.New("its body is incomplete or cannot be decoded")
	errDamaged     = errors.New("digest mismatch: the body is not the one of its record")
	errNoPayload   = errors.New("the archives refer to a payload that is not in them")
)

// maxFile bounds a file that a site states something in.
const maxFile = 1 << 20

// maxRetained is how long a robots.txt is used when later ones are unreachable:
// the time that RFC 9309 §2.3.1.4 names.
const maxRetained = 30 * 24 * time.Hour

// sites is what the archives have of what sites state.
type sites struct {
	robots map[string][]stated         // by requested URL; redirects lead from one to another
	leads  map[string]bool             // targets of redirects of a robots.txt
	whole  map[string]answer           // by payload digest, for revisits
	texts  map[[32]byte][]byte         // bodies, each once
	size   int64                       // of all the above, estimated
	files  map[string]stated           // the last answer by URL
	said   map[string]map[int]int      // by origin: see lastSaid
	made   map[string]*robots.Document // by origin and time
	used   []*robots.Document

	mu      sync.Mutex
	missing map[string]int64
	asked   map[string]bool // that are missing
}

// stated is an answer with the time at which it was given.
type stated struct {
	answer

	at    time.Time
	fault error // why its contents are unknown
}

// unknown reports whether its body is damaged or not in the archives.
func (one stated) unknown() bool {
	return errors.Is(one.fault, errNoPayload) || errors.Is(one.fault, errDamaged)
}

// says reports whether an answer tells what is in a file, or that there is none.
func (one stated) says() bool {
	return one.fault == nil && (one.status/100 == 2 || one.status/100 == 4 && one.status != http.StatusTooManyRequests)
}

func newSites() *sites {
	return &sites{
		robots: map[string][]stated{}, leads: map[string]bool{}, whole: map[string]answer{}, texts: map[[32]byte][]byte{},
		files: map[string]stated{}, said: map[string]map[int]int{},
		made: map[string]*robots.Document{}, missing: map[string]int64{}, asked: map[string]bool{},
	}
}

func isRobots(address string) bool { return address == frontier.OriginOf(address)+"/robots.txt" }

// isFile reports whether a URL is one at which a site states something for all
// its pages, so that it is not a page.
func isFile(address string) bool {
	origin := frontier.OriginOf(address)
	return isRobots(address) || address == origin+"/.well-known/tdmrep.json" || address == origin+"/ai.txt"
}

// wants reports whether a record may state something for a whole site.
func (s *sites) wants(address string, record *warc.Record) bool {
	if isFile(address) || s.leads[address] {
		return true
	}
	return record.Type() == typeResponse && record.Length <= maxFile+maxHead &&
		(strings.Contains(record.Field("WARC-Identified-Payload-Type"), "xml") || mayBeLicense(address))
}

// maxHead bounds the header in front of a file.
const maxHead = 64 << 10

// mayBeLicense reports whether a URL has the name of an XML file, as licenses
// of RSL are.
func mayBeLicense(address string) bool {
	address, _, _ = strings.Cut(address, "?")
	return slices.Contains([]string{".xml", ".rsl"}, path.Ext(address))
}

// entrySize is roughly what an entry of a map takes in addition to its contents.
const entrySize = 256

// take keeps the answer of a record for which wants is true. fault is why it could
// not be read.
func (s *sites) take(address string, record *warc.Record, a answer, fault error) {
	at, err := timeOf(record)
	if err != nil {
		return // when it was in force is unknown
	}
	one := stated{a, at, fault}
	if isRobots(address) || s.leads[address] {
		s.complete(&one, record, robots.MaxBytes)
		s.robots[address] = append(s.robots[address], one)
		if to := redirectOf(address, a); to != "" {
			s.leads[to] = true
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

// replaces reports whether one answer counts instead of another: the later one,
// unless its contents are unknown.
func (one stated) replaces(last stated) bool {
	if one.says() != last.says() {
		return one.says()
	}
	return !last.at.After(one.at)
}

// complete sets the payload of a revisit to the one that it refers to, keeps the
// payloads of other answers, and checks that no part of it is missing.
func (s *sites) complete(one *stated, record *warc.Record, limit int) {
	digest := payloadDigest(record)
	switch {
	case one.fault != nil:
	case record.Type() == typeRevisit:
		original, ok := s.whole[digest]
		switch {
		case !ok && (one.status == 0 || one.status/100 == 2):
			one.fault = errNoPayload
		case one.status == 0:
			one.answer = original
		default:
			one.body = original.body
		}
	case one.status/100 != 2:
		one.body = nil
	case one.damaged, faultOf(record.Field("WARC-Truncated")) != FaultNone, one.truncated && len(one.body) < limit:
		one.fault = errNotWhole
	default:
		one.body = s.held(one.body[:min(len(one.body), limit+1)])
		if digest != "" {
			s.whole[digest] = one.answer
		}
	}
}

// held returns the one copy of a body that is kept.
func (s *sites) held(body []byte) []byte {
	key := sha256.Sum256(body)
	kept, ok := s.texts[key]
	if !ok {
		kept = bytes.Clone(body)
		s.texts[key] = kept
		s.size += int64(len(kept)) + entrySize
	}
	return kept
}

// settle sorts the answers by time, when all are read.
func (s *sites) settle() {
	for _, all := range s.robots {
		slices.SortStableFunc(all, func(a, b stated) int { return a.at.Compare(b.at) })
	}
}

// redirectOf returns the target of an answer, if it is a redirect.
func redirectOf(address string, a answer) string {
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

// nameOf returns the kind of file that a URL is of.
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
	after, _ := slices.BinarySearchFunc(all, at, func(one stated, at time.Time) int {
		if one.at.After(at) {
			return 1
		}
		return -1
	})
	if after == 0 {
		return s.make(origin, all[0].at, at)
	}
	if last := s.lastSaid(origin, all, after-1); last >= 0 && at.Sub(all[last].at) <= maxRetained {
		return s.make(origin, all[last].at, at)
	}
	return s.make(origin, all[after-1].at, at)
}

// lastAsked returns when a robots.txt, or what it leads to, was asked for last.
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
		address = redirectOf(address, one.answer)
	}
	return last
}

// lastSaid returns the last answer up to i that has a usable robots.txt, or -1. One
// that is unknown ends the search, for an older one was not in
// force. It remembers what it passes, so that an origin with many answers costs
// as many steps, not as many for each page.
func (s *sites) lastSaid(origin string, all []stated, i int) int {
	known := s.said[origin]
	if known == nil {
		known = map[int]int{}
		s.said[origin] = known
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

// isUnknown reports whether the archives lack a robots.txt that existed.
func isUnknown(d *robots.Document) bool { return errors.Is(d.Err, ErrNoRobots) }

// make makes the document of an origin as if requested at a time, by the
// rules of a retrieval; a zero time means that it never
// was.
func (s *sites) make(origin string, asked, page time.Time) *robots.Document {
	key := origin + " " + asked.Format(time.RFC3339Nano)
	if d, ok := s.made[key]; ok {
		return d
	}
	d := robots.Fetch(context.Background(), origin, func(request *http.Request) (*http.Response, error) {
		address, known := canonical(request.URL.String())
		one, ok := nearest(s.robots[address], asked)
		if !known || !ok || one.unknown() {
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
		d.Body = s.held(d.Body)
	}
	d.FetchedAt = asked
	if asked.IsZero() {
		d.FetchedAt = page
	}
	s.made[key] = d
	s.used = append(s.used, d)
	return d
}

// nearest returns the answer nearest to a time; all are in order of time.
func nearest(all []stated, at time.Time) (stated, bool) {
	if len(all) == 0 {
		return stated{}, false
	}
	byTime := func(one stated, at time.Time) int { return one.at.Compare(at) }
	i, _ := slices.BinarySearchFunc(all, at, byTime)
	if i == len(all) || i > 0 && at.Sub(all[i-1].at) <= all[i].at.Sub(at) {
		i, _ = slices.BinarySearchFunc(all, all[i-1].at, byTime) // the first of that time
	}
	return all[i], true
}
