package robots

import (
	"regexp"
	"slices"
	"strings"
)

// Directives are what a page states to one agent by X-Robots-Tag and meta robots.
type Directives struct {
	NoIndex  bool
	NoFollow bool
	Names    []string // all that apply to the agent, in lower case, in order, without duplicates
}

// Statements are the directives of a page together with whom they address. The
// zero value has none; Statements are not safe for concurrent use while they are
// added to.
//
// There is no standard; the rules are those of search engines' documents. They
// are read so that a directive that forbids is never lost to an odd spelling.
type Statements struct{ all []statement }

// statement is one directive, in lower case.
type statement struct {
	scope     string // product token in lower case; empty: every agent
	directive string
}

const (
	maxStatements = 256 // of one page, but for those that forbid
	maxDirective  = 128 // bytes of a directive that is kept
)

// forbidding are the directives that are looked for wherever they are.
var forbidding = []string{
	"noindex", "nofollow", "none", "noai", "noimageai", "noml", "noarchive", "nosnippet", "noimageindex", "nocache", "notranslate",
}

// AddHeader adds the directives of one X-Robots-Tag line. A line may be scoped
// to a bot ("otherbot: noindex, nofollow"); the scope applies to the directives
// after it, up to the next scope. A scope is a product token; dates of
// unavailable_after may have commas and colons.
func (s *Statements) AddHeader(value string) {
	scope := ""
	for rest := value; ; {
		rest = strings.TrimLeft(rest, " \t,;")
		if rest == "" {
			return
		}
		if name, after, ok := cutScope(rest); ok {
			scope, rest = scopeOf(name), after
			continue
		}
		end := directiveEnd(rest)
		s.add(scope, rest[:end])
		rest = rest[end:]
	}
}

// AddMeta adds the directives of a meta element: one whose name is "robots", or
// one whose name is that of a bot and whose content has a directive. A name may be
// a list of names.
func (s *Statements) AddMeta(name, content string) {
	for one := range strings.FieldsFuncSeq(name, func(r rune) bool { return strings.ContainsRune(" \t\r\n,;", r) }) {
		if Token(one) == strings.ToLower(one) {
			s.addMeta(scopeOf(one), content)
		}
	}
}

// addMeta adds all directives for everyone, and known ones under the name of a
// bot: most other names are those of no bot at all.
func (s *Statements) addMeta(scope, content string) {
	if scope != "" {
		for _, word := range words(content) {
			if isDirective(word) {
				s.put(scope, word)
			}
		}
		return
	}
	for rest := content; ; {
		rest = strings.TrimLeft(rest, " \t\r\n,;")
		if rest == "" {
			return
		}
		end := directiveEnd(rest)
		s.add(scope, rest[:end])
		rest = rest[end:]
	}
}

// value is a directive with its value.
var value = regexp.MustCompile(`^max-(?:snippet|image-preview|video-preview)\s*[:=]\s*[^\s,;]*`)

// add adds a directive, and whatever forbids in one that is odd: words with
// anything but commas between them, with a value, in quotes, or after a scope that
// is no product token.
func (s *Statements) add(scope, directive string) {
	directive = strings.ToLower(strings.TrimSpace(directive))
	rest := directive
	for _, known := range []*regexp.Regexp{value, date} {
		if found := known.FindString(directive); found != "" {
			s.put(scope, strings.TrimSpace(found))
			rest = directive[len(found):]
		}
	}
	all := words(rest)
	if !slices.ContainsFunc(all, isForbidding) {
		if rest == directive {
			s.put(scope, directive)
		}
		return
	}
	for _, word := range all {
		if isDirective(word) {
			s.put(scope, word)
		}
	}
}

// words returns the words of a directive in lower case: what is between all other
// characters.
func words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return r >= 0x80 || !isAlnum(byte(r)) && r != '-' && r != '_'
	})
}

func (s *Statements) put(scope, directive string) {
	one := statement{scope, directive}
	switch {
	case directive == "", slices.Contains(s.all, one):
	case isForbidding(directive), len(s.all) < maxStatements && len(directive) <= maxDirective:
		s.all = append(s.all, one)
	}
}

