package format

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/decorum-crawler/decorum/audit"
	"github.com/decorum-crawler/decorum/internal/escape"
	"github.com/decorum-crawler/decorum/robots"
)

// width is the number of columns of a terminal.
const width = 80

// table writes the report for people: the answer, who is blocked, by which
// rules, what else was found, and what to do next.
type table struct{ w io.Writer }

func newTable(w io.Writer, _ string) Writer { return table{w} }

// Finding does nothing, since the report has examples.
func (t table) Finding(audit.Finding) error { return nil }

func (t table) End(r *audit.Report) error {
	var b strings.Builder
	wrap(&b, "", Verdict(r))
	if r.Known > 0 {
		fmt.Fprintf(&b, "%s in the baseline; the rules and findings below are new.\n", are(r.Known, "finding"))
	}
	if r.DuplicatesPartial {
		b.WriteString("There are too many URLs to compare them all; some duplicates may be missing below.\n")
	}
	agents(&b, r)
	rules(&b, r)
	others(&b, r)
	next(&b, r)
	_, err := io.WriteString(t.w, escape.Text(b.String()))
	return err
}

// Verdict returns the answer of an audit in one sentence.
func Verdict(r *audit.Report) string {
	sites := strings.Join(r.Sites, ", ")
	switch {
	case r.URLs == 0 && r.Findings[audit.CodeRobotsUnreachable] > 0:
		return "No URL could be judged: the robots.txt of " + sites + " could not be fetched, so crawlers must assume that nothing is allowed."
	case !r.Readable() || r.URLs == 0:
		return "No URL could be judged: no sitemap of " + sites + " could be read."
	case r.Blocked == 0 && r.NewErrors > 0:
		return fmt.Sprintf("robots.txt blocks none of the %d URLs in the sitemaps of %s, but %s found.", r.URLs, sites, were(r.NewErrors, "error"))
	case r.Blocked == 0:
		return fmt.Sprintf("robots.txt blocks none of the %d URLs in the sitemaps of %s.", r.URLs, sites)
	case r.ForAll == r.Blocked:
		return fmt.Sprintf("robots.txt blocks %d of the %d URLs in the sitemaps of %s, for all audited agents.", r.Blocked, r.URLs, sites)
	default:
		return fmt.Sprintf("robots.txt blocks %d of the %d URLs in the sitemaps of %s for some agent, %d of them for all.", r.Blocked, r.URLs, sites, r.ForAll)
	}
}

func agents(b *strings.Builder, r *audit.Report) {
	if r.URLs == 0 {
		return
	}
	if len(r.Agents) > 0 {
		fmt.Fprintf(b, "\n%-24s %10s %10s  %s\n", "AGENT", "ALLOWED", "BLOCKED", "GROUP")
	}
	for _, a := range r.Agents {
		group := a.Group
		if group == "" {
			group = "(none)"
		}
		fmt.Fprintf(b, "%-24s %10d %10d  %s\n", cut(a.Agent, 24), a.Allowed, a.Blocked, cut(group, 30))
	}
	b.WriteByte('\n')
	wrap(b, "", fmt.Sprintf("AI training (%s): in favor %d, against %d, not stated %d", robots.TrainingToken, r.Training.InFavor, r.Training.Against, r.Training.None))
	for i, rule := range r.Training.Rules {
		if i == maxTrainingRules {
			fmt.Fprintf(b, "  ... and %s more against; --format json has all\n", count(len(r.Training.Rules)-i, "rule"))
			return
		}
		tail := fmt.Sprintf(" (line %d): against for %s", rule.Line, count(rule.URLs, "URL"))
		fmt.Fprintf(b, "  %s%s\n", cut(rule.Rule, width-2-len(tail)), tail)
	}
}

// maxTrainingRules is how many rules on AI training the table shows.
const maxTrainingRules = 5

// maxRules is how many rules the table shows.
const maxRules = 20

