package robots_test

import (
	"errors"
	"fmt"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/decorum-crawler/decorum/robots"
)

func ExampleExplain() {
	document := &robots.Document{Status: http.StatusOK, Body: []byte(shop)}
	e := robots.Explain(document, "decorum", "/cart/help")
	fmt.Println(e.Verdict.Allowed, e.Group.Token(), e.Group.Lines(), e.Advantage())
	for _, match := range e.Matches {
		fmt.Println(match.Octets, match.Rule.Line, match.Rule)
	}
	fmt.Println(e.Training.Preference)
	// Output:
	// true * [1] length
	// 10 5 Allow: /cart/help
	// 5 3 Disallow: /cart
	// in_favor
}

func TestAdvantage(t *testing.T) {
	body := "User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /a/b\nDisallow: /c\nDisallow: /c\nDisallow: /d\n"
	document := &robots.Document{Status: http.StatusOK, Body: []byte(body)}
	for path, want := range map[string]robots.Advantage{
		"/": robots.AdvantageNone, "/a": robots.AdvantageOnly, "/a/b": robots.AdvantageAllow, "/c": robots.AdvantageFirst,
	} {
		if got := robots.Explain(document, "decorum", path).Advantage(); got != want {
			t.Errorf("got %q, want %q of %s", got, want, path)
		}
	}
}

// Without rules that count there is nothing to name but the verdict, which is
// that of Document.Check.
func TestExplainWithoutRules(t *testing.T) {
	for _, document := range []*robots.Document{
		{Status: http.StatusNotFound, Body: []byte(shop)},
		{Status: http.StatusServiceUnavailable, Body: []byte(shop)},
		{Err: errors.New("no route")},
	} {
		for _, path := range []string{"/cart", "/robots.txt"} {
			e := robots.Explain(document, "decorum", path)
			if d := cmp.Diff(e.Verdict, document.Check("decorum", path)); d != "" {
				t.Errorf("status %d, %s: got -, want +:\n%s", document.Status, path, d)
			}
			if e.Group.Token() != "" || len(e.Matches) > 0 || e.Training.Preference != robots.PreferenceNone {
				t.Errorf("status %d: got %+v, want neither group nor match", document.Status, e)
			}
		}
	}
}
