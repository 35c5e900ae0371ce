package testsite

import (
	"fmt"
	"slices"
	"time"
)

// A Verdict is what an answer to a request for robots.txt says about a path.
type Verdict int

// The verdicts.
const (
	Allowed   Verdict = iota
	Forbidden         // by a rule
	Unusable          // the answer says nothing, so the one before it counts
)

// Forbidden returns a violation for each request to any site that the site's own
// robots.txt forbade when it began. judge returns what an answer, a hit, says
// about a path and its query. The last answer that is not Unusable counts;
// without one everything is forbidden.
//
// deaths are the times at which a process of the crawler was killed. It may have
// died before it had read its last answer, so one after which it requested
// nothing else counts as well as the one before it.
func (w *Web) Forbidden(judge func(answer Hit, path string) Verdict, deaths []time.Time) []string {
	hits := w.Log()
	retrieval, _ := w.retrievals(hits)
	answers := w.answers(hits)
	var violations []string
	for i, hit := range hits {
		if retrieval[i] || allows(answers[hit.Site], hits, i, judge, deaths) {
			continue
		}
		violations = append(violations, fmt.Sprintf("%s: %s requested at %s, although robots.txt forbids it",
			hit.Site, hit.Path, hit.Start.Format("15:04:05.000")))
	}
	return violations
}

// answers returns by site the hits that answer a request for its robots.txt, the
// last hop of each.
func (w *Web) answers(hits []Hit) map[string][]Hit {
	answers := map[string][]Hit{}
	for i, hit := range hits {
		if hit.Path != "/robots.txt" {
			continue
		}
		last := hit
		for _, next := range hits[i+1:] {
			if last.Location != "" && last.Location == w.urlOf(next) {
				last = next
			}
		}
		answers[hit.Site] = append(answers[hit.Site], last)
	}
	return answers
}

// allows reports whether the answers in force allow the hit with index i.
func allows(answers, hits []Hit, i int, judge func(Hit, string) Verdict, deaths []time.Time) bool {
	hit := hits[i]
	for _, answer := range slices.Backward(answers) {
		if answer.End.IsZero() || !answer.End.Before(hit.Start) {
			continue
		}
		verdict := judge(answer, hit.Path)
		if verdict == Allowed {
			return true
		}
		if verdict == Forbidden && !unread(answer, hits[:i], deaths) {
			return false
		}
	}
	return false
}

// unread reports whether the process that asked for an answer may have died
// before it had read it: it requested nothing else of the site until its death.
func unread(answer Hit, before []Hit, deaths []time.Time) bool {
	for _, death := range deaths {
		if death.Before(answer.Start) {
			continue
		}
		for _, hit := range before {
			if hit.Site == answer.Site && hit.Start.After(answer.End) && hit.Start.Before(death) {
				return false
			}
		}
		return true
	}
	return false
}