func rules(b *strings.Builder, r *audit.Report) {
	for i, rule := range r.Rules {
		if i == maxRules {
			fmt.Fprintf(b, "\n... and %d more rules; --format json has all\n", len(r.Rules)-maxRules)
			return
		}
		place := rule.RobotsURL
		if rule.Line > 0 {
			place = fmt.Sprintf("%s line %d", place, rule.Line)
		}
		whom := cut(strings.Join(rule.Agents, ", "), width-30)
		if len(rule.Agents) == len(r.Agents) && len(rule.Agents) > 2 {
			whom = "all audited agents"
		}
		fmt.Fprintf(b, "\n%s\n  %s\n  blocks %s for %s\n", cut(rule.Rule, width), cut(place, width-2), count(rule.URLs, "URL"), whom)
		for _, e := range rule.Examples {
			fmt.Fprintf(b, "    %s\n      listed in %s line %d\n", cut(e.URL, width-4), cut(e.Sitemap, width-30), e.Line)
		}
	}
}

func others(b *strings.Builder, r *audit.Report) {
	if len(r.Examples) == 0 {
		return
	}
	fmt.Fprintf(b, "\nALSO FOUND\n")
	for _, kind := range r.Examples {
		n := r.Findings[kind.Code]
		fmt.Fprintf(b, "  %s, %s\n", kind.Code, count(n, "time"))
		for _, f := range kind.Findings {
			place := f.URL
			if place == "" {
				place = f.Sitemap
			}
			if place != "" {
				fmt.Fprintf(b, "    %s\n", cut(place, width-4))
			}
			wrap(b, "      ", f.Message)
		}
	}
}

// next says what to run, by what was found.
func next(b *strings.Builder, r *audit.Report) {
	b.WriteString("\nNEXT\n")
	if len(r.Rules) > 0 && len(r.Rules[0].Examples) > 0 {
		rule := r.Rules[0]
		b.WriteString("  decorum robots explain")
		if len(rule.Agents) > 0 {
			fmt.Fprintf(b, " --agent %s", quote(rule.Agents[0]))
		}
		if !strings.Contains(rule.RobotsURL, "://") {
			fmt.Fprintf(b, " --file %s", quote(rule.RobotsURL))
		}
		fmt.Fprintf(b, " %s\n", quote(rule.Examples[0].URL))
	}
	if r.Findings[audit.CodeSitemapInvalid] > 0 || r.Findings[audit.CodeNotASitemap] > 0 {
		at := slices.IndexFunc(r.Sitemaps, func(s audit.SitemapFile) bool { return s.Problems > 0 || s.Error != "" })
		if at >= 0 {
			fmt.Fprintf(b, "  decorum sitemap validate %s\n", quote(r.Sitemaps[at].URL))
		}
	}
	b.WriteString("  add --format csv -o audit.csv for a spreadsheet of all findings\n")
	if !slices.ContainsFunc(r.Robots, func(f audit.RobotsFile) bool { return !strings.Contains(f.URL, "://") }) {
		b.WriteString("  add --robots FILE to judge by a draft before it goes live\n")
	}
}

// quote returns a text as one word of a shell. It may come from a site.
func quote(text string) string {
	if text != "" && !strings.ContainsFunc(text, isShellRune) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// isShellRune reports whether r may have a special meaning in a shell.
func isShellRune(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("-._/:@%+=,", r)
}

// wrap writes text in indented lines, broken at blanks.
func wrap(b *strings.Builder, indent, text string) {
	column := 0
	for word := range strings.FieldsSeq(text) {
		word = cut(word, width-len(indent))
		size := utf8.RuneCountInString(word)
		switch {
		case column == 0:
			b.WriteString(indent)
			column = len(indent)
		case column+1+size > width:
			b.WriteString("\n" + indent)
			column = len(indent)
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += size
	}
	b.WriteByte('\n')
}

// cut returns text for a terminal, shortened to n columns by leaving out its
// middle.
func cut(text string, n int) string {
	text = escape.Line(text)
	runes := []rune(text)
	if len(runes) <= n {
		return text
	}
	head := (n - 3) / 2
	return string(runes[:head]) + "..." + string(runes[len(runes)-(n-3-head):])
}

func count(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

func were(n int, word string) string {
	if n == 1 {
		return "1 " + word + " was"
	}
	return fmt.Sprintf("%d %ss were", n, word)
}

func are(n int, word string) string {
	if n == 1 {
		return "1 " + word + " is"
	}
	return fmt.Sprintf("%d %ss are", n, word)
}
