package page

import (
	"fmt"
	"net/url"
	"strings"
	"unicode"

	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/decorum-crawler/decorum/audit"
	"github.com/decorum-crawler/decorum/internal/escape"
)

// shown escapes characters that are invisible or change the text around them.
func shown(text string) string { return escape.Line(text) }

// isWeb reports whether text may become a link: an http or https URL that shows
// where it leads, so without userinfo and with a host in ASCII.
func isWeb(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil &&
		!strings.ContainsFunc(u.Host, isForeign) && shown(text) == text
}

func isForeign(r rune) bool { return r > unicode.MaxASCII }

// number formats n with separators for thousands.
func number(n int) string { return message.NewPrinter(language.English).Sprintf("%d", n) }

func count(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return number(n) + " " + word + "s"
}

// percent returns n as a part of all. Only zero is shown as 0 %.
func percent(n, all int) string {
	switch {
	case n == 0 || all == 0:
		return "0 %"
	case n*1000 < all:
		return "< 0.1 %"
	default:
		return fmt.Sprintf("%.1f %%", float64(n)*100/float64(all))
	}
}

// rank sorts severities, the worst first.
func rank(s audit.Severity) int {
	switch s {
	case audit.SeverityError:
		return 0
	case audit.SeverityWarning:
		return 1
	default:
		return 2
	}
}

// more returns how many of n rows are left out, "" for none.
func more(n int) string {
	if n <= MaxRows {
		return ""
	}
	return number(n-MaxRows) + " more are left out; the json format has all."
}

// cut shortens text to n characters, leaving out its middle.
func cut(text string, n int) string {
	runes := []rune(text)
	if len(runes) <= n {
		return text
	}
	head := n / 2
	return string(runes[:head]) + "…" + string(runes[len(runes)-(n-1-head):])
}
