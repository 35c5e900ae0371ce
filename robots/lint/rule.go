package lint

import (
	"net/url"
	"regexp"
	"strings"

	"github.com/decorum-crawler/decorum/robots"
)

// rule judges the value of an Allow or Disallow.
func (l *linter) rule(at *line) {
	if at.section == nil {
		l.say(CodeRuleBeforeGroup, SeverityError, "put a User-agent line above it", "%s precedes any User-agent line, so no crawler obeys it", at.Field)
		return
	}
	value := at.Value
	switch {
	case value == "":
		if at.Field == robots.FieldAllow {
			l.say(CodeIdleAllow, SeverityInfo, "", "an Allow without a path has no effect")
			l.remove(at.section)
		}
	case hasSeveralPaths(value):
		l.say(CodeSeveralPaths, SeverityError, "write a line for each path", "a rule has one path; %q is compared as one with blanks in it", value)
	case isRegexp(value):
		l.say(CodeRegexp, SeverityWarning, "write * for any characters and $ for the end", "%q looks like a regular expression; only * and a $ at the end are special", value)
	case value[0] != '/' && value[0] != '*':
		l.noSlash(at)
	default:
		l.normalForm(at)
	}
}

func hasSeveralPaths(value string) bool {
	parts := strings.Fields(value)
	for _, part := range parts {
		if part[0] != '/' && part[0] != '*' {
			return false
		}
	}
	return len(parts) > 1
}

// regexps are what only regular expressions have.
var regexps = regexp.MustCompile(`\\[dDwWsSbB.\-/?*+()\[\]]|\(\?[:=!]|\([^()]*\|[^()]*\)|\[[0-9a-zA-Z]-[0-9a-zA-Z]|\[\^|\.\+|^\^`)

func isRegexp(value string) bool { return regexps.MatchString(value) }

var (
	extension = regexp.MustCompile(`^\.[0-9A-Za-z]+\$?$`)
	pathLike  = regexp.MustCompile(`^[0-9A-Za-z_~][0-9A-Za-z_~./*%+,-]*(\?.*)?\$?$`)
)

// noSlash reports a rule that matches nothing.
func (l *linter) noSlash(at *line) {
	value := at.Value
	l.say(CodeNoSlash, SeverityError, "begin it with /, or with * if it is a part of a path", "%q begins with neither / nor *, so it matches no URL", value)
	switch {
	case strings.Contains(value, "://"):
		l.wholeURL(at)
	case strings.ContainsAny(value, blanks), strings.HasPrefix(value, "www."), isWord(value):
	case extension.MatchString(value), value[0] == '?' && len(value) > 1:
		l.change(at, at.Field, "/*"+value)
	case pathLike.MatchString(value) && !isParameter(value):
		l.change(at, at.Field, "/"+value)
	}
}

// isParameter reports whether a value is that of a query, such as print=1.
func isParameter(value string) bool {
	name, _, ok := strings.Cut(value, "=")
	return ok && !strings.ContainsAny(name, "/?")
}

// isWord reports whether a value is a word for what is allowed and no path.
func isWord(value string) bool {
	switch strings.ToLower(value) {
	case "all", "any", "everything", "none", "nothing", "no", "yes", "true", "false":
		return true
	}
	return false
}

// wholeURL offers the path of a URL on the host of the robots.txt.
func (l *linter) wholeURL(at *line) {
	l.last().Fix = "write the path alone, if the URL is one of this site"
	u, err := url.Parse(at.Value)
	if err != nil || l.base == nil || u.Scheme != l.base.Scheme || !strings.EqualFold(u.Host, l.base.Host) || u.Fragment != "" {
		return
	}
	if target, err := robots.Target(at.Value); err == nil {
		l.change(at, at.Field, target)
	}
}

// normalForm judges how a path or pattern is spelt.
func (l *linter) normalForm(at *line) {
	value, allow := at.Value, at.Field == robots.FieldAllow
	body, anchored := strings.CutSuffix(value, "$")
	normal := robots.Rule{Allow: allow, Value: value}.Pattern()
	switch {
	case hasLonePercent(value):
		l.percent(at, normal)
	case strings.Contains(body, "$"):
		l.say(CodeDollarInside, SeverityWarning, "", "a $ means the end of the URL only as the last character; here it is an ordinary one")
		fix := strings.ReplaceAll(body, "$", "%24")
		if anchored {
			fix += "$"
		}
		if (robots.Rule{Allow: allow, Value: fix}).Pattern() == normal {
			l.replace(at.Field, fix)
		}
	case normal != value:
		l.say(CodeEscape, SeverityInfo, "", "%q is compared in its normal form, %q", value, normal)
		l.replace(at.Field, normal)
	}
}

// percent judges a rule with a "%" that begins no escape.
func (l *linter) percent(at *line, normal string) {
	switch {
	case at.Field == robots.FieldAllow:
		l.say(CodePercent, SeverityInfo, "", "a %% that begins no escape; decorum allows URLs with a literal one, %%25, others those with any escape")
	case hasLonePercent(normal):
		l.say(CodePercent, SeverityInfo, "", "a %% that begins no escape forbids every URL that continues it as one")
	default:
		l.say(CodePercent, SeverityWarning, "", "a %% that begins no escape; clients send it as %%25, which only some crawlers consider")
		l.replace(at.Field, normal)
	}
}

// hasLonePercent reports whether a "%" begins no escape.
func hasLonePercent(value string) bool {
	for {
		at := strings.IndexByte(value, '%')
		if at < 0 {
			return false
		}
		value = value[at+1:]
		if len(value) < 2 || !isHex(value[0]) || !isHex(value[1]) {
			return true
		}
	}
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}
