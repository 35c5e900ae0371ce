package robots

import (
	"encoding/binary"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"unicode/utf16"
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

func TestDeviationPercentThatBeginsNoEscape(t *testing.T) {
	tests := []struct {
		rule, path string
		blocked    bool
	}{
		{"Disallow: /*%", "/a%20b", true},
		{"Disallow: /*%", "/caf%C3%A9", true},
		{"Disallow: /*%", "/a%25", true},
		{"Disallow: /*%", "/plain", false},
		{"Disallow: /itm/*/%", "/itm/lamp/%C3%A9", true},
		{"Disallow: /*URL%*", "/goURL%3Dx", true},
		{"Disallow: *url%2*watches*", "/?url%2Fwatches", true},
		{"Disallow: *url%2*watches*", "/?url%252watches", true},
		{"Disallow: /a%b", "/a%25bx", true},
		{"Disallow: /a%b", "/a%BCx", true},
		{"Disallow: /a%b*", "/a%bc", true},
		{"Disallow: /a%b", "/a%25Bx", false},
		{"Disallow: /a%b", "/a%CBx", false},
		{"Disallow: /sale-50%-off", "/sale-50%25-off", true},
		{"Disallow: /sale-50%-off", "/sale-50%-off", true},
		{"Disallow: /sale-50%-off", "/sale-50-off", false},
		{"Disallow: /100%", "/100%25", true},
		{"Disallow: /100%", "/100", false},
		{"Disallow: /40%$", "/40%25", true},
		{"Disallow: /40%$", "/40%25x", false},
		{"Disallow: /40%$", "/40%20", false},
		{"Disallow: /40%2$", "/40%2", true},
		{"Disallow: /40%2$", "/40%20", false},
		{"Disallow: /*%*$", "/a%20", true},
		{"Disallow: /%%20", "/%25%20", true},
	}
	for _, test := range tests {
		got := Parse([]byte("User-agent: *\n"+test.rule+"\n")).Check("x", test.path)
		if got.Allowed == test.blocked {
			t.Errorf("%s: %s: got %+v, want blocked %v", test.rule, test.path, got, test.blocked)
		}
	}
	strict := Parse([]byte("User-agent: *\nDisallow: /\nAllow: /*%\n"))
	if !strict.Check("x", "/a%25").Allowed || strict.Check("x", "/a%20").Allowed {
		t.Error("got an Allow whose % matches other escapes, want %25 only")
	}
}

func TestDeviationLonePercentHasTheLengthOfItsEscape(t *testing.T) {
	f := Parse([]byte("User-agent: *\nAllow: /*%\nDisallow: /a%b\n"))
	if got := f.Check("x", "/a%25b"); got.Allowed {
		t.Errorf("got %+v, want disallowed, as /a%%25b is longer than /*%%25", got)
	}
}

func TestDeviationReservedInAQueryMatchItsEscapeOnlyInDisallow(t *testing.T) {
	tests := []struct {
		rule, path string
		blocked    bool
	}{
		{"Disallow: /*?f[", "/x?f%5B0%5D=1", true},
		{"Disallow: /*?f%5B", "/x?f[0]=1", true},
		{"Disallow: /*?f%5b", "/x?f%5B0", true},
		{"Disallow: /go?to=https://x.example", "/go?to=https%3A%2F%2Fx.example", true},
		{"Disallow: /go?to=https%3A%2F%2Fx.example", "/go?to=https://x.example/y", true},
		{"Disallow: /go?to=https%3A//x$", "/go?to=https:%2F%2Fx", true},
		{"Disallow: /go?to=https%3A//x$", "/go?to=https:%2F%2Fx/", false},
		{"Disallow: /*?*,", "/x?a=1%2C2", true},
		{"Disallow: /q?k=%3D", "/q?k==", false},
		{"Disallow: /q?a&b", "/q?a%26b", false},
		{"Disallow: /q?a+b", "/q?a%2Bb", false},
		{"Disallow: /a/b?x:", "/a%2Fb?x:", false},
		{"Disallow: /a:b", "/a%3Ab", false},
		{"Disallow: /*[", "/x?f[", true},
	}
	for _, test := range tests {
		got := Parse([]byte("User-agent: *\n"+test.rule+"\n")).Check("x", test.path)
		if got.Allowed == test.blocked {
			t.Errorf("%s: %s: got %+v, want blocked %v", test.rule, test.path, got, test.blocked)
		}
	}
	strict := Parse([]byte("User-agent: *\nDisallow: /\nAllow: /go?to=https://\n"))
	if !strict.Check("x", "/go?to=https://x").Allowed || strict.Check("x", "/go?to=https%3A%2F%2Fx").Allowed {
		t.Error("got an Allow that matches the escaped form, want as written only")
	}
	tie := Parse([]byte("User-agent: *\nDisallow: /x?a[\nAllow: /x?a%5B\n"))
	if !tie.Check("x", "/x?a%5B").Allowed || tie.Check("x", "/x?a[").Allowed {
		t.Error("got other verdicts than by the lengths of the normal forms")
	}
}

func TestDeviationUTF16IsRead(t *testing.T) {
	const text = "User-agent: *\r\n# caf\u00e9 \U0001f600\r\n\nDisallow: /p\u00fc\n"
	for name, order := range map[string]binary.AppendByteOrder{"little": binary.LittleEndian, "big": binary.BigEndian} {
		for _, start := range []string{"\ufeff", ""} {
			body := utf16Of(start+text, order)
			if got := Parse(body).Check("x", "/p%C3%BC"); got.Allowed || got.Rule.Line != 4 {
				t.Errorf("%s endian, start %q: got %+v, want blocked by line 4", name, start, got)
			}
			long := utf16Of(start+text+strings.Repeat("\u0a0a", MaxBytes)+"\nDisallow: /late\n", order)
			if got := Parse(long); !got.Truncated() || got.Check("x", "/p\u00fc").Allowed || !got.Check("x", "/late").Allowed {
				t.Errorf("%s endian, start %q: got other than the rules of the first 500 KiB", name, start)
			}
		}
	}
}

func utf16Of(text string, order binary.AppendByteOrder) []byte {
	var data []byte
	for _, unit := range utf16.Encode([]rune(text)) {
		data = order.AppendUint16(data, unit)
	}
	return data
}

func TestByteOrderMarksAreSkipped(t *testing.T) {
	for _, start := range []string{"\ufeff", "\ufeff\ufeff"} {
		if got := Parse([]byte(start+"User-agent: *\nDisallow: /\n")).Check("x", "/"); got.Allowed || got.Rule.Line != 2 {
			t.Errorf("got %+v, want blocked by line 2", got)
		}
	}
}

// FuzzParse wants no panic and lines that exist, of any bytes.
func FuzzParse(f *testing.F) {
	f.Add([]byte("\xff\xfeU\x00s\x00\x3d\xd8"))
	f.Add([]byte("\x00U\x00s\xd8\x3d\xde"))
	f.Add([]byte("\ufeffUser-agent: *\rSitemap: ../x"))
	f.Fuzz(func(t *testing.T, data []byte) {
		file := Parse(data)
		lines := 0
		eachLine(file.text, func(int, int, int) { lines++ })
		for _, r := range file.rules {
			if r.number() < 1 || r.number() > lines || r.lenient() && r.allow() {
				t.Fatalf("got %+v of %d lines", file.rule(r), lines)
			}
		}
		file.Check("x", "/")
	})
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

// oracleLenient is oracleMatch for a Disallow that is compared leniently; query
// tells whether the "?" of pattern and path have been passed.
func oracleLenient(pattern, path string, patternQuery, pathQuery bool) bool {
	switch {
	case pattern == "":
		return true
	case pattern == "$":
		return path == ""
	case pattern[0] == '*':
		for i := 0; i <= len(path); i++ {
			if oracleLenient(pattern[1:], path[i:], patternQuery, pathQuery || strings.Contains(path[:i], "?")) {
				return true
			}
		}
		return false
	case path == "":
		return false
	}
	next := func(p, s int) bool {
		return oracleLenient(pattern[p:], path[s:], patternQuery || pattern[0] == '?', pathQuery || path[0] == '?')
	}
	if half, rest, _ := strings.Cut(pattern, "*"); len(half) == 2 && half[0] == '%' && isHex(half[1]) && (rest != "" || pattern == half || pattern == half+"*") {
		return strings.HasPrefix(path, strings.ToUpper(half)) && next(2, 2) || strings.HasPrefix(path, "%25"+half[1:]) && next(2, 4)
	}
	if pattern[0] == path[0] && next(1, 1) {
		return true
	}
	for _, c := range "/?:@!'(),[]" {
		raw, escape := string(c), fmt.Sprintf("%%%02X", c)
		for _, form := range []string{raw, escape} {
			if form == escape && !patternQuery || !strings.HasPrefix(pattern, form) {
				continue
			}
			if strings.HasPrefix(path, raw) && next(len(form), 1) || pathQuery && strings.HasPrefix(path, escape) && next(len(form), 3) {
				return true
			}
		}
	}
	return false
}

// oracle judges by trying every rule.
func oracle(g *Group, path string) int32 {
	best := int32(-1)
	for id := range g.ids() {
		pattern, matches := g.file.pattern(g.file.rules[id]), oracleMatch
		if g.file.rules[id].lenient() {
			matches = func(pattern, path string) bool { return oracleLenient(pattern, path, false, false) }
		}
		if matches(pattern, path) && g.beats(id, best) {
			best = id
		}
	}
	return best
}

func FuzzCheck(f *testing.F) {
	f.Add("User-agent: *\nDisallow: /a*b$\nAllow: /a\n", "/aab")
	f.Add("User-agent: *\nDisallow: /*?f[\nDisallow: /%5*x?to=https%3A//\nAllow: /*?f[0\n", "/x?f%5B0")
	f.Add("User-agent: *\nDisallow: /*%\nDisallow: /50%c\nAllow: /*%$\nDisallow: *%$\n", "/50%c")
	f.Add("User-agent: *\nDisallow: /a%\nDisallow: /a%2F\nDisallow: /*%2F\nAllow: /a%2*\n", "/a%2f")
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
			if value := g.file.rule(r).Value; g.file.pattern(r) != normalizePattern(value, r.allow()) {
				t.Fatalf("normal form of %q: got %q, want %q", value, g.file.pattern(r), normalizePattern(value, r.allow()))
			}
		}
		for id := range g.ids() {
			if oracleMatch(g.file.pattern(g.file.rules[id]), normal) && !g.matches(id, normal) {
				t.Fatalf("path %q: %q matches strictly only", normal, g.file.pattern(g.file.rules[id]))
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
