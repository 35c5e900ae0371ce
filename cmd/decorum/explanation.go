package main

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/decorum-crawler/decorum/robots"
)

// explanation is a decorum.explanation/1 object.
type explanation struct {
	Schema       string           `json:"schema"`
	URL          string           `json:"url"`
	Agent        string           `json:"agent"`
	Allowed      bool             `json:"allowed"`
	Reason       robots.Reason    `json:"reason"`
	Path         string           `json:"path"` // as compared
	Group        explainedGroup   `json:"group"`
	Matches      []explainedMatch `json:"matches"` // the one that decides first
	CrawlDelayMS int64            `json:"crawl_delay_ms"`
	Training     trainingLine     `json:"training"`
	Robots       explainedRobots  `json:"robots"`

	advantage robots.Advantage
}

type explainedGroup struct {
	Token string `json:"token"`
	Lines []int  `json:"lines"` // of the User-agent lines that name it
}

type explainedMatch struct {
	Rule   string `json:"rule"`
	Line   int    `json:"line"`
	Octets int    `json:"octets"`
}

type explainedRobots struct {
	URL       string       `json:"url"`
	Status    int          `json:"status"`
	Class     robots.Class `json:"class"`
	FetchedAt string       `json:"fetched_at"` // "" for a local file
	AgeMS     int64        `json:"age_ms"`
	Digest    string       `json:"digest"`
	Truncated bool         `json:"truncated"`
	Error     string       `json:"error"`
}

func explain(document *robots.Document, agent, address string) explanation {
	x := robots.Explain(document, agent, pathOf(address))
	delay, _ := x.Group.CrawlDelay()
	e := explanation{
		Schema: "decorum.explanation/1", URL: address, Agent: agent, Allowed: x.Verdict.Allowed, Reason: x.Verdict.Reason,
		Path: x.Path, Group: explainedGroup{x.Group.Token(), append([]int{}, x.Group.Lines()...)},
		Matches: []explainedMatch{}, CrawlDelayMS: delay.Milliseconds(), Training: trainingOf(x.Training),
		Robots: explainedRobots{
			URL: document.FinalURL, Status: document.Status, Class: document.Class(),
			Digest: document.Digest(), Truncated: document.Truncated, Error: document.Cause(),
		},
		advantage: x.Advantage(),
	}
	if !document.FetchedAt.IsZero() {
		e.Robots.FetchedAt = document.FetchedAt.UTC().Format(time.RFC3339)
		e.Robots.AgeMS = max(0, time.Since(document.FetchedAt).Milliseconds())
	} else {
		e.Robots.Status = 0
	}
	for _, match := range x.Matches {
		e.Matches = append(e.Matches, explainedMatch{match.Rule.String(), match.Rule.Line, match.Octets})
	}
	return e
}

// text returns the explanation for a person: the answer first, then the grounds
// in the order in which they decide.
func (e explanation) text() string {
	var b strings.Builder
	answer := "ALLOWED"
	if !e.Allowed {
		answer = "BLOCKED"
	}
	fmt.Fprintf(&b, "%s\n%s for %s: %s\n\n", e.URL, answer, e.Agent, e.why())
	fmt.Fprintf(&b, "robots.txt   %s\n", e.Robots.URL)
	fmt.Fprintf(&b, "             %s\n", e.Robots.state())
	if e.Robots.Class == robots.ClassAvailable {
		fmt.Fprintf(&b, "group        %s\n", e.group())
		fmt.Fprintf(&b, "path         %s\n", e.Path)
		if e.Reason != robots.ReasonRobotsTxtItself {
			e.matches(&b)
		}
	}
	if e.CrawlDelayMS > 0 {
		fmt.Fprintf(&b, "crawl delay  %v between requests\n", time.Duration(e.CrawlDelayMS)*time.Millisecond)
	}
	fmt.Fprintf(&b, "\nAI training  %s\n", e.training())
	return b.String()
}

