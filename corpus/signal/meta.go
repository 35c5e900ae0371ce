package signal

import (
	"slices"
	"strings"

	"github.com/decorum-crawler/decorum/robots"
)

// directives are the directives of one header line or meta element that apply to
// us.
type directives struct {
	names []string
	where string // "header" or "html"
	kind  string // for the basis
	raw   string
}

// directives returns the directives of each X-Robots-Tag line and each meta
// element.
func (r *evaluator) directives() []directives {
	var found []directives
	for _, line := range r.page.Header["X-Robots-Tag"] {
		var s robots.Statements
		s.AddHeader(line)
		found = append(found, directives{s.For(r.agent).Names, "header", "header", line})
	}
	for _, m := range r.page.Meta {
		var s robots.Statements
		s.AddMeta(m.Name, m.Content)
		found = append(found, directives{s.For(r.agent).Names, "html", "meta", m.Content})
	}
	return found
}

// robotsMeta reads noai and noml, which are against training. noimageai concerns
// only images, and the directives on indexing do not concern training; both are
// recorded only.
func (r *evaluator) robotsMeta() Signal {
	best := silent(NameRobotsMeta, "no directive")
	for _, d := range r.directives() {
		for _, name := range []string{"noai", "noml"} {
			if slices.Contains(d.names, name) {
				return Signal{NameRobotsMeta, against, d.kind + " " + name, d.where, 0, cut(d.raw)}
			}
		}
		for _, name := range []string{"noimageai", "noindex", "none", "noarchive", "nosnippet"} {
			if best.Where == "" && slices.Contains(d.names, name) {
				best = Signal{NameRobotsMeta, none, name + " recorded only", d.where, 0, cut(d.raw)}
			}
		}
	}
	return best
}

// indexing reads the directives on indexing, for policies that count them as a
// statement.
func (r *evaluator) indexing() Signal {
	for _, d := range r.directives() {
		for _, name := range d.names {
			switch name {
			case "noindex", "none", "noarchive", "nosnippet":
				return Signal{NameIndexing, against, strings.Join([]string{d.kind, name}, " "), d.where, 0, cut(d.raw)}
			}
		}
	}
	return silent(NameIndexing, "no directive")
}
