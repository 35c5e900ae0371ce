package lint

import (
	"regexp"
	"strings"

	"github.com/decorum-crawler/decorum/robots"
)

// versioned is what may follow a product token without changing its meaning.
var versioned = regexp.MustCompile(`^(/[0-9A-Za-z._+-]*)?\*?$`)

// userAgent judges the value of a User-agent line.
func (l *linter) userAgent(value string) {
	token := robots.GroupToken(value)
	switch {
	case value == "":
		l.say(CodeAgent, SeverityError, "name a crawler, or write * for all of them", "the line names no crawler")
	case token == "" && value[0] == '*':
		l.say(CodeAgent, SeverityError, "write * alone, or a line for each crawler", "* means all crawlers only if it is alone, so %q names none", value)
	case token == "":
		l.say(CodeAgent, SeverityError, "write the crawler's product token, such as Googlebot", "%q does not begin with a letter, so it names no crawler", value)
	case len(token) == len(value):
	case token == "*" || versioned.MatchString(value[len(token):]):
		l.say(CodeAgent, SeverityInfo, "", "only %q is compared with a crawler's name; the rest of %q is ignored", value[:len(token)], value)
		l.replace(robots.FieldUserAgent, value[:len(token)])
	case isList(value):
		l.say(CodeAgent, SeverityWarning, "write a User-agent line for each", "a line names one crawler, so only %q of %q counts", value[:len(token)], value)
	case strings.Contains(value, "("):
		l.say(CodeAgent, SeverityWarning, "write the crawler's product token, such as Googlebot",
			"only %q is compared with a crawler's name; %q is a whole User-Agent value", value[:len(token)], value)
	default:
		l.say(CodeAgent, SeverityInfo, "", "only %q is compared with a crawler's name; the rest of %q is ignored", value[:len(token)], value)
	}
}

// isList reports whether a value is a list of tokens.
func isList(value string) bool {
	parts := strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ';' })
	for _, part := range parts {
		part = strings.Trim(part, blanks)
		token := robots.GroupToken(part)
		if token == "" || !versioned.MatchString(part[len(token):]) {
			return false
		}
	}
	return len(parts) > 1
}

// isPlainName reports whether a value names one crawler and nothing of it but a
// version was ignored. Names that were cut may be those of different crawlers.
func isPlainName(value string) bool {
	token := robots.GroupToken(value)
	return token != "" && versioned.MatchString(value[len(token):])
}
