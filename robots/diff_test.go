package robots_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/decorum-crawler/decorum/robots"
)

func ExampleDiff_Verdicts() {
	live := robots.Parse([]byte("User-agent: *\nDisallow: /cart\n"))
	draft := robots.Parse([]byte("User-agent: *\nDisallow: /cart/\n\nUser-agent: GPTBot\nDisallow: /\n"))
	diff := robots.NewDiff(live, draft)
	for _, path := range []string{"/", "/cart"} {
		for _, change := range diff.Verdicts(path) {
			fmt.Println(path, change.Agent, change.Before.Allowed, "->", change.After.Allowed, change.After.Rule)
		}
	}
	// Output:
	// / gptbot true -> false Disallow: /
	// /cart * false -> true Disallow:
}

func TestDiffIsOfAnswersNotOfRules(t *testing.T) {
	before := robots.Parse([]byte("User-agent: *\nDisallow: /a\n"))
	after := robots.Parse([]byte("User-agent: *\nDisallow: /a/b\nDisallow: /a$\n"))
	diff := robots.NewDiff(before, after, "decorum")
	for path, changes := range map[string]int{"/a": 0, "/a/b/c": 0, "/a/c": 1, "/": 0, "/robots.txt": 0} {
		if got := diff.Verdicts(path); len(got) != changes {
			t.Errorf("got %+v, want %d changes of %s", got, changes, path)
		}
	}
	got := diff.Verdicts("/a/c")[0]
	if got.Agent != "decorum" || got.Before.Rule.Line != 2 || got.After.Reason != robots.ReasonNoMatchingRule {
		t.Errorf("got %+v, want line 2 before and no rule after", got)
	}
}

func TestDiffAgents(t *testing.T) {
	before := robots.Parse([]byte("User-agent: GPTBot\nDisallow: /\n\nUser-agent: __usage_ai-training\nDisallow: /\n"))
	after := robots.Parse([]byte("User-agent: CCBot\nUser-agent: gptbot\nDisallow: /\n"))
	if d := cmp.Diff(robots.NewDiff(before, after).Agents(), []string{"*", "gptbot", "ccbot"}); d != "" {
		t.Errorf("named by the files: got -, want +:\n%s", d)
	}
	given := []string{"Googlebot/2.1", "*"}
	diff := robots.NewDiff(before, after, given...)
	given[0] = "changed"
	if d := cmp.Diff(diff.Agents(), []string{"Googlebot/2.1", "*"}); d != "" {
		t.Errorf("given: got -, want +:\n%s", d)
	}
}

func TestDiffOfTraining(t *testing.T) {
	file := func(rules string) *robots.File {
		return robots.Parse([]byte("User-agent: *\nDisallow: /\n\n" + rules))
	}
	against := "User-agent: __usage_ai-training\nDisallow: /a\n"
	for _, test := range []struct {
		before, after, path string
		want                [2]robots.Preference
	}{
		{"", "", "/a", [2]robots.Preference{"none", "none"}},
		{"", against, "/a", [2]robots.Preference{"none", "against"}},
		{against, "", "/b", [2]robots.Preference{"in_favor", "none"}},
		{against, against + "Allow: /a/b\n", "/a/b", [2]robots.Preference{"against", "in_favor"}},
		{against, against + "Disallow: /a/b\n", "/a/b", [2]robots.Preference{"against", "against"}},
	} {
		before, after, changed := robots.NewDiff(file(test.before), file(test.after)).Training(test.path)
		if got := [2]robots.Preference{before.Preference, after.Preference}; got != test.want || changed != (got[0] != got[1]) {
			t.Errorf("got %v, %v, want %v: %q, %q, %s", got, changed, test.want, test.before, test.after, test.path)
		}
	}
}
