package corpus

import (
	"maps"
	"slices"
	"sync"

	"github.com/decorum-crawler/decorum/corpus/signal"
	"github.com/decorum-crawler/decorum/crawler"
	"github.com/decorum-crawler/decorum/robots"
)

// maxLicenses bounds the license files that are asked for on behalf of an
// origin; what is beyond counts as unread.
const maxLicenses = 16

// sites holds the files of origins, as far as they were asked for.
type sites struct {
	agent string
	aiTxt bool
	store func(crawler.Answer) error

	mu     *sync.Mutex
	states map[string]*siteState // by origin
}

// siteState is what is known of one origin.
type siteState struct {
	answers map[string]crawler.Answer // by URL as it was asked for
}

func newSites(o Options) sites {
	return sites{agent: o.Agent, aiTxt: o.AITxt, store: o.Store, mu: &sync.Mutex{}, states: map[string]*siteState{}}
}

// state gives that of an origin; the caller holds the lock.
func (s *sites) state(origin string) *siteState {
	state, ok := s.states[origin]
	if !ok {
		state = &siteState{answers: map[string]crawler.Answer{}}
		s.states[origin] = state
	}
	return state
}

func tdmrepURL(origin string) string { return origin + "/.well-known/tdmrep.json" }

func aiTxtURL(origin string) string { return origin + "/ai.txt" }

// wants gives the next file of an origin that was not asked for yet.
func (s *sites) wants(origin string, d *robots.Document) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	state := s.state(origin)
	wanted := []string{tdmrepURL(origin)}
	if s.aiTxt {
		wanted = append(wanted, aiTxtURL(origin))
	}
	wanted = append(wanted, signal.LicenseURLs(s.agent, signal.Page{URL: origin + "/"}, signal.Site{Robots: d})...)
	for _, address := range wanted {
		if _, asked := state.answers[address]; !asked && len(state.answers) < maxLicenses {
			return address
		}
	}
	return ""
}

// missing gives the licenses of a page that were not asked for yet.
func (s *sites) missing(page signal.Page, d *robots.Document) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	state := s.state(d.Origin)
	return slices.DeleteFunc(signal.LicenseURLs(s.agent, page, signal.Site{Robots: d}), func(address string) bool {
		_, asked := state.answers[address]
		return asked || len(state.answers) >= maxLicenses
	})
}

// answer takes a file of an origin and keeps it.
func (s *sites) answer(origin string, a crawler.Answer) error {
	s.mu.Lock()
	s.state(origin).answers[a.URL] = a
	s.mu.Unlock()
	if s.store == nil {
		return nil
	}
	return s.store(a)
}

// of gives what an origin states, and which files say so.
func (s *sites) of(d *robots.Document) (signal.Site, SiteEvidence) {
	s.mu.Lock()
	defer s.mu.Unlock()
	answers := s.state(d.Origin).answers
	site := signal.Site{Robots: d, Licenses: map[string]signal.File{}}
	files := SiteEvidence{Origin: d.Origin, Robots: robotsEvidence(d), Licenses: []FileEvidence{}}
	for _, address := range slices.Sorted(maps.Keys(answers)) {
		a := answers[address]
		file := signal.File{Status: a.Status, Body: a.Body}
		switch address {
		case tdmrepURL(d.Origin):
			site.TDMRep, files.TDMRep = file, fileEvidence(a)
		case aiTxtURL(d.Origin):
			site.AITxt, files.AITxt = file, fileEvidence(a)
		default:
			site.Licenses[address] = file
			files.Licenses = append(files.Licenses, fileEvidence(a))
		}
	}
	return site, files
}
