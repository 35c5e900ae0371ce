package fetch

import (
	"fmt"
	"sync"
	"time"

	"github.com/decorum-crawler/decorum/frontier"
	"github.com/decorum-crawler/decorum/robots"
)

// A Site holds the robots.txt of an origin, parsed once for all URLs of the
// origin. It does not change and is safe for concurrent use.
type Site struct {
	Origin   string           // scheme://host[:port]
	Document *robots.Document // the one in force: the last one, or a retained copy
	Stale    bool             // Document is a retained copy, because robots.txt is unreachable now
	Fresh    time.Time        // robots.txt is not requested again before this time
	Failures int              // consecutive failures to fetch it; many at once if trying again is useless
	Requests int              // of these, attempts that were made
	Cause    Failure          // of the last failure

	agent string
	file  *robots.File // nil unless Document has rules
	group *robots.Group

	listing sync.Once
	listed  map[string]bool // the sitemaps, canonical
}

func newSite(document *robots.Document, agent string) *Site {
	s := &Site{Origin: document.Origin, Document: document, agent: agent}
	if !document.FetchedAt.After(time.Now()) { // otherwise the clock was set back: the age is not known
		s.Fresh = document.FetchedAt.Add(max(document.MaxAge(robotsMaxAge), robotsMinAge))
	}
	if document.Class() == robots.ClassAvailable {
		s.file = document.File()
		s.group = s.file.Group(agent)
	}
	return s
}

// Unreachable reports whether nothing may be fetched because robots.txt is
// unreachable.
func (s *Site) Unreachable() bool { return s.Document.Class() == robots.ClassUnreachable }

// Failure returns in words why robots.txt is unreachable and how often it was
// requested; "" for a site with one.
func (s *Site) Failure() string {
	if !s.Unreachable() {
		return ""
	}
	cause := s.Document.Failure()
	if s.Requests > 1 {
		cause += fmt.Sprintf(", requested %d times", s.Requests)
	}
	return cause
}

// CrawlDelay returns the Crawl-delay that applies to our token, or 0.
func (s *Site) CrawlDelay() time.Duration {
	if s.group == nil {
		return 0
	}
	delay, _ := s.group.CrawlDelay()
	return delay
}

// Check returns the verdict on a canonical URL of the origin.
func (s *Site) Check(canonical string) (robots.Verdict, error) {
	target, err := robots.Target(canonical)
	if err != nil {
		return robots.Verdict{}, err
	}
	if s.group != nil {
		return s.group.Check(target), nil
	}
	return s.Document.Check(s.agent, target), nil
}

// Training returns the preference on AI training that the origin states for a
// canonical URL.
func (s *Site) Training(canonical string) robots.Training {
	target, err := robots.Target(canonical)
	if s.file == nil || err != nil {
		return robots.Training{Preference: robots.PreferenceNone}
	}
	return s.file.Training(target)
}

// Sitemaps returns the addresses of the origin's sitemaps: those that
// robots.txt lists, or the usual places when it lists none.
func (s *Site) Sitemaps() []string {
	if s.Unreachable() {
		return nil
	}
	if named := s.Document.Sitemaps(); len(named) > 0 {
		return named
	}
	return []string{s.Origin + "/sitemap.xml", s.Origin + "/sitemap_index.xml"}
}

// Names reports whether robots.txt lists a sitemap, which is a canonical URL.
func (s *Site) Names(sitemap string) bool {
	s.listing.Do(func() {
		s.listed = map[string]bool{}
		for _, address := range s.Document.Sitemaps() {
			if canonical, err := frontier.Canonical("", address, 0); err == nil {
				s.listed[canonical] = true
			}
		}
	})
	return s.listed[sitemap]
}
