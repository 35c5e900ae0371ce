package robots

import (
	"net/http"
	"strings"
	"testing"
)

func TestDeviationDigitsBelongToAToken(t *testing.T) {
	f := Parse([]byte("User-agent: MJ12bot\nDisallow: /\n"))
	if got := f.Check("MJ12bot/v1.4.8", "/x"); got.Allowed {
		t.Errorf("got %+v, want disallowed", got)
	}
	if got := f.Check("MJ", "/x"); got.Reason != ReasonNoGroup {
		t.Errorf("got %+v, want no group", got)
	}
}

func TestDeviationMisspellingsForgivenOnlyTowardForbidding(t *testing.T) {
	f := Parse([]byte("User-agent: *\nDisalow: /a\nAlow: /a/b\nAllow /a/b\n"))
	if got := f.Check("x", "/a/b"); got.Allowed || got.Rule.Line != 2 {
		t.Errorf("got %+v, want disallowed by line 2", got)
	}
}

func TestDeviationCrawlDelayAndSitemapNeverEndAList(t *testing.T) {
	f := Parse([]byte("User-agent: a\nCrawl-delay: 2\nSitemap: https://h.example/s\nUser-agent: b\nDisallow: /\n"))
	for _, agent := range []string{"a", "b"} {
		if got := f.Check(agent, "/x"); got.Allowed {
			t.Errorf("agent %s: got %+v, want disallowed", agent, got)
		}
	}
}

func TestDeviationPatternMayBeginWithStar(t *testing.T) {
	f := Parse([]byte("User-agent: *\nDisallow: *secret\n"))
	if got := f.Check("x", "/top/secret/x"); got.Allowed {
		t.Errorf("got %+v, want disallowed", got)
	}
}

func TestDeviationTooManyRequestsIsUnreachable(t *testing.T) {
	document := &Document{Status: http.StatusTooManyRequests}
	if got := document.Check("x", "/"); got.Allowed || got.Reason != ReasonUnreachable {
		t.Errorf("got %+v, want unreachable", got)
	}
}

func TestTraining(t *testing.T) {
	tests := []struct {
		name, robots, path string
		want               Preference
		line               int
	}{
		{"no group", "User-agent: *\nDisallow: /\n", "/", PreferenceNone, 0},
		{"empty file", "", "/", PreferenceNone, 0},
		{"against", "User-agent: __usage_ai-training\nDisallow: /\n", "/x", PreferenceAgainst, 2},
		{"in favor by rule", "User-agent: __usage_ai-training\nAllow: /\n", "/x", PreferenceInFavor, 2},
		{"in favor by group", "User-agent: __usage_ai-training\nDisallow: /a\n", "/x", PreferenceInFavor, 0},
		{"group without rules", "User-agent: __usage_ai-training", "/x", PreferenceInFavor, 0},
		{"case", "user-agent: __USAGE_AI-Training/1.0\ndisallow: /\n", "/x", PreferenceAgainst, 2},
		{"longer name", "User-agent: __usage_ai-training2\nDisallow: /\n", "/x", PreferenceNone, 0},
		{"shorter name", "User-agent: __usage_ai\nDisallow: /\n", "/x", PreferenceNone, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := Parse([]byte(test.robots)).Training(test.path)
			if got.Preference != test.want || got.Rule.Line != test.line {
				t.Errorf("got %+v, want %s by line %d", got, test.want, test.line)
			}
		})
	}
}

func TestTrainingGroupWithoutRulesIsKnown(t *testing.T) {
	for body, want := range map[string]bool{
		"User-agent: __usage_ai-training":                                                 true,
		"User-agent: __usage_ai-training\nDisallow:\n":                                    false,
		"User-agent: __usage_ai-training\nDisallow: /x\n":                                 false,
		"User-agent: __usage_ai-training\nCrawl-delay: 1\n\nUser-agent: *\nDisallow: /\n": false,
		"User-agent: *\nDisallow: /\n\nUser-agent: __usage_ai-training\nCrawl-delay: 1\n": true,
		"User-agent: *\nDisallow: /\n":                                                    false,
	} {
		if got := Parse([]byte(body)).Training("/"); got.Empty != want {
			t.Errorf("%q: got %+v, want empty %v", body, got, want)
		}
	}
}

