package testsite

import (
	"fmt"
	"maps"
	"net/url"
	"strings"
	"time"
)

// Gaps returns the result of GapsOf for each site with at least two requests.
func (w *Web) Gaps() map[string][]time.Duration {
	gaps := make(map[string][]time.Duration)
	for _, hit := range w.Log() {
		if _, ok := gaps[hit.Site]; ok {
			continue
		}
		if of := w.GapsOf(hit.Site); len(of) > 0 {
			gaps[hit.Site] = of
		}
	}
	return gaps
}

// GapsOf returns, for each request to the named site except the first, the time
// from the end of the responses before it to its start. A negative gap means that
// the request overlapped an earlier one; one still running counts as ending now.
func (w *Web) GapsOf(site string) []time.Duration { return gapsOf(w.hitsOf(site)) }

func gapsOf(hits []Hit) []time.Duration {
	var gaps []time.Duration
	var latest time.Time
	for i, hit := range hits {
		if i > 0 {
			gaps = append(gaps, hit.Start.Sub(latest))
		}
		end := hit.End
		if end.IsZero() {
			end = time.Now()
		}
		if end.After(latest) {
			latest = end
		}
	}
	return gaps
}

// TooFast returns a violation for each gap of the named site below least.
func (w *Web) TooFast(site string, least time.Duration) []string {
	hits := w.hitsOf(site)
	var violations []string
	for i, gap := range gapsOf(hits) {
		if gap < least {
			violations = append(violations, fmt.Sprintf("%s: %s after a gap of %v, want at least %v",
				site, hits[i+1].Path, gap, least))
		}
	}
	return violations
}

// RobotsFirst returns a violation for each request to any site that began before
// the response for that site's /robots.txt. Requests for the targets of its
// redirects, on any site, belong to fetching it and are not violations; then the
// response of the last hop counts.
func (w *Web) RobotsFirst() []string {
	hits := w.Log()
	retrieval, answered := w.retrievals(hits)
	var violations []string
	for i, hit := range hits {
		if retrieval[i] {
			continue
		}
		end, ok := answered[hit.Site]
		if !ok || hit.Start.Before(end) {
			violations = append(violations, fmt.Sprintf("%s: %s requested before robots.txt was answered", hit.Site, hit.Path))
		}
	}
	return violations
}

// retrievals returns which hits belong to fetching a robots.txt, and when each
// site's robots.txt was first answered with something other than a redirect. If it
// always redirects, the last hop counts (RFC 9309 §2.3.1.2 lets a crawler stop
// after five).
func (w *Web) retrievals(hits []Hit) (retrieval []bool, answered map[string]time.Time) {
	retrieval = make([]bool, len(hits))
	answered = make(map[string]time.Time)
	final := make(map[string]bool)              // site: answered will not change
	targets := make(map[string]map[string]bool) // URL redirected to: sites whose robots.txt it is
	for i, hit := range hits {
		at := w.urlOf(hit)
		sites := maps.Clone(targets[at])
		if hit.Path == "/robots.txt" {
			if sites == nil {
				sites = make(map[string]bool)
			}
			sites[hit.Site] = true
		}
		retrieval[i] = len(sites) > 0
		redirect := hit.Status >= 300 && hit.Status < 400 && hit.Location != ""
		for site := range sites {
			if redirect {
				addTarget(targets, hit.Location, site)
			}
			if !final[site] && !hit.End.IsZero() {
				answered[site], final[site] = hit.End, !redirect
			}
		}
	}
	return retrieval, answered
}

func addTarget(targets map[string]map[string]bool, location, site string) {
	if targets[location] == nil {
		targets[location] = make(map[string]bool)
	}
	targets[location][site] = true
}

// Asked returns a violation for each request to the named site whose path and
// query begin with one of the prefixes, for example those of Disallow rules.
func (w *Web) Asked(site string, prefixes ...string) []string {
	var violations []string
	for _, hit := range w.hitsOf(site) {
		for _, prefix := range prefixes {
			if strings.HasPrefix(hit.Path, prefix) {
				violations = append(violations, fmt.Sprintf("%s: %s requested, although it begins with %s", site, hit.Path, prefix))
				break
			}
		}
	}
	return violations
}

// Twice returns a violation for each method and path of the named site that was
// requested more than once.
func (w *Web) Twice(site string) []string {
	seen := make(map[string]int)
	var violations []string
	for _, hit := range w.hitsOf(site) {
		key := hit.Method + " " + hit.Path
		if seen[key]++; seen[key] == 2 {
			violations = append(violations, fmt.Sprintf("%s: %s requested more than once", site, key))
		}
	}
	return violations
}

func (w *Web) hitsOf(site string) []Hit {
	var hits []Hit
	for _, hit := range w.Log() {
		if hit.Site == site {
			hits = append(hits, hit)
		}
	}
	return hits
}

// urlOf returns the absolute URL of a hit in the form of Hit.Location.
func (w *Web) urlOf(hit Hit) string {
	w.mu.Lock()
	site := w.sites[hit.Site]
	w.mu.Unlock()
	u, err := url.Parse(site.URL() + hit.Path)
	if err != nil {
		return site.URL() + hit.Path
	}
	return u.String()
}