// why names what decided, in one clause.
func (e explanation) why() string {
	switch e.Reason {
	case robots.ReasonAllowedByRule, robots.ReasonDisallowedByRule:
		return fmt.Sprintf("line %d decides, %s", e.Matches[0].Line, e.Matches[0].Rule)
	case robots.ReasonNoMatchingRule:
		return "no rule of the group matches"
	case robots.ReasonNoGroup:
		return "no group names this agent or *"
	case robots.ReasonRobotsTxtItself:
		return "robots.txt itself may always be fetched"
	case robots.ReasonUnavailable:
		return "the site has no robots.txt"
	default:
		return "robots.txt could not be fetched, so nothing may be crawled"
	}
}

func (r explainedRobots) state() string {
	meaning := map[robots.Class]string{
		robots.ClassAvailable:   "its rules count",
		robots.ClassUnavailable: "so everything is allowed",
		robots.ClassUnreachable: "so nothing is allowed",
	}[r.Class]
	if r.Truncated {
		meaning += fmt.Sprintf("; only the first %d KiB count", robots.MaxBytes>>10)
	}
	if r.FetchedAt == "" {
		return "local file, " + meaning
	}
	text := fmt.Sprintf("%s, %s", r.Class, meaning)
	switch {
	case r.Error != "":
		text += "\n             " + r.Error
	case r.Status > 0:
		text = fmt.Sprintf("status %d %s: %s", r.Status, http.StatusText(r.Status), text)
	}
	verb := "fetched"
	if r.Error != "" {
		verb = "asked"
	}
	return text + fmt.Sprintf("\n             %s %s, %v ago", verb, r.FetchedAt, (time.Duration(r.AgeMS)*time.Millisecond).Round(time.Second))
}

// group tells which group counts and why.
func (e explanation) group() string {
	token := robots.Token(e.Agent)
	switch e.Group.Token {
	case "":
		return fmt.Sprintf("none: no User-agent line names %s or *", token)
	case "*":
		if token == "" {
			return fmt.Sprintf("* (%s)", lineList(e.Group.Lines))
		}
		return fmt.Sprintf("* (%s), since no User-agent line names %s", lineList(e.Group.Lines), token)
	default:
		return fmt.Sprintf("%s (%s); rules for * do not count", e.Group.Token, lineList(e.Group.Lines))
	}
}

func lineList(lines []int) string {
	const most = 5
	words := make([]string, 0, most+1)
	for _, line := range lines[:min(len(lines), most)] {
		words = append(words, strconv.Itoa(line))
	}
	if len(lines) > most {
		words = append(words, "...")
	}
	if len(lines) == 1 {
		return "line " + words[0]
	}
	return "lines " + strings.Join(words, ", ") + ", merged"
}

// matches writes the table of the rules that match.
func (e explanation) matches(b *strings.Builder) {
	if len(e.Matches) == 0 {
		fmt.Fprintf(b, "rules        none matches\n")
		return
	}
	const most = 10
	table := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprint(table, "rules        length\tline\trule\n")
	for i, match := range e.Matches[:min(len(e.Matches), most)] {
		fmt.Fprintf(table, "             %6d\t%4d\t%s", match.Octets, match.Line, match.Rule)
		if i == 0 {
			fmt.Fprintf(table, "\t<- decides: %s", advantages[e.advantage])
		}
		fmt.Fprintln(table)
	}
	_ = table.Flush() // writes to a Builder do not fail
	if len(e.Matches) > most {
		fmt.Fprintf(b, "             and %d more\n", len(e.Matches)-most)
	}
}

// advantages tell why the first match wins.
var advantages = map[robots.Advantage]string{
	robots.AdvantageOnly:   "the only match",
	robots.AdvantageLength: "the longest match",
	robots.AdvantageAllow:  "as long as the next, and Allow wins a tie",
	robots.AdvantageFirst:  "the first of equals",
}

func (e explanation) training() string {
	switch {
	case e.Robots.Class == robots.ClassUnreachable:
		return "unknown, since robots.txt could not be fetched"
	case e.Training.Preference == robots.PreferenceNone:
		return "none stated: no group names " + robots.TrainingToken
	}
	stated := strings.ReplaceAll(string(e.Training.Preference), "_", " ")
	if e.Training.Line > 0 {
		return fmt.Sprintf("%s, by line %d of the group for %s: %s", stated, e.Training.Line, robots.TrainingToken, e.Training.Rule)
	}
	return fmt.Sprintf("%s: there is a group for %s and no rule of it matches", stated, robots.TrainingToken)
}
