package corpus

import (
	"maps"
	"slices"
	"sync"

	"github.com/decorum-crawler/decorum/corpus/signal"
	"github.com/decorum-crawler/decorum/crawler/fetch"
	"github.com/decorum-crawler/decorum/robots"
)

// maxSiteFiles bounds the files that are requested per origin: tdmrep.json,
// ai.txt and licenses. Further licenses count as unread.
const maxSiteFiles = 16

// sites holds the files of origins that were requested so far.
type sites struct {
	agent string
	aiTxt bool
	store func(fetch.SiteFile) error

	mu     *sync.Mutex
	states map[string]*siteState // by origin
}

// siteState holds the files of one origin. Pages of an origin share the result of
// [sites.of] until another file arrives, or another robots.txt.
type siteState struct {
	files map[string]siteFile // by URL as requested

	robots   *robots.Document // of site and evidence; nil: they must be made
	site     signal.Site
	evidence SiteEvidence
}

type siteFile struct {
	file     *signal.File
	evidence FileEvidence
}

func newSites(o Options) sites {
	return sites{agent: o.Agent, aiTxt: o.AITxt, store: o.Store, mu: &sync.Mutex{}, states: map[string]*siteState{}}
}

// state returns the state of an origin; the caller holds the lock.
func (s *sites) state(origin string) *siteState {
	state, ok := s.states[origin]
	if !ok {
		state = &siteState{files: map[string]siteFile{}}
		s.states[origin] = state
	}
	return state
}

func tdmrepURL(origin string) string { return origin + "/.well-known/tdmrep.json" }

func aiTxtURL(origin string) string { return origin + "/ai.txt" }

// wants returns the URL of the next file to request from an origin, or "" when
// none is left.
func (s *sites) wants(origin string, d *robots.Document) string {
	wanted := []string{tdmrepURL(origin)}
	if s.aiTxt {
		wanted = append(wanted, aiTxtURL(origin))
	}
	wanted = append(wanted, signal.LicenseURLs(s.agent, signal.Page{URL: origin + "/"}, signal.Site{Robots: d})...)
	if left := s.unasked(origin, wanted); len(left) > 0 {
		return left[0]
	}
	return ""
}

// missing returns the URLs of a page's licenses that were not requested yet.
func (s *sites) missing(page signal.Page, d *robots.Document) []string {
	return s.unasked(d.Origin, signal.LicenseURLs(s.agent, page, signal.Site{Robots: d}))
}

// unasked returns the addresses that were not requested for an origin yet, within
// the limit of maxSiteFiles.
func (s *sites) unasked(origin string, addresses []string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	files := s.state(origin).files
	left := slices.DeleteFunc(addresses, func(address string) bool {
		_, asked := files[address]
		return asked
	})
	return left[:min(len(left), max(0, maxSiteFiles-len(files)))]
}

// receive records a file of an origin and stores it.
func (s *sites) receive(origin string, a fetch.SiteFile) error {
	known := siteFile{&signal.File{Status: a.Status, Body: a.Body}, fileEvidence(a)}
	s.mu.Lock()
	state := s.state(origin)
	state.files[a.URL], state.robots = known, nil
	s.mu.Unlock()
	if s.store == nil {
		return nil
	}
	return s.store(a)
}

// of returns what an origin states, and the evidence for it. The caller must not
// change the lists and maps in them.
func (s *sites) of(d *robots.Document) (signal.Site, SiteEvidence) {
	s.mu.Lock()
	defer s.mu.Unlock()
	state := s.state(d.Origin)
	if state.robots != d {
		state.collect(d)
	}
	return state.site, state.evidence
}

func (s *siteState) collect(d *robots.Document) {
	s.robots = d
	s.site = signal.Site{Robots: d, Licenses: map[string]*signal.File{}}
	s.evidence = SiteEvidence{Origin: d.Origin, Robots: robotsEvidence(d), Licenses: []FileEvidence{}}
	for _, address := range slices.Sorted(maps.Keys(s.files)) {
		f := s.files[address]
		switch address {
		case tdmrepURL(d.Origin):
			s.site.TDMRep, s.evidence.TDMRep = f.file, f.evidence
		case aiTxtURL(d.Origin):
			s.site.AITxt, s.evidence.AITxt = f.file, f.evidence
		default:
			s.site.Licenses[address] = f.file
			s.evidence.Licenses = append(s.evidence.Licenses, f.evidence)
		}
	}
}
