package archive

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/decorum-crawler/decorum/crawler"
	"github.com/decorum-crawler/decorum/frontier"
	"github.com/decorum-crawler/decorum/robots"
	"github.com/decorum-crawler/decorum/storage/warc"
)

// ErrNoRobots means that the archives have no robots.txt of an origin.
var ErrNoRobots = errors.New("no robots.txt of it is in the archives")

// errBroken means that an answer has no end.
var errBroken = errors.New("its body broke off")

// errNotArchived means that the archives lack a file that a site may have.
var errNotArchived = errors.New("it is not in the archives")

// maxFile bounds a file that a site states something in.
const maxFile = 1 << 20

// maxRetained is how long a robots.txt serves when later ones cannot be had:
// as long as in a crawl.
const maxRetained = 30 * 24 * time.Hour

// sites is what the archives have of what sites state.
type sites struct {
	robots map[string][]stated         // by the URLs that were asked for; redirects lead from one to another
	leads  map[string]bool             // targets of redirects of a robots.txt
	bodies map[string][]byte           // of files by payload digest, for revisits
	files  map[string]stated           // the last answer by URL
	made   map[string]*robots.Document // by origin and time
	used   []*robots.Document

	mu      sync.Mutex
	missing map[string]int64
	asked   map[string]bool // that are missing
}

// stated is an answer with the time at which it was given.
type stated struct {
	answer

	at      time.Time
	unknown bool // it has a body, and that is not in the archives, or damaged
	broken  bool // its body did not come to an end
}

func newSites() *sites {
	return &sites{
		robots: map[string][]stated{}, leads: map[string]bool{}, bodies: map[string][]byte{}, files: map[string]stated{},
		made: map[string]*robots.Document{}, missing: map[string]int64{}, asked: map[string]bool{},
	}
}

// originOf gives scheme and host of a canonical URL.
func originOf(address string) string {
	scheme, rest, _ := strings.Cut(address, "://")
	host, _, _ := strings.Cut(rest, "/")
	return scheme + "://" + host
}

func isRobots(address string) bool { return address == originOf(address)+"/robots.txt" }

// isFile reports whether a URL is one at which a site states something for all
// its pages, so that it is none itself.
func isFile(address string) bool {
	origin := originOf(address)
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

// maxHead is what a header may have beside the file.
const maxHead = 64 << 10

// mayBeLicense reports whether a URL has the name of an XML file, as licenses
// of RSL are.
func mayBeLicense(address string) bool {
	address, _, _ = strings.Cut(address, "?")
	return slices.Contains([]string{".xml", ".rsl"}, path.Ext(address))
}

// take keeps the answer of a record that wants asked for; whole says whether it
// is of its digest.
func (s *sites) take(address string, record *warc.Record, a answer, whole bool) {
	at, err := timeOf(record)
	if err != nil {
		return // nobody knows when it was in force
	}
	one := stated{answer: a, at: at, unknown: !whole, broken: faultOf(record.Field("WARC-Truncated")) != FaultNone}
	digest := record.Field("WARC-Payload-Digest")
	if record.Type() == typeRevisit {
		body, known := s.bodies[digest]
		one.body, one.unknown = body, !known && a.status/100 == 2
	} else if digest != "" && a.status/100 == 2 && whole && !one.broken {
		s.bodies[digest] = a.body
	}
	switch {
	case isRobots(address) || s.leads[address]:
		s.robots[address] = append(s.robots[address], one)
		if to := redirectOf(address, a); to != "" {
			s.leads[to] = true
		}
	case one.broken || one.unknown && record.Type() == typeResponse:
	case isFile(address) || bytes.Contains(one.body, []byte("<rsl")):
		if last, ok := s.files[address]; !ok || !last.at.After(at) {
			s.files[address] = one
		}
	}
}

// redirectOf gives where an answer leads, if it is a redirect.
func redirectOf(address string, a answer) string {
	location := a.header.Get("Location")
	if a.status/100 != 3 || location == "" {
		return ""
	}
	to, err := frontier.Canonical(address, location, 0)
	if err != nil {
		return ""
	}
	return to
}

// file gives a file of a site.
func (s *sites) file(address string) crawler.Answer {
	one, ok := s.files[address]
	if ok {
		return crawler.Answer{URL: address, Status: one.status, Header: one.header, Body: one.body, At: one.at}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.asked[address] {
		s.asked[address] = true
		s.missing[nameOf(address)]++
	}
	return crawler.Answer{URL: address, Error: errNotArchived.Error()}
}

// nameOf says which kind of file a URL is of.
func nameOf(address string) string {
	if isFile(address) {
		return path.Base(address)
	}
	return "license"
}

// document gives the robots.txt of an origin that was in force at a time.
func (s *sites) document(origin string, at time.Time) *robots.Document {
	address := origin + "/robots.txt"
	all := s.robots[address]
	if len(all) == 0 {
		return s.make(origin, time.Time{}, at)
	}
	before := slices.DeleteFunc(slices.Clone(all), func(one stated) bool { return one.at.After(at) })
	slices.SortStableFunc(before, func(a, b stated) int { return b.at.Compare(a.at) })
	for _, one := range before {
		if one.unknown {
			return s.make(origin, one.at, at) // what was in force is not known, and an older one was not
		}
		if d := s.make(origin, one.at, at); d.Class() != robots.ClassUnreachable && at.Sub(one.at) <= maxRetained {
			return d
		}
	}
	if len(before) > 0 {
		return s.make(origin, before[0].at, at)
	}
	first := slices.MinFunc(all, func(a, b stated) int { return a.at.Compare(b.at) })
	return s.make(origin, first.at, at)
}

// make makes the document of an origin as it was asked for at a time, by the
// rules of a retrieval; a zero time means that it never was.
func (s *sites) make(origin string, asked, page time.Time) *robots.Document {
	key := origin + " " + asked.Format(time.RFC3339Nano)
	if d, ok := s.made[key]; ok {
		return d
	}
	d := robots.Fetch(context.Background(), origin, func(request *http.Request) (*http.Response, error) {
		address, known := canonical(request.URL.String())
		one, ok := nearest(s.robots[address], asked)
		if !known || !ok || one.unknown {
			return nil, ErrNoRobots
		}
		if one.broken {
			return nil, errBroken
		}
		return &http.Response{
			StatusCode: one.status, Header: one.header, Request: request, Body: io.NopCloser(bytes.NewReader(one.body)),
		}, nil
	})
	d.FetchedAt = asked
	if asked.IsZero() {
		d.FetchedAt = page
	}
	s.made[key] = d
	s.used = append(s.used, d)
	return d
}

// nearest gives the answer that was given nearest to a time.
func nearest(all []stated, at time.Time) (stated, bool) {
	if len(all) == 0 {
		return stated{}, false
	}
	return slices.MinFunc(all, func(a, b stated) int {
		return cmp.Compare(a.at.Sub(at).Abs(), b.at.Sub(at).Abs())
	}), true
}