func TestMatchPattern(t *testing.T) {
	tests := []struct {
		pattern, path string
		octets        int
		ok            bool
	}{
		{"/a", "/ab", 2, true},
		{"/%7ea", "/~a", 3, true},
		{"/*.pdf$", "/x.pdf", 7, true},
		{"/*.pdf$", "/x.pdf?y", 7, false},
		{"a", "/a", 0, false},
		{"", "/", 0, false},
	}
	for _, test := range tests {
		if octets, ok := MatchPattern(test.pattern, test.path); octets != test.octets || ok != test.ok {
			t.Errorf("%s on %s: got %d, %v, want %d, %v", test.pattern, test.path, octets, ok, test.octets, test.ok)
		}
	}
}

func TestTruncatedCutsBackToAWholeLine(t *testing.T) {
	body := "User-agent: *\nDisallow: /a\n" + strings.Repeat("#", MaxBytes) + "\nDisallow: /late\n"
	f := Parse([]byte(body))
	if !f.Truncated() || f.Check("x", "/a").Allowed || !f.Check("x", "/late").Allowed {
		t.Errorf("got truncated %v, want the first rule only", f.Truncated())
	}
}

func TestLinesAreCountedByEachKindOfEnd(t *testing.T) {
	f := Parse([]byte("User-agent: *\r\n\rDisallow: /a\n\n\rDisallow: /b\r"))
	for path, want := range map[string]int{"/a": 3, "/b": 6} {
		if got := f.Check("x", path); got.Rule.Line != want {
			t.Errorf("%s: got line %d, want %d", path, got.Rule.Line, want)
		}
	}
}

// oracleMatch is the pattern matcher at its slowest and plainest.
func oracleMatch(pattern, path string) bool {
	switch {
	case pattern == "":
		return true
	case pattern == "$":
		return path == ""
	case pattern[0] == '*':
		for i := 0; i <= len(path); i++ {
			if oracleMatch(pattern[1:], path[i:]) {
				return true
			}
		}
		return false
	}
	return path != "" && pattern[0] == path[0] && oracleMatch(pattern[1:], path[1:])
}

// oracle judges by trying every rule.
func oracle(g *Group, path string) int32 {
	best := int32(-1)
	for id := range g.ids() {
		if oracleMatch(g.file.pattern(g.file.rules[id]), path) && g.beats(id, best) {
			best = id
		}
	}
	return best
}

func FuzzCheck(f *testing.F) {
	f.Add("User-agent: *\nDisallow: /a*b$\nAllow: /a\n", "/aab")
	f.Add("User-agent: *\nDisallow: *\nAllow: /$\nDisallow: /x$y\n", "/?%2a$")
	f.Fuzz(func(t *testing.T, body, path string) {
		if strings.Count(body, "*") > 12 || len(path) > 60 {
			t.Skip("the oracle is exponential")
		}
		g := Parse([]byte(body)).Group("agent")
		normal := Normalize("/" + path)
		if again := Normalize(normal); again != normal {
			t.Fatalf("normalize %q: got %q, then %q", path, normal, again)
		}
		for id := range g.ids() {
			r := g.file.rules[id]
			if value := g.file.rule(r).Value; g.file.pattern(r) != normalizePattern(value) {
				t.Fatalf("normal form of %q: got %q, want %q", value, g.file.pattern(r), normalizePattern(value))
			}
		}
		got, want := g.decide(normal), oracle(g, normal)
		if got != want {
			t.Fatalf("path %q robots %q: got rule %d, want %d", normal, body, got, want)
		}
		matches := g.Matches(normal)
		if (got >= 0) != (len(matches) > 0) || got >= 0 && matches[0].Rule != g.file.rule(g.file.rules[got]) {
			t.Fatalf("path %q robots %q: got %+v first, want rule %d", normal, body, matches, got)
		}
	})
}