// For returns the directives that apply to an agent: those for everyone and
// those for its product token.
func (s *Statements) For(agent string) Directives {
	var d Directives
	for _, one := range s.all {
		if one.scope == "" || sameToken(agent, one.scope) {
			d.add(one.directive)
		}
	}
	return d
}

// Forbid reports whether any of the statements forbids something, to anybody.
func (s *Statements) Forbid() bool {
	return slices.ContainsFunc(s.all, func(one statement) bool { return isForbidding(one.directive) })
}

// Scoped returns the directives that are for single bots, by product token; nil
// when there are none.
func (s *Statements) Scoped() map[string][]string {
	var found map[string][]string
	for _, one := range s.all {
		if one.scope == "" {
			continue
		}
		if found == nil {
			found = map[string][]string{}
		}
		found[one.scope] = append(found[one.scope], one.directive)
	}
	return found
}

func (d *Directives) add(directive string) {
	switch directive {
	case "none":
		d.NoIndex, d.NoFollow = true, true
	case "noindex":
		d.NoIndex = true
	case "nofollow":
		d.NoFollow = true
	}
	if !slices.Contains(d.Names, directive) {
		d.Names = append(d.Names, directive)
	}
}

// cutScope cuts the product token and colon that text begins with.
func cutScope(text string) (name, after string, ok bool) {
	name, after, ok = strings.Cut(text, ":")
	name = strings.TrimRight(name, " \t")
	if !ok || name == "" || isDigit(name[0]) || hasValue(name) || isDirective(strings.ToLower(name)) || Token(name) != strings.ToLower(name) {
		return "", "", false
	}
	return name, after, true
}

// scopeOf returns the product token of a scope; empty for "robots", which is
// everyone.
func scopeOf(name string) string {
	if strings.EqualFold(name, "robots") {
		return ""
	}
	return strings.ToLower(name)
}

// date is a date in one of the forms that unavailable_after has: RFC 822 and
// RFC 850, that of the C library, and ISO 8601.
var date = regexp.MustCompile(`(?i)^unavailable_after\s*:\s*(?:` +
	`(?:[a-z]{3,9},?\s+)?\d{1,2}[\s-]+[a-z]{3,9}[\s-]+\d{2,4},?(?:\s+\d{1,2}:\d{2}(?::\d{2})?(?:\.\d+)?(?:\s*(?:[ap]m|utc|gmt|[a-z]{1,5}|[+-]\d{2}:?\d{2})\b)?)?|` +
	`[a-z]{3,9},?\s+[a-z]{3,9}\s+\d{1,2},?(?:\s+\d{1,2}:\d{2}:\d{2})?(?:\s+[a-z]{1,5})?\s+\d{4}|` +
	`\d{4}-\d{2}-\d{2}(?:[t\s]\s*\d{2}:\d{2}(?::\d{2})?(?:\.\d+)?\s*(?:z|[a-z]{3,4}|[+-]\d{2}:?\d{2})?)?` +
	`)`)

// directiveEnd returns where the directive that text begins with ends: at a
// comma or semicolon that belongs to no date.
func directiveEnd(text string) int {
	start := 0
	if at := date.FindStringIndex(text[:min(len(text), maxDirective)]); at != nil {
		start = at[1]
	}
	if end := strings.IndexAny(text[start:], ",;"); end >= 0 {
		return start + end
	}
	return len(text)
}

// hasValue reports whether a directive of that name has a value after a colon,
// so that the name is not that of a bot.
func hasValue(name string) bool {
	switch strings.ToLower(strings.TrimSpace(name)) {
	case "unavailable_after", "max-snippet", "max-image-preview", "max-video-preview":
		return true
	}
	return false
}

func isForbidding(directive string) bool { return slices.Contains(forbidding, directive) }

func isDirective(word string) bool {
	switch word {
	case "all", "index", "follow", "archive", "snippet", "indexifembedded":
		return true
	}
	name, _, ok := strings.Cut(word, ":")
	return isForbidding(word) || ok && hasValue(name)
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func sameToken(agent, name string) bool {
	token := Token(agent)
	return token != "" && strings.EqualFold(token, name)
}
