package crawler

import (
	"strings"
	"time"
)

// declaredRefresh is a refresh that a page declares in a meta element or a Refresh
// header.
type declaredRefresh struct {
	href  string // as written; empty: the page itself
	after time.Duration
}

// instant reports whether the refresh is in effect a redirect.
func (r declaredRefresh) instant() bool { return r.after <= time.Second }

const blanks = " \t\r\n\f"

// parseRefresh reads a refresh as browsers do (HTML, shared declarative refresh
// steps).
func parseRefresh(text string) declaredRefresh {
	text = strings.TrimLeft(text, blanks)
	number := len(text) - len(strings.TrimLeft(text, "0123456789"))
	if number == 0 && !strings.HasPrefix(text, ".") {
		return declaredRefresh{}
	}
	r := declaredRefresh{after: seconds(text[:number])}
	text = strings.TrimLeft(text[number:], "0123456789.")
	rest := strings.TrimLeft(text, blanks)
	if rest == text && !strings.HasPrefix(rest, ";") && !strings.HasPrefix(rest, ",") {
		return declaredRefresh{}
	}
	if strings.HasPrefix(rest, ";") || strings.HasPrefix(rest, ",") {
		rest = strings.TrimLeft(rest[1:], blanks)
	}
	r.href = unquoted(afterURL(rest))
	return r
}

// seconds returns a number of seconds, at most a day.
func seconds(digits string) time.Duration {
	const most = 24 * 60 * 60
	n := 0
	for i := 0; i < len(digits) && n < most; i++ {
		n = 10*n + int(digits[i]-'0')
	}
	return time.Duration(min(n, most)) * time.Second
}

// afterURL returns text without "url =" at its beginning.
func afterURL(text string) string {
	if len(text) < 3 || !strings.EqualFold(text[:3], "url") {
		return text
	}
	if rest, ok := strings.CutPrefix(strings.TrimLeft(text[3:], blanks), "="); ok {
		return strings.TrimLeft(rest, blanks)
	}
	return text
}

func unquoted(text string) string {
	if text != "" && (text[0] == '"' || text[0] == '\'') {
		text, _, _ = strings.Cut(text[1:], text[:1])
	}
	return strings.Trim(text, blanks)
}
