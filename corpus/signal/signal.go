package signal

import (
	"github.com/decorum-crawler/decorum/robots"
)

// A Name names a kind of signal. The values are stable.
type Name string

// The kinds of signals.
const (
	NameToken         Name = "token"          // the robots.txt group of robots.TrainingToken
	NameContentUsage  Name = "content_usage"  // IETF aipref attachment and vocabulary drafts
	NameContentSignal Name = "content_signal" // robots.txt line and header
	NameTDMRep        Name = "tdmrep"         // W3C community group TDM Reservation Protocol
	NameRobotsMeta    Name = "robots_meta"    // noai and noml in X-Robots-Tag and meta robots
	NameRSL           Name = "rsl"            // Really Simple Licensing
	NameAITxt         Name = "ai_txt"
	NameNamedBots     Name = "named_bots" // groups of tokens that name only a use, such as Google-Extended
	NameIndexing      Name = "indexing"   // noindex, noarchive, nosnippet
)

// A Signal is the statement of one kind of signal about a page.
type Signal struct {
	Signal Name              `json:"signal"`
	Value  robots.Preference `json:"value"`
	Basis  string            `json:"basis"` // why the value is what it is
	Where  string            `json:"where"` // "robots", "header", "html" or "file"; empty when nothing was found
	Line   int               `json:"line"`  // of robots.txt; 0 elsewhere
	Raw    string            `json:"raw"`   // as written, at most 1,024 bytes
}

const (
	none    = robots.PreferenceNone
	against = robots.PreferenceAgainst
	inFavor = robots.PreferenceInFavor
)

// Bases that policies compare.
const (
	basisParseError = "parse_error"
	basisGroupEmpty = "group_empty"
	basisUnreadable = "license_unreadable"
	basisNoRobots   = "robots_unreachable"
)

// maxRaw bounds the raw text of a signal.
const maxRaw = 1024

func silent(name Name, basis string) Signal { return Signal{Signal: name, Value: none, Basis: basis} }

func cut(raw string) string { return raw[:min(len(raw), maxRaw)] }

// A Site holds the files in which an origin makes statements for all its pages.
// Robots must be set.
type Site struct {
	Robots *robots.Document
	TDMRep *File // /.well-known/tdmrep.json
	AITxt  *File // /ai.txt
	// Licenses are the license files that robots.txt and pages refer to, by URL.
	Licenses map[string]*File
}

// Judge returns one signal of each kind, in a fixed order, for a page of a site.
// agent is our product token. Judge never fails: a signal that cannot be read has
// the value none. It is safe for concurrent use.
func Judge(agent string, p Page, s Site) []Signal {
	file := s.Robots.File()
	target, err := robots.Target(p.URL)
	if err != nil {
		target = "/"
	}
	r := evaluator{agent: agent, page: p, site: s, file: file, target: target}
	return []Signal{
		r.token(), r.contentUsage(), r.contentSignal(), r.tdmrep(), r.robotsMeta(), r.rsl(), r.aiTxt(), r.namedBots(), r.indexing(),
	}
}

// evaluator reads the signals of one page of one site.
type evaluator struct {
	agent  string
	page   Page
	site   Site
	file   *robots.File
	target string // path and query
}

// token reads the groups of the training token, never the groups for "*".
func (r *evaluator) token() Signal {
	switch r.site.Robots.Class() {
	case robots.ClassUnavailable:
		return silent(NameToken, "robots_absent")
	case robots.ClassUnreachable:
		return silent(NameToken, basisNoRobots)
	case robots.ClassAvailable:
	}
	training := r.file.Training(r.target)
	signal := Signal{Signal: NameToken, Value: training.Preference, Where: "robots"}
	switch {
	case training.Preference == none:
		return silent(NameToken, "no_token_group")
	case training.Empty:
		signal.Basis = basisGroupEmpty
	case training.Rule.Line == 0:
		signal.Basis = "group_present_no_matching_rule"
	default:
		signal.Line, signal.Raw = training.Rule.Line, cut(training.Rule.String())
		signal.Basis = "disallow:" + training.Rule.Value
		if training.Rule.Allow {
			signal.Basis = "allow:" + training.Rule.Value
		}
	}
	return signal
}

// namedBots reads the groups of tokens that name a use of pages, not a crawler.
func (r *evaluator) namedBots() Signal {
	for _, token := range []string{"Google-Extended", "Applebot-Extended"} {
		group := r.file.Group(token)
		if group.Token() == "*" || group.Token() == "" {
			continue
		}
		if v := group.Check(r.target); !v.Allowed {
			return Signal{NameNamedBots, against, "disallow for " + token, "robots", v.Rule.Line, cut(v.Rule.String())}
		}
	}
	return silent(NameNamedBots, "none named")
}

// aiTxt reads ai.txt, which has the form of a robots.txt.
func (r *evaluator) aiTxt() Signal {
	if !r.site.AITxt.found() {
		return silent(NameAITxt, "absent")
	}
	rules, _ := r.site.AITxt.robots.get(r.site.AITxt.Body, func(body []byte) (*robots.File, error) { return robots.Parse(body), nil })
	v := rules.Check(r.agent, r.target)
	switch v.Reason {
	case robots.ReasonDisallowedByRule:
		return Signal{NameAITxt, against, "disallow:" + v.Rule.Value, "file", v.Rule.Line, cut(v.Rule.String())}
	case robots.ReasonAllowedByRule:
		return Signal{NameAITxt, inFavor, "allow:" + v.Rule.Value, "file", v.Rule.Line, cut(v.Rule.String())}
	default:
		return silent(NameAITxt, "no_matching_rule")
	}
}
